//! All weights and outputs of some heads, for callers that need no stage between.

use crate::product::{BLOCK, Panels, Rows, SCRATCH, multiply, pack, pack_transposed, panels_len};
use crate::rows::{divide, scale};
use crate::softmax::{Summary, softmax_ranges};
use crate::stream::Reach;

/// Heads and how to attend, each array row-major.
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a> {
    /// `[h, n_q, d_k]`
    pub q: &'a [f32],
    /// `[h, n_k, d_k]`
    pub k: &'a [f32],
    /// `[h, n_k, d_v]`
    pub v: &'a [f32],
    /// n_q, n_k, d_k, d_v, none of them 0.
    pub sizes: [usize; 4],
    /// What q·k is multiplied by, and then divided by.
    pub scale: f32,
    /// Above 0.
    pub temperature: f32,
    /// Who may attend to whom.
    pub reach: Reach,
}

/// Weights `[h, n_q, n_k]`, output `[h, n_q, d_v]` and a summary of every row.
///
/// `false` when a permitted score is infinite or NaN; what was written is then of no use. `scratch` has the panels of a
/// head's keys and values and [`SCRATCH`] numbers.
#[must_use]
pub fn dense_heads(
    input: &Dense<'_>,
    weights: &mut [f32],
    output: &mut [f32],
    summaries: &mut [Summary],
    scratch: &mut [f32],
) -> bool {
    let [n_q, n_k, d_k, d_v] = input.sizes;
    let (scratch, panels) = scratch.split_at_mut(SCRATCH);
    let (k_panels, v_panels) = panels.split_at_mut(panels_len(d_k, n_k));
    let heads =
        input.q.chunks_exact(n_q * d_k).zip(input.k.chunks_exact(n_k * d_k)).zip(input.v.chunks_exact(n_k * d_v));
    let written = weights.chunks_exact_mut(n_q * n_k).zip(output.chunks_exact_mut(n_q * d_v));
    for ((((q, k), v), (weights, output)), summaries) in heads.zip(written).zip(summaries.chunks_exact_mut(n_q)) {
        pack_transposed(k, d_k, k_panels);
        pack(v, d_v, v_panels);
        let blocks = q.chunks(BLOCK * d_k).zip(weights.chunks_mut(BLOCK * n_k)).zip(output.chunks_mut(BLOCK * d_v));
        for (((q, weights), output), (number, summaries)) in blocks.zip(summaries.chunks_mut(BLOCK).enumerate()) {
            let first = number * BLOCK;
            let end = input.reach.keys(first + summaries.len() - 1, n_k).end;
            let q = Rows { numbers: q, width: d_k, used: d_k };
            multiply(q, Panels::new(k_panels, d_k), weights, n_k, end, scratch);
            scale(weights, input.scale);
            divide(weights, input.temperature);
            if !softmax_ranges(weights, n_k, |row| input.reach.keys(first + row, n_k), summaries) {
                return false;
            }
            let weights = Rows { numbers: weights, width: n_k, used: end };
            multiply(weights, Panels::new(v_panels, n_k), output, d_v, d_v, scratch);
        }
    }
    true
}
