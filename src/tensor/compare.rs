//! Comparison with tolerances, in which a NaN never passes.

use super::Number;
use std::fmt;

/// Why two arrays do not agree.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// The numbers of elements differ.
    Length {
        /// Elements found.
        got: usize,
        /// Elements expected.
        want: usize,
    },
    /// An element is too far off, is NaN, or differs in infinity.
    Element {
        /// Index in row-major order.
        index: usize,
        /// Value found.
        got: f64,
        /// Value expected.
        want: f64,
        /// Allowed distance.
        tolerance: f64,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { got, want } => write!(f, "{got} elements where {want} were expected"),
            Self::Element { index, got, want, tolerance } => {
                write!(f, "element {index}: {got} is not within {tolerance} of {want}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

/// Compares two sequences element by element, each within `absolute + relative × |want|`.
///
/// Equal infinities agree; a NaN on either side never does. Returns the largest difference found.
///
/// # Errors
/// [`Mismatch`] names the first element that disagrees.
pub fn all_close<A: Number, B: Number>(
    got: impl IntoIterator<Item = A>,
    want: impl IntoIterator<Item = B>,
    absolute: f64,
    relative: f64,
) -> Result<f64, Mismatch> {
    let got: Vec<f64> = got.into_iter().map(Number::to_f64).collect();
    let want: Vec<f64> = want.into_iter().map(Number::to_f64).collect();
    if got.len() != want.len() {
        return Err(Mismatch::Length { got: got.len(), want: want.len() });
    }
    let mut worst = 0.0_f64;
    for (index, (&got, &want)) in got.iter().zip(&want).enumerate() {
        if got.is_infinite() && got == want {
            continue;
        }
        let tolerance = absolute + relative * want.abs();
        let difference = (got - want).abs();
        // NaN compares false with everything, so it ends here as a mismatch.
        let close = difference <= tolerance;
        if !close || want.is_infinite() {
            return Err(Mismatch::Element { index, got, want, tolerance });
        }
        worst = worst.max(difference);
    }
    Ok(worst)
}
