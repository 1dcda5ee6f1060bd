//! Which cells took part, and which mistakes make that of the intended mask.

use super::View;
use super::evidence::total;
use crate::attention::{Bug, Bugs, Mask, Rule};
use crate::tensor::Heads;
use ndarray::s;
use std::rc::Rc;

/// A score that a mask lowers sinks by more than this: −1e4 is the least that is in use.
const SUNK: f32 = 5e3;
/// A score of 0 tells of a fill where it was further away from it than this.
const ORDINARY: f32 = 1e-5;

/// What a mask did, as the scores and weights show it.
pub(super) struct Applied {
    /// Whether a cell took part, `[h, n_q, n_k]`; `None` where nothing tells.
    pub used: Heads<Option<bool>>,
    /// Scores became 0 in some forbidden cell.
    pub zeroed: bool,
    /// Forbidden cells kept their scores, but have weight 0, and a row lacks what they had.
    pub multiplied: bool,
}

/// What became of a score on its way from tempered to masked.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Sunk,
    Zeroed,
    /// It is 0, and was before.
    Nought,
    Unknown,
}

/// Reads it from the masked scores; from the weights where those say nothing.
pub(super) fn applied(view: &View<'_>) -> Option<Applied> {
    let weights = view.weights?;
    let fate = |at: (usize, usize, usize)| {
        let (Some(masked), Some(tempered)) = (view.masked, view.tempered) else {
            return if weights[at] == 0.0 { Fate::Unknown } else { Fate::Kept };
        };
        let (masked, before) = (masked[at], tempered[at] + view.declared.mask.added(at.0, at.1, at.2));
        if masked == f32::NEG_INFINITY && before != f32::NEG_INFINITY || masked < before - SUNK {
            Fate::Sunk
        } else if !masked.is_finite() || !before.is_finite() {
            Fate::Unknown
        } else if masked != 0.0 {
            Fate::Kept
        } else if before.abs() > ORDINARY {
            Fate::Zeroed
        } else {
            Fate::Nought
        }
    };
    let fates = Heads::from_shape_fn(weights.dim(), fate);
    let hidden = |kind: Fate| fates.iter().zip(&view.intended).any(|(&fate, &may)| fate == kind && !may);
    let zeroed = hidden(Fate::Zeroed);
    let untouched = fates.iter().all(|&fate| !matches!(fate, Fate::Sunk | Fate::Zeroed));
    let wiped = fates.iter().zip(weights).any(|(&fate, &w)| fate == Fate::Kept && w == 0.0);
    let multiplied = untouched && wiped && hidden(Fate::Kept) && lacks_weight(view, weights);
    let used = Heads::from_shape_fn(weights.dim(), |at| match fates[at] {
        Fate::Sunk | Fate::Zeroed => Some(false),
        Fate::Unknown => None,
        // It may have been filled like the others.
        Fate::Nought if zeroed => None,
        Fate::Kept | Fate::Nought if weights[at] != 0.0 => Some(true),
        // Kept, and yet without weight: too small to be seen, unless a mask came after softmax.
        Fate::Kept | Fate::Nought if multiplied => Some(false),
        Fate::Kept | Fate::Nought => (!untouched || view.intended[at]).then_some(true),
    });
    Some(Applied { used, zeroed, multiplied })
}

/// Whether a row adds up to less than 1.
fn lacks_weight(view: &View<'_>, weights: &Heads<f32>) -> bool {
    let least = 1.0 - view.tolerance(1e-5, 0.01);
    weights.rows().into_iter().any(|row| total(row) < least)
}

impl Applied {
    /// Whether nothing at all took part in a row.
    pub(super) fn row_is_blocked(&self, head: usize, query: usize) -> bool {
        self.used.slice(s![head, query, ..]).iter().all(|&used| used == Some(false))
    }

    /// Forbidden cells that took part, and permitted ones that did not.
    pub(super) fn errors(&self, view: &View<'_>) -> (usize, usize) {
        let both = || self.used.iter().zip(&view.intended);
        let through = both().filter(|&(&used, &may)| used == Some(true) && !may).count();
        (through, both().filter(|&(&used, &may)| used == Some(false) && may).count())
    }

    /// The smallest sets of mistakes that make what was applied of what was intended: single ones, else pairs.
    pub(super) fn explanations(&self, view: &View<'_>) -> Vec<Bugs> {
        const MASKS: [Bug; 5] =
            [Bug::MaskTransposed, Bug::MaskStrict, Bug::MaskLoose, Bug::MaskInverted, Bug::MaskOnQueries];
        let explains = |&bugs: &Bugs| self.is_made_by(view, bugs);
        let single: Vec<Bugs> = MASKS.map(Bugs::of).into_iter().filter(explains).collect();
        if !single.is_empty() {
            return single;
        }
        let pair = |(at, &one): (usize, &Bug)| MASKS[at + 1..].iter().map(move |&two| Bugs::of(one).with(two, true));
        MASKS.iter().enumerate().flat_map(pair).filter(explains).collect()
    }

    fn is_made_by(&self, view: &View<'_>, bugs: Bugs) -> bool {
        let mask = misread(view.declared.mask, bugs);
        let (transposed, inverted) = (bugs.has(Bug::MaskTransposed), bugs.has(Bug::MaskInverted));
        self.used.indexed_iter().all(|((head, query, key), &used)| {
            let (i, j) = if transposed { (key, query) } else { (query, key) };
            used.is_none_or(|used| used == (mask.permits(head, i, j) != inverted))
        })
    }
}

/// The mask with another diagonal, or with its keys laid on the queries.
fn misread(mask: &Mask, bugs: Bugs) -> Mask {
    let mut misread = mask.clone();
    let mut rules: Vec<Rule> = mask.rule.iter().map(|rule| Rule::clone(rule)).collect();
    if bugs.has(Bug::MaskOnQueries) {
        rules.extend(misread.keys.take().map(Rule::Queries));
    }
    let off_diagonal = || Rule::Not(Rc::new(Rule::Window(0)));
    if mask.causal && bugs.has(Bug::MaskStrict) {
        rules.push(off_diagonal());
    } else if mask.causal && bugs.has(Bug::MaskLoose) {
        misread.causal = false;
        rules.push(Rule::Any(vec![Rule::Causal, Rule::Window(1)].into()));
    }
    misread.rule = (!rules.is_empty()).then(|| Rc::new(Rule::All(rules.into())));
    misread
}
