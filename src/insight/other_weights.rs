//! Other weights of the same row: such that give the very same output, shuffled ones, and ones drawn by chance.

use super::explain::{eliminate, norm};
use super::statistics::all_rows;
use crate::attention::{Stage, Trace};
use crate::tensor::Matrix;
use crate::tensor::random::SplitMix64;
use ndarray::{ArrayView2, s};

/// Differences of a weight below which two rows count as the same.
const SAME: f64 = 1e-4;

/// Weights as unlike the row's as one direction allows, with the same sum and the same output (Jain & Wallace 2019: a
/// row that would explain an output is not the only one that would).
///
/// They leave out keys whose masked score is −∞. `None` when the row determines its output alone (as it does as a rule with
/// fewer keys than d_v + 2), is not finite, or weights, masked scores or values are not held.
#[must_use]
pub fn with_same_output(trace: &Trace<f32>, head: usize, query: usize) -> Option<Vec<f64>> {
    let (weights, values) = row_and_values(trace, head, query)?;
    let masked = trace.rows(Stage::Masked, head, query..query + 1)?;
    let keys: Vec<usize> = (0..weights.len()).filter(|&key| masked[[0, key]] > f32::NEG_INFINITY).collect();
    // Columns are keys; rows are the dimensions of the value, and one of ones, for the sum.
    let d_v = values.ncols();
    let mut system =
        Matrix::from_shape_fn(
            (d_v + 1, keys.len()),
            |(row, at)| {
                if row == d_v { 1.0 } else { f64::from(values[[keys[at], row]]) }
            },
        );
    let largest = system.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let pivots = eliminate(&mut system, 1e-9 * largest);
    let mut best: Option<(f64, Vec<f64>)> = None;
    for free in (0..keys.len()).filter(|&at| pivots.iter().all(|&(_, column)| column != at)) {
        let mut direction = vec![0.0; keys.len()];
        direction[free] = 1.0;
        pivots.iter().for_each(|&(row, column)| direction[column] = -system[[row, free]]);
        for sign in [1.0, -1.0] {
            // As far as every weight stays at 0 or above.
            let room = |(at, &z): (usize, &f64)| (sign * z < -1e-12).then(|| weights[keys[at]] / -(sign * z));
            let step = direction.iter().enumerate().filter_map(room).fold(f64::INFINITY, f64::min);
            let far = step * direction.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
            if far.is_finite() && far > best.as_ref().map_or(SAME, |(most, _)| *most) {
                let mut other = weights.clone();
                keys.iter().zip(&direction).for_each(|(&key, z)| other[key] = (other[key] + sign * step * z).max(0.0));
                best = Some((far, other));
            }
        }
    }
    best.map(|(_, other)| other)
}

/// A row's weights in another order, and what that does to its output.
#[derive(Clone, Debug, PartialEq)]
pub struct Shuffled {
    /// The weights in their new places.
    pub weights: Vec<f64>,
    /// ‖new output − old output‖.
    pub moved: f64,
    /// ‖old output‖.
    pub of: f64,
}

/// Shuffles the weights of a row among all keys (Fisher–Yates from `seed`).
///
/// `None` when the row is not there or not finite, or weights or values are not held.
#[must_use]
pub fn shuffled(trace: &Trace<f32>, head: usize, query: usize, seed: u32) -> Option<Shuffled> {
    let (old, values) = row_and_values(trace, head, query)?;
    let (mut weights, mut random) = (old.clone(), SplitMix64::new(u64::from(seed)));
    for last in (1..weights.len()).rev() {
        weights.swap(last, usize::try_from(random.next_u64() % (last as u64 + 1)).unwrap_or(0));
    }
    let (before, after) = (mix(&old, values), mix(&weights, values));
    let moved = norm(after.iter().zip(&before).map(|(a, b)| a - b));
    Some(Shuffled { weights, moved, of: norm(before.into_iter()) })
}

/// Σ w v
fn mix(weights: &[f64], values: ArrayView2<'_, f32>) -> Vec<f64> {
    values.columns().into_iter().map(|v| v.iter().zip(weights).map(|(&v, w)| f64::from(v) * w).sum()).collect()
}

fn row_and_values(trace: &Trace<f32>, head: usize, query: usize) -> Option<(Vec<f64>, ArrayView2<'_, f32>)> {
    let row = trace.rows(Stage::Weights, head, query..query.checked_add(1)?)?;
    let weights: Vec<f64> = row.slice(s![0, ..]).iter().map(|&w| f64::from(w)).collect();
    weights.iter().all(|w| w.is_finite()).then_some((weights, all_rows(trace, Stage::V, head)?))
}

/// How often each key is drawn in `draws` draws from the softmax of a row's masked scores: what hard attention by chance
/// comes to. The trace's own weights may be one-hot already.
///
/// `None` when the row or its masked scores are not there, or nothing can be drawn.
#[must_use]
pub fn tally(trace: &Trace<f32>, head: usize, query: usize, seed: u32, draws: u32) -> Option<Vec<u32>> {
    let masked = trace.rows(Stage::Masked, head, query..query.checked_add(1)?)?;
    let max = masked.iter().fold(f32::NEG_INFINITY, |max, &s| if s > max || s.is_nan() { s } else { max });
    if !max.is_finite() {
        return None;
    }
    let top: Vec<f64> = masked.iter().map(|&score| f64::from(score - max).exp()).collect();
    let (total, mut random) = (top.iter().sum::<f64>(), SplitMix64::new(u64::from(seed)));
    let mut counts = vec![0; top.len()];
    for _ in 0..draws {
        let (goal, mut sum) = (f64::from(random.next_unit()) * total, 0.0);
        let reached = top.iter().position(|numerator| {
            sum += numerator;
            sum > goal
        });
        if let Some(key) = reached {
            counts[key] += 1;
        }
    }
    Some(counts)
}
