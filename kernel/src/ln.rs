//! ln for entropies: arguments from 1 on, four at a time.

use crate::lanes::Lanes;

/// ln(1 + f) ≈ f − f²/2 + f³·P(f) on √½ ≤ 1 + f < √2, highest power first (Cephes, `logf`).
const P: [f32; 9] = [
    7.037_683_6e-2,
    -0.115_146_1,
    0.116_769_984,
    -0.124_201_41,
    0.142_493_23,
    -0.166_680_57,
    0.200_007_15,
    -0.249_999_94,
    0.333_333_3,
];

/// The natural logarithm of finite x ≥ 1, error below 1.2e-7 of the larger of it and 1; exactly 0 at 1.
///
/// x = 2ⁿ·m with m from √½ to √2, so ln x = n ln 2 + ln m. The platform's logarithm would give other bits elsewhere.
#[must_use]
#[inline]
pub fn ln4(x: Lanes) -> Lanes {
    let (n, m) = x.split();
    let f = m - Lanes::splat(1.0);
    let square = f * f;
    let [first, rest @ ..] = P.map(Lanes::splat);
    let p = rest.into_iter().fold(first, |p, coefficient| p.times_plus(f, coefficient));
    let low = n.times_plus(Lanes::splat(-2.121_944_4e-4), f * square * p) - Lanes::splat(0.5) * square;
    n.times_plus(Lanes::splat(0.693_359_4), f + low)
}

/// [`ln4`] of one number, with the same bits.
#[must_use]
pub fn ln(x: f32) -> f32 {
    let [ln, ..] = ln4(Lanes::splat(x)).to_array();
    ln
}
