//! Statistics of scores and weights: spread, sums, extremes, and weight where none should be.

use super::entropy::mean;
use crate::attention::{Mask, Stage, Trace};
use crate::tensor::Number;
use ndarray::ArrayView2;

/// Mean and standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation of all these numbers (divided by their count, not by one less).
    pub deviation: f64,
}

/// Mean and deviation of a score stage of `head` over permitted cells.
///
/// `None` when the stage is not held or no cell is permitted.
#[must_use]
pub fn spread<T: Number>(trace: &Trace<T>, mask: &Mask, stage: Stage, head: usize) -> Option<Spread> {
    let scores = all_rows(trace, stage, head)?;
    let mut may = vec![true; scores.ncols()];
    let mut permitted = Vec::with_capacity(scores.len());
    for (query, row) in scores.rows().into_iter().enumerate() {
        mask.fill_row(head, query, &mut may);
        permitted.extend(row.iter().zip(&may).filter(|(_, may)| **may).map(|(score, _)| score.to_f64()));
    }
    let center = mean(permitted.iter().copied())?;
    let variance = mean(permitted.iter().map(|score| (score - center).powi(2)))?;
    Some(Spread { mean: center, deviation: variance.sqrt() })
}

/// Sum of the weights of each row of `head`, `[n_q]`: 1, or 0 where no key is permitted.
#[must_use]
pub fn row_sums<T: Number>(trace: &Trace<T>, head: usize) -> Option<Vec<f64>> {
    let weights = all_rows(trace, Stage::Weights, head)?;
    Some(weights.rows().into_iter().map(|row| row.iter().map(|w| w.to_f64()).sum()).collect())
}

/// The largest |row sum − 1| of `head` over rows with a permitted key; `None` when there is no such row.
///
/// A NaN in a row makes the answer NaN: it is never lost in a comparison.
#[must_use]
pub fn worst_row_sum<T: Number>(trace: &Trace<T>, head: usize) -> Option<f64> {
    let permitted = &trace.top()?.rows.permitted;
    let sums = row_sums(trace, head)?;
    let errors = sums.iter().enumerate().filter(|&(query, _)| permitted.get([head, query]).is_some_and(|&m| m > 0));
    errors
        .map(|(_, sum)| (sum - 1.0).abs())
        .reduce(|worst, error| if worst.is_nan() || error.is_nan() { f64::NAN } else { worst.max(error) })
}

/// Queries of `head` that may attend to nothing, ascending.
#[must_use]
pub fn fully_masked_rows<T: Number>(trace: &Trace<T>, head: usize) -> Vec<usize> {
    (0..trace.shape.n_q).filter(|&query| is_fully_masked(trace, head, query)).collect()
}

/// Whether this query may attend to nothing.
pub(super) fn is_fully_masked<T: Number>(trace: &Trace<T>, head: usize, query: usize) -> bool {
    trace.top().is_some_and(|layer| layer.rows.permitted.get([head, query]) == Some(&0))
}

/// Smallest and largest finite number of a stage of `head`: the ends of an automatic contrast.
///
/// `None` when the stage is not held or has no finite cell.
#[must_use]
pub fn extremes<T: Number>(trace: &Trace<T>, stage: Stage, head: usize) -> Option<(f64, f64)> {
    let numbers = all_rows(trace, stage, head)?;
    let finite = numbers.iter().map(|number| number.to_f64()).filter(|number| number.is_finite());
    finite.fold(None, |ends, x| {
        let (low, high) = ends.unwrap_or((x, x));
        Some((f64::min(low, x), f64::max(high, x)))
    })
}

/// Weight that lies in forbidden cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Leak {
    /// Sum over all forbidden cells of the head.
    pub total: f64,
    /// The leaking cells (query, key), in row-major order.
    pub cells: Vec<(usize, usize)>,
}

/// Weight of `head` in cells that `mask` forbids, added up from the weights as they are. An honest engine leaks 0.
///
/// `None` when the weights are not held.
#[must_use]
pub fn leak<T: Number>(trace: &Trace<T>, mask: &Mask, head: usize) -> Option<Leak> {
    let weights = all_rows(trace, Stage::Weights, head)?;
    let mut leak = Leak { total: 0.0, cells: Vec::new() };
    for ((query, key), weight) in weights.indexed_iter() {
        let weight = weight.to_f64();
        // `!= 0` and not `> 0`: a NaN or a negative weight in a forbidden cell is a leak as well.
        if weight != 0.0 && !mask.permits(head, query, key) {
            leak.total += weight;
            leak.cells.push((query, key));
        }
    }
    Some(leak)
}

/// The most that `mask` takes from a row of `head`: the weight that its forbidden cells would have without it, 0 to 1.
///
/// `None` where it forbids nothing, or the scores before it are not held. An added bias is left out.
#[must_use]
pub fn taken_by_mask<T: Number>(trace: &Trace<T>, mask: &Mask, head: usize) -> Option<f64> {
    let scores = all_rows(trace, Stage::Tempered, head)?;
    let mut may = vec![true; scores.ncols()];
    let mut most = None;
    for (query, row) in scores.rows().into_iter().enumerate() {
        mask.fill_row(head, query, &mut may);
        if may.iter().all(|&may| may) {
            continue;
        }
        let largest = row.iter().map(|score| score.to_f64()).fold(f64::NEG_INFINITY, f64::max);
        let (mut all, mut taken) = (0.0, 0.0);
        for (score, &may) in row.iter().zip(&may) {
            let exp = (score.to_f64() - largest).exp();
            all += exp;
            taken += if may { 0.0 } else { exp };
        }
        let share: f64 = taken / all;
        // A NaN stays: of such a row nothing can be said.
        most = Some(most.map_or(share, |most: f64| if most > share || most.is_nan() { most } else { share }));
    }
    most
}

/// Every row of a stage of `head`.
pub(super) fn all_rows<T: Number>(trace: &Trace<T>, stage: Stage, head: usize) -> Option<ArrayView2<'_, T>> {
    let shape = trace.shape;
    let rows = match stage {
        Stage::K | Stage::V | Stage::XKey => shape.n_k,
        _ => shape.n_q,
    };
    trace.rows(stage, head, 0..rows)
}
