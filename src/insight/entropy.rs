//! Entropy: how widely a row spreads its weight. Read from the row statistics, which every trace holds.

use crate::attention::Trace;
use crate::tensor::Number;

/// H ÷ ln m of one row, where m is its number of permitted keys: 0 = all on one key, 1 = uniform.
///
/// Defined as 0 for m ≤ 1: with one key or none there is nothing to spread over. `None` when there is no such row.
#[must_use]
pub fn normalised<T: Number>(trace: &Trace<T>, head: usize, query: usize) -> Option<f64> {
    let rows = &trace.top()?.rows;
    let permitted = *rows.permitted.get([head, query])?;
    let entropy = rows.entropy.get([head, query])?.to_f64();
    Some(if permitted <= 1 { 0.0 } else { (entropy / f64::from(permitted).ln()).clamp(0.0, 1.0) })
}

/// e^H of one row: the number of tokens it would attend to if it attended to them equally, from 1 to m.
///
/// 0 when no key is permitted. `None` when there is no such row.
#[must_use]
pub fn effective_number<T: Number>(trace: &Trace<T>, head: usize, query: usize) -> Option<f64> {
    let rows = &trace.top()?.rows;
    let permitted = *rows.permitted.get([head, query])?;
    let entropy = rows.entropy.get([head, query])?.to_f64();
    Some(if permitted == 0 { 0.0 } else { entropy.exp() })
}

/// Mean of [`normalised`] over the rows of `head` with at least two permitted keys; `None` when there is none.
#[must_use]
pub fn mean_normalised<T: Number>(trace: &Trace<T>, head: usize) -> Option<f64> {
    mean(choosing_rows(trace, head).filter_map(|query| normalised(trace, head, query)))
}

/// Rows of `head` that have a choice: two or more permitted keys.
pub fn choosing_rows<T: Number>(trace: &Trace<T>, head: usize) -> impl Iterator<Item = usize> {
    let rows = trace.top().map(|layer| &layer.rows);
    (0..trace.shape.n_q).filter(move |&query| {
        rows.and_then(|rows| rows.permitted.get([head, query])).is_some_and(|&permitted| permitted >= 2)
    })
}

/// The mean, when there is something to take it of.
#[expect(clippy::cast_precision_loss, reason = "counts of rows and cells are far below 2^52")]
pub(super) fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = numbers.fold((0_usize, 0.0), |(count, sum), number| (count + 1, sum + number));
    (count > 0).then(|| sum / count as f64)
}
