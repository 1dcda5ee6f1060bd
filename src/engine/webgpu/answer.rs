//! From what a device handed back to a trace, in two steps: [`compact`] on the side of the device takes the padding off
//! and refuses what is no answer; [`trace`] on the page's side gives the numbers their shapes.
//!
//! −∞ is only a record of a forbidden score, and no shader writes one: it is put in here, by the mask's predicate.

use super::layout::{Item, Part, computed, length, read_back};
use super::wire::{MaskKind, Request, bits_row};
use crate::attention::trace::RowStatistics;
use crate::attention::{Held, Layer, Problem, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::tensor::{Heads, Matrix};
use std::rc::Rc;

/// The numbers of [`read_back`] without padding: each wanted stage, then maximum, 1 ÷ Σ, entropy and number of permitted
/// keys of every row, `[heads, n_q]` each.
///
/// `None` when there are too few numbers, or when one of them, padding apart, is NaN or infinite: finite inputs may be so
/// large that f32 overflows.
#[must_use]
pub fn compact(request: &Request, numbers: &[f32]) -> Option<Vec<f32>> {
    let parts = read_back(&request.shape, &request.want);
    if numbers.len() < length(&parts) {
        return None;
    }
    let mut all = Vec::with_capacity(numbers.len());
    for part in &parts {
        let Part { item, grid, start } = *part;
        let row_at = |matrix: usize, row: usize| {
            let at = start + matrix * grid.matrix() + row * grid.padded_columns();
            &numbers[at..at + grid.columns]
        };
        let places = move |columns: usize| {
            (0..grid.stack).flat_map(move |matrix| (0..grid.rows).map(move |row| (matrix, row, columns)))
        };
        if places(0).any(|(matrix, row, _)| !row_at(matrix, row).iter().all(|number| number.is_finite())) {
            return None;
        }
        match item {
            Item::Stage(Stage::Masked) => {
                all.extend(places(grid.columns).flat_map(|(matrix, row, columns)| {
                    let row_numbers = row_at(matrix, row);
                    (0..columns).map(move |key| {
                        if permits(request, matrix, row, key) { row_numbers[key] } else { f32::NEG_INFINITY }
                    })
                }))
            }
            Item::Stage(_) => places(0).for_each(|(matrix, row, _)| all.extend_from_slice(row_at(matrix, row))),
            Item::Rows => {
                for column in 0..4 {
                    all.extend(places(column).map(|(matrix, row, column)| {
                        let of_row = row_at(matrix, row);
                        // A row that permits nothing has maximum −∞.
                        if column == 0 && of_row[3] < 0.5 { f32::NEG_INFINITY } else { of_row[column] }
                    }));
                }
            }
        }
    }
    Some(all)
}

fn permits(request: &Request, head: usize, query: usize, key: usize) -> bool {
    match request.mask {
        MaskKind::None => true,
        MaskKind::Causal => key <= query,
        MaskKind::Bits { by_head } => {
            let row = if by_head { head * request.shape.n_q + query } else { query };
            request.bits[row * bits_row(request.shape.n_k) + key / 32] >> (key % 32) & 1 == 1
        }
    }
}

/// The trace of `problem`, which is valid and of `shape`, from the numbers of [`compact`], which `next` hands over piece by
/// piece; `None` when they end too early.
#[must_use]
pub fn trace(
    problem: &Problem,
    shape: Shape,
    want: &Want,
    next: &mut dyn FnMut(usize) -> Option<Vec<f32>>,
) -> Option<Trace<f32>> {
    let mut heads = |stage: Stage| -> Option<Held<Heads<f32>>> {
        let Some(grid) = computed(stage, &shape).filter(|_| want.has(stage)) else { return Some(Held::Absent) };
        let size = (grid.stack, grid.rows, grid.columns);
        let array = Heads::from_shape_vec(size, next(grid.stack * grid.rows * grid.columns)?).ok()?;
        Some(Held::Held(Rc::new(array)))
    };
    let (mut q, mut k, mut v) = (heads(Stage::Q)?, heads(Stage::K)?, heads(Stage::V)?);
    let (raw, scaled, tempered) = (heads(Stage::Raw)?, heads(Stage::Scaled)?, heads(Stage::Tempered)?);
    let (masked, weights) = (heads(Stage::Masked)?, heads(Stage::Weights)?);
    let head_output = heads(Stage::HeadOutput)?;
    let (concat, output) = (matrix(heads(Stage::Concat)?), matrix(heads(Stage::Output)?));
    let (mut x_query, mut x_key) = (Held::Absent, Held::Absent);
    match &problem.source {
        Source::Embedded { x_q, x_k, .. } => {
            hold(&mut x_query, want.has(Stage::XQuery), x_q);
            hold(&mut x_key, want.has(Stage::XKey), x_k);
        }
        Source::Given { q: given_q, k: given_k, v: given_v } => {
            hold(&mut q, want.has(Stage::Q), given_q);
            hold(&mut k, want.has(Stage::K), given_k);
            hold(&mut v, want.has(Stage::V), given_v);
        }
    }
    let mut of_rows = || Matrix::from_shape_vec((shape.heads, shape.n_q), next(shape.heads * shape.n_q)?).ok();
    let (max, inverse_sum, entropy) = (of_rows()?, of_rows()?, of_rows()?);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number of keys")]
    let permitted = of_rows()?.mapv(|count| count as u32);
    let rows = Rc::new(RowStatistics { max, inverse_sum, entropy, permitted });
    let layer =
        Layer { x_query, x_key, q, k, v, raw, scaled, tempered, masked, weights, head_output, concat, output, rows };
    Some(Trace { shape, layers: vec![layer] })
}

/// What the problem itself holds.
fn hold<A>(place: &mut Held<A>, wanted: bool, array: &Rc<A>) {
    if wanted {
        *place = Held::Held(Rc::clone(array));
    }
}

/// The only matrix of a stack.
fn matrix(stack: Held<Heads<f32>>) -> Held<Matrix<f32>> {
    match stack {
        Held::Held(array) => {
            let array = Rc::unwrap_or_clone(array);
            Held::Held(Rc::new(array.index_axis_move(ndarray::Axis(0), 0)))
        }
        Held::Absent | Held::OnDemand => Held::Absent,
    }
}
