//! Rotary positions: how a score depends on the distance between two tokens, for a chosen q and k.

/// Σ over pairs of R(p)q · R(p − δ)k, which depends on the distance δ alone: the score of query and key of equal widths d at
/// each of `distances`, before the scale. It waves, and need not fall. q and k are not yet turned.
#[must_use]
pub fn by_distance(q: &[f64], k: &[f64], base: f64, distances: &[f64]) -> Vec<f64> {
    let width = q.len().min(k.len());
    let at = |distance: f64| {
        let pairs = (0..width / 2).map(|m| {
            let (sin, cos) = (distance * frequency(m, width, base)).sin_cos();
            let (q, k) = (&q[2 * m..2 * m + 2], &k[2 * m..2 * m + 2]);
            (q[0] * k[0] + q[1] * k[1]) * cos + (q[0] * k[1] - q[1] * k[0]) * sin
        });
        let alone = if width % 2 == 1 { q[width - 1] * k[width - 1] } else { 0.0 };
        pairs.sum::<f64>() + alone
    };
    distances.iter().map(|&distance| at(distance)).collect()
}

/// A key as long as q whose score with q is largest at `distance`, where it is ‖q‖²: q turned forth by that distance.
#[must_use]
pub fn key_peaking_at(q: &[f64], distance: f64, base: f64) -> Vec<f64> {
    turned(q, distance, base)
}

/// Each pair (2m, 2m + 1) of x turned by `position` · base^(−2m/d); with −position a turned vector is turned back.
#[must_use]
pub fn turned(x: &[f64], position: f64, base: f64) -> Vec<f64> {
    let mut y = x.to_vec();
    for (m, pair) in y.chunks_exact_mut(2).enumerate() {
        let (sin, cos) = (position * frequency(m, x.len(), base)).sin_cos();
        (pair[0], pair[1]) = (pair[0] * cos - pair[1] * sin, pair[0] * sin + pair[1] * cos);
    }
    y
}

/// base^(−2m/d), in radians per token.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
pub fn frequency(m: usize, width: usize, base: f64) -> f64 {
    base.powf(-2.0 * m as f64 / width as f64)
}
