//! The specification of every method that is not the standard one, in f64: one function per formula.
//!
//! Where a rounding is the point (f16, and −1e9 or −1e4 added in f32), that one rounding is done; all else is f64.

use super::{Inputs, concatenate, dot_products, entropies, held, product, split, weighted_sums};
use crate::attention::method::{Additive, Fill, Method, Position, Precision, Score, Weighting};
use crate::attention::trace::{Layer, RowStatistics, Shape, Trace};
use crate::attention::{Bug, Mask, Problem, Source};
use crate::tensor::random::SplitMix64;
use crate::tensor::{Heads, Matrix};
use std::rc::Rc;

/// Computes every stage of `problem`, which is valid, by `method`.
pub(super) fn trace(problem: &Problem, method: &Method, shape: Shape) -> Trace<f64> {
    let half = method.precision == Precision::Half;
    let (matrix, heads) = (
        |m: Matrix<f64>| if half { m.mapv(to_half) } else { m },
        |a: Heads<f64>| if half { a.mapv(to_half) } else { a },
    );
    let bug = |bug| method.bugs.has(bug);
    let Inputs { x_query, x_key, mut q, k, v, w_o } = inputs(&problem.source, method, &shape);
    if bug(Bug::NanRow) {
        for a in 0..shape.heads {
            q[[a, shape.n_q - 1, 0]] = f64::NAN;
        }
    }
    let (q, k) = (heads(turned(&q, method.position)), heads(turned(&k, method.position)));
    let raw = heads(raw_scores(&q, &k, method, half));
    let late = bug(Bug::ScaleAfterSoftmax);
    let scale = f64::from(problem.scale);
    let scaled = if late { raw.clone() } else { heads(raw.mapv(|s| s * scale)) };
    let tempered = heads(scaled.mapv(|s| s / f64::from(problem.temperature)));
    let may = |a, i, j| permits(&problem.mask, method, a, i, j);
    let masked = heads(masked_scores(&tempered, problem, method, &may));
    let inside = |a, i, j| method.fill != Fill::Exclude || may(a, i, j);
    let noisy = match method.weighting {
        Weighting::Gumbel { tau, seed } => heads(with_noise(&masked, f64::from(tau), seed)),
        _ => masked.clone(),
    };
    let (mut weights, max, inverse_sum) = normalise(&noisy, method, half, &inside);
    if late {
        weights = heads(weights.mapv(|w| w * scale));
    }
    if method.fill == Fill::MultiplyAfter {
        weights =
            Heads::from_shape_fn(weights.dim(), |(a, i, j)| weights[[a, i, j]] * if may(a, i, j) { 1.0 } else { 0.0 });
    }
    let permitted = Matrix::from_shape_fn((shape.heads, shape.n_q), |(a, i)| {
        (0..shape.n_k).filter(|&j| problem.mask.permits(a, i, j)).map(|_| 1_u32).sum()
    });
    let rows = RowStatistics { max, inverse_sum, entropy: entropies_of_any(&weights), permitted };
    let head_output = heads(weighted_sums(&weights, &v));
    let concat = if bug(Bug::MergeWithoutTranspose) {
        let (h, n, d) = head_output.dim();
        Matrix::from_shape_fn((n, h * d), |(i, c)| {
            let at = i * h * d + c;
            head_output[[at / (n * d), at / d % n, at % d]]
        })
    } else {
        concatenate(&head_output)
    };
    let output = w_o.map(|w_o| {
        let bias = |c: usize| method.biases.as_ref().map_or(0.0, |b| rounded(f64::from(b.o[c]), half));
        let plain = product(&concat, &w_o);
        matrix(Matrix::from_shape_fn(plain.dim(), |(i, c)| plain[[i, c]] + bias(c)))
    });
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
    Trace { shape, layers: vec![layer] }
}

/// The nearest f16, ties to even: eleven significant bits, steps of 2^−24 below 2^−14, ∞ from 65,520 on.
fn to_half(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = x.abs().log2().floor().clamp(-14.0, 1023.0);
    let step = (exponent - 10.0).exp2();
    let nearest = (x / step).round_ties_even() * step;
    if nearest.abs() >= 65_536.0 { f64::INFINITY.copysign(x) } else { nearest }
}

fn rounded(x: f64, half: bool) -> f64 {
    if half { to_half(x) } else { x }
}

/// q = x W_Q + b_Q and so on, split into heads rightly or wrongly.
fn inputs(source: &Source, method: &Method, shape: &Shape) -> Inputs {
    let half = method.precision == Precision::Half;
    let wide = |m: &Matrix<f32>| m.mapv(|x| rounded(f64::from(x), half));
    let tall = |m: &Heads<f32>| m.mapv(|x| rounded(f64::from(x), half));
    match source {
        Source::Given { q, k, v } => {
            Inputs { q: tall(q), k: tall(k), v: tall(v), w_o: None, x_query: None, x_key: None }
        }
        Source::Embedded { x_q, x_k, weights } => {
            let (x_query, x_key) = (wide(x_q), wide(x_k));
            let project = |x: &Matrix<f64>, w: &Matrix<f32>, bias: Option<&Vec<f32>>| {
                let plain = product(x, &wide(w));
                let y = Matrix::from_shape_fn(plain.dim(), |(i, c)| {
                    let b = bias.map_or(0.0, |b| rounded(f64::from(b[c]), half));
                    rounded(plain[[i, c]] + b, half)
                });
                if method.bugs.has(Bug::SplitWithoutTranspose) {
                    misread(&y, shape.heads)
                } else {
                    split(&y, shape.heads)
                }
            };
            let biases = method.biases.as_deref();
            Inputs {
                q: project(&x_query, &weights.w_q, biases.map(|b| &b.q)),
                k: project(&x_key, &weights.w_k, biases.map(|b| &b.k)),
                v: project(&x_key, &weights.w_v, biases.map(|b| &b.v)),
                w_o: Some(wide(&weights.w_o)),
                x_query: Some(x_query),
                x_key: Some(x_key),
            }
        }
    }
}

/// The mistake: number a·n·d + i·d + c of the wide matrix, row by row, becomes `[a, i, c]`.
fn misread(wide: &Matrix<f64>, heads: usize) -> Heads<f64> {
    let (n, width) = wide.dim();
    let d = width / heads;
    Heads::from_shape_fn((heads, n, d), |(a, i, c)| {
        let at = a * n * d + i * d + c;
        wide[[at / width, at % width]]
    })
}

/// (x_2m, x_2m+1) turned by i · base^(−2m/d).
#[expect(clippy::cast_precision_loss, reason = "positions and widths are small")]
fn turned(x: &Heads<f64>, position: Position) -> Heads<f64> {
    let Position::Rotary { base } = position else { return x.clone() };
    let d = x.dim().2;
    Heads::from_shape_fn(x.dim(), |(a, i, c)| {
        let first = c - c % 2;
        if first + 1 == d {
            return x[[a, i, c]];
        }
        let angle = i as f64 * f64::from(base).powf(-(first as f64) / d as f64);
        let (one, two) = (x[[a, i, first]], x[[a, i, first + 1]]);
        if c % 2 == 0 { one * angle.cos() - two * angle.sin() } else { one * angle.sin() + two * angle.cos() }
    })
}

fn raw_scores(q: &Heads<f64>, k: &Heads<f64>, method: &Method, half: bool) -> Heads<f64> {
    if method.weighting == Weighting::Linear {
        let phi = |x: f64| rounded(if x > 0.0 { x + 1.0 } else { x.exp() }, half);
        return dot_products(&q.mapv(phi), &k.mapv(phi));
    }
    match &method.score {
        Score::Dot => dot_products(q, k),
        Score::General(w_a) => dot_products(&times(q, &w_a.mapv(f64::from), half), k),
        Score::Additive { weights, tanh } => {
            let Additive { w_q, w_k, v } = &**weights;
            let (from_q, from_k) = (times(q, &w_q.mapv(f64::from), half), times(k, &w_k.mapv(f64::from), half));
            Heads::from_shape_fn((q.dim().0, q.dim().1, k.dim().1), |(a, i, j)| {
                (0..v.ncols())
                    .map(|c| {
                        let sum = rounded(from_q[[a, i, c]] + from_k[[a, j, c]], half);
                        let inner = if *tanh { rounded(sum.tanh(), half) } else { sum };
                        rounded(f64::from(v[[a, c]]), half) * inner
                    })
                    .sum()
            })
        }
    }
}

/// Per head: (x W)_ic = Σ_m x_im W_mc.
fn times(x: &Heads<f64>, w: &Heads<f64>, half: bool) -> Heads<f64> {
    Heads::from_shape_fn((x.dim().0, x.dim().1, w.dim().2), |(a, i, c)| {
        rounded((0..x.dim().2).map(|m| x[[a, i, m]] * rounded(w[[a, m, c]], half)).sum(), half)
    })
}

/// What the computation takes for the mask: the problem's, or what a mistake makes of it.
fn permits(mask: &Mask, method: &Method, head: usize, query: usize, key: usize) -> bool {
    let bug = |bug| method.bugs.has(bug);
    let (i, j) = if bug(Bug::MaskTransposed) { (key, query) } else { (query, key) };
    let by_hand = u32::try_from(i).ok().zip(u32::try_from(j).ok()).and_then(|cell| mask.cells.get(&cell));
    let may = by_hand.unwrap_or_else(|| {
        let causal = if bug(Bug::MaskStrict) {
            j < i
        } else if bug(Bug::MaskLoose) {
            j <= i + 1
        } else {
            j <= i
        };
        let hidden = if bug(Bug::MaskOnQueries) { i } else { j };
        let seen = mask.keys.as_ref().and_then(|keys| keys.get(hidden).copied()).unwrap_or(true);
        let rest = Mask { causal: false, keys: None, cells: Rc::default(), ..mask.clone() };
        (causal || !mask.causal) && seen && rest.permits(head, i, j)
    });
    may != bug(Bug::MaskInverted)
}

/// tempered + bias, and what the method writes into forbidden cells.
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
#[expect(clippy::cast_precision_loss, reason = "distances are small")]
fn masked_scores(
    tempered: &Heads<f64>,
    problem: &Problem,
    method: &Method,
    may: &dyn Fn(usize, usize, usize) -> bool,
) -> Heads<f64> {
    let heads = tempered.dim().0 as f64;
    Heads::from_shape_fn(tempered.dim(), |(a, i, j)| {
        let slope =
            if method.position == Position::Alibi { 2.0_f64.powf(-8.0 * (a as f64 + 1.0) / heads) } else { 0.0 };
        let bias = f64::from(problem.mask.added(a, i, j)) - slope * i.abs_diff(j) as f64;
        let score = tempered[[a, i, j]];
        let score = if method.weighting == Weighting::Linear { score * bias.exp() } else { score + bias };
        let single = |x: f64| f64::from(x as f32);
        match method.fill {
            _ if may(a, i, j) => score,
            Fill::MultiplyAfter => score,
            Fill::Exclude | Fill::MinusInfinity => f64::NEG_INFINITY,
            Fill::ReplaceBillion => -1e9,
            Fill::AddBillion => single(score - 1e9),
            Fill::AddTenThousand => single(score - 1e4),
            Fill::Zero => 0.0,
        }
    })
}

/// (s + g) ÷ τ, g = −ln(−ln u), u the middles of 2^24 steps of (0, 1).
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the point")]
fn with_noise(scores: &Heads<f64>, tau: f64, seed: u32) -> Heads<f64> {
    let mut random = SplitMix64::new(u64::from(seed));
    Heads::from_shape_fn(scores.dim(), |(a, i, j)| {
        let u = f64::from(random.next_unit()) + 0.5 / 16_777_216.0;
        let sum = scores[[a, i, j]] - (-u.ln()).ln();
        // A fill of −1e9 swallows the noise in f32, as it swallowed the score.
        let sum = if sum < -5e3 { f64::from(sum as f32) } else { sum };
        sum / tau
    })
}

/// Weights, and of every query row the largest score and 1/Σ of its numerators.
fn normalise(
    scores: &Heads<f64>,
    method: &Method,
    half: bool,
    inside: &dyn Fn(usize, usize, usize) -> bool,
) -> (Heads<f64>, Matrix<f64>, Matrix<f64>) {
    let (h, n_q, n_k) = scores.dim();
    let over_queries = method.bugs.has(Bug::SoftmaxOverQueries);
    let mut random = match method.weighting {
        Weighting::Sampled { seed } => SplitMix64::new(u64::from(seed)),
        _ => SplitMix64::new(0),
    };
    let row = |a, i| (0..n_k).filter(move |&j| inside(a, i, j)).map(move |j| (i, j));
    let statistics = Heads::from_shape_fn((h, n_q, 2), |(a, i, which)| {
        let line: Vec<f64> = row(a, i).map(|(i, j)| scores[[a, i, j]]).collect();
        let largest = maximum(&line);
        if which == 0 { largest } else { inverse(numerators(&line, method, half).iter().sum(), half) }
    });
    let mut weights = Heads::zeros(scores.dim());
    for a in 0..h {
        for at in 0..if over_queries { n_k } else { n_q } {
            let cells: Vec<(usize, usize)> = if over_queries {
                (0..n_q).filter(|&i| inside(a, i, at)).map(|i| (i, at)).collect()
            } else {
                row(a, at).collect()
            };
            let line: Vec<f64> = cells.iter().map(|&(i, j)| scores[[a, i, j]]).collect();
            let u = f64::from(random.next_unit());
            for (&(i, j), weight) in cells.iter().zip(weights_of(&line, method, u, half)) {
                weights[[a, i, j]] = weight;
            }
        }
    }
    let column = |which| statistics.slice(ndarray::s![.., .., which]).to_owned();
    (weights, column(0), column(1))
}

/// The largest; NaN when there is one, −∞ of nothing.
fn maximum(line: &[f64]) -> f64 {
    if line.iter().any(|s| s.is_nan()) { f64::NAN } else { line.iter().copied().fold(f64::NEG_INFINITY, f64::max) }
}

fn inverse(sum: f64, half: bool) -> f64 {
    if sum == 0.0 { 0.0 } else { 1.0 / rounded(sum, half) }
}

fn numerators(line: &[f64], method: &Method, half: bool) -> Vec<f64> {
    let max = maximum(line);
    let numerator = |s: f64| match method.weighting {
        Weighting::Linear => s,
        Weighting::WithoutMaximum if half => s.exp(),
        // f32's exp overflows where f64's does not yet.
        Weighting::WithoutMaximum => {
            if s.exp() >= 2.0_f64.powi(128) {
                f64::INFINITY
            } else {
                s.exp()
            }
        }
        _ => rounded(s - max, half).exp(),
    };
    line.iter().map(|&s| rounded(numerator(s), half)).collect()
}

/// The weights of one line of scores.
fn weights_of(line: &[f64], method: &Method, u: f64, half: bool) -> Vec<f64> {
    let max = maximum(line);
    let hard = matches!(method.weighting, Weighting::Hard | Weighting::Sampled { .. });
    if hard && (max.is_nan() || max == f64::NEG_INFINITY) {
        return vec![f64::NAN; line.len()];
    }
    let top = numerators(line, method, half);
    let sum: f64 = top.iter().sum();
    let sum = if method.precision == Precision::Single && sum >= 2.0_f64.powi(128) {
        f64::INFINITY
    } else {
        rounded(sum, half)
    };
    let one_hot = |chosen: Option<usize>| (0..line.len()).map(|j| if Some(j) == chosen { 1.0 } else { 0.0 }).collect();
    match method.weighting {
        Weighting::Hard => one_hot(line.iter().position(|&s| s == max)),
        Weighting::Sampled { .. } => {
            let total: f64 = top.iter().sum();
            let below = |j: usize| top[..=j].iter().sum::<f64>() > u * total;
            one_hot((0..line.len()).find(|&j| below(j)))
        }
        _ => top.iter().map(|&t| rounded(t / sum, half)).collect(),
    }
}

/// As [`entropies`], but a NaN or a negative weight makes the row's entropy NaN.
fn entropies_of_any(weights: &Heads<f64>) -> Matrix<f64> {
    let plain = entropies(weights);
    Matrix::from_shape_fn(plain.dim(), |(a, i)| {
        let odd = weights.slice(ndarray::s![a, i, ..]).iter().any(|w| w.is_nan() || *w < 0.0);
        if odd { f64::NAN } else { plain[[a, i]] }
    })
}
