//! A problem: everything an engine needs to compute a trace, and nothing else.

use super::mask::Mask;
use super::method::Method;
use super::trace::Shape;
use crate::tensor::{Heads, Matrix};
use ndarray::{Array, Dimension};
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

/// One computation: softmax(mask(q·kᵀ × scale ÷ temperature)) · v, per head, or what its method makes of it.
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
    /// What it does differently; `None` for the standard way.
    pub method: Option<Rc<Method>>,
}

impl Source {
    /// The sizes, after checking that they agree, that there is something to compute, and that every number is finite.
    ///
    /// # Errors
    /// [`ProblemError::Shape`], [`ProblemError::Empty`] or [`ProblemError::NotFinite`].
    pub fn shape(&self) -> Result<Shape, ProblemError> {
        match self {
            Self::Embedded { x_q, x_k, weights } => embedded_shape(x_q, x_k, weights),
            Self::Given { q, k, v } => given_shape(q, k, v),
        }
    }

    /// Whether both are the same arrays in memory, and therefore the same numbers.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Embedded { x_q, x_k, weights },
                Self::Embedded { x_q: other_q, x_k: other_k, weights: other_weights },
            ) => Rc::ptr_eq(x_q, other_q) && Rc::ptr_eq(x_k, other_k) && Rc::ptr_eq(weights, other_weights),
            (Self::Given { q, k, v }, Self::Given { q: other_q, k: other_k, v: other_v }) => {
                Rc::ptr_eq(q, other_q) && Rc::ptr_eq(k, other_k) && Rc::ptr_eq(v, other_v)
            }
            _ => false,
        }
    }
}

fn embedded_shape(x_q: &Matrix<f32>, x_k: &Matrix<f32>, weights: &Weights) -> Result<Shape, ProblemError> {
    let Weights { heads, w_q, w_k, w_v, w_o } = weights;
    let (n_q, d_model) = x_q.dim();
    let (n_k, _) = x_k.dim();
    not_empty("heads", *heads)?;
    not_empty("x_q", n_q)?;
    not_empty("x_k", n_k)?;
    not_empty("d_model", d_model)?;
    not_empty("w_q", w_q.ncols())?;
    not_empty("w_v", w_v.ncols())?;
    same_shape("x_k", x_k, [n_k, d_model])?;
    // A width that does not split evenly is asked to be the next smaller one that does (at least 1 per head).
    let split = |columns: usize| (columns / heads).max(1) * heads;
    same_shape("w_q", w_q, [d_model, split(w_q.ncols())])?;
    same_shape("w_k", w_k, [d_model, w_q.ncols()])?;
    same_shape("w_v", w_v, [d_model, split(w_v.ncols())])?;
    same_shape("w_o", w_o, [w_v.ncols(), d_model])?;
    for (what, array) in [("x_q", x_q), ("x_k", x_k), ("w_q", w_q), ("w_k", w_k), ("w_v", w_v), ("w_o", w_o)] {
        all_finite(what, array)?;
    }
    Ok(Shape { heads: *heads, n_q, n_k, d_k: weights.d_k(), d_v: weights.d_v(), d_model })
}

fn given_shape(q: &Heads<f32>, k: &Heads<f32>, v: &Heads<f32>) -> Result<Shape, ProblemError> {
    let (heads, n_q, d_k) = q.dim();
    let (_, n_k, _) = k.dim();
    let (_, _, d_v) = v.dim();
    for (what, size) in [("heads", heads), ("q", n_q), ("k", n_k), ("d_k", d_k), ("d_v", d_v)] {
        not_empty(what, size)?;
    }
    same_shape("k", k, [heads, n_k, d_k])?;
    same_shape("v", v, [heads, n_k, d_v])?;
    for (what, array) in [("q", q), ("k", k), ("v", v)] {
        all_finite(what, array)?;
    }
    Ok(Shape { heads, n_q, n_k, d_k, d_v, d_model: 0 })
}

fn not_empty(what: &'static str, size: usize) -> Result<(), ProblemError> {
    if size == 0 { Err(ProblemError::Empty { what }) } else { Ok(()) }
}

pub(super) fn same_shape<D: Dimension, const N: usize>(
    what: &'static str,
    array: &Array<f32, D>,
    want: [usize; N],
) -> Result<(), ProblemError> {
    if array.shape() == want {
        return Ok(());
    }
    Err(ProblemError::Shape { what, got: array.shape().to_vec(), want: want.to_vec() })
}

pub(super) fn all_finite<D: Dimension>(what: &'static str, array: &Array<f32, D>) -> Result<(), ProblemError> {
    // The kernel's loop is quick; only where it finds something does a slower one look for the place.
    if array.as_slice_memory_order().is_some_and(attention_kernel::all_finite) {
        return Ok(());
    }
    match array.iter().position(|number| !number.is_finite()) {
        Some(index) => Err(ProblemError::NotFinite { what, index }),
        None => Ok(()),
    }
}

impl Problem {
    /// The sizes of the computation, after checking everything that an engine relies on.
    ///
    /// # Errors
    /// Every [`ProblemError`]: see [`Source::shape`] and [`Self::check_parameters`].
    pub fn shape(&self) -> Result<Shape, ProblemError> {
        let shape = self.source.shape()?;
        self.check_parameters(&shape)?;
        Ok(shape)
    }

    /// What it does differently from the standard way, when it does.
    #[must_use]
    pub fn departure(&self) -> Option<&Method> {
        self.method.as_deref().filter(|method| !method.is_standard())
    }

    /// Checks all but the source: temperature, scale, mask and method.
    ///
    /// # Errors
    /// [`ProblemError::Temperature`], [`ProblemError::Scale`], and what [`Mask::check`] and [`Method::check`] say.
    pub fn check_parameters(&self, shape: &Shape) -> Result<(), ProblemError> {
        if !(self.temperature.is_finite() && self.temperature > 0.0) {
            return Err(ProblemError::Temperature { got: self.temperature });
        }
        if !self.scale.is_finite() {
            return Err(ProblemError::Scale { got: self.scale });
        }
        self.mask.check(shape)?;
        self.method.as_ref().map_or(Ok(()), |method| method.check(shape))
    }
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
            Self::Temperature { got } => write!(f, "temperature {} is not above 0", f64::from(*got)),
            Self::Scale { got } => write!(f, "scale {} is not finite", f64::from(*got)),
        }
    }
}

impl std::error::Error for ProblemError {}
