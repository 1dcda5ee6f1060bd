//! Everything between raw scores and head outputs, a block of rows at a time.
//!
//! A block stays in the cache while the kernel's loops go over it one after the other, and stages that nobody wants need
//! no array. Owns no array that outlives the pass.

use super::permitted::Permitted;
use crate::attention::{Mask, ProblemError, Shape};
use attention_kernel::{
    BLOCK, Panels, Rows, Summary, all_finite, divide, gather, multiply, pack, pack_transposed, panels_len, scale,
    scatter, scratch_for, softmax_rows,
};
use std::mem;
use std::ops::Range;

/// Which stages a pass over the rows has to write.
#[derive(Clone, Copy, Debug)]
pub struct Todo {
    pub scaled: bool,
    pub tempered: bool,
    pub masked: bool,
    pub weights: bool,
    pub head_output: bool,
    /// Forbidden scores too must be finite, because they are kept or shown; else they are not even computed.
    pub all_scores: bool,
}

impl Todo {
    /// Whether there is a stage to write.
    pub const fn any(&self) -> bool {
        self.scaled || self.tempered || self.masked || self.weights || self.head_output
    }
}

/// What a pass reads, each row-major.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// `[h, n_q, d_k]`
    pub q: &'a [f32],
    /// `[h, n_k, d_k]`
    pub k: &'a [f32],
    /// `[h, n_k, d_v]`
    pub v: &'a [f32],
    /// q·kᵀ, when it is known.
    pub raw: Option<&'a [f32]>,
    /// raw × scale, when it is known.
    pub scaled: Option<&'a [f32]>,
    /// scaled ÷ temperature, when it is known.
    pub tempered: Option<&'a [f32]>,
    pub scale: f32,
    pub temperature: f32,
    pub mask: &'a Mask,
}

/// Memory that one pass leaves to the next: a small problem takes longer to get new memory than to be computed.
#[derive(Debug, Default)]
pub struct Buffers {
    /// Keys and values of a head as panels, what the product needs, scores that become no weights, and one row's.
    k: Vec<f32>,
    v: Vec<f32>,
    scratch: Vec<f32>,
    block: Vec<f32>,
    compact: Vec<f32>,
    /// Weights and head outputs of a trace that nobody reads any more.
    pub weights: Vec<f32>,
    pub head_output: Vec<f32>,
}

/// `count` numbers of a buffer: any numbers, for all are written before they are read.
fn fit(buffer: &mut Vec<f32>, count: usize) -> &mut [f32] {
    if buffer.len() < count {
        buffer.clear();
        buffer.resize(count, 0.0);
    }
    &mut buffer[..count]
}

/// Rows as they are written, in row-major order; those not wanted stay empty.
#[derive(Debug, Default)]
pub struct Written {
    pub scaled: Vec<f32>,
    pub tempered: Vec<f32>,
    pub masked: Vec<f32>,
    pub weights: Vec<f32>,
    pub head_output: Vec<f32>,
    pub summaries: Vec<Summary>,
    pub permitted: Vec<u32>,
}

/// Computes what is to be written, head by head.
///
/// # Errors
/// [`ProblemError::NotFinite`] for `scores` that overflow f32.
pub fn pass(input: &Input<'_>, shape: &Shape, todo: &Todo, buffers: &mut Buffers) -> Result<Written, ProblemError> {
    let Shape { heads, n_q, n_k, d_k, d_v, .. } = *shape;
    let written = Written::new(shape, todo, buffers);
    let mut pass = Pass {
        input,
        shape,
        todo,
        permitted: Permitted::new(input.mask, shape),
        k: fit(&mut buffers.k, if input.needs_products() { panels_len(d_k, n_k) } else { 0 }),
        v: fit(&mut buffers.v, if todo.head_output { panels_len(n_k, d_v) } else { 0 }),
        scratch: fit(&mut buffers.scratch, scratch_for(n_q, d_k.max(n_k))),
        block: fit(&mut buffers.block, if todo.weights { 0 } else { BLOCK.min(n_q) * n_k }),
        compact: fit(&mut buffers.compact, n_k),
        written,
    };
    for head in 0..heads {
        if !pass.k.is_empty() {
            pack_transposed(&input.k[head * n_k * d_k..][..n_k * d_k], d_k, pass.k);
        }
        if todo.head_output {
            pack(&input.v[head * n_k * d_v..][..n_k * d_v], d_v, pass.v);
        }
        for start in (0..n_q).step_by(BLOCK) {
            pass.block(head, start..(start + BLOCK).min(n_q))?;
        }
    }
    Ok(pass.written)
}

impl Input<'_> {
    /// Whether no stage from raw to tempered is known.
    const fn needs_products(&self) -> bool {
        self.raw.is_none() && self.scaled.is_none() && self.tempered.is_none()
    }
}

impl Written {
    fn new(shape: &Shape, todo: &Todo, buffers: &mut Buffers) -> Self {
        let rows = shape.heads * shape.n_q;
        let room = |wanted: bool, width: usize| Vec::with_capacity(if wanted { rows * width } else { 0 });
        // What is too small or too large is given back before new memory is asked for.
        let again = |spare: &mut Vec<f32>, wanted: bool, width: usize| {
            let spare = mem::take(spare);
            if wanted && spare.len() == rows * width {
                spare
            } else {
                drop(spare);
                room(wanted, width)
            }
        };
        Self {
            scaled: room(todo.scaled, shape.n_k),
            tempered: room(todo.tempered, shape.n_k),
            masked: room(todo.masked, shape.n_k),
            weights: again(&mut buffers.weights, todo.weights, shape.n_k),
            head_output: again(&mut buffers.head_output, todo.head_output, shape.d_v),
            summaries: vec![Summary::EMPTY; rows],
            permitted: Vec::with_capacity(rows),
        }
    }
}

struct Pass<'a> {
    input: &'a Input<'a>,
    shape: &'a Shape,
    todo: &'a Todo,
    permitted: Permitted,
    /// The head's keys as panels.
    k: &'a mut [f32],
    /// The head's values as panels.
    v: &'a mut [f32],
    scratch: &'a mut [f32],
    /// Scores of a block, which become its weights.
    block: &'a mut [f32],
    compact: &'a mut [f32],
    written: Written,
}

impl Pass<'_> {
    /// Some rows of one head.
    fn block(&mut self, head: usize, queries: Range<usize>) -> Result<(), ProblemError> {
        let Shape { n_q, n_k, d_k, d_v, .. } = *self.shape;
        let Self { input, todo, permitted, k, v, scratch, compact, written, .. } = self;
        let first = head * n_q + queries.start;
        let count = queries.len();
        let cells = first * n_k..(first + count) * n_k;
        let counts = permitted.counts(head, queries.clone());
        let reach = permitted.reach(head, queries.clone());
        // Where they stay: no copy of them is made later.
        let block =
            if todo.weights { part(&mut written.weights, cells.clone()) } else { &mut self.block[..cells.len()] };

        let known = input.tempered.or(input.scaled).or(input.raw).map(|stage| &stage[cells.clone()]);
        match known {
            Some(scores) => block.copy_from_slice(scores),
            None => {
                let q = Rows { numbers: &input.q[first * d_k..][..count * d_k], width: d_k, used: d_k };
                let columns = if todo.all_scores { n_k } else { reach };
                multiply(q, Panels::new(k, d_k), block, n_k, columns, scratch);
            }
        }
        if input.tempered.is_none() {
            if input.scaled.is_none() {
                scale(block, input.scale);
            }
            append(todo.scaled, &mut written.scaled, block);
            divide(block, input.temperature);
        }
        append(todo.tempered, &mut written.tempered, block);
        // A product that overflowed is refused, never shown. Permitted ones are seen by softmax.
        let not_finite = |at: usize| ProblemError::NotFinite { what: "scores", index: first * n_k + at };
        if todo.all_scores && !input.mask.is_none() && !all_finite(block) {
            return Err(not_finite(block.iter().position(|score| !score.is_finite()).unwrap_or(0)));
        }

        let summaries = &mut written.summaries[first..first + count];
        let one_by_one = input.mask.bias.is_some() || queries.clone().any(|q| permitted.list(head, q).is_some());
        if !one_by_one {
            if todo.masked {
                let start = written.masked.len();
                written.masked.extend_from_slice(block);
                for (row, &count) in written.masked[start..].chunks_exact_mut(n_k).zip(counts) {
                    row[count..].fill(f32::NEG_INFINITY);
                }
            }
            if !softmax_rows(block, n_k, counts, summaries) {
                return Err(not_finite(first_not_finite(block, n_k, counts)));
            }
        } else {
            let first_keys: Vec<usize> = (0..n_k).collect();
            for (at, row) in block.chunks_exact_mut(n_k).enumerate() {
                let query = queries.start + at;
                let keys = permitted.list(head, query).unwrap_or(&first_keys[..counts[at]]);
                let compact = &mut compact[..keys.len()];
                gather(row, keys, compact);
                if input.mask.bias.is_some() {
                    for (score, &key) in compact.iter_mut().zip(keys) {
                        *score += input.mask.added(head, query, key);
                    }
                }
                if todo.masked {
                    let masked = extend(&mut written.masked, n_k);
                    scatter(compact, keys, f32::NEG_INFINITY, masked);
                }
                let length = compact.len();
                if !softmax_rows(compact, length, &[length], &mut summaries[at..]) {
                    let key = compact.iter().zip(keys).find(|(score, _)| !score.is_finite());
                    return Err(not_finite(at * n_k + key.map_or(0, |(_, &key)| key)));
                }
                scatter(compact, keys, 0.0, row);
            }
        }
        if todo.head_output {
            let weights = Rows { numbers: block, width: n_k, used: reach };
            let output = part(&mut written.head_output, first * d_v..(first + count) * d_v);
            multiply(weights, Panels::new(v, n_k), output, d_v, d_v, scratch);
        }
        written.permitted.extend(counts.iter().map(|&count| u32::try_from(count).unwrap_or(u32::MAX)));
        Ok(())
    }
}

/// These numbers, where they are or as the next ones at the end. A block at a time: zeroing then only brings into the
/// cache what is written next.
fn part(rows: &mut Vec<f32>, range: Range<usize>) -> &mut [f32] {
    if rows.len() < range.end {
        rows.resize(range.end, 0.0);
    }
    &mut rows[range]
}

/// `count` further numbers at the end.
fn extend(rows: &mut Vec<f32>, count: usize) -> &mut [f32] {
    let start = rows.len();
    rows.resize(start + count, 0.0);
    &mut rows[start..]
}

fn append(wanted: bool, rows: &mut Vec<f32>, block: &[f32]) {
    if wanted {
        rows.extend_from_slice(block);
    }
}

/// The first permitted score that is infinite or NaN; rows before it have become weights, which are finite.
fn first_not_finite(block: &[f32], width: usize, counts: &[usize]) -> usize {
    let is_bad = |row: &[f32], count: usize| row[..count].iter().position(|score| !score.is_finite());
    let mut rows = block.chunks_exact(width).zip(counts).enumerate();
    rows.find_map(|(at, (row, &count))| is_bad(row, count).map(|key| at * width + key)).unwrap_or(0)
}
