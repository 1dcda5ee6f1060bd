//! What to look at first: the strongest key of a row, and a row worth looking at.

use crate::attention::{Stage, Trace};
use crate::tensor::Number;

/// The key with the largest weight in a row, the first of equals.
///
/// `None` when the row does not exist, is not held, or no key has weight (fully masked).
#[must_use]
pub fn strongest_key<T: Number>(trace: &Trace<T>, head: usize, query: usize) -> Option<usize> {
    let row = trace.rows(Stage::Weights, head, query..query.checked_add(1)?)?;
    let mut best: Option<(usize, f64)> = None;
    for (key, weight) in row.iter().enumerate() {
        let weight = weight.to_f64();
        if weight > best.map_or(0.0, |(_, most)| most) {
            best = Some((key, weight));
        }
    }
    best.map(|(key, _)| key)
}

/// The row that says most: the one of lowest entropy among those whose strongest key is not key 0 (`<BOS>` as a
/// rule, where rows rest that ask nothing), or among all when every row rests there. The first of equals.
///
/// Rows that had no choice (fewer than two permitted keys) count only when there is no other. `None` when no row has
/// weight or the weights are not held.
#[must_use]
pub fn strongest_query<T: Number>(trace: &Trace<T>, head: usize) -> Option<usize> {
    let statistics = &trace.top()?.rows;
    let mut best: Option<(bool, bool, f64, usize)> = None;
    for query in 0..trace.shape.n_q {
        let Some(key) = strongest_key(trace, head, query) else { continue };
        let no_choice = *statistics.permitted.get([head, query])? < 2;
        let entropy = statistics.entropy.get([head, query])?.to_f64();
        let candidate = (no_choice, key == 0, entropy, query);
        if best.is_none_or(|best| (candidate.0, candidate.1, candidate.2) < (best.0, best.1, best.2)) {
            best = Some(candidate);
        }
    }
    best.map(|(.., query)| query)
}
