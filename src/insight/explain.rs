//! What a head, a token or an edge does to the output: contributions that add up, and what is gone when one is left out.
//!
//! All of it is linear in the outputs once the weights are known, so nothing is attended anew: a key that is left out gives
//! its weight to the others in proportion, which is what softmax does when the key is masked.

use super::statistics::all_rows;
use crate::attention::{Stage, Trace};
use crate::tensor::Matrix;

/// Each head's part of the output, `[n_q, d_model]`: its outputs times its rows of W_O `[h·d_v, d_model]`.
///
/// Their sum is the output (before a bias of W_O). `None` when head outputs are not held or W_O is of another size.
#[must_use]
pub fn contributions(trace: &Trace<f32>, w_o: &Matrix<f32>) -> Option<Vec<Matrix<f64>>> {
    (0..trace.shape.heads).map(|head| through(&promoted(trace, Stage::HeadOutput, head)?, head, Some(w_o))).collect()
}

/// Changes of a head's outputs, `[n_q, d_v]`, as changes of the layer's output; without W_O as they are.
fn through(change: &Matrix<f64>, head: usize, w_o: Option<&Matrix<f32>>) -> Option<Matrix<f64>> {
    let Some(w_o) = w_o else { return Some(change.clone()) };
    let width = change.ncols();
    let first = head * width;
    if first + width > w_o.nrows() {
        return None;
    }
    Some(Matrix::from_shape_fn((change.nrows(), w_o.ncols()), |(i, column)| {
        (0..width).map(|c| change[[i, c]] * f64::from(w_o[[first + c, column]])).sum()
    }))
}

fn promoted(trace: &Trace<f32>, stage: Stage, head: usize) -> Option<Matrix<f64>> {
    Some(all_rows(trace, stage, head)?.mapv(f64::from))
}

/// What a key hands to a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handed {
    /// w, its weight.
    pub weight: f64,
    /// ‖v‖, the length of its value.
    pub length: f64,
    /// w ‖v‖, the length of what is handed over: a large weight on a short value is little.
    pub product: f64,
}

/// Weight, length and product of every key of a row; `None` when the row, or a stage, is not there.
#[must_use]
pub fn handed(trace: &Trace<f32>, head: usize, query: usize) -> Option<Vec<Handed>> {
    let weights = trace.rows(Stage::Weights, head, query..query.checked_add(1)?)?;
    let values = all_rows(trace, Stage::V, head)?;
    let of_key = |(&weight, value): (&f32, ndarray::ArrayView1<'_, f32>)| {
        let (weight, length) = (f64::from(weight), norm(value.iter().map(|&v| f64::from(v))));
        Handed { weight, length, product: weight * length }
    };
    Some(weights.iter().zip(values.rows()).map(of_key).collect())
}

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// A head: its outputs become 0.
    Head(usize),
    /// A key, in every row of every head.
    Key(usize),
    /// One query's look at one key in one head.
    Edge {
        /// Head.
        head: usize,
        /// Who looks.
        query: usize,
        /// At what.
        key: usize,
    },
}

/// How far a query's output moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// ‖new − old‖.
    pub by: f64,
    /// ‖old‖.
    pub of: f64,
}

/// How far each query's output moves when something is left out. With W_O it is the layer's output, without it all heads'
/// outputs side by side.
///
/// A row that loses its last key has output 0. A bias of W_O is no part of this. `None` when what is to be left out does
/// not exist, or weights, values or head outputs are not held.
#[must_use]
pub fn without(trace: &Trace<f32>, w_o: Option<&Matrix<f32>>, what: Without) -> Option<Vec<Moved>> {
    let shape = trace.shape;
    let exists = match what {
        Without::Head(head) => head < shape.heads,
        Without::Key(key) => key < shape.n_k,
        Without::Edge { head, query, key } => head < shape.heads && query < shape.n_q && key < shape.n_k,
    };
    if !exists {
        return None;
    }
    let (mut changes, mut olds) = (Vec::new(), Vec::new());
    for head in 0..shape.heads {
        let old = promoted(trace, Stage::HeadOutput, head)?;
        let change = match what {
            Without::Head(gone) if gone == head => -&old,
            Without::Key(key) => lost(trace, head, 0..shape.n_q, key, &old)?,
            Without::Edge { head: at, query, key } if at == head => lost(trace, head, query..query + 1, key, &old)?,
            _ => Matrix::zeros(old.dim()),
        };
        changes.push(through(&change, head, w_o)?);
        olds.push(through(&old, head, w_o)?);
    }
    let lengths = |parts: &[Matrix<f64>], query: usize| {
        if w_o.is_none() {
            return norm(parts.iter().flat_map(|part| part.row(query).to_vec()));
        }
        let columns = parts.first().map_or(0, Matrix::ncols);
        norm((0..columns).map(|column| parts.iter().map(|part| part[[query, column]]).sum()))
    };
    Some((0..shape.n_q).map(|i| Moved { by: lengths(&changes, i), of: lengths(&olds, i) }).collect())
}

/// What outputs of a head change by when these queries no longer see `key`.
fn lost(
    trace: &Trace<f32>,
    head: usize,
    queries: std::ops::Range<usize>,
    key: usize,
    old: &Matrix<f64>,
) -> Option<Matrix<f64>> {
    let (weights, values) = (all_rows(trace, Stage::Weights, head)?, all_rows(trace, Stage::V, head)?);
    let mut change = Matrix::zeros(old.dim());
    for query in queries {
        let others = || weights.row(query).into_iter().enumerate().filter(|&(at, _)| at != key);
        // Added up without the key: 1 − w would have no digits left where w is nearly 1.
        let rest: f64 = others().map(|(_, &w)| f64::from(w)).sum();
        if weights[[query, key]] == 0.0 {
            continue;
        }
        for c in 0..old.ncols() {
            let sum: f64 = others().map(|(at, &w)| f64::from(w) * f64::from(values[[at, c]])).sum();
            change[[query, c]] = if rest > 0.0 { sum / rest } else { 0.0 } - old[[query, c]];
        }
    }
    Some(change)
}

pub(super) fn norm(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(|x| x * x).sum::<f64>().sqrt()
}

/// How many directions a head's scores can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// Of q·kᵀ: at most min(d_k, n_q, n_k).
    pub bound: usize,
    /// Of the raw scores as they are, counted by elimination; pivots below 1e-5 of the largest score are rounding.
    pub of_scores: usize,
}

/// The rank of a head's raw scores and its bound; `None` when they are not held or not finite.
#[must_use]
pub fn rank(trace: &Trace<f32>, head: usize) -> Option<Rank> {
    let mut rows = promoted(trace, Stage::Raw, head)?;
    let largest = rows.iter().fold(0.0, |most: f64, x| if x.is_finite() { most.max(x.abs()) } else { f64::INFINITY });
    if largest.is_infinite() {
        return None;
    }
    let shape = trace.shape;
    let bound = shape.d_k.min(shape.n_q).min(shape.n_k);
    Some(Rank { bound, of_scores: eliminate(&mut rows, 1e-5 * largest).len() })
}

/// Gauss–Jordan elimination with the largest pivot of all that is left; gives (row, column) of each pivot, which is 1
/// afterwards and alone in its column.
pub(super) fn eliminate(a: &mut Matrix<f64>, smallest: f64) -> Vec<(usize, usize)> {
    let (mut pivots, mut used): (Vec<(usize, usize)>, _) = (Vec::new(), vec![false; a.nrows()]);
    loop {
        let mut best = (smallest, None);
        for ((i, j), x) in a.indexed_iter() {
            if !used[i] && x.abs() > best.0 {
                best = (x.abs(), Some((i, j)));
            }
        }
        let Some((i, j)) = best.1 else { return pivots };
        let row = a.row(i).mapv(|x| x / a[[i, j]]);
        for (at, mut other) in a.rows_mut().into_iter().enumerate() {
            let factor = other[j];
            if at == i {
                other.assign(&row);
            } else {
                other.zip_mut_with(&row, |x, &r| *x -= factor * r);
                other[j] = 0.0;
            }
        }
        used[i] = true;
        pivots.push((i, j));
    }
}
