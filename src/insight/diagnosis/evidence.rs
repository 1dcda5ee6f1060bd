//! What can be measured of one head, or of all of them together.

use super::View;
use crate::attention::Shape;
use crate::insight::entropy::mean;
use crate::insight::statistics::Spread;
use crate::tensor::Heads;
use ndarray::{ArrayView1, s};
use std::ops::Range;

/// Weights that differ by no more are the same.
const SAME: f32 = 1e-6;

/// Measurements over some heads. A mean leaves out rows that hold a NaN; `nan_rows` counts them. `None`: the stage is not
/// held, or no row or cell is of that kind.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Evidence {
    /// Weight in forbidden cells.
    pub leaked: Option<f64>,
    /// Forbidden cells whose weight is not 0.
    pub leaking_cells: Option<usize>,
    /// Rows with nothing permitted that have weight all the same.
    pub filled_rows: Option<usize>,
    /// Permitted cells whose weight is exactly 0.
    pub empty_cells: Option<usize>,
    /// Smallest and largest sum of a row in which something is permitted.
    pub row_sums: Option<(f64, f64)>,
    /// Smallest and largest sum of a column in which something is permitted.
    pub column_sums: Option<(f64, f64)>,
    /// Rows with a NaN among their weights.
    pub nan_rows: Option<usize>,
    /// Mean H ÷ ln m, m permitted keys, of rows with a choice. Above 1 where forbidden keys have weight.
    pub entropy: Option<f64>,
    /// Mean e^H: how many keys a row attends to.
    pub effective: Option<f64>,
    /// Mean 1 − Σ w² of rows with a choice.
    pub softness: Option<f64>,
    /// Mean weight on the first key, of later queries that may see it.
    pub sink: Option<f64>,
    /// Mean weight on the key before, of queries that may see it.
    pub previous: Option<f64>,
    /// Mean weight on the query's own place, where it may be seen.
    pub diagonal: Option<f64>,
    /// Raw scores of permitted cells; their deviation is near √d_k at random.
    pub raw: Option<Spread>,
    /// Scaled scores of permitted cells; their deviation is near 1 at random.
    pub scaled: Option<Spread>,
    /// Largest |Σ w·v − head output|.
    pub mix_error: Option<f64>,
    /// The two-token test, of every row in which one key only is permitted: largest |head output − v of that key|.
    pub lone_error: Option<f64>,
    /// The first head before this one with the same weights; of a single head only.
    pub duplicate_of: Option<usize>,
}

/// Measures `heads`.
pub(super) fn gather(view: &View<'_>, heads: Range<usize>) -> Evidence {
    let mut found = Evidence {
        raw: spread(view, view.raw, heads.clone()),
        scaled: spread(view, view.scaled, heads.clone()),
        ..Evidence::default()
    };
    let Some(weights) = view.weights else { return found };
    of_rows(view, weights, heads.clone(), &mut found);
    found.column_sums = column_sums(view, weights, heads.clone());
    of_outputs(view, weights, heads, &mut found);
    found
}

fn rows_of(shape: &Shape, heads: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let n_q = shape.n_q;
    heads.flat_map(move |head| (0..n_q).map(move |query| (head, query)))
}

fn of_rows(view: &View<'_>, weights: &Heads<f32>, heads: Range<usize>, found: &mut Evidence) {
    let (mut leaked, mut cells, mut filled, mut empty, mut nan) = (0.0, 0, 0, 0, 0);
    let [mut entropy, mut effective, mut softness] = [const { Vec::new() }; 3];
    let [mut sink, mut previous, mut diagonal] = [const { Vec::new() }; 3];
    for (head, query) in rows_of(&view.shape, heads) {
        let (row, may) = (weights.slice(s![head, query, ..]), view.intended.slice(s![head, query, ..]));
        if row.iter().any(|w| w.is_nan()) {
            nan += 1;
            continue;
        }
        let permitted = may.iter().filter(|&&may| may).count();
        for (&w, &may) in row.iter().zip(may) {
            empty += usize::from(may && w == 0.0);
            cells += usize::from(!may && w != 0.0);
            leaked += if may { 0.0 } else { f64::from(w) };
        }
        if permitted == 0 {
            filled += usize::from(row.iter().any(|&w| w != 0.0));
            continue;
        }
        let sum = total(row);
        found.row_sums = Some(widened(found.row_sums, sum));
        let h: f64 = row.iter().map(|&w| f64::from(w)).filter(|&w| w > 0.0).map(|w| -w * w.ln()).sum();
        effective.push(h.exp());
        if permitted > 1 {
            #[expect(clippy::cast_precision_loss, reason = "a number of keys")]
            entropy.push(h / (permitted as f64).ln());
            softness.push(1.0 - row.iter().map(|&w| f64::from(w).powi(2)).sum::<f64>());
        }
        let add = |to: &mut Vec<f64>, key: usize| {
            if may.get(key) == Some(&true) {
                to.push(f64::from(row[key]));
            }
        };
        add(&mut diagonal, query);
        if let Some(before) = query.checked_sub(1) {
            add(&mut sink, 0);
            add(&mut previous, before);
        }
    }
    (found.leaked, found.leaking_cells, found.filled_rows) = (Some(leaked), Some(cells), Some(filled));
    (found.empty_cells, found.nan_rows) = (Some(empty), Some(nan));
    let average = |numbers: Vec<f64>| mean(numbers.into_iter());
    (found.entropy, found.effective, found.softness) = (average(entropy), average(effective), average(softness));
    (found.sink, found.previous, found.diagonal) = (average(sink), average(previous), average(diagonal));
}

pub(super) fn total(line: ArrayView1<'_, f32>) -> f64 {
    line.iter().map(|&w| f64::from(w)).sum()
}

/// The ends of a range, widened to take in `number`.
pub(super) fn widened(ends: Option<(f64, f64)>, number: f64) -> (f64, f64) {
    ends.map_or((number, number), |(least, most)| (least.min(number), most.max(number)))
}

fn column_sums(view: &View<'_>, weights: &Heads<f32>, heads: Range<usize>) -> Option<(f64, f64)> {
    let mut ends = None;
    for head in heads {
        for key in 0..view.shape.n_k {
            let sum = total(weights.slice(s![head, .., key]));
            if !sum.is_nan() && view.intended.slice(s![head, .., key]).iter().any(|&may| may) {
                ends = Some(widened(ends, sum));
            }
        }
    }
    ends
}

/// Mean and deviation of finite scores in permitted cells.
fn spread(view: &View<'_>, scores: Option<&Heads<f32>>, heads: Range<usize>) -> Option<Spread> {
    let (scores, may) = (scores?.slice(s![heads.clone(), .., ..]), view.intended.slice(s![heads, .., ..]));
    let cells = || scores.iter().zip(&may).filter(|(score, may)| **may && score.is_finite());
    let center = mean(cells().map(|(&score, _)| f64::from(score)))?;
    let variance = mean(cells().map(|(&score, _)| (f64::from(score) - center).powi(2)))?;
    Some(Spread { mean: center, deviation: variance.sqrt() })
}

fn of_outputs(view: &View<'_>, weights: &Heads<f32>, heads: Range<usize>, found: &mut Evidence) {
    let (v, output) = (view.stage(|layer| &layer.v), view.stage(|layer| &layer.head_output));
    let (Some(v), Some(output)) = (v, output) else { return };
    for (head, query) in rows_of(&view.shape, heads) {
        let (row, out) = (weights.slice(s![head, query, ..]), output.slice(s![head, query, ..]));
        let may = view.intended.slice(s![head, query, ..]);
        let mut permitted = may.iter().enumerate().filter(|(_, may)| **may).map(|(key, _)| key);
        let lone = permitted.next().filter(|_| permitted.next().is_none());
        for (c, &out) in out.iter().enumerate() {
            let mix: f64 = row.iter().zip(v.slice(s![head, .., c])).map(|(&w, &v)| f64::from(w) * f64::from(v)).sum();
            let error = (mix - f64::from(out)).abs();
            if error.is_finite() {
                found.mix_error = Some(found.mix_error.map_or(error, |worst| worst.max(error)));
            }
            if let Some(key) = lone {
                let error = (f64::from(v[[head, key, c]]) - f64::from(out)).abs();
                let worst = found.lone_error.unwrap_or(0.0);
                // A NaN stays: the test is failed for good.
                found.lone_error = Some(if error > worst || error.is_nan() { error } else { worst });
            }
        }
    }
}

/// The first head before `head` with the same weights, where there are two keys or more to tell heads by.
pub(super) fn duplicate_of(view: &View<'_>, head: usize) -> Option<usize> {
    let weights = view.weights.filter(|_| view.shape.n_k > 1)?;
    let of = |head: usize| weights.slice(s![head, .., ..]);
    (0..head).find(|&other| of(head).iter().zip(of(other)).all(|(a, b)| (a - b).abs() <= SAME))
}
