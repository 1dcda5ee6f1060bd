//! exp for softmax: arguments at or below 0, four at a time.

use crate::lanes::Lanes;

/// ln 2⁻¹²⁶: below it exp is smaller than every normal f32, and taken as exactly 0.
pub const SMALLEST: f32 = -87.336_54;

/// 1.5 · 2²³: adding it rounds a small number to an integer, which then stands in the low bits of the sum.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts: the first has few bits, so that n · LN_2_HIGH is exact.
const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;
/// exp(r) ≈ 1 + r + r²·P(r) on |r| ≤ ln 2 / 2, highest power first (Cephes, `expf`).
const P: [f32; 6] = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5];

/// e^x for x ≤ 0, relative error below 3e-7; exactly 1 at 0, exactly 0 below [`SMALLEST`].
///
/// x = n ln 2 + r with integer n, so e^x = 2ⁿ e^r: a polynomial in r, and n put into the exponent bits.
#[inline]
#[must_use]
pub fn exp4(x: Lanes) -> Lanes {
    // Far below the limit n would not fit into the exponent; the result there is replaced by 0 at the end.
    let inside = x.max(Lanes::splat(SMALLEST));
    let shifted = inside * Lanes::splat(core::f32::consts::LOG2_E) + Lanes::splat(ROUND);
    let n = shifted - Lanes::splat(ROUND);
    let r = inside - n * Lanes::splat(LN_2_HIGH) - n * Lanes::splat(LN_2_LOW);
    let [p5, p4, p3, p2, p1, p0] = P.map(Lanes::splat);
    let p = ((((p5 * r + p4) * r + p3) * r + p2) * r + p1) * r + p0;
    let power = p * (r * r) + r + Lanes::splat(1.0);
    (power * shifted.power_of_two_from_low_bits()).zero_below(x, SMALLEST)
}

/// [`exp4`] of one number, with the same bits.
#[must_use]
pub fn exp(x: f32) -> f32 {
    exp4(Lanes::splat(x)).to_array()[0]
}
