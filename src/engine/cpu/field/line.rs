//! Scores to weights along one line: a row as a rule, a column where softmax takes the wrong axis.

use super::half;
use crate::attention::method::{Method, Precision, Weighting};
use crate::attention::{Bug, Shape};
use crate::tensor::random::SplitMix64;

/// Weights `[h, n_q, n_k]`, and of every row `[h, n_q]` its largest score and 1/Σ.
pub struct Normalised {
    pub weights: Vec<f32>,
    pub max: Vec<f32>,
    pub inverse_sum: Vec<f32>,
}

/// The numbers above the division of one line.
struct Top {
    max: f32,
    sum: f32,
    numerators: Vec<f32>,
}

/// Normalises every row over its cells that are `inside`; or every column.
pub fn normalise(scores: &[f32], inside: &[bool], method: &Method, shape: &Shape) -> Normalised {
    let Shape { heads, n_q, n_k, .. } = *shape;
    let mut random = match method.weighting {
        Weighting::Sampled { seed } => SplitMix64::new(u64::from(seed)),
        _ => SplitMix64::new(0),
    };
    let half = method.precision == Precision::Half;
    let round = |x| if half { half::round(x) } else { x };
    let mut all = Normalised { weights: vec![0.0; scores.len()], max: Vec::new(), inverse_sum: Vec::new() };
    let over_queries = method.bugs.has(Bug::SoftmaxOverQueries);
    let mut cells = Vec::new();
    for head in 0..heads {
        let first = head * n_q * n_k;
        for query in 0..n_q {
            gather(&mut cells, first + query * n_k, 1, n_k, inside);
            let top = numerators(&cells, scores, method);
            all.max.push(top.max);
            all.inverse_sum.push(if top.sum == 0.0 { 0.0 } else { 1.0 / round(top.sum) });
            if !over_queries {
                divide(&cells, scores, &top, method, random.next_unit(), &mut all.weights);
            }
        }
        for key in 0..if over_queries { n_k } else { 0 } {
            gather(&mut cells, first + key, n_k, n_q, inside);
            let top = numerators(&cells, scores, method);
            divide(&cells, scores, &top, method, random.next_unit(), &mut all.weights);
        }
    }
    all
}

/// The places of a line's cells that take part.
fn gather(cells: &mut Vec<usize>, first: usize, step: usize, count: usize, inside: &[bool]) {
    cells.clear();
    cells.extend((0..count).map(|at| first + at * step).filter(|&at| inside[at]));
}

fn numerators(cells: &[usize], scores: &[f32], method: &Method) -> Top {
    let half = method.precision == Precision::Half;
    let round = |x| if half { half::round(x) } else { x };
    // `f32::max` would pass over a NaN.
    let larger = |max: f32, score: f32| if score > max || score.is_nan() { score } else { max };
    let max = cells.iter().map(|&at| scores[at]).fold(f32::NEG_INFINITY, larger);
    let max = if cells.iter().any(|&at| scores[at].is_nan()) { f32::NAN } else { max };
    let numerator = |score: f32| match method.weighting {
        Weighting::Linear => score,
        Weighting::WithoutMaximum => score.exp(),
        _ => round(score - max).exp(),
    };
    let numerators: Vec<f32> = cells.iter().map(|&at| round(numerator(scores[at]))).collect();
    Top { max, sum: numerators.iter().sum(), numerators }
}

/// Writes the weights of one line.
fn divide(cells: &[usize], scores: &[f32], top: &Top, method: &Method, u: f32, weights: &mut [f32]) {
    let half = method.precision == Precision::Half;
    let round = |x| if half { half::round(x) } else { x };
    let sampled = matches!(method.weighting, Weighting::Sampled { .. });
    if sampled || method.weighting == Weighting::Hard {
        if top.max.is_nan() || top.max == f32::NEG_INFINITY {
            cells.iter().for_each(|&at| weights[at] = f32::NAN);
            return;
        }
        let (goal, mut sum) = (u * top.sum, 0.0);
        let mut reached = |numerator: f32| {
            sum += numerator;
            sum > goal
        };
        let chosen = if sampled {
            top.numerators.iter().position(|&numerator| reached(numerator))
        } else {
            cells.iter().position(|&at| scores[at] == top.max)
        };
        if let Some(chosen) = chosen {
            weights[cells[chosen]] = 1.0;
        }
        return;
    }
    let sum = round(top.sum);
    cells.iter().zip(&top.numerators).for_each(|(&at, &numerator)| weights[at] = round(numerator / sum));
}

/// (s + g) ÷ τ with Gumbel noise g. The noise is made in f64: near 1, −ln u has no digits in f32.
#[expect(clippy::cast_possible_truncation, reason = "the noise is added in f32")]
pub fn add_noise(scores: &mut [f32], tau: f32, seed: u32) {
    let mut random = SplitMix64::new(u64::from(seed));
    for score in scores {
        let u = f64::from(random.next_unit()) + 2.0_f64.powi(-25);
        *score = (*score - (-u.ln()).ln() as f32) / tau;
    }
}

/// −Σ w ln w, where 0 ln 0 = 0; NaN where a weight is NaN or negative.
pub fn entropy(row: &[f32]) -> f32 {
    0.0 - row.iter().map(|&w| if w == 0.0 { 0.0 } else { w * w.ln() }).sum::<f32>()
}
