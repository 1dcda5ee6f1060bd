//! Numbers: arrays of fixed rank, angles, comparison with tolerances, zoom levels, and seeded random numbers.
//!
//! Owns the two array shapes of the project and the trait that lets a trace be held in f32 (engines) or f64 (oracle).
//! Knows nothing of attention.

pub mod angle;
pub mod compare;
pub mod pyramid;
pub mod random;

use std::fmt::Debug;

/// A row-major matrix, `[rows, columns]`.
pub type Matrix<T> = ndarray::Array2<T>;

/// One matrix per head, `[heads, rows, columns]`, row-major.
pub type Heads<T> = ndarray::Array3<T>;

/// The number a trace is held in: f32 for engines, f64 for the oracle.
pub trait Number: ndarray::LinalgScalar + PartialOrd + Debug + Send + Sync {
    /// Converts without failing; f32 → f64 is exact.
    fn from_f32(value: f32) -> Self;
    /// Converts without failing; f32 → f64 is exact.
    fn to_f64(self) -> f64;
    /// Minus infinity: how a masked score *is recorded* once forbidden by predicate; never used to forbid.
    const NEG_INFINITY: Self;
}

impl Number for f32 {
    fn from_f32(value: f32) -> Self {
        value
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    const NEG_INFINITY: Self = f32::NEG_INFINITY;
}

impl Number for f64 {
    fn from_f32(value: f32) -> Self {
        Self::from(value)
    }
    fn to_f64(self) -> f64 {
        self
    }
    const NEG_INFINITY: Self = f64::NEG_INFINITY;
}
