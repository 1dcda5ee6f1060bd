//! softmax of the permitted scores of one row. Forbidden keys are not here at all: the caller leaves them out.

use super::exp::{exp, exp4};
use super::lanes::{Lanes, WIDTH};

/// What softmax learns of a row besides its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowSummary {
    /// Largest score; −∞ for an empty row.
    pub max: f32,
    /// 1 ÷ Σ exp(score − max); 0 for an empty row.
    pub inverse_sum: f32,
    /// −Σ w ln w in nats; 0 for an empty row.
    pub entropy: f32,
}

/// Turns scores into weights, in place. `None` when a score is infinite or NaN (products that overflowed f32).
///
/// The largest score is always subtracted first, so no exponential overflows and the sum is at least 1.
/// Entropy comes from the same pass: H = ln Σ − Σ e·(s − max) / Σ, which never drops below 0.
pub fn softmax(scores: &mut [f32]) -> Option<RowSummary> {
    if scores.is_empty() {
        return Some(RowSummary { max: f32::NEG_INFINITY, inverse_sum: 0.0, entropy: 0.0 });
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
    Some(RowSummary { max, inverse_sum, entropy: sum.ln() - spread * inverse_sum })
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
