//! softmax of the permitted scores of one row. Forbidden keys are not here at all: the caller leaves them out.

use crate::exp::{exp, exp4};
use crate::lanes::{Lanes, WIDTH};

/// What softmax learns of a row besides its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Largest score; −∞ for an empty row.
    pub max: f32,
    /// Σ e with e = exp(score − max); 0 for an empty row, else at least 1.
    pub sum: f32,
    /// 1 ÷ sum; 0 for an empty row.
    pub inverse_sum: f32,
    /// Σ e·(score − max), at most 0.
    pub spread: f32,
}

/// Turns scores into weights, in place. `None` when a score is infinite or NaN (products that overflowed f32).
///
/// The largest score is always subtracted first, so no exponential overflows and the sum is at least 1.
/// Entropy comes from the same pass: H = ln sum − spread ÷ sum, which never drops below 0.
#[inline(never)]
pub fn softmax(scores: &mut [f32]) -> Option<Summary> {
    if scores.is_empty() {
        return Some(Summary { max: f32::NEG_INFINITY, sum: 0.0, inverse_sum: 0.0, spread: 0.0 });
    }
    let max = largest(scores)?;
    let shift = Lanes::splat(max);
    let (mut sums, mut spreads) = (Lanes::splat(0.0), Lanes::splat(0.0));
    let (fours, singles) = scores.as_chunks_mut::<WIDTH>();
    for four in fours {
        let below = Lanes::from_array(four) - shift;
        let e = exp4(below);
        sums = sums + e;
        spreads = spreads + e * below;
        *four = e.to_array();
    }
    let (mut sum, mut spread) = (sums.sum(), spreads.sum());
    for single in singles {
        let below = *single - max;
        *single = exp(below);
        sum += *single;
        spread += *single * below;
    }
    let inverse_sum = 1.0 / sum;
    let factor = Lanes::splat(inverse_sum);
    let (fours, singles) = scores.as_chunks_mut::<WIDTH>();
    for four in fours {
        *four = (Lanes::from_array(four) * factor).to_array();
    }
    for single in singles {
        *single *= inverse_sum;
    }
    Some(Summary { max, sum, inverse_sum, spread })
}

/// The largest score, when all are finite.
fn largest(scores: &[f32]) -> Option<f32> {
    let (fours, singles) = scores.as_chunks::<WIDTH>();
    let (mut max, mut zeros) = (Lanes::splat(f32::NEG_INFINITY), Lanes::splat(0.0));
    let zero = Lanes::splat(0.0);
    for four in fours {
        let four = Lanes::from_array(four);
        max = max.max(four);
        // 0 · x is 0 for every finite x and NaN for the rest; a NaN stays in the sum.
        zeros = zeros + zero * four;
    }
    let (mut max, mut zeros) = (max.largest(), zeros.sum());
    for &single in singles {
        max = max.max(single);
        zeros += 0.0 * single;
    }
    (zeros == 0.0).then_some(max)
}
