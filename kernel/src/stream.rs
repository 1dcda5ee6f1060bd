//! Attention over long sequences in memory that grows with their length, not its square.
//!
//! Rows are computed a band at a time: all their weights stand in scratch memory while statistics, outputs and pooled
//! cells are taken from them, and then the next band takes their place. From a row's statistics any of its weights can
//! be computed again. The numbers have the same bits as where all weights are held.

use crate::exp::Exp;
use crate::lanes::{Lanes, WIDTH};
use crate::pool::Pool;
use crate::product::{PANEL, Panels, Rows, SCRATCH, multiply};
use crate::rows::{divide, scale};
use crate::softmax::{Summary, softmax_ranges};
use core::ops::Range;

/// Rows of a band: with 16,384 keys its weights are a megabyte and stay in the second cache.
pub const BAND: usize = 16;

/// Which keys a query may attend to: key j of query i when i − before ≤ j ≤ i + after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Keys before the query's own place.
    pub before: usize,
    /// Keys after it.
    pub after: usize,
}

impl Reach {
    /// Every key.
    pub const ALL: Self = Self { before: usize::MAX, after: usize::MAX };
    /// Key j ≤ query i only.
    pub const CAUSAL: Self = Self { before: usize::MAX, after: 0 };

    /// The permitted keys of a query, of `n_k`.
    #[must_use]
    pub fn keys(self, query: usize, n_k: usize) -> Range<usize> {
        let end = query.saturating_add(self.after).saturating_add(1).min(n_k);
        query.saturating_sub(self.before).min(end)..end
    }
}

/// One head of a long sequence, its keys and values packed.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// `[n_q, d_k]`, row-major.
    pub q: &'a [f32],
    /// The transpose of k as panels of depth d_k, n_k columns: see [`crate::pack_transposed`].
    pub k: Panels<'a>,
    /// v as panels of depth n_k, d_v columns: see [`crate::pack`].
    pub v: Panels<'a>,
    /// Number of keys.
    pub n_k: usize,
    /// Width of a value.
    pub d_v: usize,
    /// What q·k is multiplied by, and then divided by.
    pub scale: f32,
    /// Above 0.
    pub temperature: f32,
    /// Who may attend to whom.
    pub reach: Reach,
}

/// Numbers of scratch memory that a sequence of `n_k` keys needs.
#[must_use]
pub const fn scratch_len(n_k: usize) -> usize {
    SCRATCH + BAND * n_k.next_multiple_of(PANEL)
}

impl Sequence<'_> {
    /// Rows `first` and following, one per summary: their statistics, and what else is asked for, in one pass.
    ///
    /// `output` is `[rows, d_v]`; `pool` is added to. `false` when a permitted score is infinite or NaN; what was written
    /// is then of no use. `scratch` has [`scratch_len`] numbers.
    #[must_use]
    pub fn rows(
        &self,
        first: usize,
        summaries: &mut [Summary],
        mut output: Option<&mut [f32]>,
        mut pool: Option<&mut Pool<'_>>,
        scratch: &mut [f32],
    ) -> bool {
        let (scratch, weights) = scratch.split_at_mut(SCRATCH);
        for (summaries, start) in summaries.chunks_mut(BAND).zip((first..).step_by(BAND)) {
            let queries = start..start + summaries.len();
            let keys = self.scores(queries.clone(), 0..self.n_k, weights, scratch);
            let width = keys.len();
            let band = &mut weights[..queries.len() * width];
            if !softmax_ranges(band, width, |at| self.permitted(queries.start + at, &keys), summaries) {
                return false;
            }
            if let Some(pool) = &mut pool {
                for (row, query) in band.chunks_exact(width.max(1)).zip(queries.clone()) {
                    pool.add(query, keys.start, row);
                }
            }
            if let Some(output) = &mut output {
                let output = &mut output[(start - first) * self.d_v..][..queries.len() * self.d_v];
                let weights = Rows { numbers: &weights[..queries.len() * width], width: width.max(1), used: width };
                multiply(weights, Panels { first: keys.start, ..self.v }, output, self.d_v, self.d_v, scratch);
            }
        }
        true
    }

    /// The weights of `queries` × `keys`, row-major, from the statistics of these rows. `scratch` as above.
    pub fn rectangle(
        &self,
        queries: Range<usize>,
        keys: Range<usize>,
        summaries: &[Summary],
        out: &mut [f32],
        scratch: &mut [f32],
    ) {
        let mut rows = out.chunks_exact_mut(keys.len().max(1));
        self.again(queries, keys.clone(), summaries, scratch, |_, start, weights| {
            let here = keys.start.max(start)..keys.end.min(start + weights.len());
            if let Some(row) = rows.next() {
                row.fill(0.0);
                if !here.is_empty() {
                    row[here.start - keys.start..here.end - keys.start]
                        .copy_from_slice(&weights[here.start - start..here.end - start]);
                }
            }
        });
    }

    /// The weights of the pool's queries and keys, from the statistics of these rows, pooled. `scratch` as above.
    pub fn pooled(&self, summaries: &[Summary], pool: &mut Pool<'_>, scratch: &mut [f32]) {
        let (queries, keys) = (pool.queries.clone(), pool.keys.clone());
        self.again(queries, keys, summaries, scratch, |query, start, weights| pool.add(query, start, weights));
    }

    /// Computes weights once more: w = exp(score − max) ÷ Σ. Each row is handed over with its query and first key.
    #[inline(always)]
    fn again(
        &self,
        queries: Range<usize>,
        keys: Range<usize>,
        summaries: &[Summary],
        scratch: &mut [f32],
        mut receive: impl FnMut(usize, usize, &[f32]),
    ) {
        let (scratch, weights) = scratch.split_at_mut(SCRATCH);
        for (summaries, first) in summaries.chunks(BAND).zip(queries.step_by(BAND)) {
            let queries = first..first + summaries.len();
            let keys = self.scores(queries.clone(), keys.clone(), weights, scratch);
            for ((at, query), summary) in queries.enumerate().zip(summaries) {
                let row = &mut weights[at * keys.len()..][..keys.len()];
                let permitted = self.permitted(query, &keys);
                row[..permitted.start].fill(0.0);
                row[permitted.end..].fill(0.0);
                weights_from(summary, &mut row[permitted]);
                receive(query, keys.start, row);
            }
        }
    }

    /// Scores of `queries` and those of `keys` that any of them may see, row-major. Returns the keys that they are of; the
    /// first is a multiple of a panel. Forbidden scores among them are left to the caller.
    fn scores(&self, queries: Range<usize>, keys: Range<usize>, out: &mut [f32], scratch: &mut [f32]) -> Range<usize> {
        let first = self.reach.keys(queries.start, self.n_k).start.max(keys.start) / PANEL * PANEL;
        let end = self.reach.keys(queries.end - 1, self.n_k).end.min(keys.end);
        let (keys, depth) = (first.min(end)..end, self.k.depth);
        let k = Panels { numbers: &self.k.numbers[keys.start / PANEL * PANEL * depth..], ..self.k };
        let q = Rows { numbers: &self.q[queries.start * depth..queries.end * depth], width: depth, used: depth };
        let out = &mut out[..queries.len() * keys.len()];
        if !keys.is_empty() {
            multiply(q, k, out, keys.len(), keys.len(), scratch);
            scale(out, self.scale);
            divide(out, self.temperature);
        }
        keys
    }

    /// The permitted keys of a query among `keys`, counted from the first of these.
    fn permitted(&self, query: usize, keys: &Range<usize>) -> Range<usize> {
        let of_query = self.reach.keys(query, self.n_k);
        let place = |key: usize| key.clamp(keys.start, keys.end) - keys.start;
        place(of_query.start)..place(of_query.end)
    }
}

/// exp(score − max) × 1/Σ, in place.
fn weights_from(summary: &Summary, scores: &mut [f32]) {
    let exp = Exp::new();
    let (max, inverse) = (Lanes::splat(summary.max), Lanes::splat(summary.inverse_sum));
    let (fours, singles) = scores.as_chunks_mut::<WIDTH>();
    for four in fours {
        *four = (exp.of(Lanes::from_array(four) - max) * inverse).to_array();
    }
    for single in singles {
        *single = (exp.of(Lanes::splat(*single - summary.max)) * inverse).to_array()[0];
    }
}
