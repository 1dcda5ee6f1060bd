//! softmax of the permitted scores of rows. Forbidden keys take no part: they stand behind the others, or the caller
//! leaves them out.

use crate::exp::Exp;
use crate::lanes::{Lanes, WIDTH};
use crate::ln::ln4;
use core::ops::Range;

/// What softmax learns of a row besides its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Summary {
    /// Largest score; −∞ for an empty row.
    pub max: f32,
    /// 1 ÷ Σ e with e = exp(score − max); 0 for an empty row.
    pub inverse_sum: f32,
    /// −Σ w ln w in nats, at least 0.
    pub entropy: f32,
}

impl Summary {
    /// Of a row without a permitted key.
    pub const EMPTY: Self = Self { max: f32::NEG_INFINITY, inverse_sum: 0.0, entropy: 0.0 };
}

/// Turns rows of `width` scores into weights, in place: of each row the keys that `permitted` says (by its number) take
/// part, the rest becomes 0.
///
/// As many summaries are written as there are rows. `false` when a permitted score is infinite or NaN (products that
/// overflowed f32); the rows from that one on are then as they were.
#[inline(always)]
pub fn softmax_ranges(
    rows: &mut [f32],
    width: usize,
    permitted: impl Fn(usize) -> Range<usize>,
    summaries: &mut [Summary],
) -> bool {
    let mut rows = rows.chunks_exact_mut(width.max(1)).enumerate();
    for summaries in summaries.chunks_mut(WIDTH) {
        // Entropies come four at a time: H = ln Σ e − spread ÷ Σ e.
        let (mut sums, mut shares) = ([1.0; WIDTH], [0.0; WIDTH]);
        for ((summary, (at, row)), (sum, share)) in
            summaries.iter_mut().zip(&mut rows).zip(sums.iter_mut().zip(&mut shares))
        {
            let keys = permitted(at);
            let Some(of_row) = softmax(&mut row[keys.clone()]) else { return false };
            row[..keys.start].fill(0.0);
            row[keys.end..].fill(0.0);
            (summary.max, summary.inverse_sum) = (of_row.max, of_row.inverse_sum);
            (*sum, *share) = (of_row.sum, of_row.spread * of_row.inverse_sum);
        }
        let entropies = (ln4(Lanes::from_array(&sums)) - Lanes::from_array(&shares)).to_array();
        for (summary, entropy) in summaries.iter_mut().zip(entropies) {
            summary.entropy = entropy;
        }
    }
    true
}

/// The same where the first `lengths[r]` keys of row r are permitted.
#[inline(never)]
#[must_use]
pub fn softmax_rows(rows: &mut [f32], width: usize, lengths: &[usize], summaries: &mut [Summary]) -> bool {
    softmax_ranges(rows, width, |row| 0..lengths[row], summaries)
}

/// Largest score, Σ e with e = exp(score − max), at least 1, its inverse, and Σ e·(score − max), at most 0.
struct OfRow {
    max: f32,
    sum: f32,
    inverse_sum: f32,
    spread: f32,
}

/// Turns scores into weights, in place. `None` when a score is infinite or NaN.
///
/// The largest score is always subtracted first, so no exponential overflows and the sum is at least 1.
#[inline(always)]
fn softmax(scores: &mut [f32]) -> Option<OfRow> {
    if scores.is_empty() {
        return Some(OfRow { max: f32::NEG_INFINITY, sum: 1.0, inverse_sum: 0.0, spread: 0.0 });
    }
    let max = largest(scores)?;
    let (exp, shift) = (Exp::new(), Lanes::splat(max));
    let (mut sums, mut spreads) = (Lanes::splat(0.0), Lanes::splat(0.0));
    let (fours, singles) = scores.as_chunks_mut::<WIDTH>();
    for four in fours {
        let below = Lanes::from_array(four) - shift;
        let e = exp.of(below);
        sums = sums + e;
        spreads = e.times_plus(below, spreads);
        *four = e.to_array();
    }
    let (mut sum, mut spread) = (sums.sum(), spreads.sum());
    if !singles.is_empty() {
        let below = load(singles) - shift;
        let e = exp.of(below).to_array();
        for ((single, e), below) in singles.iter_mut().zip(e).zip(below.to_array()) {
            *single = e;
            sum += e;
            spread += e * below;
        }
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
    Some(OfRow { max, sum, inverse_sum, spread })
}

/// The largest score, when all are finite; there is at least one.
#[inline(always)]
fn largest(scores: &[f32]) -> Option<f32> {
    let (fours, singles) = scores.as_chunks::<WIDTH>();
    let (mut max, mut zeros) = (Lanes::splat(f32::NEG_INFINITY), Lanes::splat(0.0));
    let zero = Lanes::splat(0.0);
    let mut see = |four: Lanes| {
        max = max.max(four);
        // 0 · x is 0 for every finite x and NaN for the rest; a NaN stays in the sum.
        zeros = zero.times_plus(four, zeros);
    };
    for four in fours {
        see(Lanes::from_array(four));
    }
    if let [first, ..] = singles {
        // The first one again where there are fewer than four.
        see(load_over(singles, *first));
    }
    (zeros.sum() == 0.0).then(|| max.largest())
}

/// Fewer than four numbers and zeros.
#[inline(always)]
fn load(singles: &[f32]) -> Lanes {
    load_over(singles, 0.0)
}

#[inline(always)]
fn load_over(singles: &[f32], rest: f32) -> Lanes {
    let mut four = [rest; WIDTH];
    four.iter_mut().zip(singles).for_each(|(four, single)| *four = *single);
    Lanes::from_array(&four)
}
