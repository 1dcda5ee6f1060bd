//! The specification: attention in f64, written as the formulas stand, sharing no code with any engine.
//!
//! Slow and plain on purpose: one function per formula, so that it can be read against the paper (Vaswani et al. 2017,
//! equation 1 and section 3.2.2). What is not the standard way stands in `field`. Inputs are the problem's f32 numbers, promoted exactly.

mod field;

use super::mask::Mask;
use super::problem::{Problem, ProblemError, Source};
use super::trace::{Held, Layer, RowStatistics, Shape, Trace};
use crate::tensor::{Heads, Matrix};
use std::rc::Rc;

/// Computes every stage of `problem`.
///
/// A row with no permitted key has weights 0, output 0, maximum −∞, inverse sum 0 and entropy 0.
///
/// # Errors
/// [`ProblemError`] when the problem is not valid; see [`Problem::shape`].
pub fn trace(problem: &Problem) -> Result<Trace<f64>, ProblemError> {
    let shape = problem.shape()?;
    if let Some(method) = problem.departure() {
        return Ok(field::trace(problem, method, shape));
    }
    let Inputs { x_query, x_key, q, k, v, w_o } = inputs(&problem.source, &shape);
    let raw = dot_products(&q, &k);
    let scaled = raw.mapv(|s| s * f64::from(problem.scale));
    let tempered = scaled.mapv(|s| s / f64::from(problem.temperature));
    let masked = mask_scores(&tempered, &problem.mask);
    let rows = statistics(&masked, &problem.mask);
    let weights = softmax(&masked, &rows, &problem.mask);
    let rows = RowStatistics { entropy: entropies(&weights), ..rows };
    let head_output = weighted_sums(&weights, &v);
    let concat = concatenate(&head_output);
    let output = w_o.map(|w_o| product(&concat, &w_o));
    let layer = Layer {
        x_query: held(x_query),
        x_key: held(x_key),
        q: held(Some(q)),
        k: held(Some(k)),
        v: held(Some(v)),
        raw: held(Some(raw)),
        scaled: held(Some(scaled)),
        tempered: held(Some(tempered)),
        masked: held(Some(masked)),
        weights: held(Some(weights)),
        head_output: held(Some(head_output)),
        concat: held(Some(concat)),
        output: held(output),
        rows: Rc::new(rows),
    };
    Ok(Trace { shape, layers: vec![layer] })
}

fn held<A>(array: Option<A>) -> Held<A> {
    array.map_or(Held::Absent, |array| Held::Held(Rc::new(array)))
}

struct Inputs {
    x_query: Option<Matrix<f64>>,
    x_key: Option<Matrix<f64>>,
    q: Heads<f64>,
    k: Heads<f64>,
    v: Heads<f64>,
    w_o: Option<Matrix<f64>>,
}

/// q = x_q W_Q, k = x_k W_K, v = x_k W_V, split into heads; or as given.
fn inputs(source: &Source, shape: &Shape) -> Inputs {
    match source {
        Source::Embedded { x_q, x_k, weights } => {
            let (x_query, x_key) = (x_q.mapv(f64::from), x_k.mapv(f64::from));
            Inputs {
                q: split(&product(&x_query, &weights.w_q.mapv(f64::from)), shape.heads),
                k: split(&product(&x_key, &weights.w_k.mapv(f64::from)), shape.heads),
                v: split(&product(&x_key, &weights.w_v.mapv(f64::from)), shape.heads),
                w_o: Some(weights.w_o.mapv(f64::from)),
                x_query: Some(x_query),
                x_key: Some(x_key),
            }
        }
        Source::Given { q, k, v } => Inputs {
            q: q.mapv(f64::from),
            k: k.mapv(f64::from),
            v: v.mapv(f64::from),
            w_o: None,
            x_query: None,
            x_key: None,
        },
    }
}

/// (A B)_ij = Σ_m A_im B_mj
fn product(a: &Matrix<f64>, b: &Matrix<f64>) -> Matrix<f64> {
    Matrix::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| (0..a.ncols()).map(|m| a[[i, m]] * b[[m, j]]).sum())
}

/// `[n, h·d]` → `[h, n, d]`: head a takes columns a·d to (a + 1)·d − 1.
fn split(wide: &Matrix<f64>, heads: usize) -> Heads<f64> {
    let d = wide.ncols() / heads;
    Heads::from_shape_fn((heads, wide.nrows(), d), |(a, i, c)| wide[[i, a * d + c]])
}

/// `[h, n, d]` → `[n, h·d]`, the inverse of [`split`].
fn concatenate(heads: &Heads<f64>) -> Matrix<f64> {
    let (h, n, d) = heads.dim();
    Matrix::from_shape_fn((n, h * d), |(i, c)| heads[[c / d, i, c % d]])
}

/// s_ij = q_i · k_j
fn dot_products(q: &Heads<f64>, k: &Heads<f64>) -> Heads<f64> {
    let ((h, n_q, d_k), n_k) = (q.dim(), k.dim().1);
    Heads::from_shape_fn((h, n_q, n_k), |(a, i, j)| (0..d_k).map(|c| q[[a, i, c]] * k[[a, j, c]]).sum())
}

/// s_ij + bias_ij where permitted; −∞ is recorded where forbidden.
fn mask_scores(scores: &Heads<f64>, mask: &Mask) -> Heads<f64> {
    Heads::from_shape_fn(scores.dim(), |(a, i, j)| {
        if mask.permits(a, i, j) { scores[[a, i, j]] + f64::from(mask.added(a, i, j)) } else { f64::NEG_INFINITY }
    })
}

/// Maximum, 1/Σ exp(s − max) and number of keys of each row, over its permitted keys; entropy is left at 0.
fn statistics(masked: &Heads<f64>, mask: &Mask) -> RowStatistics<f64> {
    let (h, n_q, n_k) = masked.dim();
    let permitted = |a, i| (0..n_k).filter(move |&j| mask.permits(a, i, j));
    let max = Matrix::from_shape_fn((h, n_q), |(a, i)| {
        permitted(a, i).map(|j| masked[[a, i, j]]).fold(f64::NEG_INFINITY, f64::max)
    });
    let inverse_sum = Matrix::from_shape_fn((h, n_q), |(a, i)| {
        let sum: f64 = permitted(a, i).map(|j| (masked[[a, i, j]] - max[[a, i]]).exp()).sum();
        if sum > 0.0 { 1.0 / sum } else { 0.0 }
    });
    let count = Matrix::from_shape_fn((h, n_q), |(a, i)| permitted(a, i).map(|_| 1_u32).sum());
    RowStatistics { max, inverse_sum, entropy: Matrix::zeros((h, n_q)), permitted: count }
}

/// w_ij = exp(s_ij − max_i) / Σ_j exp(s_ij − max_i) over permitted keys; 0 elsewhere.
fn softmax(masked: &Heads<f64>, rows: &RowStatistics<f64>, mask: &Mask) -> Heads<f64> {
    Heads::from_shape_fn(masked.dim(), |(a, i, j)| {
        if mask.permits(a, i, j) {
            (masked[[a, i, j]] - rows.max[[a, i]]).exp() * rows.inverse_sum[[a, i]]
        } else {
            0.0
        }
    })
}

/// H_i = −Σ_j w_ij ln w_ij, where 0 ln 0 = 0.
fn entropies(weights: &Heads<f64>) -> Matrix<f64> {
    let (h, n_q, n_k) = weights.dim();
    Matrix::from_shape_fn((h, n_q), |(a, i)| {
        let terms = (0..n_k).map(|j| weights[[a, i, j]]).filter(|&w| w > 0.0).map(|w| w * w.ln());
        // `0 - x` and not `-x`: a sum of nothing is 0, and no row should read −0.
        0.0 - terms.sum::<f64>()
    })
}

/// o_i = Σ_j w_ij v_j
fn weighted_sums(weights: &Heads<f64>, v: &Heads<f64>) -> Heads<f64> {
    let ((h, n_q, n_k), d_v) = (weights.dim(), v.dim().2);
    Heads::from_shape_fn((h, n_q, d_v), |(a, i, c)| (0..n_k).map(|j| weights[[a, i, j]] * v[[a, j, c]]).sum())
}
