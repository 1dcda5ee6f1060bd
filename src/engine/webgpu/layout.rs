//! How arrays lie on the device and in what it hands back.

use crate::attention::{Shape, Stage};
use crate::engine::Want;

/// A stack of matrices, `[stack, rows, columns]`. The device holds it row-major with rows and columns rounded up to
/// multiples of 4, so that four numbers are always one vector and no loop has a rest; the padding is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "sizes without padding")]
pub struct Grid {
    pub stack: usize,
    pub rows: usize,
    pub columns: usize,
}

impl Grid {
    /// A stack of matrices.
    #[must_use]
    pub const fn new(stack: usize, rows: usize, columns: usize) -> Self {
        Self { stack, rows, columns }
    }

    /// Rows as held.
    #[must_use]
    pub const fn padded_rows(self) -> usize {
        self.rows.next_multiple_of(4)
    }

    /// Columns as held.
    #[must_use]
    pub const fn padded_columns(self) -> usize {
        self.columns.next_multiple_of(4)
    }

    /// Numbers of one matrix, padding included.
    #[must_use]
    pub const fn matrix(self) -> usize {
        self.padded_rows().saturating_mul(self.padded_columns())
    }

    /// Numbers in all, padding included.
    #[must_use]
    pub const fn numbers(self) -> usize {
        self.stack.saturating_mul(self.matrix())
    }

    /// Bytes in all, padding included.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        (self.numbers() as u64).saturating_mul(4)
    }

    /// The same matrices, `stack` of them.
    #[must_use]
    pub const fn stacked(self, stack: usize) -> Self {
        Self { stack, ..self }
    }
}

/// What a device can hand back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The numbers of a stage.
    Stage(Stage),
    /// Row statistics, `[heads, n_q]` of (maximum, 1 ÷ Σ, entropy, number of permitted keys).
    Rows,
}

/// Where an item lies in what is handed back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub item: Item,
    /// Its size.
    pub grid: Grid,
    /// Where it begins, in numbers.
    pub start: usize,
}

/// The grid of a stage that a device computes in a problem of `shape`; `None` where the problem itself holds it, or
/// where it does not exist.
#[must_use]
pub const fn computed(stage: Stage, shape: &Shape) -> Option<Grid> {
    let Shape { heads, n_q, n_k, d_k, d_v, d_model } = *shape;
    let embedded = d_model > 0;
    match stage {
        Stage::Q if embedded => Some(Grid::new(heads, n_q, d_k)),
        Stage::K if embedded => Some(Grid::new(heads, n_k, d_k)),
        Stage::V if embedded => Some(Grid::new(heads, n_k, d_v)),
        Stage::Output if embedded => Some(Grid::new(1, n_q, d_model)),
        Stage::XQuery | Stage::XKey | Stage::Q | Stage::K | Stage::V | Stage::Output => None,
        Stage::Raw | Stage::Scaled | Stage::Tempered | Stage::Masked | Stage::Weights => {
            Some(Grid::new(heads, n_q, n_k))
        }
        Stage::HeadOutput => Some(Grid::new(heads, n_q, d_v)),
        Stage::Concat => Some(Grid::new(1, n_q, heads * d_v)),
    }
}

/// Everything that is handed back, in order and without gaps: what is wanted, and always the row statistics.
#[must_use]
pub fn read_back(shape: &Shape, want: &Want) -> Vec<Part> {
    let stages = Stage::ALL.into_iter().filter(|&stage| want.has(stage));
    let stages = stages.filter_map(|stage| Some((Item::Stage(stage), computed(stage, shape)?)));
    let rows = (Item::Rows, Grid::new(shape.heads, shape.n_q, 4));
    let mut start = 0;
    let mut parts = Vec::new();
    for (item, grid) in stages.chain([rows]) {
        parts.push(Part { item, grid, start });
        start += grid.numbers();
    }
    parts
}

/// Numbers in all of [`read_back`].
#[must_use]
pub fn length(parts: &[Part]) -> usize {
    parts.last().map_or(0, |part| part.start.saturating_add(part.grid.numbers()))
}
