//! The stages of one problem: which are here, and how the missing ones are computed from those before them.

use super::permitted::Permitted;
use crate::attention::trace::RowStatistics;
use crate::attention::{Held, Layer, Problem, ProblemError, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::tensor::{Heads, Matrix};
use attention_kernel::{
    Summary, all_finite, combine_chosen, divide, gather, row_times_matrix, scale, scatter, softmax, transpose,
};
use ndarray::{Array, Dimension};
use std::borrow::Cow;
use std::rc::Rc;

type SharedHeads = Option<Rc<Heads<f32>>>;

/// What has been computed. q, k and v are always here; the rest when it was wanted or is worth keeping.
#[derive(Debug)]
pub struct Stages {
    pub shape: Shape,
    q: Rc<Heads<f32>>,
    k: Rc<Heads<f32>>,
    v: Rc<Heads<f32>>,
    raw: SharedHeads,
    pub scaled: SharedHeads,
    pub tempered: SharedHeads,
    masked: SharedHeads,
    weights: SharedHeads,
    head_output: SharedHeads,
    concat: Option<Rc<Matrix<f32>>>,
    output: Option<Rc<Matrix<f32>>>,
    rows: Option<Rc<RowStatistics<f32>>>,
}

impl Stages {
    /// q, k and v: projected, or as given.
    pub fn project(source: &Source, shape: Shape) -> Result<Self, ProblemError> {
        let (q, k, v) = match source {
            Source::Embedded { x_q, x_k, weights } => (
                Rc::new(project(x_q, &weights.w_q, shape.heads, "q")?),
                Rc::new(project(x_k, &weights.w_k, shape.heads, "k")?),
                Rc::new(project(x_k, &weights.w_v, shape.heads, "v")?),
            ),
            Source::Given { q, k, v } => (Rc::clone(q), Rc::clone(k), Rc::clone(v)),
        };
        Ok(Self {
            shape,
            q,
            k,
            v,
            raw: None,
            scaled: None,
            tempered: None,
            masked: None,
            weights: None,
            head_output: None,
            concat: None,
            output: None,
            rows: None,
        })
    }

    /// Drops everything that depends on the mask.
    pub fn forget_rows(&mut self) {
        self.masked = None;
        self.weights = None;
        self.head_output = None;
        self.concat = None;
        self.output = None;
        self.rows = None;
    }

    /// Computes what `want` asks for and is not here yet.
    pub fn compute(&mut self, problem: &Problem, want: &Want, keep_raw: usize) -> Result<(), ProblemError> {
        let Shape { heads, n_q, n_k, .. } = self.shape;
        let few = heads.saturating_mul(n_q).saturating_mul(n_k) <= keep_raw;
        if self.raw.is_none() && (few || want.has(Stage::Raw)) {
            self.raw = Some(Rc::new(self.raw_scores()));
        }
        let outputs = want.has(Stage::HeadOutput) || want.has(Stage::Concat) || want.has(Stage::Output);
        let missing = |stage, here: &SharedHeads| want.has(stage) && here.is_none();
        let todo = RowWork {
            scaled: missing(Stage::Scaled, &self.scaled),
            tempered: missing(Stage::Tempered, &self.tempered),
            masked: missing(Stage::Masked, &self.masked),
            weights: missing(Stage::Weights, &self.weights),
            head_output: outputs && self.head_output.is_none(),
        };
        if self.rows.is_none() || todo.any() {
            self.compute_rows(problem, &todo)?;
        }
        if (want.has(Stage::Concat) || want.has(Stage::Output)) && self.concat.is_none() {
            self.concat = self.head_output.as_deref().map(|heads| Rc::new(concatenate(heads)));
        }
        if want.has(Stage::Output)
            && self.output.is_none()
            && let (Some(concat), Source::Embedded { weights, .. }) = (&self.concat, &problem.source)
        {
            self.output = Some(Rc::new(product(concat, &weights.w_o, "output")?));
        }
        Ok(())
    }

    /// q·k of every pair.
    fn raw_scores(&self) -> Heads<f32> {
        let Shape { heads, n_q, n_k, d_k, .. } = self.shape;
        let (q, k) = (flat(&self.q), flat(&self.k));
        let (mut raw, mut k_transposed) = (vec![0.0; heads * n_q * n_k], vec![0.0; n_k * d_k]);
        for ((q, k), raw) in
            q.chunks_exact(n_q * d_k).zip(k.chunks_exact(n_k * d_k)).zip(raw.chunks_exact_mut(n_q * n_k))
        {
            transpose(k, d_k, &mut k_transposed);
            for (q, raw) in q.chunks_exact(d_k).zip(raw.chunks_exact_mut(n_k)) {
                row_times_matrix(q, &k_transposed, raw);
            }
        }
        heads_from((heads, n_q, n_k), raw)
    }

    /// Everything between raw scores and head outputs, row by row, so that stages nobody wants need no array.
    fn compute_rows(&mut self, problem: &Problem, todo: &RowWork) -> Result<(), ProblemError> {
        let Shape { heads, n_q, n_k, d_k, d_v, .. } = self.shape;
        let permitted = Permitted::new(&problem.mask, &self.shape);
        let (q, k, v) = (flat(&self.q), flat(&self.k), flat(&self.v));
        let raw = self.raw.as_deref().map(flat);
        let scaled = self.scaled.as_deref().map(flat);
        let tempered = self.tempered.as_deref().map(flat);
        // What is not known and asked for, or on the way to what is.
        let scale_too = scaled.is_none() && (tempered.is_none() || todo.scaled);
        let multiply_too = scale_too && raw.is_none();
        let mut new = NewRows::new(todo, &self.shape);
        let mut k_transposed = vec![0.0; if multiply_too { n_k * d_k } else { 0 }];
        let (mut raw_row, mut scaled_row, mut tempered_row) = (vec![0.0; n_k], vec![0.0; n_k], vec![0.0; n_k]);
        let (mut compact, mut output) = (vec![0.0; n_k], vec![0.0; d_v]);
        for head in 0..heads {
            let v = &v[head * n_k * d_v..][..n_k * d_v];
            if multiply_too {
                transpose(&k[head * n_k * d_k..][..n_k * d_k], d_k, &mut k_transposed);
            }
            for query in 0..n_q {
                let row = head * n_q + query;
                if multiply_too {
                    row_times_matrix(&q[row * d_k..][..d_k], &k_transposed, &mut raw_row);
                }
                if scale_too {
                    scale(row_of(&raw, row, n_k).unwrap_or(&raw_row), problem.scale, &mut scaled_row);
                }
                let scores = match row_of(&tempered, row, n_k) {
                    Some(tempered) => tempered,
                    None => {
                        divide(
                            row_of(&scaled, row, n_k).unwrap_or(&scaled_row),
                            problem.temperature,
                            &mut tempered_row,
                        );
                        // Also where forbidden: a product that overflowed is refused, never shown.
                        if let Some(key) = first_not_finite(&tempered_row) {
                            return Err(ProblemError::NotFinite { what: "scores", index: row * n_k + key });
                        }
                        &tempered_row[..]
                    }
                };
                let keys = permitted.row(head, query);
                let compact = &mut compact[..keys.len()];
                match keys.len() == n_k {
                    true => compact.copy_from_slice(scores),
                    false => gather(scores, keys, compact),
                }
                if problem.mask.bias.is_some() {
                    for (score, &key) in compact.iter_mut().zip(keys) {
                        *score += problem.mask.added(head, query, key);
                    }
                }
                append(&mut new.scaled, &scaled_row);
                append(&mut new.tempered, scores);
                append_at(&mut new.masked, compact, keys, n_k, f32::NEG_INFINITY);
                let Some(summary) = softmax(compact) else {
                    return Err(not_finite_score(compact, keys, row * n_k));
                };
                append_at(&mut new.weights, compact, keys, n_k, 0.0);
                if let Some(outputs) = &mut new.head_output {
                    combine_chosen(compact, keys, v, &mut output);
                    outputs.extend_from_slice(&output);
                }
                new.push_statistics(summary, keys.len());
            }
        }
        drop((raw, scaled, tempered, q, k));
        self.take(new);
        Ok(())
    }

    fn take(&mut self, new: NewRows) {
        let Shape { heads, n_q, n_k, d_v, .. } = self.shape;
        let take = |here: &mut SharedHeads, data: Option<Vec<f32>>, width| {
            if let Some(data) = data {
                *here = Some(Rc::new(heads_from((heads, n_q, width), data)));
            }
        };
        take(&mut self.scaled, new.scaled, n_k);
        take(&mut self.tempered, new.tempered, n_k);
        take(&mut self.masked, new.masked, n_k);
        take(&mut self.weights, new.weights, n_k);
        take(&mut self.head_output, new.head_output, d_v);
        self.rows = Some(Rc::new(RowStatistics {
            max: matrix_from((heads, n_q), new.max),
            inverse_sum: matrix_from((heads, n_q), new.inverse_sum),
            entropy: matrix_from((heads, n_q), new.entropy),
            permitted: matrix_from((heads, n_q), new.permitted),
        }));
    }

    /// The trace of what is wanted; arrays are shared, not copied.
    pub fn trace(&self, source: &Source, want: &Want) -> Trace<f32> {
        let pick = |stage, array: Option<&Rc<Heads<f32>>>| held(want.has(stage), array);
        let (x_query, x_key) = match source {
            Source::Embedded { x_q, x_k, .. } => (Some(x_q), Some(x_k)),
            Source::Given { .. } => (None, None),
        };
        let Shape { heads, n_q, .. } = self.shape;
        let rows = self.rows.clone().unwrap_or_else(|| {
            // Not reached after `compute`; the statistics of rows in which nothing is permitted.
            Rc::new(RowStatistics {
                max: Matrix::from_elem((heads, n_q), f32::NEG_INFINITY),
                inverse_sum: Matrix::zeros((heads, n_q)),
                entropy: Matrix::zeros((heads, n_q)),
                permitted: Matrix::zeros((heads, n_q)),
            })
        });
        let layer = Layer {
            x_query: held(want.has(Stage::XQuery), x_query),
            x_key: held(want.has(Stage::XKey), x_key),
            q: pick(Stage::Q, Some(&self.q)),
            k: pick(Stage::K, Some(&self.k)),
            v: pick(Stage::V, Some(&self.v)),
            raw: pick(Stage::Raw, self.raw.as_ref()),
            scaled: pick(Stage::Scaled, self.scaled.as_ref()),
            tempered: pick(Stage::Tempered, self.tempered.as_ref()),
            masked: pick(Stage::Masked, self.masked.as_ref()),
            weights: pick(Stage::Weights, self.weights.as_ref()),
            head_output: pick(Stage::HeadOutput, self.head_output.as_ref()),
            concat: held(want.has(Stage::Concat), self.concat.as_ref()),
            output: held(want.has(Stage::Output), self.output.as_ref()),
            rows,
        };
        Trace { shape: self.shape, layers: vec![layer] }
    }
}

/// Which stages a pass over the rows has to write.
struct RowWork {
    scaled: bool,
    tempered: bool,
    masked: bool,
    weights: bool,
    head_output: bool,
}

impl RowWork {
    const fn any(&self) -> bool {
        self.scaled || self.tempered || self.masked || self.weights || self.head_output
    }
}

/// Rows as they are written, in row-major order.
struct NewRows {
    scaled: Option<Vec<f32>>,
    tempered: Option<Vec<f32>>,
    masked: Option<Vec<f32>>,
    weights: Option<Vec<f32>>,
    head_output: Option<Vec<f32>>,
    max: Vec<f32>,
    inverse_sum: Vec<f32>,
    entropy: Vec<f32>,
    permitted: Vec<u32>,
}

impl NewRows {
    fn new(todo: &RowWork, shape: &Shape) -> Self {
        let rows = shape.heads * shape.n_q;
        let room = |wanted: bool, width: usize| wanted.then(|| Vec::with_capacity(rows * width));
        Self {
            scaled: room(todo.scaled, shape.n_k),
            tempered: room(todo.tempered, shape.n_k),
            masked: room(todo.masked, shape.n_k),
            weights: room(todo.weights, shape.n_k),
            head_output: room(todo.head_output, shape.d_v),
            max: Vec::with_capacity(rows),
            inverse_sum: Vec::with_capacity(rows),
            entropy: Vec::with_capacity(rows),
            permitted: Vec::with_capacity(rows),
        }
    }

    fn push_statistics(&mut self, summary: Summary, permitted: usize) {
        self.max.push(summary.max);
        self.inverse_sum.push(summary.inverse_sum);
        // 0 where no key is permitted: ln 1 − 0.
        self.entropy.push(summary.sum.max(1.0).ln() - summary.spread * summary.inverse_sum);
        self.permitted.push(u32::try_from(permitted).unwrap_or(u32::MAX));
    }
}

/// Row `row` of a stage that is known.
fn row_of<'a>(stage: &'a Option<Cow<'_, [f32]>>, row: usize, width: usize) -> Option<&'a [f32]> {
    stage.as_ref().map(|rows| &rows[row * width..][..width])
}

fn append(rows: &mut Option<Vec<f32>>, row: &[f32]) {
    if let Some(rows) = rows {
        rows.extend_from_slice(row);
    }
}

/// A row of `n_k` with `compact` at `keys` and `elsewhere` in the other cells.
fn append_at(rows: &mut Option<Vec<f32>>, compact: &[f32], keys: &[usize], n_k: usize, elsewhere: f32) {
    let Some(rows) = rows else { return };
    if keys.len() == n_k {
        rows.extend_from_slice(compact);
        return;
    }
    let start = rows.len();
    rows.resize(start + n_k, elsewhere);
    scatter(compact, keys, &mut rows[start..]);
}

fn first_not_finite(numbers: &[f32]) -> Option<usize> {
    if all_finite(numbers) { None } else { numbers.iter().position(|number| !number.is_finite()) }
}

/// The error for a row that softmax refused; `start` is the index of its first cell.
fn not_finite_score(compact: &[f32], keys: &[usize], start: usize) -> ProblemError {
    let key = first_not_finite(compact).and_then(|at| keys.get(at)).copied();
    ProblemError::NotFinite { what: "scores", index: start + key.unwrap_or(0) }
}

/// x W, split into heads.
fn project(x: &Matrix<f32>, w: &Matrix<f32>, heads: usize, what: &'static str) -> Result<Heads<f32>, ProblemError> {
    let wide = product(x, w, what)?;
    let (n, width) = wide.dim();
    let d = width / heads;
    let wide = flat(&wide);
    let data = (0..heads).flat_map(|head| wide.chunks_exact(width).flat_map(move |row| &row[head * d..][..d]));
    Ok(heads_from((heads, n, d), data.copied().collect()))
}

/// `[h, n, d]` → `[n, h·d]`
fn concatenate(heads: &Heads<f32>) -> Matrix<f32> {
    let (h, n, d) = heads.dim();
    let heads = flat(heads);
    let data = (0..n).flat_map(|row| heads.chunks_exact(n * d).flat_map(move |head| &head[row * d..][..d]));
    matrix_from((n, h * d), data.copied().collect())
}

/// A matrix product that refuses to overflow.
fn product(a: &Matrix<f32>, b: &Matrix<f32>, what: &'static str) -> Result<Matrix<f32>, ProblemError> {
    let (columns_a, columns) = b.dim();
    let mut out = vec![0.0; a.nrows() * columns];
    let (a_flat, b_flat) = (flat(a), flat(b));
    for (row, out) in a_flat.chunks_exact(columns_a).zip(out.chunks_exact_mut(columns)) {
        row_times_matrix(row, &b_flat, out);
    }
    match first_not_finite(&out) {
        Some(index) => Err(ProblemError::NotFinite { what, index }),
        None => Ok(matrix_from((a.nrows(), columns), out)),
    }
}

/// The numbers in row-major order; borrowed when they already lie so.
fn flat<D: Dimension>(array: &Array<f32, D>) -> Cow<'_, [f32]> {
    array.as_slice().map_or_else(|| Cow::Owned(array.iter().copied().collect()), Cow::Borrowed)
}

fn held<A>(wanted: bool, array: Option<&Rc<A>>) -> Held<A> {
    if wanted { array.map_or(Held::Absent, |array| Held::Held(Rc::clone(array))) } else { Held::Absent }
}

fn heads_from(shape: (usize, usize, usize), data: Vec<f32>) -> Heads<f32> {
    Heads::from_shape_vec(shape, data).expect("one number was written per cell")
}

fn matrix_from<T>(shape: (usize, usize), data: Vec<T>) -> Matrix<T> {
    Matrix::from_shape_vec(shape, data).expect("one number was written per cell")
}
