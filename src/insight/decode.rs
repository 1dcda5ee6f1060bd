//! Decoding: which token's value points where an output points.

use crate::attention::{Stage, Trace};
use crate::tensor::Number;

/// Cosines closer than this count as equal: values that tie in truth differ by rounding only.
const TIE: f64 = 1e-6;

/// A token whose value was compared with an output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The key, from 0.
    pub key: usize,
    /// Cosine of the angle between its value and the output, −1 to 1.
    pub cosine: f64,
    /// Place from 1; tied candidates share the best place among them (1, 2, 2, 4).
    pub rank: usize,
    /// Whether another candidate has the same rank.
    pub tied: bool,
}

/// Ranks the keys by how closely their value points where the head's output at `query` points, nearest first and
/// ties in the order of the keys.
///
/// Keys whose value is 0 have no direction and are left out. `None` when the output is 0 (nothing to decode), the row
/// does not exist, or values or head outputs are not held.
#[must_use]
pub fn decode<T: Number>(trace: &Trace<T>, head: usize, query: usize) -> Option<Vec<Candidate>> {
    let output = trace.rows(Stage::HeadOutput, head, query..query.checked_add(1)?)?;
    let values = trace.rows(Stage::V, head, 0..trace.shape.n_k)?;
    let output: Vec<f64> = output.iter().map(|number| number.to_f64()).collect();
    let output_length = length(output.iter().copied());
    if output_length == 0.0 {
        return None;
    }
    let mut candidates: Vec<Candidate> = Vec::with_capacity(values.nrows());
    for (key, value) in values.rows().into_iter().enumerate() {
        let value_length = length(value.iter().map(|number| number.to_f64()));
        if value_length > 0.0 {
            let dot: f64 = value.iter().zip(&output).map(|(v, o)| v.to_f64() * o).sum();
            let cosine = (dot / value_length / output_length).clamp(-1.0, 1.0);
            let at = candidates.partition_point(|nearer| nearer.cosine >= cosine);
            candidates.insert(at, Candidate { key, cosine, rank: 0, tied: false });
        }
    }
    rank(&mut candidates);
    Some(candidates)
}

/// Gives places to sorted candidates, and puts tied ones into the order of their keys.
fn rank(candidates: &mut [Candidate]) {
    let mut place = 1;
    for group in candidates.chunk_by_mut(|a, b| a.cosine - b.cosine <= TIE) {
        let tied = group.len() > 1;
        for candidate in group.iter_mut() {
            candidate.rank = place;
            candidate.tied = tied;
        }
        // Few are ever tied: exchanging neighbours is enough.
        for end in (1..group.len()).rev() {
            for i in 0..end {
                if group[i].key > group[i + 1].key {
                    group.swap(i, i + 1);
                }
            }
        }
        place += group.len();
    }
}

fn length(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}
