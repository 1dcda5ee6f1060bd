//! Diagnosis: what went wrong in a computation, told from its numbers and from what it was meant to be.
//!
//! Never told the mistake: it sees a trace and a [`Declared`], gathers [`Evidence`] for each head and for all heads,
//! and ranks what may have caused it. Works on any weights. Nothing here is words: `locale` makes sentences of a [`Cause`]
//! and its [`Measure`]s. Costs about as much as the computation itself, so a page asks when it needs it, not in a drag.

mod causes;
mod compare;
mod evidence;
mod mask;
mod whole;

pub use compare::{Causality, Difference, causality, differences};
pub use evidence::Evidence;
pub use whole::Whole;

use crate::attention::method::{Biases, Position, Precision};
use crate::attention::{Bug, Held, Mask, Problem, Shape, Source, Trace, Weights};
use crate::tensor::Heads;

/// What a computation is meant to be: scores × 1/√d_k ÷ temperature, this mask, softmax over the keys of a query (or another
/// rule whose rows add up to 1), heads split and merged as they should be.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// Who may attend to whom.
    pub mask: &'a Mask,
    /// What a scaled score is divided by.
    pub temperature: f32,
    /// The projections; without them a wrong split of heads can't be told.
    pub weights: Option<&'a Weights>,
    /// What is added after the projections.
    pub biases: Option<&'a Biases>,
    /// Whether q and k are turned by their positions.
    pub rotary: bool,
    /// Whether numbers are rounded to f16: then small deviations are no mistake.
    pub half: bool,
}

impl<'a> Declared<'a> {
    /// What a problem declares. Its scale, score, normalisation, fill and mistakes are not looked at.
    #[must_use]
    pub fn of(problem: &'a Problem) -> Self {
        let method = problem.method.as_deref();
        Self {
            mask: &problem.mask,
            temperature: problem.temperature,
            weights: match &problem.source {
                Source::Embedded { weights, .. } => Some(weights),
                Source::Given { .. } => None,
            },
            biases: method.and_then(|method| method.biases.as_deref()),
            rotary: method.is_some_and(|method| matches!(method.position, Position::Rotary { .. })),
            half: method.is_some_and(|method| method.precision == Precision::Half),
        }
    }
}

/// What may have gone wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// One of the mistakes that [`Bug`] lists.
    Bug(Bug),
    /// Raw scores were not scaled.
    NoScale,
    /// Scaled by 1/√d_model, not 1/√d_k.
    ScaleOfModel,
    /// Scaled by something else.
    OtherScale,
    /// Divided by another temperature than was declared.
    OtherTemperature,
    /// Every row of scores is the same but for a constant, though the queries differ: softmax cancels the query. What an
    /// additive score without tanh does.
    QueryCancels,
    /// Forbidden scores became 0.
    ZeroFill,
    /// Weights were multiplied by the mask after softmax.
    MultipliedAfter,
    /// Forbidden scores were lowered, and take part all the same: −1e4 under larger scores, −1e9 or −∞ where weights are not
    /// made by exp.
    FillTakesPart,
    /// The mask was not applied.
    MaskIgnored,
    /// Another mask was applied, and no known mistake makes it of the intended one.
    OtherMask,
    /// exp overflowed or left nothing above 0: the largest score of the row was not subtracted.
    MissingMaximum,
    /// Scores themselves are infinite, or NaN though no query is.
    ScoresOverflow,
    /// Rows with nothing permitted are NaN.
    MaskedRowsNan,
    /// Rows with nothing permitted have weights.
    MaskedRowsFilled,
    /// Rows do not add up to 1, for a reason not known.
    NotNormalised,
    /// A head's output is not Σ w·v.
    OutputNotMixed,
}

/// What a number of a guess is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// Cells that the mask forbids and that took part, over all heads.
    ForbiddenCells,
    /// Cells that the mask permits and that took no part, over all heads.
    MissingCells,
    /// Weight in forbidden cells, summed over all heads.
    LeakedWeight,
    /// Rows concerned, over all heads.
    Rows,
    /// The first row concerned, from 0.
    FirstRow,
    /// Smallest sum of a row.
    LeastRowSum,
    /// Largest sum of a row.
    MostRowSum,
    /// Largest sum of a row; of a column, where softmax took the columns.
    MostLineSum,
    /// Smallest sum of a column.
    LeastColumnSum,
    /// Largest sum of a column.
    MostColumnSum,
    /// scaled ÷ raw × √d_k: 1 where it was scaled as it should be.
    ScaleFactor,
    /// Standard deviation of the scaled scores over permitted cells.
    ScoreDeviation,
    /// Mean 1 − Σ w² of rows with a choice: near 0 where they are one-hot.
    Softness,
    /// scaled ÷ tempered.
    Temperature,
    /// The largest finite score, in absolute value.
    LargestScore,
    /// What query and key make together in a score, root mean square: 0 where each adds its own part.
    Interaction,
    /// How much a score varies with the key alone, root mean square.
    KeyPart,
    /// Mean H ÷ ln n of the rows concerned: 1 is uniform.
    NormalisedEntropy,
    /// Numbers that are not where they should be.
    Misplaced,
    /// Largest difference from what it should be.
    Error,
}

/// One cause and the numbers that speak for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// What it may be.
    pub cause: Cause,
    /// The evidence, most telling first. NaN is never among them.
    pub numbers: Vec<(Measure, f64)>,
}

/// All that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// What may have gone wrong, likeliest first; empty for a healthy computation.
    pub guesses: Vec<Guess>,
    /// The evidence of each head, `[h]`.
    pub heads: Vec<Evidence>,
    /// The evidence of all heads together.
    pub all: Evidence,
    /// What does not belong to a head.
    pub whole: Whole,
}

/// Examines the top layer of `trace`. What its stages do not hold is not judged.
#[must_use]
pub fn diagnose(trace: &Trace<f32>, declared: &Declared<'_>) -> Diagnosis {
    let view = View::of(trace, declared);
    let heads = trace.shape.heads;
    let of_head = |head| Evidence {
        duplicate_of: evidence::duplicate_of(&view, head),
        ..evidence::gather(&view, head..head + 1)
    };
    let each = (0..heads).map(of_head).collect();
    let all = evidence::gather(&view, 0..heads);
    let whole = whole::gather(&view);
    let guesses = causes::rank(&view, &all, &whole);
    Diagnosis { guesses, heads: each, all, whole }
}

/// The stages of a top layer that are held, and what was declared.
struct View<'a> {
    trace: &'a Trace<f32>,
    declared: &'a Declared<'a>,
    shape: Shape,
    /// Permitted cells as intended, `[h, n_q, n_k]`.
    intended: Heads<bool>,
    raw: Option<&'a Heads<f32>>,
    scaled: Option<&'a Heads<f32>>,
    tempered: Option<&'a Heads<f32>>,
    masked: Option<&'a Heads<f32>>,
    weights: Option<&'a Heads<f32>>,
}

impl<'a> View<'a> {
    fn of(trace: &'a Trace<f32>, declared: &'a Declared<'a>) -> Self {
        fn get(held: Option<&Held<Heads<f32>>>) -> Option<&Heads<f32>> {
            held.and_then(Held::get)
        }
        let (shape, top) = (trace.shape, trace.top());
        let Shape { heads, n_q, n_k, .. } = shape;
        let mut intended = Heads::from_elem((heads, n_q, n_k), true);
        for ((head, query), row) in (0..heads).flat_map(|h| (0..n_q).map(move |q| (h, q))).zip(intended.rows_mut()) {
            if let Some(row) = row.into_slice() {
                declared.mask.fill_row(head, query, row);
            }
        }
        Self {
            trace,
            declared,
            shape,
            intended,
            raw: get(top.map(|top| &top.raw)),
            scaled: get(top.map(|top| &top.scaled)),
            tempered: get(top.map(|top| &top.tempered)),
            masked: get(top.map(|top| &top.masked)),
            weights: get(top.map(|top| &top.weights)),
        }
    }

    /// `single` as a rule, `half` where numbers are rounded to f16.
    const fn tolerance(&self, single: f64, half: f64) -> f64 {
        if self.declared.half { half } else { single }
    }

    /// Another stage of heads.
    fn stage(&self, of: fn(&crate::attention::Layer<f32>) -> &Held<Heads<f32>>) -> Option<&'a Heads<f32>> {
        self.trace.top().and_then(|top| of(top).get())
    }
}
