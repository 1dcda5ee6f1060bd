//! From codes of weights to pixels: a logarithmic scale that reaches from a map's largest weight down.

use crate::picture::scale::FORBIDDEN;
use crate::picture::{Palette, ScaleName, Theme};
use crate::tensor::pyramid::log2_of;

/// Powers of two that a scale reaches down, at most: a sixteen-thousandth of the largest weight has the last colour.
const REACH: f32 = 14.0;

/// The ends of a scale, as log₂ of weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    /// The smallest weight with a colour of its own.
    pub low: f32,
    /// The largest.
    pub high: f32,
}

impl Ends {
    /// Of the codes of a map: from its largest weight down to its smallest, but no farther than the reach.
    pub fn of(codes: &[u8]) -> Self {
        let high = codes.iter().copied().max().unwrap_or(255).max(2);
        let low = codes.iter().copied().filter(|&code| code > 0).min().unwrap_or(1).min(high - 1);
        let (high, low) = (log2_of(high), log2_of(low));
        Self { low: low.max(high - REACH), high }
    }
}

/// The colour of every code, RGBA; 0 is nothing, or forbidden where a mask is on.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the scale's 252 steps")]
pub fn colours(theme: Theme, ends: Ends, masked: bool) -> [[u8; 4]; 256] {
    let scale = Palette::of(theme).lut(ScaleName::Sequential);
    let mut table = [[0; 4]; 256];
    for (code, colour) in (0..=255_u8).zip(&mut table) {
        let share = ((log2_of(code) - ends.low) / (ends.high - ends.low)).clamp(0.0, 1.0);
        let entry = match code {
            0 if masked => FORBIDDEN,
            0 => 0,
            _ => (share * 252.0) as u8,
        };
        let rgb = scale[usize::from(entry)];
        *colour = [rgb.0, rgb.1, rgb.2, 255];
    }
    table
}
