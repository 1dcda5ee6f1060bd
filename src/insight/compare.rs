//! A against B: what differs between two traces of the same size.

use super::selection::strongest_key;
use super::statistics::all_rows;
use crate::attention::{Stage, Trace};
use crate::tensor::Matrix;

/// How one head's weights differ between A and B.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// B − A, `[n_q, n_k]`; NaN where one of them is.
    pub difference: Matrix<f64>,
    /// Of every query.
    pub rows: Vec<RowDifference>,
}

/// How one row differs. Divergences are in nats, of the rows divided by their sums.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowDifference {
    /// Jensen–Shannon: 0 for equal rows, ln 2 for rows that share no key. `None` when one is no distribution: NaN, negative, all 0.
    pub js: Option<f64>,
    /// Σ a ln(a/b); ∞ where A looks and B does not.
    pub kl_a_b: Option<f64>,
    /// Σ b ln(b/a); ∞ where B looks and A does not.
    pub kl_b_a: Option<f64>,
    /// The strongest key of A and of B, when they are not the same.
    pub flip: Option<(usize, usize)>,
}

/// Compares the weights of `head`; `None` when sizes differ or weights are not held.
#[must_use]
pub fn compare(a: &Trace<f32>, b: &Trace<f32>, head: usize) -> Option<Comparison> {
    let (of_a, of_b) = (all_rows(a, Stage::Weights, head)?, all_rows(b, Stage::Weights, head)?);
    if of_a.dim() != of_b.dim() {
        return None;
    }
    let difference = Matrix::from_shape_fn(of_a.dim(), |at| f64::from(of_b[at]) - f64::from(of_a[at]));
    let row = |query: usize| {
        let (p, q) = (distribution(of_a.row(query).iter()), distribution(of_b.row(query).iter()));
        let both = p.as_deref().zip(q.as_deref());
        let flip = strongest_key(a, head, query).zip(strongest_key(b, head, query)).filter(|(a, b)| a != b);
        RowDifference {
            js: both.map(|(p, q)| jensen_shannon(p, q)),
            kl_a_b: both.map(|(p, q)| kullback_leibler(p, q)),
            kl_b_a: both.map(|(p, q)| kullback_leibler(q, p)),
            flip,
        }
    };
    let rows = (0..of_a.nrows()).map(row).collect();
    Some(Comparison { difference, rows })
}

impl Comparison {
    /// The weight that moved most: query, key, and B − A. `None` when none moved by a number.
    #[must_use]
    pub fn most(&self) -> Option<(usize, usize, f64)> {
        let moved = self.difference.indexed_iter().filter(|(_, by)| **by != 0.0 && by.is_finite());
        moved.max_by(|x, y| x.1.abs().total_cmp(&y.1.abs())).map(|((query, key), &by)| (query, key, by))
    }
}

/// B − A of any stage of one head, `[n_q, n_k]`, 0 where both are −∞; `None` when sizes differ or it is not held.
#[must_use]
pub fn difference(a: &Trace<f32>, b: &Trace<f32>, stage: Stage, head: usize) -> Option<Matrix<f32>> {
    let (a, b) = (all_rows(a, stage, head)?, all_rows(b, stage, head)?);
    (a.dim() == b.dim()).then(|| Matrix::from_shape_fn(b.dim(), |at| if a[at] == b[at] { 0.0 } else { b[at] - a[at] }))
}

/// A row divided by its sum.
fn distribution<'a>(row: impl Iterator<Item = &'a f32>) -> Option<Vec<f64>> {
    let row: Vec<f64> = row.map(|&w| f64::from(w)).collect();
    let sum: f64 = row.iter().sum();
    let sound = sum > 0.0 && sum.is_finite() && row.iter().all(|&w| w >= 0.0);
    sound.then(|| row.into_iter().map(|w| w / sum).collect())
}

/// Σ p ln(p/q) over p > 0.
fn kullback_leibler(p: &[f64], q: &[f64]) -> f64 {
    let terms = p.iter().zip(q).filter(|(p, _)| **p > 0.0).map(|(p, q)| p * (p / q).ln());
    terms.sum::<f64>().max(0.0)
}

/// Half of what p and q are from their middle.
fn jensen_shannon(p: &[f64], q: &[f64]) -> f64 {
    let middle: Vec<f64> = p.iter().zip(q).map(|(p, q)| 0.5 * (p + q)).collect();
    0.5 * (kullback_leibler(p, &middle) + kullback_leibler(q, &middle))
}
