//! A square map of n × n numbers at several zoom levels, cut into tiles, with one byte a cell for its picture.
//!
//! Owns which cells there are and which places each stands for, and the byte code of a weight. Owns no number of a map.

use std::ops::Range;

/// Cells along the side of a tile.
pub const TILE: usize = 512;

/// The levels of a map of `places` × `places` numbers: at level ℓ a cell stands for 2^ℓ × 2^ℓ of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pyramid {
    /// Queries, and as many keys.
    pub places: usize,
}

/// One tile: [`TILE`] × [`TILE`] cells of a level, fewer at the right and lower edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tile {
    /// Level ℓ: cells of 2^ℓ × 2^ℓ numbers.
    pub level: u8,
    /// Which tile from above, from 0.
    pub row: u16,
    /// Which tile from the left, from 0.
    pub column: u16,
}

/// What a tile covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Its queries.
    pub queries: Range<usize>,
    /// Its keys.
    pub keys: Range<usize>,
    /// Cells from above to below.
    pub rows: usize,
    /// Cells from left to right.
    pub columns: usize,
}

impl Pyramid {
    /// The coarsest level: the first at which the whole map is one tile.
    #[must_use]
    pub const fn top(self) -> u8 {
        let mut level = 0;
        while self.cells(level) > TILE {
            level += 1;
        }
        level
    }

    /// The one tile of the coarsest level.
    #[must_use]
    pub const fn whole(self) -> Tile {
        Tile { level: self.top(), row: 0, column: 0 }
    }

    /// Places along the side of a cell.
    #[must_use]
    pub const fn cell_side(level: u8) -> usize {
        1 << level
    }

    /// Cells along the side of a level; the last may be cut by the map's edge.
    #[must_use]
    pub const fn cells(self, level: u8) -> usize {
        self.places.div_ceil(Self::cell_side(level))
    }

    /// Tiles along the side of a level.
    #[must_use]
    pub const fn tiles(self, level: u8) -> usize {
        self.cells(level).div_ceil(TILE)
    }

    /// What a tile covers; `None` where there is no such tile.
    #[must_use]
    pub fn area(self, tile: Tile) -> Option<Area> {
        let (cells, side) = (self.cells(tile.level.min(self.top())), Self::cell_side(tile.level));
        let of = |at: u16| {
            let first = usize::from(at) * TILE;
            let last = (first + TILE).min(cells);
            (first < last).then(|| (first * side..(last * side).min(self.places), last - first))
        };
        let ((queries, rows), (keys, columns)) = (of(tile.row)?, of(tile.column)?);
        (tile.level <= self.top()).then_some(Area { queries, keys, rows, columns })
    }

    /// The places of cell `at` of a level.
    #[must_use]
    pub fn of_cell(self, level: u8, at: usize) -> Range<usize> {
        let side = Self::cell_side(level);
        (at * side).min(self.places)..((at + 1) * side).min(self.places)
    }
}

/// Powers of two that the byte code reaches down: 2⁻²⁴ is a sixteen-millionth.
pub const CODE_OCTAVES: f32 = 24.0;
/// Steps of the code, each about 6.8 % of the number.
const STEPS: f32 = 254.0;

/// A weight from 0 to 1 as a byte for its picture: 0 for exactly 0, then 1 to 255 in equal ratios from 2⁻²⁴ to 1.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "within 1..=255"
)]
pub fn code(weight: f32) -> u8 {
    if weight <= 0.0 || weight.is_nan() {
        return 0;
    }
    // log₂ from the number's own exponent, and a parabola for the rest (off by 0.008 at most, a twelfth of a step).
    let bits = weight.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let part = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    let log2 = exponent as f32 + part + 0.346 * part * (1.0 - part);
    ((log2 + CODE_OCTAVES) * (STEPS / CODE_OCTAVES) + 1.5).clamp(1.0, 255.0) as u8
}

/// log₂ of the weight that a code above 0 stands for.
#[must_use]
pub fn log2_of(code: u8) -> f32 {
    (f32::from(code.max(1)) - 1.0) * (CODE_OCTAVES / STEPS) - CODE_OCTAVES
}

/// A map of codes at half the size, for windows smaller than the coarsest level: each cell stands for up to four of
/// `[any, columns]`. Maxima stay; means are averaged.
#[must_use]
pub fn halved(codes: &[u8], columns: usize, mean: bool) -> Vec<u8> {
    let rows = codes.len() / columns.max(1);
    let (half_rows, half_columns) = (rows.div_ceil(2), columns.div_ceil(2));
    let cell = |at: usize| {
        let (row, column) = (2 * (at / half_columns), 2 * (at % half_columns));
        let places = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(r, c)| (row + r, column + c));
        let four = places.into_iter().filter(|&(r, c)| r < rows && c < columns).map(|(r, c)| codes[r * columns + c]);
        if mean {
            let (sum, count) = four.fold((0.0, 0.0), |(sum, count), code| (sum + value(code), count + 1.0));
            code(sum / count)
        } else {
            four.max().unwrap_or(0)
        }
    };
    (0..half_rows * half_columns).map(cell).collect()
}

/// The weight that a code stands for.
#[must_use]
pub fn value(code: u8) -> f32 {
    if code == 0 { 0.0 } else { (log2_of(code) * std::f32::consts::LN_2).exp() }
}
