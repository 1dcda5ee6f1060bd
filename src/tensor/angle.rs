//! Angles in quarter turns, in which every angle of this project is an exact number.

use std::f64::consts::FRAC_PI_2;

/// cos and sin of an angle of `turns` quarter turns, to about an f64's precision.
///
/// Whole quarter turns are taken off without error, so no table of π is needed, as for an angle in radians.
#[must_use]
pub fn cos_sin(turns: f64) -> (f64, f64) {
    let whole = turns.round_ties_even();
    let angle = (turns - whole) * FRAC_PI_2;
    // The terms of e^iφ, alternately real and imaginary; |φ| ≤ π/4, so the eighteenth is below 1e-17.
    let (mut cos, mut sin, mut term) = (1.0, angle, angle);
    for n in 1..9 {
        let n = f64::from(2 * n);
        term *= -angle / n;
        cos += term;
        term *= angle / (n + 1.0);
        sin += term;
    }
    match whole.rem_euclid(4.0) {
        0.0 => (cos, sin),
        1.0 => (-sin, cos),
        2.0 => (-cos, -sin),
        _ => (sin, -cos),
    }
}
