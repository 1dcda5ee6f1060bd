//! Positions added to the input: none, the toy's own, sinusoids, or a learned table (here: a seeded one).

use super::embedding::{embed, rounded};
use super::{D_MODEL, problem::ProblemError};
use crate::tensor::Matrix;
use crate::tensor::random::SplitMix64;
use crate::text::Token;

/// Positions that a learned table knows. Beyond them it has no row, and no formula that could make one.
pub const LEARNED_LENGTH: usize = 64;

/// What is added to an embedding because of its place.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Positions {
    /// Nothing.
    None,
    /// Eight pairs of base 2 in 16 dimensions of their own, which the constructed heads are made for.
    #[default]
    Toy,
    /// Vaswani et al. 2017, section 3.5, over all 64 dimensions.
    Sinusoidal {
        /// 10,000 in the paper.
        base: f64,
    },
    /// A table of [`LEARNED_LENGTH`] rows of 64, uniform with variance 1/4. Nothing trained it: it shows what a table is.
    Learned {
        /// Of the table.
        seed: u32,
    },
}

/// Embeds tokens, `[n, 64]`, with these positions; a token's position is its index.
///
/// # Errors
/// [`ProblemError::Shape`] when a learned table has no row for the last token.
pub fn embed_at(tokens: &[Token], positions: Positions) -> Result<Matrix<f32>, ProblemError> {
    let n = tokens.len();
    let added = match positions {
        Positions::None | Positions::Toy => return Ok(embed(tokens, positions == Positions::Toy)),
        Positions::Sinusoidal { base } => sinusoidal(n, D_MODEL, base),
        Positions::Learned { seed } => learned(n, seed)?,
    };
    Ok(embed(tokens, false) + &added)
}

/// PE(p, 2m) = sin(p ÷ base^(2m/d)), PE(p, 2m + 1) = cos of the same, `[n, width]`; computed in f64, rounded once.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "positions and widths are small")]
pub fn sinusoidal(n: usize, width: usize, base: f64) -> Matrix<f32> {
    Matrix::from_shape_fn((n, width), |(p, c)| {
        let angle = p as f64 / base.powf((c - c % 2) as f64 / width as f64);
        rounded(if c % 2 == 0 { angle.sin() } else { angle.cos() })
    })
}

/// The first n rows of the table of `seed`, `[n, 64]`.
///
/// # Errors
/// [`ProblemError::Shape`] when it has fewer.
pub fn learned(n: usize, seed: u32) -> Result<Matrix<f32>, ProblemError> {
    if n > LEARNED_LENGTH {
        let (got, want) = (vec![n, D_MODEL], vec![LEARNED_LENGTH, D_MODEL]);
        return Err(ProblemError::Shape { what: "learned positions", got, want });
    }
    let mut random = SplitMix64::new(u64::from(seed) | 4 << 32);
    Ok(Matrix::from_shape_simple_fn((n, D_MODEL), || (2.0 * random.next_unit() - 1.0) * 0.75_f32.sqrt()))
}
