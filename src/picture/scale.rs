//! From a number to an entry of a colour scale. Owns the meaning of the 256 indices, not the colours (see `colour`).
//!
//! Indices 0 to [`TOP`] are the scale itself; an odd number of levels, so that a diverging scale has an exact middle.
//! The three above are marks, so that what is not a number, or not allowed, can never look like a value.

use attention_kernel::cells::{self, Ramp};

/// Highest entry of a scale.
pub const TOP: u8 = 252;
/// Entry of zero in the diverging scale.
pub const NEUTRAL: u8 = TOP / 2;
/// Nothing is painted.
pub const NOTHING: u8 = 253;
/// A cell that a mask forbids.
pub const FORBIDDEN: u8 = 254;
/// The value is NaN: a fault to be seen, with a colour that no value has.
pub const NOT_A_NUMBER: u8 = 255;

/// Which colour scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleName {
    /// From nothing to much: weights.
    Sequential,
    /// Negative, zero, positive: scores and differences.
    Diverging,
    /// From a little to much that should not be there: weight leaked into a forbidden cell.
    Leak,
}

/// Entry of a sequential scale for a value between `lo` and `hi`; values outside, and infinities, take the end.
///
/// NaN gives [`NOT_A_NUMBER`]. A domain that is empty, reversed or not finite shows whether the value is above `lo`.
pub fn index(value: f32, lo: f32, hi: f32) -> u8 {
    ramp(lo, hi).entry(value)
}

/// [`index`] of many values at once.
pub fn indices(values: &[f32], lo: f32, hi: f32) -> Vec<u8> {
    let mut entries = vec![0; values.len()];
    cells::entries(&ramp(lo, hi), values, &mut entries);
    entries
}

fn ramp(low: f32, high: f32) -> Ramp {
    Ramp { low, high, top: TOP, nan: NOT_A_NUMBER }
}

/// Entry of the diverging scale: zero is always [`NEUTRAL`], and both sides reach as far as the farther of `lo`, `hi`.
pub fn diverging_index(value: f32, lo: f32, hi: f32) -> u8 {
    if value.is_nan() {
        return NOT_A_NUMBER;
    }
    let reach = f64::from(lo.abs().max(hi.abs()));
    let value = f64::from(value);
    if value == 0.0 {
        NEUTRAL
    } else if !(reach.is_finite() && reach > 0.0) {
        if value > 0.0 { TOP } else { 0 }
    } else {
        level(0.5 + 0.5 * (value / reach).clamp(-1.0, 1.0))
    }
}

/// Entry for a share of the way, 0 to 1.
fn level(share: f64) -> u8 {
    cells::nearest(share, TOP)
}
