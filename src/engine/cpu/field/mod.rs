//! Every method that is not the standard one, in f32: stage after stage, plainly, nothing kept between runs.
//!
//! Sentences are short and these settings are there to be looked at, so the loops are simple. Nothing is refused because it
//! overflows: a NaN, an infinity or a row that does not add up to 1 is stored as it was computed.

mod fill;
mod half;
mod line;
mod score;

use super::stages::{concatenate, flat, heads_from, held, matrix_from, products};
use crate::attention::method::{Biases, Fill, Method, Position, Precision, Weighting};
use crate::attention::trace::RowStatistics;
use crate::attention::{Bug, Held, Layer, Problem, ProblemError, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::tensor::{Heads, Matrix};
use std::rc::Rc;

/// What q, k and v come to, `[h, n, d]` each.
struct Projected {
    x: Option<[Rc<Matrix<f32>>; 2]>,
    q: Heads<f32>,
    k: Heads<f32>,
    v: Heads<f32>,
}

/// The trace of what is wanted of `problem`, computed by `method`.
pub fn trace(problem: &Problem, method: &Method, want: &Want) -> Result<Trace<f32>, ProblemError> {
    let shape = problem.shape()?;
    let Shape { heads, n_q, n_k, .. } = shape;
    let half = method.precision == Precision::Half;
    let round = |numbers: &mut [f32]| {
        if half {
            half::round_all(numbers);
        }
    };
    let Projected { x, q, k, v } = project(&problem.source, method, &shape);
    let mut raw = score::raw(&flat(&q), &flat(&k), method, &shape);
    round(&mut raw);
    let late = method.bugs.has(Bug::ScaleAfterSoftmax);
    let mut scaled = raw.clone();
    if !late {
        scaled.iter_mut().for_each(|score| *score *= problem.scale);
        round(&mut scaled);
    }
    let mut tempered = scaled.clone();
    tempered.iter_mut().for_each(|score| *score /= problem.temperature);
    round(&mut tempered);
    let may = fill::permitted(problem, method, &shape);
    let mut masked = fill::masked(&tempered, &may, problem, method, &shape);
    round(&mut masked);

    let inside = if method.fill == Fill::Exclude { &may[..] } else { &vec![true; may.len()] };
    let mut noisy = masked.clone();
    if let Weighting::Gumbel { tau, seed } = method.weighting {
        line::add_noise(&mut noisy, tau, seed);
        round(&mut noisy);
    }
    let line::Normalised { mut weights, max, inverse_sum } = line::normalise(&noisy, inside, method, &shape);
    if late {
        weights.iter_mut().for_each(|weight| *weight *= problem.scale);
        round(&mut weights);
    }
    if method.fill == Fill::MultiplyAfter {
        weights.iter_mut().zip(&may).for_each(|(weight, &may)| *weight *= f32::from(u8::from(may)));
    }
    let (head_output, concat, output) = outputs(&weights, &v, problem, method, &shape);

    let scores = |stage, numbers: Vec<f32>| pick(want, stage, heads_from((heads, n_q, n_k), numbers));
    let [x_query, x_key] = x.map_or([None, None], |both| both.map(Some));
    let rows = RowStatistics {
        max: matrix_from((heads, n_q), max),
        inverse_sum: matrix_from((heads, n_q), inverse_sum),
        entropy: matrix_from((heads, n_q), weights.chunks_exact(n_k).map(line::entropy).collect()),
        permitted: fill::counts(&problem.mask, &shape),
    };
    let layer = Layer {
        x_query: held(want.has(Stage::XQuery), x_query.as_ref()),
        x_key: held(want.has(Stage::XKey), x_key.as_ref()),
        q: pick(want, Stage::Q, q),
        k: pick(want, Stage::K, k),
        v: pick(want, Stage::V, v),
        raw: scores(Stage::Raw, raw),
        scaled: scores(Stage::Scaled, scaled),
        tempered: scores(Stage::Tempered, tempered),
        masked: scores(Stage::Masked, masked),
        weights: scores(Stage::Weights, weights),
        head_output: pick(want, Stage::HeadOutput, head_output),
        concat: pick(want, Stage::Concat, concat),
        output: output.map_or(Held::Absent, |output| pick(want, Stage::Output, output)),
        rows: Rc::new(rows),
    };
    Ok(Trace { shape, layers: vec![layer] })
}

fn pick<A>(want: &Want, stage: Stage, array: A) -> Held<A> {
    if want.has(stage) { Held::Held(Rc::new(array)) } else { Held::Absent }
}

/// q, k and v: projected or as given, with what the method does to them.
fn project(source: &Source, method: &Method, shape: &Shape) -> Projected {
    let half = method.precision == Precision::Half;
    let rounded = |array: &Heads<f32>| if half { array.mapv(half::round) } else { array.clone() };
    let (x, mut q, mut k, v) = match source {
        Source::Given { q, k, v } => (None, rounded(q), rounded(k), rounded(v)),
        Source::Embedded { x_q, x_k, weights } => {
            let [x_q, x_k] = [x_q, x_k].map(|x| if half { Rc::new(x.mapv(half::round)) } else { Rc::clone(x) });
            let Biases { q: b_q, k: b_k, v: b_v, .. } = method.biases.as_deref().unwrap_or(&NO_BIASES);
            let wide = |x: &Matrix<f32>, w: &Matrix<f32>, bias: &[f32]| {
                split(
                    &linear(&flat(x), w, bias, half),
                    x.nrows(),
                    shape.heads,
                    method.bugs.has(Bug::SplitWithoutTranspose),
                )
            };
            let q = wide(&x_q, &weights.w_q, b_q);
            let k = wide(&x_k, &weights.w_k, b_k);
            let v = wide(&x_k, &weights.w_v, b_v);
            (Some([x_q, x_k]), q, k, v)
        }
    };
    if method.bugs.has(Bug::NanRow) {
        q.slice_mut(ndarray::s![.., -1, 0]).fill(f32::NAN);
    }
    if let Position::Rotary { base } = method.position {
        score::turn(&mut q, base);
        score::turn(&mut k, base);
        if half {
            q.mapv_inplace(half::round);
            k.mapv_inplace(half::round);
        }
    }
    Projected { x, q, k, v }
}

static NO_BIASES: Biases = Biases { q: Vec::new(), k: Vec::new(), v: Vec::new(), o: Vec::new() };

/// x W + b, row-major; an empty b is none.
fn linear(x: &[f32], w: &Matrix<f32>, bias: &[f32], half: bool) -> Vec<f32> {
    let columns = w.ncols();
    let mut y = if half { products(x, &flat(&w.mapv(half::round)), columns) } else { products(x, &flat(w), columns) };
    if !bias.is_empty() {
        for row in y.chunks_exact_mut(columns) {
            row.iter_mut().zip(bias).for_each(|(y, &b)| *y += if half { half::round(b) } else { b });
        }
    }
    if half {
        half::round_all(&mut y);
    }
    y
}

/// `[n, h·d]` → `[h, n, d]`; or only another reading of the same numbers, which is the mistake.
fn split(wide: &[f32], n: usize, heads: usize, misread: bool) -> Heads<f32> {
    let (width, d) = (wide.len() / n, wide.len() / n / heads);
    if misread {
        return heads_from((heads, n, d), wide.to_vec());
    }
    let data = (0..heads).flat_map(|head| wide.chunks_exact(width).flat_map(move |row| &row[head * d..][..d]));
    heads_from((heads, n, d), data.copied().collect())
}

type Outputs = (Heads<f32>, Matrix<f32>, Option<Matrix<f32>>);

/// weights · v, heads side by side, · W_O.
fn outputs(weights: &[f32], v: &Heads<f32>, problem: &Problem, method: &Method, shape: &Shape) -> Outputs {
    let Shape { heads, n_q, n_k, d_v, .. } = *shape;
    let half = method.precision == Precision::Half;
    let v = flat(v);
    let mut out = Vec::with_capacity(heads * n_q * d_v);
    for (weights, v) in weights.chunks_exact(n_q * n_k).zip(v.chunks_exact(n_k * d_v)) {
        out.extend(products(weights, v, d_v));
    }
    if half {
        half::round_all(&mut out);
    }
    let merge_wrongly = method.bugs.has(Bug::MergeWithoutTranspose);
    let misread = merge_wrongly.then(|| matrix_from((n_q, heads * d_v), out.clone()));
    let head_output = heads_from((heads, n_q, d_v), out);
    let concat = misread.unwrap_or_else(|| concatenate(&head_output));
    let output = match &problem.source {
        Source::Given { .. } => None,
        Source::Embedded { weights, .. } => {
            let bias = method.biases.as_deref().map_or(&[][..], |biases| &biases.o);
            let data = linear(&flat(&concat), &weights.w_o, bias, half);
            Some(matrix_from((n_q, weights.w_o.ncols()), data))
        }
    };
    (head_output, concat, output)
}
