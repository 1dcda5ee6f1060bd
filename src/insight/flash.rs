//! The online softmax of FlashAttention (Dao et al. 2022), tile by tile: running numbers that end at the plain ones.

use super::statistics::all_rows;
use crate::attention::{Stage, Trace};
use std::ops::Range;

/// What is known after one tile of a row. Nothing of earlier tiles is kept but these numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tile {
    /// Its keys.
    pub keys: Range<usize>,
    /// Largest score of the tile; −∞ where nothing in it takes part.
    pub tile_max: f64,
    /// Largest score so far.
    pub max: f64,
    /// exp(old max − new max): what sum and output so far were multiplied by; 1 where the maximum stayed, 0 for the first.
    pub rescale: f64,
    /// Σ exp(score − max) so far.
    pub sum: f64,
    /// Σ exp(score − max) v so far, `[d_v]`. Divided by the sum it is the output as far as it was read.
    pub output: Vec<f64>,
}

/// The tiles of one row, `width` keys each, from its masked scores; −∞ takes no part. The last tile's output ÷ sum is the head's
/// output wherever the weights are a softmax.
///
/// `None` when the row, its masked scores or the values are not there, or `width` is 0.
#[must_use]
pub fn tiles(trace: &Trace<f32>, head: usize, query: usize, width: usize) -> Option<Vec<Tile>> {
    let scores = trace.rows(Stage::Masked, head, query..query.checked_add(1)?)?;
    let values = all_rows(trace, Stage::V, head)?;
    let n_k = scores.ncols();
    let (mut max, mut sum, mut output) = (f64::NEG_INFINITY, 0.0, vec![0.0; values.ncols()]);
    let mut tiles = Vec::new();
    for first in (0..n_k).step_by((width > 0).then_some(width)?) {
        let keys = first..(first + width).min(n_k);
        let parts =
            || keys.clone().map(|key| (key, f64::from(scores[[0, key]]))).filter(|(_, s)| *s != f64::NEG_INFINITY);
        let tile_max = parts().fold(f64::NEG_INFINITY, |most, (_, s)| if s > most || s.is_nan() { s } else { most });
        let new = if tile_max > max || tile_max.is_nan() { tile_max } else { max };
        let rescale = if max == new { 1.0 } else { (max - new).exp() };
        max = new;
        sum *= rescale;
        output.iter_mut().for_each(|o| *o *= rescale);
        for (key, score) in parts() {
            let numerator = (score - max).exp();
            sum += numerator;
            output.iter_mut().zip(values.row(key)).for_each(|(o, &v)| *o += numerator * f64::from(v));
        }
        tiles.push(Tile { keys, tile_max, max, rescale, sum, output: output.clone() });
    }
    Some(tiles)
}
