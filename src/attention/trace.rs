//! A trace: every stage of one computation, the only result type of the project.
//!
//! Made for what comes: several layers, separate query and key tokens, and stages that are absent (imported data), held,
//! or recomputed on demand (long sequences). Per-row statistics are always held.

use crate::tensor::{Heads, Matrix, Number};
use ndarray::{ArrayView2, Axis, s};
use std::ops::Range;
use std::rc::Rc;

/// A stage of the computation, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Embeddings of the queries, `[n_q, d_model]`.
    XQuery,
    /// Embeddings of the keys, `[n_k, d_model]`.
    XKey,
    /// q = x W_Q, `[h, n_q, d_k]`.
    Q,
    /// k = x W_K, `[h, n_k, d_k]`.
    K,
    /// v = x W_V, `[h, n_k, d_v]`.
    V,
    /// q·k, `[h, n_q, n_k]`.
    Raw,
    /// raw × scale.
    Scaled,
    /// scaled ÷ temperature.
    Tempered,
    /// tempered + bias; forbidden cells are recorded as −∞.
    Masked,
    /// softmax of each row over its permitted keys.
    Weights,
    /// weights · v, `[h, n_q, d_v]`.
    HeadOutput,
    /// Heads side by side, `[n_q, h·d_v]`.
    Concat,
    /// concat · W_O, `[n_q, d_model]`.
    Output,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 13] = [
        Self::XQuery,
        Self::XKey,
        Self::Q,
        Self::K,
        Self::V,
        Self::Raw,
        Self::Scaled,
        Self::Tempered,
        Self::Masked,
        Self::Weights,
        Self::HeadOutput,
        Self::Concat,
        Self::Output,
    ];
}

/// The sizes of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Number of heads h.
    pub heads: usize,
    /// Number of queries n_q.
    pub n_q: usize,
    /// Number of keys n_k.
    pub n_k: usize,
    /// Width of a query and of a key.
    pub d_k: usize,
    /// Width of a value.
    pub d_v: usize,
    /// Width of an embedding; 0 when q, k and v were given.
    pub d_model: usize,
}

/// A stage that may not be here.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Held<A> {
    /// Does not exist in this computation (imported data, q, k, v given), or was not asked for.
    #[default]
    Absent,
    /// Not kept; an engine recomputes rows of it when asked.
    OnDemand,
    /// Here.
    Held(Rc<A>),
}

impl<A> Held<A> {
    /// The array, when it is held.
    #[must_use]
    pub fn get(&self) -> Option<&A> {
        match self {
            Self::Held(array) => Some(array),
            Self::Absent | Self::OnDemand => None,
        }
    }
}

/// One layer's stages.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each field is the stage of the same name; see Stage for its shape")]
pub struct Layer<T> {
    pub x_query: Held<Matrix<T>>,
    pub x_key: Held<Matrix<T>>,
    pub q: Held<Heads<T>>,
    pub k: Held<Heads<T>>,
    pub v: Held<Heads<T>>,
    pub raw: Held<Heads<T>>,
    pub scaled: Held<Heads<T>>,
    pub tempered: Held<Heads<T>>,
    pub masked: Held<Heads<T>>,
    pub weights: Held<Heads<T>>,
    pub head_output: Held<Heads<T>>,
    pub concat: Held<Matrix<T>>,
    pub output: Held<Matrix<T>>,
    /// Statistics of each row, always held.
    pub rows: Rc<RowStatistics<T>>,
}

/// What is known of every row of the weights, `[h, n_q]` each.
#[derive(Clone, Debug, PartialEq)]
pub struct RowStatistics<T> {
    /// Largest permitted masked score; −∞ where no key is permitted.
    pub max: Matrix<T>,
    /// 1 ÷ Σ exp(score − max); 0 where no key is permitted.
    pub inverse_sum: Matrix<T>,
    /// −Σ w ln w in nats.
    pub entropy: Matrix<T>,
    /// Number of permitted keys.
    pub permitted: Matrix<u32>,
}

/// The result of a computation.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace<T> {
    /// Sizes, the same in every layer.
    pub shape: Shape,
    /// Layers from the input upwards; one at present.
    pub layers: Vec<Layer<T>>,
}

impl<T: Number> Layer<T> {
    /// Rows `range` of `stage` in `head` (ignored by stages without heads), when they are held and exist.
    #[must_use]
    pub fn rows(&self, stage: Stage, head: usize, range: Range<usize>) -> Option<ArrayView2<'_, T>> {
        match stage {
            Stage::XQuery => rows_of_matrix(&self.x_query, range),
            Stage::XKey => rows_of_matrix(&self.x_key, range),
            Stage::Concat => rows_of_matrix(&self.concat, range),
            Stage::Output => rows_of_matrix(&self.output, range),
            Stage::Q => rows_of_head(&self.q, head, range),
            Stage::K => rows_of_head(&self.k, head, range),
            Stage::V => rows_of_head(&self.v, head, range),
            Stage::Raw => rows_of_head(&self.raw, head, range),
            Stage::Scaled => rows_of_head(&self.scaled, head, range),
            Stage::Tempered => rows_of_head(&self.tempered, head, range),
            Stage::Masked => rows_of_head(&self.masked, head, range),
            Stage::Weights => rows_of_head(&self.weights, head, range),
            Stage::HeadOutput => rows_of_head(&self.head_output, head, range),
        }
    }
}

fn rows_of_matrix<T>(held: &Held<Matrix<T>>, range: Range<usize>) -> Option<ArrayView2<'_, T>> {
    let matrix = held.get()?;
    (range.start <= range.end && range.end <= matrix.nrows()).then(|| matrix.slice(s![range, ..]))
}

fn rows_of_head<T>(held: &Held<Heads<T>>, head: usize, range: Range<usize>) -> Option<ArrayView2<'_, T>> {
    let heads = held.get()?;
    let fits = head < heads.dim().0 && range.start <= range.end && range.end <= heads.dim().1;
    fits.then(|| heads.index_axis(Axis(0), head)).map(|matrix| matrix.slice_move(s![range, ..]))
}

impl<T: Number> Trace<T> {
    /// The top layer.
    #[must_use]
    pub fn top(&self) -> Option<&Layer<T>> {
        self.layers.last()
    }

    /// Rows of a stage of the top layer; see [`Layer::rows`].
    #[must_use]
    pub fn rows(&self, stage: Stage, head: usize, range: Range<usize>) -> Option<ArrayView2<'_, T>> {
        self.top()?.rows(stage, head, range)
    }

    /// One number of a stage of the top layer.
    #[must_use]
    pub fn at(&self, stage: Stage, head: usize, row: usize, column: usize) -> Option<T> {
        self.rows(stage, head, row..row.checked_add(1)?)?.get([0, column]).copied()
    }
}
