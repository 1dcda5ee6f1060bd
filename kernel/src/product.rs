//! The one product: rows times a packed matrix. x·W, q·kᵀ and weights·v are all of this form.
//!
//! The matrix is packed into panels of eight columns and the rows into groups of four, so that a tile of 4 × 8 sums stays
//! in registers while its terms stream by. Each sum is one running sum in the order of its terms: its bits depend neither
//! on tiles nor on the sizes, and a term that is 0 changes none of them.

use crate::lanes::{Lanes, WIDTH};

/// Columns of a panel.
pub const PANEL: usize = 8;
/// Rows of a tile.
const ROWS: usize = 4;
/// Terms that are summed before the next panel: four rows and a panel of them stay in the first cache.
const DEPTH: usize = 256;

/// Rows that are multiplied at once, at best: enough to use a panel well, few enough to stay in the cache.
pub const BLOCK: usize = 32;

/// Numbers of scratch memory that [`multiply`] needs for [`BLOCK`] rows of any length.
pub const SCRATCH: usize = BLOCK * DEPTH;

/// Numbers of scratch memory that it needs for up to `rows` rows, at most [`BLOCK`], of up to `terms` terms.
#[must_use]
pub fn scratch_for(rows: usize, terms: usize) -> usize {
    rows.min(BLOCK).next_multiple_of(ROWS) * terms.min(DEPTH)
}

/// Numbers in the panels of a matrix with `columns` columns of `depth` numbers.
#[must_use]
pub const fn panels_len(depth: usize, columns: usize) -> usize {
    columns.div_ceil(PANEL) * PANEL * depth
}

/// A matrix `[depth, columns]` in panels: `[columns ÷ 8, depth, 8]`, with zeros after the last column.
#[derive(Clone, Copy, Debug)]
pub struct Panels<'a> {
    /// The packed numbers.
    pub numbers: &'a [f32],
    /// Numbers of a column.
    pub depth: usize,
    /// The number of each column that the first term takes: 0, but where only a part of the sum is needed.
    pub first: usize,
}

impl<'a> Panels<'a> {
    /// Panels of columns of `depth` numbers that all take part.
    #[must_use]
    pub const fn new(numbers: &'a [f32], depth: usize) -> Self {
        Self { numbers, depth, first: 0 }
    }
}

/// Rows of `width` numbers, of which the first `used` take part.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Row after row.
    pub numbers: &'a [f32],
    /// From one row to the next.
    pub width: usize,
    /// Terms of every sum, at most the panels' depth.
    pub used: usize,
}

/// Packs `matrix` `[any, columns]`, row-major, into `panels` of [`panels_len`] numbers.
#[inline(never)]
pub fn pack(matrix: &[f32], columns: usize, panels: &mut [f32]) {
    let depth = matrix.len() / columns.max(1);
    for (panel, start) in panels.chunks_exact_mut((PANEL * depth).max(1)).zip((0..).step_by(PANEL)) {
        for (row, out) in matrix.chunks_exact(columns).zip(panel.as_chunks_mut::<PANEL>().0) {
            match row.get(start..start + PANEL) {
                Some(all) => out.copy_from_slice(all),
                None => {
                    *out = [0.0; PANEL];
                    out.iter_mut().zip(&row[start.min(columns)..]).for_each(|(out, x)| *out = *x);
                }
            }
        }
    }
}

/// Packs the transpose of `matrix` `[any, depth]`, row-major: its rows become columns.
#[inline(never)]
pub fn pack_transposed(matrix: &[f32], depth: usize, panels: &mut [f32]) {
    let half = (ROWS * depth).max(1);
    for (rows, panel) in matrix.chunks(2 * half).zip(panels.chunks_exact_mut(2 * half)) {
        let (first, second) = rows.split_at(half.min(rows.len()));
        interleave(first, depth, depth, panel, PANEL, 0);
        interleave(second, depth, depth, panel, PANEL, ROWS);
    }
}

/// Numbers 0 to `used` of up to four rows of `width` side by side, each group at `offset` of `stride` numbers of `out`;
/// zeros where a row is missing.
#[inline(never)]
fn interleave(rows: &[f32], width: usize, used: usize, out: &mut [f32], stride: usize, offset: usize) {
    let row = |at: usize| rows.get(at * width..).and_then(|row| row.get(..used)).unwrap_or(&[]);
    let [a, b, c, d] = [row(0), row(1), row(2), row(3)];
    let mut groups = out.chunks_exact_mut(stride).map(|group| &mut group[offset..offset + ROWS]);
    let mut done = 0;
    for (((a, b), c), d) in fours(a).iter().zip(fours(b)).zip(fours(c)).zip(fours(d)) {
        let turned = Lanes::transpose([a, b, c, d].map(Lanes::from_array));
        for (lanes, group) in turned.iter().zip(&mut groups) {
            group.copy_from_slice(&lanes.to_array());
        }
        done += WIDTH;
    }
    for (at, group) in (done..used).zip(groups) {
        for (out, row) in group.iter_mut().zip([a, b, c, d]) {
            *out = row.get(at).copied().unwrap_or(0.0);
        }
    }
}

const fn fours(row: &[f32]) -> &[[f32; WIDTH]] {
    row.as_chunks().0
}

/// out_rc = Σ_m a_rm · b_mc for the first `columns` columns of `out`, whose rows are `width` numbers wide.
///
/// `out` has as many rows as `a`, at most [`BLOCK`]; `scratch` has [`SCRATCH`] numbers.
#[inline(never)]
pub fn multiply(a: Rows<'_>, b: Panels<'_>, out: &mut [f32], width: usize, columns: usize, scratch: &mut [f32]) {
    let mut start = 0;
    // Once even without terms: then every sum is 0.
    loop {
        let terms = (a.used - start).min(DEPTH);
        let group = (ROWS * terms).max(1);
        let numbers = a.numbers.get(start..).unwrap_or(&[]);
        for (rows, group) in numbers.chunks(ROWS * a.width).zip(scratch.chunks_exact_mut(group)) {
            interleave(rows, a.width, terms, group, ROWS, 0);
        }
        let panels = b.numbers.chunks_exact((PANEL * b.depth).max(1));
        for (panel, column) in panels.zip((0..columns).step_by(PANEL)) {
            let panel = &panel.as_chunks::<PANEL>().0[b.first + start..][..terms];
            for (group, out) in scratch.chunks_exact(group).zip(out.chunks_mut(ROWS * width)) {
                let group = &group.as_chunks::<ROWS>().0[..terms];
                let out = &mut out[column..];
                if columns - column >= PANEL && out.len() >= (ROWS - 1) * width + PANEL {
                    tile(group, panel, out, width, start > 0);
                } else {
                    edge(group, panel, out, width, columns - column, start > 0);
                }
            }
        }
        start += terms;
        if start >= a.used {
            break;
        }
    }
}

/// 4 × 8 sums, added to what stands in `out` or in its place.
#[inline(always)]
fn tile(a: &[[f32; ROWS]], b: &[[f32; PANEL]], out: &mut [f32], width: usize, add: bool) {
    let mut sums = [[Lanes::splat(0.0); 2]; ROWS];
    if add {
        for (sums, out) in sums.iter_mut().zip(out.chunks(width)) {
            let (fours, _) = out[..PANEL].as_chunks::<WIDTH>();
            *sums = [Lanes::from_array(&fours[0]), Lanes::from_array(&fours[1])];
        }
    }
    for (a, b) in a.iter().zip(b) {
        let (b, _) = b.as_chunks::<WIDTH>();
        let (left, right) = (Lanes::from_array(&b[0]), Lanes::from_array(&b[1]));
        for (sums, a) in sums.iter_mut().zip(a) {
            let a = Lanes::splat(*a);
            *sums = [a.times_plus(left, sums[0]), a.times_plus(right, sums[1])];
        }
    }
    for (sums, out) in sums.iter().zip(out.chunks_mut(width)) {
        let (fours, _) = out[..PANEL].as_chunks_mut::<WIDTH>();
        fours[0] = sums[0].to_array();
        fours[1] = sums[1].to_array();
    }
}

/// One tile alone, added to `out` `[4, 8]`: `a` `[any, 4]` and `b` `[any, 8]` as [`multiply`] packs them. For measuring.
pub fn one_tile(a: &[f32], b: &[f32], out: &mut [f32]) {
    tile(a.as_chunks::<ROWS>().0, b.as_chunks::<PANEL>().0, out, PANEL, true);
}

/// The same where fewer than four rows or eight columns are left.
#[inline(never)]
fn edge(a: &[[f32; ROWS]], b: &[[f32; PANEL]], out: &mut [f32], width: usize, columns: usize, add: bool) {
    let mut whole = [0.0; ROWS * PANEL];
    let columns = columns.min(PANEL);
    if add {
        for (whole, out) in whole.chunks_exact_mut(PANEL).zip(out.chunks(width)) {
            whole[..columns].copy_from_slice(&out[..columns]);
        }
    }
    tile(a, b, &mut whole, PANEL, add);
    for (whole, out) in whole.chunks_exact(PANEL).zip(out.chunks_mut(width)) {
        out[..columns].copy_from_slice(&whole[..columns]);
    }
}
