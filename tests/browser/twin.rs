//! Attention once more in scalar f32, one operation after another in the order that the kernels document.
//!
//! Shares no code with the engine: where both have the same bits, lanes neither mix numbers nor change the order of sums.

use attention_lab::attention::{Mask, Problem, Source, Weights};
use attention_lab::tensor::{Heads, Matrix};

/// Every number of a computation, row-major.
#[derive(Default)]
pub struct Twin {
    pub raw: Vec<f32>,
    pub scaled: Vec<f32>,
    pub tempered: Vec<f32>,
    pub masked: Vec<f32>,
    pub weights: Vec<f32>,
    pub head_output: Vec<f32>,
    pub output: Vec<f32>,
    pub max: Vec<f32>,
    pub inverse_sum: Vec<f32>,
    pub entropy: Vec<f32>,
}

/// Computes `problem`, which is valid.
pub fn compute(problem: &Problem) -> Twin {
    let (q, k, v, w_o) = inputs(&problem.source);
    let ((heads, n_q, d_k), n_k, d_v) = (q.dim(), k.dim().1, v.dim().2);
    let mut twin = Twin::default();
    let mut concat = Matrix::zeros((n_q, heads * d_v));
    for head in 0..heads {
        for query in 0..n_q {
            let raw = (0..n_k).map(|key| sum((0..d_k).map(|d| q[[head, query, d]] * k[[head, key, d]])));
            let raw: Vec<f32> = raw.collect();
            let scaled: Vec<f32> = raw.iter().map(|s| s * problem.scale).collect();
            let tempered: Vec<f32> = scaled.iter().map(|s| s / problem.temperature).collect();
            let keys: Vec<usize> = (0..n_k).filter(|&key| problem.mask.permits(head, query, key)).collect();
            let scores: Vec<f32> =
                keys.iter().map(|&key| biased(&problem.mask, tempered[key], head, query, key)).collect();
            let mut masked = vec![f32::NEG_INFINITY; n_k];
            let mut weights = vec![0.0; n_k];
            let row = softmax(&scores);
            for ((&key, &score), &weight) in keys.iter().zip(&scores).zip(&row.weights) {
                (masked[key], weights[key]) = (score, weight);
            }
            for d in 0..d_v {
                let out = sum(keys.iter().zip(&row.weights).map(|(&key, weight)| weight * v[[head, key, d]]));
                twin.head_output.push(out);
                concat[[query, head * d_v + d]] = out;
            }
            twin.raw.extend(raw);
            twin.scaled.extend(scaled);
            twin.tempered.extend(tempered);
            twin.masked.extend(masked);
            twin.weights.extend(weights);
            twin.max.push(row.max);
            twin.inverse_sum.push(row.inverse_sum);
            twin.entropy.push(row.entropy);
        }
    }
    twin.output = w_o.map(|w_o| product(&concat, &w_o).into_iter().collect()).unwrap_or_default();
    twin
}

fn biased(mask: &Mask, score: f32, head: usize, query: usize, key: usize) -> f32 {
    if mask.bias.is_some() { score + mask.added(head, query, key) } else { score }
}

/// One running sum from 0.
fn sum(terms: impl Iterator<Item = f32>) -> f32 {
    terms.fold(0.0, |sum, term| sum + term)
}

fn product(a: &Matrix<f32>, b: &Matrix<f32>) -> Matrix<f32> {
    Matrix::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| sum((0..a.ncols()).map(|m| a[[i, m]] * b[[m, j]])))
}

type Inputs = (Heads<f32>, Heads<f32>, Heads<f32>, Option<Matrix<f32>>);

fn inputs(source: &Source) -> Inputs {
    match source {
        Source::Given { q, k, v } => ((**q).clone(), (**k).clone(), (**v).clone(), None),
        Source::Embedded { x_q, x_k, weights } => {
            let Weights { heads, w_q, w_k, w_v, w_o } = &**weights;
            let split = |wide: Matrix<f32>| {
                let d = wide.ncols() / heads;
                Heads::from_shape_fn((*heads, wide.nrows(), d), |(head, row, c)| wide[[row, head * d + c]])
            };
            let (q, k, v) = (product(x_q, w_q), product(x_k, w_k), product(x_k, w_v));
            (split(q), split(k), split(v), Some(w_o.clone()))
        }
    }
}

struct Row {
    weights: Vec<f32>,
    max: f32,
    inverse_sum: f32,
    entropy: f32,
}

/// Every fourth term goes into one of four running sums, which are then added in pairs.
fn softmax(scores: &[f32]) -> Row {
    if scores.is_empty() {
        return Row { weights: Vec::new(), max: f32::NEG_INFINITY, inverse_sum: 0.0, entropy: 0.0 };
    }
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f32> = scores.iter().map(|score| exp(score - max)).collect();
    let total = |term: &dyn Fn(usize) -> f32| {
        let lane = |lane: usize| sum((lane..scores.len()).step_by(4).map(term));
        (lane(0) + lane(1)) + (lane(2) + lane(3))
    };
    let sum = total(&|at| exps[at]);
    let spread = total(&|at| exps[at] * (scores[at] - max));
    let inverse_sum = 1.0 / sum;
    let weights = exps.iter().map(|e| e * inverse_sum).collect();
    Row { weights, max, inverse_sum, entropy: ln(sum) - spread * inverse_sum }
}

/// e^x for x ≤ 0: x = n ln 2 + r, a polynomial in r by Horner's rule, and n added to the exponent bits.
pub fn exp(x: f32) -> f32 {
    let smallest = -87.336_54_f32;
    if x < smallest {
        return 0.0;
    }
    let round = 12_582_912.0_f32;
    let shifted = x * std::f32::consts::LOG2_E + round;
    let n = shifted - round;
    let r = x - n * 0.693_359_4 - n * -2.121_944_4e-4;
    let polynomial = [4.189_816e-2, 0.166_676_39, 0.499_991_48, 0.999_999_7, 1.0];
    let power = polynomial.iter().fold(8.290_272e-3_f32, |p, coefficient| p * r + coefficient);
    #[expect(clippy::cast_possible_truncation, reason = "n is a whole number between -126 and 0")]
    let exponent = n as i32;
    f32::from_bits(power.to_bits().wrapping_add((exponent << 23).cast_unsigned()))
}

/// ln x for x ≥ 1: x = 2ⁿ·m with m from √½ to √2, Cephes' polynomial in m − 1 by Horner's rule.
fn ln(x: f32) -> f32 {
    let (mut n, mut m) = (0.0_f32, x);
    while m >= std::f32::consts::SQRT_2 {
        (n, m) = (n + 1.0, m / 2.0);
    }
    let f = m - 1.0;
    let polynomial = [
        -0.115_146_1,
        0.116_769_984,
        -0.124_201_41,
        0.142_493_23,
        -0.166_680_57,
        0.200_007_15,
        -0.249_999_94,
        0.333_333_3,
    ];
    let p = polynomial.iter().fold(7.037_683_6e-2_f32, |p, coefficient| p * f + coefficient);
    let square = f * f;
    let low = n * -2.121_944_4e-4 + f * square * p - 0.5 * square;
    f + low + n * 0.693_359_4
}
