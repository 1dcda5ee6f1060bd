//! Cells that stand for many weights: tiles of the pyramid, and one cell with its largest weight's place.

use super::{Document, Head, Overflow, ROWS_AT_ONCE, Scratch};
use crate::tensor::pyramid::{Area, Pyramid, Tile, code};
use attention_kernel::{Pool, Summary};
use std::ops::Range;

/// A tile in the making, or made: mean and maximum of every cell, `[rows, columns]`.
#[derive(Clone, Debug)]
pub struct TileData {
    /// Which tile.
    pub tile: Tile,
    /// What it covers.
    pub area: Area,
    /// Mean weight of each cell over the places of it that exist; forbidden weights count as 0.
    pub mean: Vec<f32>,
    /// Largest weight of each cell.
    pub max: Vec<f32>,
    /// The next query to take in.
    next: usize,
    /// Rows of cells that [`Self::settle`] gave out.
    settled: usize,
}

/// One cell with all there is to say about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Mean weight.
    pub mean: f32,
    /// Largest weight.
    pub max: f32,
    /// The query and the key of the largest weight.
    pub at: (usize, usize),
}

impl TileData {
    /// An empty tile; `None` where there is no such tile.
    #[must_use]
    pub fn new(pyramid: Pyramid, tile: Tile) -> Option<Self> {
        let area = pyramid.area(tile)?;
        let cells = area.rows * area.columns;
        Some(Self { tile, next: area.queries.start, settled: 0, mean: vec![0.0; cells], max: vec![0.0; cells], area })
    }

    /// Takes in the weights of one query; the first is that of key `start`.
    pub(super) fn add(&mut self, query: usize, start: usize, weights: &[f32]) {
        let side = Pyramid::cell_side(self.tile.level);
        let (first_query, first_key) = (self.area.queries.start, self.area.keys.start);
        // Whole cells, though the text may end inside the last one: the kernel splits places evenly.
        let mut pool = Pool {
            queries: first_query..first_query + self.area.rows * side,
            keys: first_key..first_key + self.area.columns * side,
            columns: self.area.columns,
            mean: &mut self.mean,
            max: &mut self.max,
        };
        pool.add(query, start, weights);
        self.next = query + 1;
    }

    /// Takes in the next band of rows. `true` when the tile is made.
    pub(super) fn advance(
        &mut self,
        document: &Document,
        head: &Head,
        summaries: &[Summary],
        scratch: &mut Scratch,
    ) -> bool {
        let queries = self.next..(self.next + ROWS_AT_ONCE).min(self.area.queries.end);
        let of_queries = summaries.get(queries.clone()).unwrap_or_default();
        let keys = self.area.keys.clone();
        if !of_queries.is_empty() {
            head.again(document, queries.clone(), keys, of_queries, scratch, |query, start, weights| {
                self.add(query, start, weights);
            });
        }
        self.next = queries.end;
        self.settle();
        self.next >= self.area.queries.end
    }

    /// The rows of cells that became complete since the last call. Divides those of their cells that the text's end cuts by
    /// what they hold of it.
    pub(super) fn settle(&mut self) -> Range<usize> {
        let side = Pyramid::cell_side(self.tile.level);
        let columns = self.area.columns;
        let made = self.next >= self.area.queries.end;
        let complete = if made { self.area.rows } else { (self.next - self.area.queries.start) / side };
        let rows = self.settled..complete;
        self.settled = complete;
        let grown = |cells: usize, places: usize| -> f32 {
            let held = places - (cells - 1) * side;
            #[expect(clippy::cast_precision_loss, reason = "at most the side of a cell")]
            let grown = side as f32 / held as f32;
            grown
        };
        let (down, across) = (grown(self.area.rows, self.area.queries.len()), grown(columns, self.area.keys.len()));
        for row in self.mean[rows.start * columns..rows.end * columns].chunks_exact_mut(columns) {
            row[columns - 1] *= across;
        }
        if made && !rows.is_empty() {
            self.mean[(complete - 1) * columns..].iter_mut().for_each(|mean| *mean *= down);
        }
        rows
    }

    /// Means and maxima of some rows of cells as bytes for a picture.
    #[must_use]
    pub fn codes(&self, rows: Range<usize>) -> (Vec<u8>, Vec<u8>) {
        let cells = rows.start * self.area.columns..rows.end * self.area.columns;
        let bytes = |numbers: &[f32]| numbers.iter().map(|&number| code(number)).collect();
        (bytes(&self.mean[cells.clone()]), bytes(&self.max[cells]))
    }
}

impl Head {
    /// Mean, maximum and the maximum's place of one cell of a level, computed from its weights.
    ///
    /// # Errors
    /// When a permitted score is infinite or NaN.
    pub fn cell(
        &self,
        document: &Document,
        level: u8,
        (row, column): (usize, usize),
        scratch: &mut Scratch,
    ) -> Result<Cell, Overflow> {
        let pyramid = Pyramid { places: document.len() };
        let (queries, keys) = (pyramid.of_cell(level, row), pyramid.of_cell(level, column));
        let mut summaries = vec![Summary::EMPTY; queries.len()];
        self.rows(document, queries.start, &mut summaries, scratch, |_, _, _| {})?;
        let (mut sum, mut max, mut at) = (0.0_f64, -1.0_f32, (queries.start, keys.start));
        self.again(document, queries.clone(), keys.clone(), &summaries, scratch, |query, start, weights| {
            for (key, &weight) in (start..).zip(weights) {
                sum += f64::from(weight);
                if weight > max {
                    (max, at) = (weight, (query, key));
                }
            }
        });
        #[expect(clippy::cast_precision_loss, reason = "a number of cells")]
        let area = (queries.len() * keys.len()).max(1) as f64;
        #[expect(clippy::cast_possible_truncation, reason = "rounded once, at the end")]
        Ok(Cell { mean: (sum / area) as f32, max: max.max(0.0), at })
    }
}
