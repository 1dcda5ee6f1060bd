//! Readings: what a person should know about a trace, as values; `locale` makes the sentences.
//!
//! Only what is plainly useful: a healthy sentence on the constructed model says nothing but that its uniform head is
//! uniform, which it is made to be.

use super::entropy::{choosing_rows, mean, mean_normalised};
use super::statistics::{all_rows, is_fully_masked, leak, spread, taken_by_mask};
use crate::attention::{Mask, Stage, Trace};
use crate::tensor::Number;

/// Mean H ÷ ln m from which a head counts as uniform.
pub const UNIFORM: f64 = 0.99;
/// Mean 1 − Σ w² (0 one-hot, 1 − 1/m uniform) below which a head counts as saturated.
pub const SATURATED: f64 = 0.2;
/// Weight from which a row counts as resting on one key, as rows do that ask nothing.
const RESTING: f64 = 0.9;
/// Weight of a row below which what a mask takes is not seen in two decimals.
const UNSEEN: f64 = 0.005;
/// Largest difference between rows that count as identical.
const IDENTICAL: f64 = 1e-6;

/// One thing to know. Heads and rows count from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// These queries may attend to nothing in at least one head; their weights and outputs there are 0.
    FullyMaskedRows {
        /// Queries, ascending.
        rows: Vec<usize>,
    },
    /// Weight lies in forbidden cells.
    WeightLeak {
        /// Head.
        head: usize,
        /// Sum of the leaked weight.
        weight: f64,
        /// Number of leaking cells.
        cells: usize,
    },
    /// The head attends to everything alike.
    Uniform {
        /// Head.
        head: usize,
        /// Mean H ÷ ln m over rows with a choice, [`UNIFORM`] to 1.
        normalised: f64,
    },
    /// Scores are larger than 1/√d_k would make them, and the weights are nearly one-hot.
    Saturated {
        /// Head.
        head: usize,
        /// Mean 1 − Σ w² over rows with a choice: near 0, and with it the gradient of softmax.
        softness: f64,
        /// Standard deviation of the scaled scores over permitted cells.
        deviation: f64,
        /// How many times larger the scores are than with 1/√d_k.
        times: f64,
    },
    /// Every query attends in the same way, though neither uniformly nor to one key: the query does not matter.
    IdenticalRows {
        /// Head.
        head: usize,
    },
    /// The mask forbids cells that would have next to no weight without it: this head looks the same with and without.
    IdleMask {
        /// Head.
        head: usize,
    },
}

/// All readings of the top layer: fully masked rows first, then head by head.
///
/// What a reading needs and the trace does not hold is passed over: weights for leaks, saturation and identical rows;
/// raw and scaled scores for saturation.
#[must_use]
pub fn readings<T: Number>(trace: &Trace<T>, mask: &Mask) -> Vec<Reading> {
    let mut found: Vec<Reading> = fully_masked_rows(trace).into_iter().collect();
    for head in 0..trace.shape.heads {
        of_head(trace, mask, head, &mut found);
    }
    found
}

/// The rows that may attend to nothing in some head, when there are any.
#[must_use]
pub fn fully_masked_rows<T: Number>(trace: &Trace<T>) -> Option<Reading> {
    let masked = |&query: &usize| (0..trace.shape.heads).any(|head| is_fully_masked(trace, head, query));
    let rows: Vec<usize> = (0..trace.shape.n_q).filter(masked).collect();
    (!rows.is_empty()).then_some(Reading::FullyMaskedRows { rows })
}

/// The readings of one head: what a page that shows one head needs, without looking at the others' weights.
#[must_use]
pub fn readings_of_head<T: Number>(trace: &Trace<T>, mask: &Mask, head: usize) -> Vec<Reading> {
    let mut found = Vec::new();
    let rows: Vec<usize> = (0..trace.shape.n_q).filter(|&query| is_fully_masked(trace, head, query)).collect();
    if !rows.is_empty() {
        found.push(Reading::FullyMaskedRows { rows });
    }
    of_head(trace, mask, head, &mut found);
    found
}

fn of_head<T: Number>(trace: &Trace<T>, mask: &Mask, head: usize, found: &mut Vec<Reading>) {
    if let Some(leak) = leak(trace, mask, head).filter(|leak| !leak.cells.is_empty()) {
        found.push(Reading::WeightLeak { head, weight: leak.total, cells: leak.cells.len() });
    }
    let uniform = mean_normalised(trace, head).filter(|&normalised| normalised >= UNIFORM);
    found.extend(uniform.map(|normalised| Reading::Uniform { head, normalised }));
    found.extend(saturated(trace, mask, head));
    // Uniform rows are identical as well: one reading is enough.
    if uniform.is_none() && rows_are_identical(trace, mask, head) {
        found.push(Reading::IdenticalRows { head });
    }
    if !mask.is_none() && taken_by_mask(trace, mask, head).is_some_and(|taken| taken < UNSEEN) {
        found.push(Reading::IdleMask { head });
    }
}

fn saturated<T: Number>(trace: &Trace<T>, mask: &Mask, head: usize) -> Option<Reading> {
    let times = times_too_large(trace, head).filter(|&times| times > 1.001)?;
    let weights = all_rows(trace, Stage::Weights, head)?;
    let softness = mean(
        choosing_rows(trace, head)
            .map(|query| 1.0 - weights.row(query).iter().map(|w| w.to_f64().powi(2)).sum::<f64>()),
    )?;
    let deviation = spread(trace, mask, Stage::Scaled, head)?.deviation;
    (softness < SATURATED).then_some(Reading::Saturated { head, softness, deviation, times })
}

/// scaled ÷ raw × √d_k by least squares; `None` where all raw scores are 0.
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
fn times_too_large<T: Number>(trace: &Trace<T>, head: usize) -> Option<f64> {
    let (raw, scaled) = (all_rows(trace, Stage::Raw, head)?, all_rows(trace, Stage::Scaled, head)?);
    let (mut products, mut squares) = (0.0, 0.0);
    for (raw, scaled) in raw.iter().zip(&scaled) {
        let raw = raw.to_f64();
        products += raw * scaled.to_f64();
        squares += raw * raw;
    }
    (squares > 0.0).then(|| (products / squares).abs() * (trace.shape.d_k as f64).sqrt())
}

/// Two rows or more, all with the same permitted keys, at least two, and the same weights, spread over several keys.
///
/// A head whose rows all rest on one key has nothing to say of this sentence (no verb, no ambiguous word), or is a sink;
/// neither is a fault.
fn rows_are_identical<T: Number>(trace: &Trace<T>, mask: &Mask, head: usize) -> bool {
    let (n_q, n_k) = (trace.shape.n_q, trace.shape.n_k);
    let Some(weights) = all_rows(trace, Stage::Weights, head) else { return false };
    if n_q < 2 || mask.count_permitted(head, 0, n_k) < 2 {
        return false;
    }
    let first = weights.row(0);
    if first.iter().any(|w| w.to_f64() >= RESTING) {
        return false;
    }
    let (mut permitted_first, mut permitted) = (vec![false; n_k], vec![false; n_k]);
    mask.fill_row(head, 0, &mut permitted_first);
    (1..n_q).all(|query| {
        mask.fill_row(head, query, &mut permitted);
        let close = |(a, b): (&T, &T)| (a.to_f64() - b.to_f64()).abs() <= IDENTICAL;
        permitted == permitted_first && weights.row(query).iter().zip(first).all(close)
    })
}
