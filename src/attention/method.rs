//! How a problem is computed where it is not softmax(mask(q·kᵀ × scale ÷ temperature)) · v: other scores, positions,
//! normalisations, precisions, ways to mask, and mistakes.
//!
//! The stages of a trace keep their meaning in each of them: raw → × scale → ÷ temperature → masked → weights → outputs.

use super::bug::Bugs;
use super::problem::{ProblemError, all_finite, same_shape};
use super::trace::Shape;
use crate::tensor::random::SplitMix64;
use crate::tensor::{Heads, Matrix};
use std::rc::Rc;

/// What a problem does differently. [`Method::default`] is the standard way.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Method {
    /// What makes a raw score of q and k.
    pub score: Score,
    /// Positions inside the layer.
    pub position: Position,
    /// What makes weights of masked scores.
    pub weighting: Weighting,
    /// What happens to the scores of forbidden cells.
    pub fill: Fill,
    /// The numbers it is computed in.
    pub precision: Precision,
    /// Added after the projections, where there are projections.
    pub biases: Option<Rc<Biases>>,
    /// Mistakes on purpose.
    pub bugs: Bugs,
}

/// What makes a raw score of q_i and k_j.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Score {
    /// q_i · k_j. Scaled or not is the problem's scale.
    #[default]
    Dot,
    /// q_i W_a k_jᵀ with W_a `[h, d_k, d_k]` (Luong et al. 2015).
    General(Rc<Heads<f32>>),
    /// v · tanh(q_i W_q + k_j W_k) (Bahdanau et al. 2014).
    Additive {
        /// W_q, W_k and v.
        weights: Rc<Additive>,
        /// `false` leaves tanh out. Then q_i's part is the same for every key and softmax cancels it: all rows are alike.
        tanh: bool,
    },
}

/// The parameters of an additive score; d_a is the width of its layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Additive {
    /// `[h, d_k, d_a]`
    pub w_q: Heads<f32>,
    /// `[h, d_k, d_a]`
    pub w_k: Heads<f32>,
    /// `[h, d_a]`
    pub v: Matrix<f32>,
}

/// Positions inside the layer. A token's position is its index in its own sequence.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Position {
    /// None.
    #[default]
    None,
    /// RoPE: the pairs (2m, 2m + 1) of q and k are turned by position × base^(−2m/d_k) (Su et al. 2021, in adjacent pairs).
    /// The last dimension of an odd d_k is left as it is. The stages q and k hold the turned vectors.
    Rotary {
        /// 10,000 as a rule; above 1.
        base: f32,
    },
    /// ALiBi: head a of H adds −2^(−8(a + 1)/H) · |i − j| to the score before softmax (Press et al. 2021).
    Alibi,
}

/// What makes weights of the masked scores s of a row.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Weighting {
    /// exp(s − max) ÷ Σ.
    #[default]
    Softmax,
    /// exp(s) ÷ Σ exp(s): the same in exact numbers; overflows.
    WithoutMaximum,
    /// 1 on the largest score, the first of equals.
    Hard,
    /// 1 on a key drawn from the softmax, one draw per row: row r of all heads' rows takes number r of the seed's sequence.
    Sampled {
        /// Of the draws.
        seed: u32,
    },
    /// softmax((s + g) ÷ τ) with g = −ln(−ln u), u from the seed's sequence in row-major order of `[h, n_q, n_k]`
    /// (Jang et al. 2016; Maddison et al. 2016).
    Gumbel {
        /// τ, above 0: small is nearly one-hot, large nearly uniform.
        tau: f32,
        /// Of the noise.
        seed: u32,
    },
    /// φ(q)·φ(k) ÷ Σ with φ = elu + 1 (Katharopoulos et al. 2020). The raw score is φ(q)·φ(k) whatever the score function
    /// says; a bias b multiplies it by e^b.
    Linear,
}

/// What happens to the scores of forbidden cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Fill {
    /// They take no part; a row with nothing permitted has weights 0.
    #[default]
    Exclude,
    /// They become −∞ and take part; a row with nothing permitted becomes NaN.
    MinusInfinity,
    /// They become −1e9.
    ReplaceBillion,
    /// −1e9 is added to them, in f32, where it swallows them.
    AddBillion,
    /// −1e4 is added to them.
    AddTenThousand,
    /// They become 0 (a mistake: 0 is an ordinary score).
    Zero,
    /// They stay, and their weights are multiplied by 0 after softmax (a mistake: rows no longer add up to 1).
    MultiplyAfter,
}

impl Fill {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Exclude,
        Self::MinusInfinity,
        Self::ReplaceBillion,
        Self::AddBillion,
        Self::AddTenThousand,
        Self::Zero,
        Self::MultiplyAfter,
    ];

    /// Its name in links; once given, it stays.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::MinusInfinity => "neg_inf",
            Self::ReplaceBillion => "replace_neg_1e9",
            Self::AddBillion => "add_neg_1e9",
            Self::AddTenThousand => "add_neg_1e4",
            Self::Zero => "zero",
            Self::MultiplyAfter => "multiply_after",
        }
    }
}

/// The numbers a problem is computed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// f32.
    #[default]
    Single,
    /// Every number of every stage, exp and sum included, is rounded to the nearest f16, ties to even, before the next
    /// stage reads it; sums are gathered in f32. Above 65,504 it is ∞.
    Half,
}

/// What is added after each projection.
#[derive(Clone, Debug, PartialEq)]
pub struct Biases {
    /// `[h·d_k]`
    pub q: Vec<f32>,
    /// `[h·d_k]`
    pub k: Vec<f32>,
    /// `[h·d_v]`
    pub v: Vec<f32>,
    /// `[d_model]`
    pub o: Vec<f32>,
}

impl Method {
    /// Whether it is the standard way, which every engine knows.
    #[must_use]
    pub fn is_standard(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that its arrays fit and its numbers are in range.
    ///
    /// # Errors
    /// [`ProblemError::Shape`], [`ProblemError::NotFinite`], [`ProblemError::Temperature`] for τ.
    pub fn check(&self, shape: &Shape) -> Result<(), ProblemError> {
        let Shape { heads, d_k, d_v, d_model, .. } = *shape;
        match &self.score {
            Score::Dot => {}
            Score::General(w) => {
                same_shape("w_a", w, [heads, d_k, d_k])?;
                all_finite("w_a", w)?;
            }
            Score::Additive { weights, .. } => {
                let Additive { w_q, w_k, v } = &**weights;
                let d_a = v.ncols();
                same_shape("additive w_q", w_q, [heads, d_k, d_a])?;
                same_shape("additive w_k", w_k, [heads, d_k, d_a])?;
                same_shape("additive v", v, [heads, d_a])?;
                all_finite("additive w_q", w_q)?;
                all_finite("additive w_k", w_k)?;
                all_finite("additive v", v)?;
            }
        }
        if let Weighting::Gumbel { tau, .. } = self.weighting
            && !(tau.is_finite() && tau > 0.0)
        {
            return Err(ProblemError::Temperature { got: tau });
        }
        if let Position::Rotary { base } = self.position
            && !(base.is_finite() && base > 1.0)
        {
            return Err(ProblemError::NotFinite { what: "rotary base", index: 0 });
        }
        let Some(Biases { q, k, v, o }) = self.biases.as_deref() else { return Ok(()) };
        for (what, bias, want) in
            [("b_q", q, heads * d_k), ("b_k", k, heads * d_k), ("b_v", v, heads * d_v), ("b_o", o, d_model)]
        {
            if bias.len() != want {
                return Err(ProblemError::Shape { what, got: vec![bias.len()], want: vec![want] });
            }
            if let Some(index) = bias.iter().position(|b| !b.is_finite()) {
                return Err(ProblemError::NotFinite { what, index });
            }
        }
        Ok(())
    }
}

/// A matrix of numbers of (−1, 1) × √(3 ÷ variance_of), whose variance is 1 ÷ `variance_of`.
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
fn uniform(random: &mut SplitMix64, shape: (usize, usize, usize), variance_of: usize) -> Heads<f32> {
    let half_width = (3.0 / variance_of.max(1) as f32).sqrt();
    Heads::from_shape_simple_fn(shape, || (2.0 * random.next_unit() - 1.0) * half_width)
}

impl Score {
    /// A general score with random W_a of variance 1/d_k: raw scores spread as widely as those of the dot product.
    #[must_use]
    pub fn general(seed: u32, heads: usize, d_k: usize) -> Self {
        let mut random = SplitMix64::new(u64::from(seed) | 1 << 32);
        Self::General(Rc::new(uniform(&mut random, (heads, d_k, d_k), d_k)))
    }

    /// An additive score with random W_q and W_k of variance 1/d_k and v of variance 1, in this order, d_a = d_k.
    #[must_use]
    pub fn additive(seed: u32, heads: usize, d_k: usize, tanh: bool) -> Self {
        let mut random = SplitMix64::new(u64::from(seed) | 2 << 32);
        let w_q = uniform(&mut random, (heads, d_k, d_k), d_k);
        let w_k = uniform(&mut random, (heads, d_k, d_k), d_k);
        let v = uniform(&mut random, (1, heads, d_k), 1).remove_axis(ndarray::Axis(0));
        Self::Additive { weights: Rc::new(Additive { w_q, w_k, v }), tanh }
    }
}

impl Biases {
    /// Random biases of variance 1/4, in the order q, k, v, o.
    #[must_use]
    pub fn random(seed: u32, shape: &Shape) -> Self {
        let mut random = SplitMix64::new(u64::from(seed) | 3 << 32);
        let mut next = |n: usize| uniform(&mut random, (1, 1, n), 4).iter().copied().collect();
        let Shape { heads, d_k, d_v, d_model, .. } = *shape;
        Self { q: next(heads * d_k), k: next(heads * d_k), v: next(heads * d_v), o: next(d_model) }
    }
}
