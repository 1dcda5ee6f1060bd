//! From what a device handed back to a trace.
//!
//! −∞ is only a record of a forbidden score, and no shader writes one: it is put in here, by the mask's predicate.

use super::layout::{Grid, Item, length, read_back};
use crate::attention::trace::RowStatistics;
use crate::attention::{Held, Layer, Problem, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::tensor::{Heads, Matrix};
use std::rc::Rc;

/// What a device handed back is no answer: too few numbers, or one that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// The trace of `problem`, which is valid and of `shape`, from the numbers of [`read_back`].
///
/// # Errors
/// [`Broken`] when there are too few numbers, or when one of them, padding apart, is NaN or infinite: finite inputs may be
/// so large that f32 overflows.
pub fn trace(problem: &Problem, shape: Shape, want: &Want, numbers: &[f32]) -> Result<Trace<f32>, Broken> {
    let parts = read_back(&shape, want);
    if numbers.len() < length(&parts) {
        return Err(Broken);
    }
    let stage_data = |stage: Stage| -> Result<Option<(Grid, Vec<f32>)>, Broken> {
        let Some(part) = parts.iter().find(|part| part.item == Item::Stage(stage)) else { return Ok(None) };
        let data = without_padding(part.grid, &numbers[part.start..], stage == Stage::Masked, problem)?;
        Ok(Some((part.grid, data)))
    };
    let heads = |stage: Stage| -> Result<Held<Heads<f32>>, Broken> {
        let Some((grid, data)) = stage_data(stage)? else { return Ok(Held::Absent) };
        let array = Heads::from_shape_vec((grid.stack, grid.rows, grid.columns), data).map_err(|_| Broken)?;
        Ok(Held::Held(Rc::new(array)))
    };
    let matrix = |stage: Stage| -> Result<Held<Matrix<f32>>, Broken> {
        let Some((grid, data)) = stage_data(stage)? else { return Ok(Held::Absent) };
        let array = Matrix::from_shape_vec((grid.rows, grid.columns), data).map_err(|_| Broken)?;
        Ok(Held::Held(Rc::new(array)))
    };
    let given = |stage: Stage, array: &Rc<Heads<f32>>| {
        if want.has(stage) { Held::Held(Rc::clone(array)) } else { Held::Absent }
    };
    let x = |stage: Stage, array: &Rc<Matrix<f32>>| {
        if want.has(stage) { Held::Held(Rc::clone(array)) } else { Held::Absent }
    };
    let (x_query, x_key, q, k, v) = match &problem.source {
        Source::Embedded { x_q, x_k, .. } => {
            (x(Stage::XQuery, x_q), x(Stage::XKey, x_k), heads(Stage::Q)?, heads(Stage::K)?, heads(Stage::V)?)
        }
        Source::Given { q, k, v } => {
            (Held::Absent, Held::Absent, given(Stage::Q, q), given(Stage::K, k), given(Stage::V, v))
        }
    };
    let rows = parts.last().map(|part| statistics(&shape, part.grid, &numbers[part.start..])).ok_or(Broken)??;
    let layer = Layer {
        x_query,
        x_key,
        q,
        k,
        v,
        raw: heads(Stage::Raw)?,
        scaled: heads(Stage::Scaled)?,
        tempered: heads(Stage::Tempered)?,
        masked: heads(Stage::Masked)?,
        weights: heads(Stage::Weights)?,
        head_output: heads(Stage::HeadOutput)?,
        concat: matrix(Stage::Concat)?,
        output: matrix(Stage::Output)?,
        rows: Rc::new(rows),
    };
    Ok(Trace { shape, layers: vec![layer] })
}

/// The numbers of `grid` without its padding; forbidden cells as −∞ where `masked` says so.
fn without_padding(grid: Grid, numbers: &[f32], masked: bool, problem: &Problem) -> Result<Vec<f32>, Broken> {
    let mut data = Vec::with_capacity(grid.stack * grid.rows * grid.columns);
    let masked = masked && !problem.mask.is_none();
    let mut may = vec![true; if masked { grid.columns } else { 0 }];
    for matrix in 0..grid.stack {
        for row in 0..grid.rows {
            let start = matrix * grid.matrix() + row * grid.padded_columns();
            let row_numbers = &numbers[start..start + grid.columns];
            if !row_numbers.iter().all(|number| number.is_finite()) {
                return Err(Broken);
            }
            let written = data.len();
            data.extend_from_slice(row_numbers);
            if masked {
                problem.mask.fill_row(matrix, row, &mut may);
                for (number, &may) in data[written..].iter_mut().zip(&may) {
                    if !may {
                        *number = f32::NEG_INFINITY;
                    }
                }
            }
        }
    }
    Ok(data)
}

/// Row statistics; a row that permits nothing has maximum −∞.
fn statistics(shape: &Shape, grid: Grid, numbers: &[f32]) -> Result<RowStatistics<f32>, Broken> {
    let size = (shape.heads, shape.n_q);
    let (mut max, mut inverse_sum) = (Matrix::zeros(size), Matrix::zeros(size));
    let (mut entropy, mut permitted) = (Matrix::zeros(size), Matrix::zeros(size));
    for head in 0..shape.heads {
        for query in 0..shape.n_q {
            let at = head * grid.matrix() + query * 4;
            let row = &numbers[at..at + 4];
            let &[largest, inverse, spread, count] = row else { return Err(Broken) };
            if !row.iter().all(|number| number.is_finite()) {
                return Err(Broken);
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number of keys")]
            let count = count as u32;
            let cell = [head, query];
            max[cell] = if count == 0 { f32::NEG_INFINITY } else { largest };
            inverse_sum[cell] = inverse;
            entropy[cell] = spread;
            permitted[cell] = count;
        }
    }
    Ok(RowStatistics { max, inverse_sum, entropy, permitted })
}
