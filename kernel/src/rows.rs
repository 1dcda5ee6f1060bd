//! One pass over numbers.

use crate::lanes::{Lanes, WIDTH};

/// x · factor, in place.
#[inline(never)]
pub fn scale(numbers: &mut [f32], factor: f32) {
    // Times 1 is the same number.
    if factor != 1.0 {
        let factor = Lanes::splat(factor);
        map(numbers, |x| x * factor);
    }
}

/// x ÷ divisor, in place.
#[inline(never)]
pub fn divide(numbers: &mut [f32], divisor: f32) {
    if divisor != 1.0 {
        let divisor = Lanes::splat(divisor);
        map(numbers, |x| x / divisor);
    }
}

/// Whether no number is infinite or NaN.
#[inline(never)]
#[must_use]
#[expect(clippy::eq_op, reason = "x − x is 0, all bits, for every finite x and NaN for the rest")]
pub fn all_finite(a: &[f32]) -> bool {
    let (fours, singles) = a.as_chunks::<WIDTH>();
    let bits = fours.iter().map(Lanes::from_array).fold(Lanes::splat(0.0), |bits, x| bits.or(x - x));
    !bits.has_a_bit() && singles.iter().all(|single| single.is_finite())
}

/// The numbers of `row` at `keys`, side by side.
#[inline(never)]
pub fn gather(row: &[f32], keys: &[usize], out: &mut [f32]) {
    for (out, &key) in out.iter_mut().zip(keys) {
        *out = row[key];
    }
}

/// The way back: puts `compact` at `keys` of `row` and `elsewhere` in its other cells.
#[inline(never)]
pub fn scatter(compact: &[f32], keys: &[usize], elsewhere: f32, row: &mut [f32]) {
    row.fill(elsewhere);
    for (&number, &key) in compact.iter().zip(keys) {
        row[key] = number;
    }
}

/// x = f(x), four at a time.
#[inline(always)]
fn map(numbers: &mut [f32], f: impl Fn(Lanes) -> Lanes) {
    let (fours, singles) = numbers.as_chunks_mut::<WIDTH>();
    for four in fours {
        *four = f(Lanes::from_array(four)).to_array();
    }
    for single in singles {
        *single = f(Lanes::splat(*single)).to_array()[0];
    }
}
