//! One head of a document: its queries and keys, and any of its rows and weights.

use super::{Document, Overflow, Scratch};
use attention_kernel::{BLOCK, Panels, Rows, SCRATCH, Summary, multiply, pack, pack_transposed, panels_len};
use ndarray::s;

/// q and k of one head, for rows in any order.
#[derive(Debug)]
pub struct Head {
    /// Which head, from 0.
    pub index: usize,
    /// Queries, `[n, d_k]`.
    pub(super) q: Vec<f32>,
    /// Keys in the kernel's panels.
    pub(super) k: Vec<f32>,
    pub(super) d_k: usize,
}

/// A key and the weight that a row gives to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strongest {
    /// The key, from 0.
    pub key: usize,
    /// Its weight.
    pub weight: f32,
}

impl Head {
    /// Projects a document: q = x W_Q and k = x W_K of head `index`.
    #[must_use]
    pub fn new(document: &Document, index: usize) -> Self {
        let d_k = document.weights.d_k();
        let q = project(document, &document.weights.w_q, index, d_k);
        let rows = project(document, &document.weights.w_k, index, d_k);
        let mut k = vec![0.0; panels_len(d_k, document.len())];
        pack_transposed(&rows, d_k, &mut k);
        Self { index, q, k, d_k }
    }

    /// Bytes that it holds.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        size_of::<f32>() * (self.q.len() + self.k.len())
    }

    /// All weights of one row, `[n]`, and its statistics.
    ///
    /// # Errors
    /// When a permitted score is infinite or NaN.
    pub fn row(
        &self,
        document: &Document,
        query: usize,
        scratch: &mut Scratch,
    ) -> Result<(Vec<f32>, Summary), Overflow> {
        let mut row = vec![0.0; document.len()];
        let mut summary = [Summary::EMPTY];
        self.rows(document, query, &mut summary, scratch, |_, start, weights| {
            row[start..start + weights.len()].copy_from_slice(weights);
        })?;
        Ok((row, summary[0]))
    }

    /// What a row of weights carries away: Σ_j w_j v_j with v = x W_V, `[d_v]`.
    ///
    /// Summed as (Σ_j w_j x_j) W_V, which is the same and needs no values in memory.
    #[must_use]
    pub fn output(&self, document: &Document, row: &[f32]) -> Vec<f32> {
        let mut mixed = vec![0.0_f64; document.x.ncols()];
        for (&weight, x) in row.iter().zip(document.x.rows()) {
            if weight > 0.0 {
                mixed.iter_mut().zip(x).for_each(|(sum, &x)| *sum += f64::from(weight) * f64::from(x));
            }
        }
        let d_v = document.weights.d_v();
        let w_v = document.weights.w_v.slice(s![.., self.index * d_v..(self.index + 1) * d_v]);
        let of_column = |column: ndarray::ArrayView1<'_, f32>| -> f64 {
            column.iter().zip(&mixed).map(|(&w, mixed)| f64::from(w) * mixed).sum()
        };
        #[expect(clippy::cast_possible_truncation, reason = "rounded once, at the end")]
        w_v.columns().into_iter().map(|column| of_column(column) as f32).collect()
    }
}

/// x W of the columns of one head, `[n, width]`.
fn project(document: &Document, w: &ndarray::Array2<f32>, head: usize, width: usize) -> Vec<f32> {
    let (n, d_model) = document.x.dim();
    let w: Vec<f32> = w.slice(s![.., head * width..(head + 1) * width]).iter().copied().collect();
    let mut panels = vec![0.0; panels_len(d_model, width)];
    pack(&w, width, &mut panels);
    let x = document.x.as_standard_layout();
    let x = x.as_slice().unwrap_or_default();
    let mut out = vec![0.0; n * width];
    let mut scratch = vec![0.0; SCRATCH];
    for (x, out) in x.chunks(BLOCK * d_model).zip(out.chunks_mut((BLOCK * width).max(1))) {
        let rows = Rows { numbers: x, width: d_model, used: d_model };
        multiply(rows, Panels::new(&panels, d_model), out, width, width, &mut scratch);
    }
    out
}

/// The largest weights of a row, largest first, at most `most`; of equal ones the earlier key first.
#[must_use]
pub fn strongest(row: &[f32], most: usize) -> Vec<Strongest> {
    let mut found: Vec<Strongest> = Vec::with_capacity(most + 1);
    for (key, &weight) in row.iter().enumerate() {
        if weight > 0.0 && (found.len() < most || found.last().is_some_and(|last| weight > last.weight)) {
            let at = found.partition_point(|other| other.weight >= weight);
            found.insert(at, Strongest { key, weight });
            found.truncate(most);
        }
    }
    found
}
