//! The stages of one problem: which are here, and how the missing ones are computed from those before them.

use super::rows::{self, Buffers, Input, Todo, Written};
use crate::attention::trace::RowStatistics;
use crate::attention::{Held, Layer, Problem, ProblemError, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::tensor::{Heads, Matrix};
use attention_kernel::{
    BLOCK, Panels, Rows, Summary, all_finite, multiply, pack, pack_transposed, panels_len, scratch_for,
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
    pub fn compute(
        &mut self,
        problem: &Problem,
        want: &Want,
        keep_raw: usize,
        buffers: &mut Buffers,
    ) -> Result<(), ProblemError> {
        let Shape { heads, n_q, n_k, .. } = self.shape;
        let few = heads.saturating_mul(n_q).saturating_mul(n_k) <= keep_raw;
        let new_raw = self.raw.is_none() && (few || want.has(Stage::Raw));
        if new_raw {
            self.raw = Some(Rc::new(self.raw_scores()));
        }
        let outputs = want.has(Stage::HeadOutput) || want.has(Stage::Concat) || want.has(Stage::Output);
        let missing = |stage, here: &SharedHeads| want.has(stage) && here.is_none();
        let todo = Todo {
            scaled: missing(Stage::Scaled, &self.scaled),
            tempered: missing(Stage::Tempered, &self.tempered),
            masked: missing(Stage::Masked, &self.masked),
            weights: missing(Stage::Weights, &self.weights),
            head_output: outputs && self.head_output.is_none(),
            all_scores: few || [Stage::Raw, Stage::Scaled, Stage::Tempered].into_iter().any(|stage| want.has(stage)),
        };
        if self.rows.is_none() || new_raw || todo.any() {
            self.compute_rows(problem, &todo, buffers)?;
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
        let mut panels = vec![0.0; panels_len(d_k, n_k)];
        let mut raw = Vec::with_capacity(heads * n_q * n_k);
        for (q, k) in q.chunks_exact(n_q * d_k).zip(k.chunks_exact(n_k * d_k)) {
            pack_transposed(k, d_k, &mut panels);
            multiply_all(q, Panels::new(&panels, d_k), n_k, &mut raw);
        }
        heads_from((heads, n_q, n_k), raw)
    }

    /// Everything between raw scores and head outputs.
    fn compute_rows(&mut self, problem: &Problem, todo: &Todo, buffers: &mut Buffers) -> Result<(), ProblemError> {
        let (q, k, v) = (flat(&self.q), flat(&self.k), flat(&self.v));
        let raw = self.raw.as_deref().map(flat);
        let scaled = self.scaled.as_deref().map(flat);
        let tempered = self.tempered.as_deref().map(flat);
        let input = Input {
            q: &q,
            k: &k,
            v: &v,
            raw: raw.as_deref(),
            scaled: scaled.as_deref(),
            // What comes before is asked for and not known: then it is all computed once more.
            tempered: tempered.as_deref().filter(|_| !todo.scaled),
            scale: problem.scale,
            temperature: problem.temperature,
            mask: &problem.mask,
        };
        let written = rows::pass(&input, &self.shape, todo, buffers)?;
        drop((raw, scaled, tempered, q, k, v));
        self.take(written, todo);
        Ok(())
    }

    fn take(&mut self, new: Written, todo: &Todo) {
        let Shape { heads, n_q, n_k, d_v, .. } = self.shape;
        let take = |here: &mut SharedHeads, wanted: bool, data: Vec<f32>, width| {
            if wanted {
                *here = Some(Rc::new(heads_from((heads, n_q, width), data)));
            }
        };
        take(&mut self.scaled, todo.scaled, new.scaled, n_k);
        take(&mut self.tempered, todo.tempered, new.tempered, n_k);
        take(&mut self.masked, todo.masked, new.masked, n_k);
        take(&mut self.weights, todo.weights, new.weights, n_k);
        take(&mut self.head_output, todo.head_output, new.head_output, d_v);
        let mut parts = [(); 3].map(|()| vec![0.0; heads * n_q]);
        let [max, inverse_sum, entropy] = &mut parts;
        Summary::unzip(&new.summaries, max, inverse_sum, entropy);
        let [max, inverse_sum, entropy] = parts.map(|part| matrix_from((heads, n_q), part));
        self.rows = Some(Rc::new(RowStatistics {
            max,
            inverse_sum,
            entropy,
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
pub(super) fn concatenate(heads: &Heads<f32>) -> Matrix<f32> {
    let (h, n, d) = heads.dim();
    let heads = flat(heads);
    let data = (0..n).flat_map(|row| heads.chunks_exact(n * d).flat_map(move |head| &head[row * d..][..d]));
    matrix_from((n, h * d), data.copied().collect())
}

/// A matrix product that refuses to overflow.
fn product(a: &Matrix<f32>, b: &Matrix<f32>, what: &'static str) -> Result<Matrix<f32>, ProblemError> {
    let columns = b.ncols();
    let out = products(&flat(a), &flat(b), columns);
    if all_finite(&out) {
        return Ok(matrix_from((a.nrows(), columns), out));
    }
    Err(ProblemError::NotFinite { what, index: out.iter().position(|x| !x.is_finite()).unwrap_or(0) })
}

/// Rows times a matrix with `columns` columns, whatever comes of it.
pub(super) fn products(rows: &[f32], matrix: &[f32], columns: usize) -> Vec<f32> {
    let depth = matrix.len() / columns;
    let mut panels = vec![0.0; panels_len(depth, columns)];
    pack(matrix, columns, &mut panels);
    let mut out = Vec::with_capacity(rows.len() / depth * columns);
    multiply_all(rows, Panels::new(&panels, depth), columns, &mut out);
    out
}

/// Appends rows `[any, depth]` times a packed matrix with `columns` columns.
fn multiply_all(rows: &[f32], panels: Panels<'_>, columns: usize, out: &mut Vec<f32>) {
    let (width, mut scratch) = (panels.depth, vec![0.0; scratch_for(BLOCK, panels.depth)]);
    for numbers in rows.chunks(BLOCK * width) {
        let start = out.len();
        out.resize(start + numbers.len() / width * columns, 0.0);
        multiply(Rows { numbers, width, used: width }, panels, &mut out[start..], columns, columns, &mut scratch);
    }
}

/// The numbers in row-major order; borrowed when they already lie so.
pub(super) fn flat<D: Dimension>(array: &Array<f32, D>) -> Cow<'_, [f32]> {
    array.as_slice().map_or_else(|| Cow::Owned(array.iter().copied().collect()), Cow::Borrowed)
}

pub(super) fn held<A>(wanted: bool, array: Option<&Rc<A>>) -> Held<A> {
    if wanted { array.map_or(Held::Absent, |array| Held::Held(Rc::clone(array))) } else { Held::Absent }
}

pub(super) fn heads_from(shape: (usize, usize, usize), data: Vec<f32>) -> Heads<f32> {
    Heads::from_shape_vec(shape, data).expect("one number was written per cell")
}

pub(super) fn matrix_from<T>(shape: (usize, usize), data: Vec<T>) -> Matrix<T> {
    Matrix::from_shape_vec(shape, data).expect("one number was written per cell")
}
