//! One pass over a row.

use crate::lanes::{Lanes, WIDTH};

/// out_c = a_c · factor; both of the same length.
#[inline(never)]
pub fn scale(a: &[f32], factor: f32, out: &mut [f32]) {
    let factor = Lanes::splat(factor);
    map(a, out, |a| a * factor);
}

/// out_c = a_c ÷ divisor; both of the same length.
#[inline(never)]
pub fn divide(a: &[f32], divisor: f32, out: &mut [f32]) {
    let divisor = Lanes::splat(divisor);
    map(a, out, |a| a / divisor);
}

/// Whether no number is infinite or NaN.
#[inline(never)]
#[must_use]
pub fn all_finite(a: &[f32]) -> bool {
    let (fours, singles) = a.as_chunks::<WIDTH>();
    let zero = Lanes::splat(0.0);
    // 0 · x is 0 for every finite x and NaN for the rest; a NaN stays in the sum.
    let zeros = fours.iter().fold(zero, |zeros, four| zeros + zero * Lanes::from_array(four));
    singles.iter().fold(zeros.sum(), |zeros, single| zeros + 0.0 * single) == 0.0
}

/// The numbers of `row` at `keys`, side by side.
#[inline(never)]
pub fn gather(row: &[f32], keys: &[usize], out: &mut [f32]) {
    for (out, &key) in out.iter_mut().zip(keys) {
        *out = row[key];
    }
}

/// The way back: puts `compact` at `keys` of `row` and leaves the rest as it is.
#[inline(never)]
pub fn scatter(compact: &[f32], keys: &[usize], row: &mut [f32]) {
    for (&number, &key) in compact.iter().zip(keys) {
        row[key] = number;
    }
}

/// out_c = f(a_c), four at a time.
#[inline(always)]
fn map(a: &[f32], out: &mut [f32], f: impl Fn(Lanes) -> Lanes) {
    let (fours, singles) = a.as_chunks::<WIDTH>();
    let (fours_out, singles_out) = out.as_chunks_mut::<WIDTH>();
    for (a, out) in fours.iter().zip(fours_out) {
        *out = f(Lanes::from_array(a)).to_array();
    }
    for (a, out) in singles.iter().zip(singles_out) {
        *out = f(Lanes::splat(*a)).to_array()[0];
    }
}
