//! Attention over a whole document: every weight can be had, none is kept.
//!
//! A head's rows are computed a band at a time; what stays are the statistics of each row and the pooled map. From these any
//! tile, row or single weight is computed again, with the bits that it had in its row. Memory grows with the number of
//! tokens n, not with n². Owns the numbers of a document; when what is computed is [`Session`]'s.

mod band;
mod head;
mod session;
mod tile;

pub use head::{Head, Strongest, strongest};
pub use session::{Answer, Ask, Session};
pub use tile::{Cell, TileData};

use crate::attention::{Pattern, Source, Weights};
use crate::tensor::Matrix;
use attention_kernel::{BAND, SCRATCH, scratch_len};
use std::rc::Rc;

/// Rows that are computed at once.
pub const ROWS_AT_ONCE: usize = BAND;

/// A product overflowed f32: the map can't be computed with these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// All that the weights of a document depend on.
#[derive(Clone, Debug)]
pub struct Document {
    /// Embeddings, `[n, d_model]`.
    pub x: Rc<Matrix<f32>>,
    /// The projections.
    pub weights: Rc<Weights>,
    /// What q·k is multiplied by.
    pub scale: f32,
    /// What it is then divided by; above 0.
    pub temperature: f32,
    /// Who may attend to whom.
    pub pattern: Pattern,
}

impl Document {
    /// Of embeddings; `None` for q, k and v that were given, which have no embeddings to project again.
    #[must_use]
    pub fn new(source: Source, scale: f32, temperature: f32, pattern: Pattern) -> Option<Self> {
        match source {
            Source::Embedded { x_k: x, weights, .. } => Some(Self { x, weights, scale, temperature, pattern }),
            Source::Given { .. } => None,
        }
    }

    /// Number of tokens n.
    #[must_use]
    pub fn len(&self) -> usize {
        self.x.nrows()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Memory that every computation of a document uses and none keeps.
#[derive(Debug)]
pub struct Scratch {
    kernel: Vec<f32>,
    band: Vec<f32>,
    row: Vec<f32>,
    keys: Vec<usize>,
}

impl Scratch {
    /// For documents of `n` tokens.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self { kernel: vec![0.0; scratch_len(n).max(SCRATCH)], band: Vec::new(), row: Vec::new(), keys: Vec::new() }
    }

    /// Bytes that it holds.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        4 * (self.kernel.len() + self.band.capacity() + self.row.capacity()) + size_of::<usize>() * self.keys.capacity()
    }
}
