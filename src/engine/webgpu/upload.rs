//! Arrays as they lie in device memory: padded with zeros, weights split into heads.

use super::layout::Grid;
use super::plan::Content;
use super::wire::{MaskKind, Request, bits_row};
use std::ops::Range;

/// The words of a buffer that holds `content`, for the heads `heads` where it has any.
///
/// `arrays` are those of the source in the order of the wire.
#[must_use]
pub fn words(content: Content, heads: &Range<usize>, request: &Request, arrays: &[Vec<f32>]) -> Vec<u32> {
    let shape = &request.shape;
    let given = shape.d_model == 0;
    let array = |at: usize| arrays.get(at).map(Vec::as_slice).unwrap_or_default();
    match content {
        Content::XQuery => pad(array(0), Grid::new(1, shape.n_q, shape.d_model)),
        Content::XKey => pad(array(1), Grid::new(1, shape.n_k, shape.d_model)),
        Content::Query if given => stack(array(0), heads, shape.n_q, shape.d_k),
        Content::Key if given => stack(array(1), heads, shape.n_k, shape.d_k),
        Content::Value if given => stack(array(2), heads, shape.n_k, shape.d_v),
        Content::Query => split(array(2), heads, shape.d_model, shape.heads, shape.d_k),
        Content::Key => split(array(3), heads, shape.d_model, shape.heads, shape.d_k),
        Content::Value => split(array(4), heads, shape.d_model, shape.heads, shape.d_v),
        Content::Output => pad(array(5), Grid::new(1, shape.heads * shape.d_v, shape.d_model)),
        Content::Bits => {
            let by_head = matches!(request.mask, MaskKind::Bits { by_head: true });
            let one = shape.n_q * bits_row(shape.n_k);
            let heads = if by_head { heads.clone() } else { 0..1 };
            request.bits[heads.start * one..heads.end * one].to_vec()
        }
        Content::Bias => {
            let heads = if request.bias_by_head() { heads.clone() } else { 0..1 };
            stack(&request.bias, &heads, shape.n_q, shape.n_k)
        }
    }
}

/// Some matrices of a stack, padded.
fn stack(data: &[f32], heads: &Range<usize>, rows: usize, columns: usize) -> Vec<u32> {
    let one = rows * columns;
    pad(data.get(heads.start * one..heads.end * one).unwrap_or_default(), Grid::new(heads.len(), rows, columns))
}

/// Row-major matrices with their padding.
fn pad(data: &[f32], grid: Grid) -> Vec<u32> {
    let mut words = vec![0; grid.numbers()];
    for (row, numbers) in data.chunks_exact(grid.columns.max(1)).enumerate() {
        let (matrix, row) = (row / grid.rows, row % grid.rows);
        let start = matrix * grid.matrix() + row * grid.padded_columns();
        for (word, number) in words[start..].iter_mut().zip(numbers) {
            *word = number.to_bits();
        }
    }
    words
}

/// `[d_model, h·d]` → `[heads, d_model, d]`, padded: head a has columns a·d to (a + 1)·d − 1.
fn split(wide: &[f32], heads: &Range<usize>, d_model: usize, all: usize, d: usize) -> Vec<u32> {
    let grid = Grid::new(heads.len(), d_model, d);
    let mut words = vec![0; grid.numbers()];
    for (row, numbers) in wide.chunks_exact((all * d).max(1)).enumerate() {
        for (matrix, head) in heads.clone().enumerate() {
            let start = matrix * grid.matrix() + row * grid.padded_columns();
            for (word, number) in words[start..].iter_mut().zip(&numbers[head * d..(head + 1) * d]) {
                *word = number.to_bits();
            }
        }
    }
    words
}
