//! Raw scores that are not q·k, and rotary positions.

use super::super::stages::products;
use super::half;
use crate::attention::Shape;
use crate::attention::method::{Method, Precision, Score, Weighting};
use crate::tensor::Heads;
use std::borrow::Cow;

/// Raw scores, `[h, n_q, n_k]`; q `[h, n_q, d_k]`, k `[h, n_k, d_k]`.
pub fn raw(q: &[f32], k: &[f32], method: &Method, shape: &Shape) -> Vec<f32> {
    let Shape { heads, n_q, n_k, d_k, .. } = *shape;
    let half = method.precision == Precision::Half;
    let (mut q, mut k) = (Cow::Borrowed(q), Cow::Borrowed(k));
    if method.weighting == Weighting::Linear {
        for numbers in [q.to_mut(), k.to_mut()] {
            numbers.iter_mut().for_each(|x| *x = if *x > 0.0 { *x + 1.0 } else { x.exp() });
            round(numbers, half);
        }
    } else if let Score::Additive { weights, tanh } = &method.score {
        let from_q = times(&q, &weights.w_q, n_q * d_k, half);
        let from_k = times(&k, &weights.w_k, n_k * d_k, half);
        let d_a = weights.v.ncols();
        let mut scores = Vec::with_capacity(heads * n_q * n_k);
        for (head, v) in weights.v.rows().into_iter().enumerate() {
            let mut v: Vec<f32> = v.iter().copied().collect();
            round(&mut v, half);
            for q in from_q[head * n_q * d_a..][..n_q * d_a].chunks_exact(d_a) {
                let keys = from_k[head * n_k * d_a..][..n_k * d_a].chunks_exact(d_a);
                scores.extend(keys.map(|k| additive(q, k, &v, *tanh, half)));
            }
        }
        return scores;
    } else if let Score::General(w_a) = &method.score {
        q = Cow::Owned(times(&q, w_a, n_q * d_k, half));
    }
    let dot = |q: &[f32], k: &[f32]| q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>();
    let mut scores = Vec::with_capacity(heads * n_q * n_k);
    for (q, k) in q.chunks_exact(n_q * d_k).zip(k.chunks_exact(n_k * d_k)) {
        for q in q.chunks_exact(d_k) {
            scores.extend(k.chunks_exact(d_k).map(|k| dot(q, k)));
        }
    }
    scores
}

/// v · tanh(q + k)
fn additive(q: &[f32], k: &[f32], v: &[f32], tanh: bool, half: bool) -> f32 {
    let round = |x: f32| if half { half::round(x) } else { x };
    let inner = |sum: f32| if tanh { round(sum.tanh()) } else { sum };
    q.iter().zip(k).zip(v).map(|((q, k), v)| v * inner(round(q + k))).sum()
}

fn round(numbers: &mut [f32], half: bool) {
    if half {
        half::round_all(numbers);
    }
}

/// Each head's rows (`per_head` numbers) times its own matrix of `w`.
fn times(x: &[f32], w: &Heads<f32>, per_head: usize, half: bool) -> Vec<f32> {
    let mut out = Vec::new();
    for (x, w) in x.chunks_exact(per_head).zip(w.outer_iter()) {
        let mut matrix: Vec<f32> = w.iter().copied().collect();
        round(&mut matrix, half);
        out.extend(products(x, &matrix, w.ncols()));
    }
    round(&mut out, half);
    out
}

/// Turns each pair (2m, 2m + 1) of row p by p · base^(−2m/d); angles in f64, since far positions turn often.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "small sizes; cos and sin round to f32"
)]
pub fn turn(x: &mut Heads<f32>, base: f32) {
    let (_, n, d) = x.dim();
    for m in 0..d / 2 {
        let step = f64::from(base).powf(-2.0 * m as f64 / d as f64);
        for p in 0..n {
            let (sin, cos) = (p as f64 * step).sin_cos();
            let (sin, cos) = (sin as f32, cos as f32);
            for mut head in x.outer_iter_mut() {
                let (one, two) = (head[[p, 2 * m]], head[[p, 2 * m + 1]]);
                head[[p, 2 * m]] = one * cos - two * sin;
                head[[p, 2 * m + 1]] = one * sin + two * cos;
            }
        }
    }
}
