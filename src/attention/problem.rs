//! A problem: everything an engine needs to compute a trace, and nothing else.

use super::mask::Mask;
use crate::tensor::{Heads, Matrix};
use std::fmt;
use std::rc::Rc;

/// Projection weights of one multi-head layer. Heads stand side by side in the columns of W_Q, W_K, W_V.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// Number of heads h.
    pub heads: usize,
    /// `[d_model, h·d_k]`
    pub w_q: Matrix<f32>,
    /// `[d_model, h·d_k]`
    pub w_k: Matrix<f32>,
    /// `[d_model, h·d_v]`
    pub w_v: Matrix<f32>,
    /// `[h·d_v, d_model]`
    pub w_o: Matrix<f32>,
}

impl Weights {
    /// Width of a query and of a key, d_k.
    #[must_use]
    pub fn d_k(&self) -> usize {
        self.w_q.ncols() / self.heads.max(1)
    }

    /// Width of a value, d_v.
    #[must_use]
    pub fn d_v(&self) -> usize {
        self.w_v.ncols() / self.heads.max(1)
    }
}

/// Where q, k and v come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// Embeddings projected by weights: x_q `[n_q, d_model]` asks, x_k `[n_k, d_model]` answers (the same `Rc` in self-attention).
    Embedded {
        /// Embeddings of the query side, `[n_q, d_model]`.
        x_q: Rc<Matrix<f32>>,
        /// Embeddings of the key side, `[n_k, d_model]`.
        x_k: Rc<Matrix<f32>>,
        /// The projections.
        weights: Rc<Weights>,
    },
    /// q, k and v given: no x, no concatenation's W_O.
    Given {
        /// `[h, n_q, d_k]`
        q: Rc<Heads<f32>>,
        /// `[h, n_k, d_k]`
        k: Rc<Heads<f32>>,
        /// `[h, n_k, d_v]`
        v: Rc<Heads<f32>>,
    },
}

/// One computation: softmax(mask(q·kᵀ × scale ÷ temperature)) · v, per head.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where q, k and v come from.
    pub source: Source,
    /// What a raw score is multiplied by: 1/√d_k as a rule.
    pub scale: f32,
    /// What a scaled score is divided by; above 0.
    pub temperature: f32,
    /// Who may attend to whom.
    pub mask: Mask,
}

/// Why a problem can't be computed.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "field names are the documentation")]
pub enum ProblemError {
    /// Two sizes that must agree do not: `what` has `got` where `want` was needed.
    Shape { what: &'static str, got: Vec<usize>, want: Vec<usize> },
    /// There is nothing to compute: no head, no query, no key, or width 0.
    Empty { what: &'static str },
    /// A number is NaN or infinite where it must not be; index in row-major order.
    NotFinite { what: &'static str, index: usize },
    /// The temperature is not a number above 0.
    Temperature { got: f32 },
    /// The scale is not finite.
    Scale { got: f32 },
}

impl fmt::Display for ProblemError {
    /// A technical line for logs and tests; people read a sentence of `locale`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shape { what, got, want } => write!(f, "{what}: shape {got:?} where {want:?} was needed"),
            Self::Empty { what } => write!(f, "{what} is empty"),
            Self::NotFinite { what, index } => write!(f, "{what}: element {index} is not finite"),
            Self::Temperature { got } => write!(f, "temperature {got} is not above 0"),
            Self::Scale { got } => write!(f, "scale {got} is not finite"),
        }
    }
}

impl std::error::Error for ProblemError {}
