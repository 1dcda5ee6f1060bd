//! x = content + position + identity: the embedding of a token in its place.
//!
//! Owns where each part lies in the 64 dimensions and how it is filled. Owns no words: a token brings its features and
//! its identity with it.

use super::D_MODEL;
use crate::tensor::Matrix;
use crate::tensor::angle::cos_sin;
use crate::tensor::random::SplitMix64;
use crate::text::{Feature, Token, TokenKind};
use std::ops::Range;

/// One dimension per [`Feature`], 0 or 1; the last of the 32 is spare.
pub const CONTENT: Range<usize> = 0..32;
/// [`PAIRS`] pairs (cos ω_m p, sin ω_m p) of the position p.
pub const POSITION: Range<usize> = 32..48;
/// A code of ±1/4 from the token's hash: a vector of length 1.
pub const IDENTITY: Range<usize> = 48..D_MODEL;
/// Number of position pairs.
pub const PAIRS: usize = 8;

/// ω_m = 1/2^m quarter turns (π/2) per token: the frequency of position pair `m`, with a period of 4·2^m tokens.
#[must_use]
pub fn frequency(m: usize) -> f64 {
    (0..m).fold(1.0, |turns, _| turns / 2.0)
}

/// Embeds tokens, `[n, 64]`; the position of a token is its index in the list. Without positions P = 0.
///
/// `<PAD>` has `const` and its identity only, as it brings no features; every token has `const`.
/// Computed in f64 and rounded once.
#[must_use]
pub fn embed(tokens: &[Token], positions: bool) -> Matrix<f32> {
    let mut x = Matrix::zeros((tokens.len(), D_MODEL));
    for (position, (token, mut row)) in tokens.iter().zip(x.rows_mut()).enumerate() {
        let full = add(add(content(token), &identity(token)), &place(if positions { Some(position) } else { None }));
        for (cell, value) in row.iter_mut().zip(full) {
            *cell = rounded(value);
        }
    }
    x
}

type Wide = [f64; D_MODEL];

/// The three parts have disjoint supports, so this is a true addition in which nothing is lost.
fn add(mut sum: Wide, part: &Wide) -> Wide {
    for (cell, value) in sum.iter_mut().zip(part) {
        *cell += value;
    }
    sum
}

fn content(token: &Token) -> Wide {
    let mut part = [0.0; D_MODEL];
    let features = token.features.with(Feature::Const, true).with(Feature::Bos, matches!(token.kind, TokenKind::Bos));
    for feature in features.iter() {
        part[CONTENT.start + feature as usize] = 1.0;
    }
    part
}

#[expect(clippy::cast_precision_loss, reason = "positions are small")]
fn place(position: Option<usize>) -> Wide {
    let mut part = [0.0; D_MODEL];
    if let Some(position) = position {
        for m in 0..PAIRS {
            let (cos, sin) = cos_sin(frequency(m) * position as f64);
            part[POSITION.start + 2 * m] = cos;
            part[POSITION.start + 2 * m + 1] = sin;
        }
    }
    part
}

fn identity(token: &Token) -> Wide {
    let mut part = [0.0; D_MODEL];
    let bits = SplitMix64::new(token.identity).next_u64();
    for (k, cell) in part[IDENTITY].iter_mut().enumerate() {
        *cell = if bits >> k & 1 == 1 { 0.25 } else { -0.25 };
    }
    part
}

/// The nearest f32.
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what it is for")]
pub(super) const fn rounded(value: f64) -> f32 {
    value as f32
}
