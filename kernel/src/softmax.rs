//! softmax of the permitted scores of rows. Forbidden keys take no part: they stand behind the others, or the caller
//! leaves them out.

use crate::exp::{Exp, SMALLEST};
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

    /// The three numbers of many rows in arrays of their own, each as long as `rows`.
    #[inline(never)]
    pub fn unzip(rows: &[Self], max: &mut [f32], inverse_sum: &mut [f32], entropy: &mut [f32]) {
        for (((row, max), inverse_sum), entropy) in rows.iter().zip(max).zip(inverse_sum).zip(entropy) {
            (*max, *inverse_sum, *entropy) = (row.max, row.inverse_sum, row.entropy);
        }
    }
}

/// Turns rows of `width` scores into weights, in place: of each row the keys that `permitted` says (by its number) take
/// part, the rest becomes 0.
///
/// As many summaries are written as there are rows. `false` when a permitted score is infinite or NaN (products that
/// overflowed f32); the rows from that one on are then as they were, and so may be up to three rows before it.
#[inline(always)]
pub fn softmax_ranges(
    rows: &mut [f32],
    width: usize,
    permitted: impl Fn(usize) -> Range<usize>,
    summaries: &mut [Summary],
) -> bool {
    let exp = Exp::new();
    let groups = rows.chunks_mut((WIDTH * width).max(1)).zip(summaries.chunks_mut(WIDTH));
    for (first, (rows, summaries)) in (0..).step_by(WIDTH).zip(groups) {
        if !four_rows(&exp, rows, width, |row| permitted(first + row), summaries) {
            return false;
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

/// Up to four rows. What is known of a row once (largest score, sums, inverse, entropy) is computed for four at a time,
/// one lane each: for short rows that is most of the work.
///
/// The largest score is always subtracted first, so no exponential overflows and the sum is at least 1.
#[inline(always)]
fn four_rows(
    exp: &Exp,
    rows: &mut [f32],
    width: usize,
    permitted: impl Fn(usize) -> Range<usize>,
    summaries: &mut [Summary],
) -> bool {
    let (zero, least) = (Lanes::splat(0.0), Lanes::splat(f32::NEG_INFINITY));
    let (mut largest, mut not_finite) = ([least; WIDTH], zero);
    for ((at, row), largest) in rows.chunks_exact(width).enumerate().zip(&mut largest) {
        *largest = see(&row[permitted(at)], &mut not_finite);
    }
    if not_finite.has_a_bit() {
        return false;
    }
    let [a, b, c, d] = Lanes::transpose(largest);
    let max = a.max(b).max(c.max(d)).to_array();
    // Σ e with e = exp(score − max), which is 1 where nothing is permitted, and Σ e·(score − max).
    let (mut sums, mut spreads) = ([Lanes::from_array(&[1.0, 0.0, 0.0, 0.0]); WIDTH], [zero; WIDTH]);
    for ((at, row), max) in rows.chunks_exact_mut(width).enumerate().zip(max) {
        let scores = &mut row[permitted(at)];
        if !scores.is_empty() {
            (sums[at], spreads[at]) = exponentials(exp, scores, max);
        }
    }
    let sum = across(sums);
    let inverse = Lanes::splat(1.0) / sum;
    // H = ln Σ e − spread ÷ Σ e.
    let entropy = (ln4(sum) - across(spreads) * inverse).to_array();
    let inverse = inverse.to_array();
    for ((at, row), summary) in rows.chunks_exact_mut(width).enumerate().zip(summaries) {
        let keys = permitted(at);
        row[..keys.start].fill(0.0);
        row[keys.end..].fill(0.0);
        *summary = if keys.is_empty() {
            Summary::EMPTY
        } else {
            times(&mut row[keys], inverse[at]);
            Summary { max: max[at], inverse_sum: inverse[at], entropy: entropy[at] }
        };
    }
    true
}

/// The largest of every fourth score; `not_finite` gets a bit when one is infinite or NaN.
#[inline(always)]
#[expect(clippy::eq_op, reason = "x − x tells finite numbers from the rest")]
fn see(scores: &[f32], not_finite: &mut Lanes) -> Lanes {
    // Two chains, for one waits for its own last result longer than for its number.
    let mut largest = [Lanes::splat(f32::NEG_INFINITY); 2];
    let (eights, rest) = scores.as_chunks::<{ 2 * WIDTH }>();
    let mut take = |largest: &mut Lanes, four: Lanes| {
        *largest = largest.max(four);
        // x − x is 0, all bits, for every finite x and NaN for the rest.
        *not_finite = not_finite.or(four - four);
    };
    for eight in eights {
        let (fours, _) = eight.as_chunks::<WIDTH>();
        take(&mut largest[0], Lanes::from_array(&fours[0]));
        take(&mut largest[1], Lanes::from_array(&fours[1]));
    }
    let (fours, singles) = rest.as_chunks::<WIDTH>();
    for four in fours {
        take(&mut largest[0], Lanes::from_array(four));
    }
    if let [first, ..] = singles {
        // The first one again where there are fewer than four.
        take(&mut largest[1], load_over(singles, *first));
    }
    largest[0].max(largest[1])
}

/// Turns scores into e = exp(score − max), in place; Σ e and Σ e·(score − max) by lanes.
#[inline(always)]
fn exponentials(exp: &Exp, scores: &mut [f32], max: f32) -> (Lanes, Lanes) {
    let shift = Lanes::splat(max);
    let (mut sums, mut spreads) = (Lanes::splat(0.0), Lanes::splat(0.0));
    let mut take = |below: Lanes| {
        // Where e is 0 the distance may be infinite, and their product must be 0.
        let (e, inside) = exp.with_inside(below);
        sums = sums + e;
        spreads = e.times_plus(inside, spreads);
        e
    };
    let (fours, singles) = scores.as_chunks_mut::<WIDTH>();
    for four in fours {
        *four = take(Lanes::from_array(four) - shift).to_array();
    }
    if !singles.is_empty() {
        // So far below the limit that its exponential is 0.
        let rest = 2.0 * SMALLEST;
        let mut below = [rest; WIDTH];
        below.iter_mut().zip(singles.iter()).for_each(|(below, single)| *below = single - max);
        let e = take(Lanes::from_array(&below)).to_array();
        singles.iter_mut().zip(e).for_each(|(single, e)| *single = e);
    }
    (sums, spreads)
}

/// The sum of each of four registers, one lane each.
#[inline(always)]
fn across(of: [Lanes; WIDTH]) -> Lanes {
    let [a, b, c, d] = Lanes::transpose(of);
    (a + b) + (c + d)
}

/// x · factor, in place.
#[inline(always)]
fn times(numbers: &mut [f32], factor: f32) {
    let lanes = Lanes::splat(factor);
    let (fours, singles) = numbers.as_chunks_mut::<WIDTH>();
    for four in fours {
        *four = (Lanes::from_array(four) * lanes).to_array();
    }
    for single in singles {
        *single *= factor;
    }
}

/// Fewer than four numbers, and `rest`.
#[inline(always)]
fn load_over(singles: &[f32], rest: f32) -> Lanes {
    let mut four = [rest; WIDTH];
    four.iter_mut().zip(singles).for_each(|(four, single)| *four = *single);
    Lanes::from_array(&four)
}
