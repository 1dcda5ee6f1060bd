//! The one kernel: a row times a matrix. x·W, q·kᵀ (with k transposed) and weights·v are all of this form.

use crate::lanes::{Lanes, WIDTH};

/// Columns that stay in registers while the rows of the matrix go by.
const BLOCK: usize = 4 * WIDTH;

/// out_c = Σ_m coefficient_m · row_m[c] over `terms` (coefficient_m, row_m), summed in the order of the terms.
///
/// Every row has at least as many columns as `out`; a term whose row is shorter is left out, which no caller relies on.
/// Each column has one running sum, so that its bits depend neither on the number of columns nor on terms that
/// are left out because their keys are forbidden.
#[inline(always)]
fn combine<'a>(terms: impl Iterator<Item = (f32, &'a [f32])> + Clone, out: &mut [f32]) {
    let (blocks, rest) = out.as_chunks_mut::<BLOCK>();
    let mut at = 0;
    for block in blocks {
        // Written out, so that the sums stay in registers.
        let zero = Lanes::splat(0.0);
        let (mut sum_a, mut sum_b, mut sum_c, mut sum_d) = (zero, zero, zero, zero);
        for (coefficient, row) in terms.clone() {
            if let Some([a, b, c, d]) = row.get(at..at + BLOCK).map(|columns| columns.as_chunks::<WIDTH>().0) {
                let coefficient = Lanes::splat(coefficient);
                sum_a = sum_a + coefficient * Lanes::from_array(a);
                sum_b = sum_b + coefficient * Lanes::from_array(b);
                sum_c = sum_c + coefficient * Lanes::from_array(c);
                sum_d = sum_d + coefficient * Lanes::from_array(d);
            }
        }
        for (four, sum) in block.as_chunks_mut::<WIDTH>().0.iter_mut().zip([sum_a, sum_b, sum_c, sum_d]) {
            *four = sum.to_array();
        }
        at += BLOCK;
    }
    let (fours, singles) = rest.as_chunks_mut::<WIDTH>();
    for out in fours {
        let mut sum = Lanes::splat(0.0);
        for (coefficient, row) in terms.clone() {
            if let Some(four) = row.get(at..).and_then(<[f32]>::first_chunk) {
                sum = sum + Lanes::splat(coefficient) * Lanes::from_array(four);
            }
        }
        *out = sum.to_array();
        at += WIDTH;
    }
    for out in singles {
        *out = terms.clone().filter_map(|(c, row)| row.get(at).map(|x| c * x)).fold(0.0, |sum, x| sum + x);
        at += 1;
    }
}

/// out = row · matrix, with `matrix` `[row.len(), out.len()]`, row-major.
#[inline(never)]
pub fn row_times_matrix(row: &[f32], matrix: &[f32], out: &mut [f32]) {
    combine(row.iter().copied().zip(matrix.chunks_exact(out.len().max(1))), out);
}

/// out_c = Σ_m coefficient_m · matrix[chosen_m, c]: the same with some rows of a `matrix` `[any, out.len()]`.
#[inline(never)]
pub fn combine_chosen(coefficients: &[f32], chosen: &[usize], matrix: &[f32], out: &mut [f32]) {
    let width = out.len();
    let rows = chosen.iter().map(|&row| &matrix[row * width..][..width]);
    combine(coefficients.iter().copied().zip(rows), out);
}

/// The transpose of `matrix` `[rows, columns]`, row-major.
#[inline(never)]
pub fn transpose(matrix: &[f32], columns: usize, out: &mut [f32]) {
    let rows = matrix.len() / columns.max(1);
    for (column, out) in out.chunks_exact_mut(rows.max(1)).enumerate() {
        for (row, out) in matrix.chunks_exact(columns).zip(out) {
            *out = row[column];
        }
    }
}
