//! Cells of a map that each stand for a rectangle of weights: their mean, and their maximum, which no zoom may hide.

use crate::lanes::{Lanes, WIDTH};
use core::ops::Range;

/// A grid of cells over some queries and keys, row-major. Cell c of g over n places holds places c·n÷g to (c + 1)·n÷g.
///
/// With at least as many places as cells no cell is empty. Starts as zeros.
#[derive(Debug)]
pub struct Pool<'a> {
    /// The queries that it covers.
    pub queries: Range<usize>,
    /// The keys that it covers.
    pub keys: Range<usize>,
    /// Cells across; there are as many rows of cells as fit in `mean`.
    pub columns: usize,
    /// Mean weight of each cell; forbidden weights count as 0.
    pub mean: &'a mut [f32],
    /// Largest weight of each cell.
    pub max: &'a mut [f32],
}

impl Pool<'_> {
    /// Takes in the weights of one query; the first is that of key `start`.
    pub fn add(&mut self, query: usize, start: usize, weights: &[f32]) {
        let (n_q, n_k, rows) = (self.queries.len(), self.keys.len(), self.mean.len() / self.columns.max(1));
        // The last row of cells that starts at or before this query: the largest c with c·n ÷ g below its place + 1.
        let row = (((query - self.queries.start) + 1) * rows).div_ceil(n_q).saturating_sub(1);
        let height = edge(row + 1, n_q, rows) - edge(row, n_q, rows);
        let cells = row * self.columns..(row + 1) * self.columns;
        let (means, maxima) = (&mut self.mean[cells.clone()], &mut self.max[cells]);
        let mut from = self.keys.start;
        for (column, (mean, max)) in means.iter_mut().zip(maxima).enumerate() {
            let to = self.keys.start + edge(column + 1, n_k, self.columns);
            let place = |key: usize| key.saturating_sub(start).min(weights.len());
            let (sum, most) = sum_and_max(&weights[place(from)..place(to)]);
            #[expect(clippy::cast_precision_loss, reason = "cells are smaller than 2²⁴")]
            let area = (height * (to - from)).max(1) as f32;
            *mean += sum / area;
            *max = max.max(most);
            from = to;
        }
    }
}

/// Where cell `cell` of `cells` over `places` begins.
fn edge(cell: usize, places: usize, cells: usize) -> usize {
    // Quotient and remainder apart: the product could pass 2³².
    places / cells * cell + places % cells * cell / cells
}

/// Sum and maximum of weights, which are not negative.
fn sum_and_max(weights: &[f32]) -> (f32, f32) {
    let (fours, singles) = weights.as_chunks::<WIDTH>();
    let (mut sums, mut most) = (Lanes::splat(0.0), Lanes::splat(0.0));
    for four in fours {
        let four = Lanes::from_array(four);
        sums = sums + four;
        most = most.max(four);
    }
    singles.iter().fold((sums.sum(), most.largest()), |(sum, most), &single| (sum + single, most.max(single)))
}
