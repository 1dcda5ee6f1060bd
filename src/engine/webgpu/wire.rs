//! A problem on its way from the page to the module that drives the device: words of 32 bits, floats by their bits.
//!
//! The two are separate programs with separate memories. Arrays that the other side has already are not sent again; the
//! mask is folded into bits and finite numbers here, so that no −∞ ever reaches a shader.

use crate::attention::{Mask, Problem, Shape, Source, Stage};
use crate::engine::Want;
use ndarray::{Array, Dimension};

/// How a device learns which cells are permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaskKind {
    /// All are.
    None,
    /// Key ≤ query.
    Causal,
    /// By bits, one grid for all heads or one a head.
    #[expect(missing_docs, reason = "named for what it says")]
    Bits { by_head: bool },
}

/// Flags of the first word.
const GIVEN: u32 = 1;
const KEEP: u32 = 2;
const CAUSAL: u32 = 8;
const BITS: u32 = 16;
const BITS_BY_HEAD: u32 = 32;
const BIAS: u32 = 64;
const BIAS_BY_HEAD: u32 = 128;

/// Words before the arrays.
const HEADER: usize = 10;

/// Words of a row of mask bits.
#[must_use]
pub const fn bits_row(n_k: usize) -> usize {
    n_k.div_ceil(32)
}

/// Writes `problem`, which is valid and of `shape`. The arrays of a source that is the same as `last` are left out: the
/// receiver keeps what it received.
#[must_use]
pub fn encode(problem: &Problem, shape: &Shape, want: &Want, last: Option<&Source>) -> Vec<u32> {
    let mask = &problem.mask;
    // A bias may forbid, by −∞.
    let by_bits = mask.keys.is_some()
        || mask.rule.is_some()
        || !mask.cells.is_empty()
        || mask.given.is_some()
        || mask.bias.is_some();
    let mut flags = 0;
    let mut flag = |yes: bool, flag: u32| flags |= if yes { flag } else { 0 };
    flag(mask.causal && !by_bits, CAUSAL);
    flag(by_bits, BITS);
    flag(by_bits && mask.depends_on_head(), BITS_BY_HEAD);
    flag(mask.bias.is_some(), BIAS);
    flag(mask.bias.as_ref().is_some_and(|bias| bias.dim().0 > 1), BIAS_BY_HEAD);
    let keep = last.is_some_and(|last| problem.source.is_same(last));
    flag(matches!(problem.source, Source::Given { .. }), GIVEN);
    flag(keep, KEEP);
    let Shape { heads, n_q, n_k, d_k, d_v, d_model } = *shape;
    let mut words = vec![flags];
    words.extend([heads, n_q, n_k, d_k, d_v, d_model].map(word));
    words.extend([problem.scale.to_bits(), problem.temperature.to_bits()]);
    words.push(Stage::ALL.iter().fold(0, |bits, &stage| bits | (u32::from(want.has(stage)) << (stage as u32))));
    match &problem.source {
        _ if keep => {}
        Source::Embedded { x_q, x_k, weights: w } => {
            for matrix in [x_q, x_k, &w.w_q, &w.w_k, &w.w_v, &w.w_o] {
                append(&mut words, matrix);
            }
        }
        Source::Given { q, k, v } => {
            for array in [q, k, v] {
                append(&mut words, array);
            }
        }
    }
    if by_bits {
        append_bits(&mut words, mask, shape);
    }
    if let Some(bias) = &mask.bias {
        words.extend(bias.iter().map(|bias| if bias.is_finite() { bias.to_bits() } else { 0 }));
    }
    words
}

fn word(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn append<D: Dimension>(words: &mut Vec<u32>, array: &Array<f32, D>) {
    words.extend(array.as_standard_layout().as_slice().unwrap_or_default().iter().map(|number| number.to_bits()));
}

/// Every permitted cell as a bit, low bits first, rows to whole words.
fn append_bits(words: &mut Vec<u32>, mask: &Mask, shape: &Shape) {
    let mut row = vec![false; shape.n_k];
    for head in 0..if mask.depends_on_head() { shape.heads } else { 1 } {
        for query in 0..shape.n_q {
            mask.fill_row(head, query, &mut row);
            words.extend(
                row.chunks(32)
                    .map(|keys| keys.iter().enumerate().fold(0, |bits, (at, &may)| bits | (u32::from(may) << at))),
            );
        }
    }
}

/// A problem as the other side reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Sizes.
    pub shape: Shape,
    /// What is to be handed back.
    pub want: Want,
    /// What raw scores are multiplied by.
    pub scale: f32,
    /// What scaled scores are divided by.
    pub temperature: f32,
    /// How the mask is given.
    pub mask: MaskKind,
    /// Mask bits, `[1 or heads, n_q, bits_row]`; empty where there are none.
    pub bits: Vec<u32>,
    /// Bias, `[1 or heads, n_q, n_k]`, finite; empty where there is none.
    pub bias: Vec<f32>,
    /// x_q, x_k, W_Q, W_K, W_V and W_O, or q, k and v, as they stand in the problem; `None`: those of the request before.
    pub arrays: Option<Vec<Vec<f32>>>,
}

impl Request {
    /// Whether there is a bias for each head.
    #[must_use]
    pub const fn bias_by_head(&self) -> bool {
        self.bias.len() > self.shape.n_q * self.shape.n_k
    }
}

/// Reads what [`encode`] wrote; `None` where the words are too few or too many.
#[must_use]
pub fn decode(words: &[u32]) -> Option<Request> {
    let (header, rest) = words.split_at_checked(HEADER)?;
    let flags = header[0];
    let has = |flag: u32| flags & flag != 0;
    let size = |at: usize| usize::try_from(header[at]).ok();
    let shape =
        Shape { heads: size(1)?, n_q: size(2)?, n_k: size(3)?, d_k: size(4)?, d_v: size(5)?, d_model: size(6)? };
    let Shape { heads, n_q, n_k, d_k, d_v, d_model } = shape;
    let wanted: Vec<Stage> = Stage::ALL.into_iter().filter(|&stage| header[9] >> (stage as u32) & 1 == 1).collect();
    let mut reader = Reader(rest);
    let (wide_k, wide_v) = (d_model * heads * d_k, d_model * heads * d_v);
    let embedded = [n_q * d_model, n_k * d_model, wide_k, wide_k, wide_v, wide_v];
    let given = [heads * n_q * d_k, heads * n_k * d_k, heads * n_k * d_v];
    let sizes: &[usize] = if has(GIVEN) { &given } else { &embedded };
    let arrays = if has(KEEP) { None } else { Some(reader.arrays(sizes)?) };
    let grids = |by_head: u32| if has(by_head) { heads } else { 1 };
    let bits = if has(BITS) { grids(BITS_BY_HEAD) * n_q * bits_row(n_k) } else { 0 };
    let bits = reader.take(bits)?.to_vec();
    let bias = reader.floats(if has(BIAS) { grids(BIAS_BY_HEAD) * n_q * n_k } else { 0 })?;
    let mask = match (has(BITS), has(CAUSAL)) {
        (true, _) => MaskKind::Bits { by_head: has(BITS_BY_HEAD) },
        (false, true) => MaskKind::Causal,
        (false, false) => MaskKind::None,
    };
    let request = Request {
        shape,
        want: Want::only(&wanted),
        scale: f32::from_bits(header[7]),
        temperature: f32::from_bits(header[8]),
        mask,
        bits,
        bias,
        arrays,
    };
    reader.0.is_empty().then_some(request)
}

struct Reader<'a>(&'a [u32]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u32]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn floats(&mut self, count: usize) -> Option<Vec<f32>> {
        Some(self.take(count)?.iter().map(|&bits| f32::from_bits(bits)).collect())
    }

    fn arrays(&mut self, sizes: &[usize]) -> Option<Vec<Vec<f32>>> {
        sizes.iter().map(|&size| self.floats(size)).collect()
    }
}
