//! The constructed model for long texts: four heads whose weights are made by hand, not trained.
//!
//! x = code + slope + near + const + first, 130 numbers a token, in disjoint dimensions. Each head is a plain bilinear
//! form x_i W_Q · x_j W_K ÷ √64. With n tokens, i the query, j the key and δ = i − j:
//!
//! | head | score | what it looks at |
//! | --- | --- | --- |
//! | same word | 24 · c_i·c_j | every place of its own word, itself among them, all alike |
//! | recent same word | 24 · c_i·c_j + 12 · tri(δ) | the same, the nearer the more |
//! | local window | 40 · near(δ) | the tokens around it, itself most |
//! | first token | 14 · first_j | the first token of the text |
//!
//! - **c** is an identity code of 48 signs ± 1/√48 from the token's hash: c_i·c_j is 1 for equal words and about
//!   0 ± 0.14 for others. Another word's weight is e^(24 · c_i·c_j − 24) of an equal one's: with 16,384 other words
//!   all of them together get about 16,384 · e^(24²/96 − 24) = 0.0003 of it.
//! - **tri(δ)** = (8/π²) Σ_{m<8} cos((2m + 1)πδ/n) ÷ (2m + 1)²: eight terms of the triangle 1 − 2|δ|/n, a distance slope of
//!   24 over the length of the text.
//! - **near(δ)** = (1/32) Σ_k cos(ω_k δ), ω_k drawn once from a normal distribution of deviation 1/48: about e^(−δ²/2·48²), so
//!   that the weights are a bell of deviation 48/√40 = 7.6 tokens; all keys farther than 100 tokens away together get less
//!   than a thousand-millionth of its height.
//!
//! Values are the codes, so an output is the weighted mean of the codes looked at. No head is trained and none is taken from
//! a model.

use super::embedding::rounded;
use super::problem::Weights;
use crate::tensor::Matrix;
use crate::tensor::angle::cos_sin;
use crate::tensor::random::SplitMix64;
use crate::text::Token;
use std::f64::consts::PI;
use std::ops::Range;

/// What a constructed head for long texts does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Looks at every place of the same word.
    SameWord,
    /// Looks at the same word, the nearer the more.
    RecentSameWord,
    /// Looks at the tokens around.
    LocalWindow,
    /// Looks at the first token of the text.
    FirstToken,
}

/// The roles of heads 1 to 4.
pub const ROLES: [Role; 4] = [Role::SameWord, Role::RecentSameWord, Role::LocalWindow, Role::FirstToken];

/// ± 1/√48 from the token's hash.
const CODE: Range<usize> = 0..48;
/// Pairs of the triangle.
const SLOPE: Range<usize> = CODE.end..CODE.end + 2 * HARMONICS;
/// Pairs of the bell.
const NEAR: Range<usize> = SLOPE.end..SLOPE.end + 2 * WAVES;
/// 1 for every token.
const CONST: usize = NEAR.end;
/// 1 for the first token.
const FIRST: usize = CONST + 1;
/// Width of an embedding.
pub const D_DOCUMENT: usize = FIRST + 1;
/// Width of a query and of a key; a value has the width of a code.
pub const D_HEAD: usize = 64;

const HARMONICS: usize = 8;
const WAVES: usize = 32;
/// Deviation of the bell near(δ), in tokens.
const NEAR_WIDTH: f64 = 48.0;
/// The seed of the frequencies of near(δ): of the first thousand the one whose bell has the quietest surroundings.
const NEAR_SEED: u64 = 537;

/// Logits, after the scale 1/√d_k.
const SAME: f64 = 24.0;
const NEARER: f64 = 12.0;
const WINDOW: f64 = 40.0;
const SINK: f64 = 14.0;

/// Embeds the tokens of a text, `[n, 130]`; computed in f64 and rounded once.
#[must_use]
pub fn embed(tokens: &[Token]) -> Matrix<f32> {
    let mut x = Matrix::zeros((tokens.len(), D_DOCUMENT));
    let waves = waves(NEAR_SEED);
    for (position, (token, mut row)) in tokens.iter().zip(x.rows_mut()).enumerate() {
        for (cell, sign) in row.iter_mut().zip(code(token.identity)) {
            *cell = sign;
        }
        let harmonics = (0..HARMONICS).map(|m| harmonic(m, tokens.len()));
        for (pair, turns) in harmonics.chain(waves).enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "positions are small")]
            let (cos, sin) = cos_sin(turns * position as f64);
            row[SLOPE.start + 2 * pair] = rounded(cos);
            row[SLOPE.start + 2 * pair + 1] = rounded(sin);
        }
        row[CONST] = 1.0;
        row[FIRST] = if position == 0 { 1.0 } else { 0.0 };
    }
    x
}

/// The identity code of a token: 48 signs, a vector of length 1.
pub fn code(identity: u64) -> impl Iterator<Item = f32> {
    let bits = SplitMix64::new(identity).next_u64();
    let size = rounded(1.0 / 48.0_f64.sqrt());
    CODE.map(move |k| if bits >> k & 1 == 1 { size } else { -size })
}

/// Quarter turns a token of harmonic `m` of the triangle: (2m + 1)π/n.
#[expect(clippy::cast_precision_loss, reason = "both are small")]
fn harmonic(m: usize, n: usize) -> f64 {
    2.0 * (2 * m + 1) as f64 / n.max(1) as f64
}

/// Quarter turns a token of the waves of near(δ): normal numbers, each a sum of twelve uniform ones less 6.
fn waves(seed: u64) -> [f64; WAVES] {
    let mut random = SplitMix64::new(seed);
    std::array::from_fn(|_| {
        let normal = (0..12).map(|_| f64::from(random.next_unit())).sum::<f64>() - 6.0;
        normal / NEAR_WIDTH * (2.0 / PI)
    })
}

/// The constructed weights: h = 4, d_k = 64, d_v = 48. W_O brings the mean of the heads' codes back to the code's place.
#[must_use]
pub fn weights() -> Weights {
    let (heads, d_v) = (ROLES.len(), CODE.len());
    let mut w_q = Matrix::zeros((D_DOCUMENT, heads * D_HEAD));
    let mut w_k = Matrix::zeros((D_DOCUMENT, heads * D_HEAD));
    for (head, role) in ROLES.into_iter().enumerate() {
        // A term a·u_i·u_j of the score needs √(a·√d_k) on either side.
        #[expect(clippy::cast_precision_loss, reason = "a width")]
        let mut term = |from: usize, to: usize, column: usize, logit: f64| {
            let root = (logit * (D_HEAD as f64).sqrt()).sqrt();
            w_q[[from, head * D_HEAD + column]] = rounded(root);
            w_k[[to, head * D_HEAD + column]] = rounded(root);
        };
        match role {
            Role::SameWord => CODE.for_each(|at| term(at, at, at, SAME)),
            Role::RecentSameWord => {
                CODE.for_each(|at| term(at, at, at, SAME));
                for at in SLOPE {
                    #[expect(clippy::cast_precision_loss, reason = "a small odd number")]
                    let odd = ((at - SLOPE.start) / 2 * 2 + 1) as f64;
                    term(at, at, at, NEARER * 8.0 / (PI * odd).powi(2));
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "a number of waves")]
            Role::LocalWindow => NEAR.for_each(|at| term(at, at, at - NEAR.start, WINDOW / WAVES as f64)),
            Role::FirstToken => term(CONST, FIRST, 0, SINK),
        }
    }
    let w_v = Matrix::from_shape_fn((D_DOCUMENT, heads * d_v), |(row, column)| f32::from(row == column % d_v));
    let share = 1.0 / 4.0;
    let w_o =
        Matrix::from_shape_fn((heads * d_v, D_DOCUMENT), |(row, column)| if row % d_v == column { share } else { 0.0 });
    Weights { heads, w_q, w_k, w_v, w_o }
}
