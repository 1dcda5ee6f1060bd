//! Rows a band at a time: scores, softmax over the permitted keys, and weights once more from statistics.

use super::{Document, Head, Overflow, ROWS_AT_ONCE, Scratch};
use attention_kernel::{
    Panels, Reach, Rows, SCRATCH, Sequence, Summary, divide, gather, multiply, scale, scatter, softmax_rows,
};
use std::ops::Range;

/// Columns of a panel of the kernel: a rectangle of keys starts at a multiple of it.
const PANEL: usize = 8;

impl Head {
    /// Rows `first` and following, one per summary: their statistics; `receive` gets each row's query, the key of its first
    /// weight, and its weights from there on. What is not handed over is 0.
    ///
    /// # Errors
    /// When a permitted score is infinite or NaN.
    pub fn rows(
        &self,
        document: &Document,
        first: usize,
        summaries: &mut [Summary],
        scratch: &mut Scratch,
        mut receive: impl FnMut(usize, usize, &[f32]),
    ) -> Result<(), Overflow> {
        let n = document.len();
        for (summaries, start) in summaries.chunks_mut(ROWS_AT_ONCE).zip((first..).step_by(ROWS_AT_ONCE)) {
            let queries = start..start + summaries.len();
            let keys = self.keys_of(document, &queries);
            let width = keys.len();
            let Scratch { kernel, band, row: compact, keys: chosen } = &mut *scratch;
            band.resize(queries.len() * width, 0.0);
            self.scores(document, queries.clone(), keys.clone(), band, kernel);
            for ((query, row), summary) in queries.clone().zip(band.chunks_exact_mut(width)).zip(summaries) {
                let done = match document.pattern.reach() {
                    Some(_) => {
                        let permitted = permitted(document, query, &keys);
                        row[..permitted.start].fill(0.0);
                        row[permitted.end..].fill(0.0);
                        one_row(&mut row[permitted], summary)
                    }
                    None => {
                        chosen.clear();
                        chosen.extend((0..n).filter(|&key| document.pattern.permits(query, key)));
                        compact.resize(chosen.len(), 0.0);
                        gather(row, chosen, compact);
                        let done = one_row(compact, summary);
                        scatter(compact, chosen, 0.0, row);
                        done
                    }
                };
                if !done {
                    return Err(Overflow);
                }
                receive(query, keys.start, row);
            }
        }
        Ok(())
    }

    /// The weights of `queries` × `keys` from the statistics of these rows, a band at a time: `receive` gets each row's query,
    /// the key of its first weight, and its weights. What is not handed over is 0.
    pub fn again(
        &self,
        document: &Document,
        queries: Range<usize>,
        keys: Range<usize>,
        summaries: &[Summary],
        scratch: &mut Scratch,
        mut receive: impl FnMut(usize, usize, &[f32]),
    ) {
        let reach = document.pattern.reach();
        let sequence = self.sequence(document, reach.map_or(Reach::ALL, |(before, after)| Reach { before, after }));
        let Scratch { kernel, band, .. } = &mut *scratch;
        for (summaries, start) in summaries.chunks(ROWS_AT_ONCE).zip(queries.step_by(ROWS_AT_ONCE)) {
            let queries = start..start + summaries.len();
            band.resize(queries.len() * keys.len(), 0.0);
            sequence.rectangle(queries.clone(), keys.clone(), summaries, band, kernel);
            for (query, row) in queries.zip(band.chunks_exact_mut(keys.len().max(1))) {
                if reach.is_none() {
                    for (key, weight) in keys.clone().zip(row.iter_mut()) {
                        if !document.pattern.permits(query, key) {
                            *weight = 0.0;
                        }
                    }
                }
                receive(query, keys.start, row);
            }
        }
    }

    fn sequence<'a>(&'a self, document: &Document, reach: Reach) -> Sequence<'a> {
        Sequence {
            q: &self.q,
            k: Panels::new(&self.k, self.d_k),
            // No output is asked of it: values stay where they are.
            v: Panels::new(&[], document.len()),
            n_k: document.len(),
            d_v: 0,
            scale: document.scale,
            temperature: document.temperature,
            reach,
        }
    }

    /// The keys that any of `queries` may see, from the start of a panel.
    fn keys_of(&self, document: &Document, queries: &Range<usize>) -> Range<usize> {
        let n = document.len();
        document.pattern.reach().map_or(0..n, |(before, after)| {
            let reach = Reach { before, after };
            let first = reach.keys(queries.start, n).start / PANEL * PANEL;
            first..reach.keys(queries.end - 1, n).end
        })
    }

    /// Scores of `queries` × `keys` after scale and temperature, row-major; forbidden ones are left to the caller.
    fn scores(
        &self,
        document: &Document,
        queries: Range<usize>,
        keys: Range<usize>,
        out: &mut [f32],
        kernel: &mut [f32],
    ) {
        let depth = self.d_k;
        let q = Rows { numbers: &self.q[queries.start * depth..queries.end * depth], width: depth, used: depth };
        let k = Panels::new(&self.k[keys.start * depth..], depth);
        multiply(q, k, out, keys.len(), keys.len(), &mut kernel[..SCRATCH]);
        scale(out, document.scale);
        divide(out, document.temperature);
    }
}

/// The permitted keys of a query among `keys`, counted from the first of these, where they stand side by side.
fn permitted(document: &Document, query: usize, keys: &Range<usize>) -> Range<usize> {
    let (before, after) = document.pattern.reach().unwrap_or((usize::MAX, usize::MAX));
    let of_query = Reach { before, after }.keys(query, document.len());
    let place = |key: usize| key.clamp(keys.start, keys.end) - keys.start;
    place(of_query.start)..place(of_query.end)
}

/// softmax of one row of permitted scores, in place.
fn one_row(scores: &mut [f32], summary: &mut Summary) -> bool {
    softmax_rows(scores, scores.len(), &[scores.len()], std::slice::from_mut(summary))
}
