//! What belongs to no single head: scale, temperature, split and merge.

use super::View;
use crate::attention::{Layer, Shape};
use crate::tensor::{Heads, Matrix};
use ndarray::{Axis, s};

/// A computed number that differs from what it should be by more than this share of the largest is elsewhere's.
const MISPLACED: f64 = 0.01;

/// Measurements of the whole layer; `None` where what they need is not held or not declared.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Whole {
    /// scaled ÷ raw × √d_k by least squares: 1 as it should be. `None` where all raw scores are 0.
    pub scale_factor: Option<f64>,
    /// scaled ÷ tempered by least squares.
    pub temperature: Option<f64>,
    /// Of q (where it is not turned) and v: how many numbers are not those of x·W in the head's own columns.
    pub misplaced_in_split: Option<usize>,
    /// The same, if x·W had been cut into heads as its numbers lie.
    pub misplaced_if_uncut: Option<usize>,
    /// Concat: how many numbers are not those of the head's output in its columns.
    pub misplaced_in_merge: Option<usize>,
    /// The same, if head outputs had been put together as their numbers lie.
    pub misplaced_if_unmerged: Option<usize>,
    /// How much query and key make together in a raw score, beyond what each adds alone: root mean square over cells, the
    /// largest of the heads. Needs two queries that differ and two keys.
    pub interaction: Option<f64>,
    /// How much raw scores vary with the key alone: root mean square, the largest of the heads.
    pub key_part: Option<f64>,
    /// The largest |finite raw score|.
    pub largest_score: Option<f64>,
}

pub(super) fn gather(view: &View<'_>) -> Whole {
    let mut whole = Whole {
        temperature: slope(view.tempered, view.scaled),
        largest_score: view.raw.map(largest),
        ..Whole::default()
    };
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let root = (view.shape.d_k as f64).sqrt();
    whole.scale_factor = slope(view.raw, view.scaled).map(|slope| slope * root);
    if let Some((own, uncut)) = split(view) {
        (whole.misplaced_in_split, whole.misplaced_if_uncut) = (Some(own), Some(uncut));
    }
    if let Some((own, unmerged)) = merge(view) {
        (whole.misplaced_in_merge, whole.misplaced_if_unmerged) = (Some(own), Some(unmerged));
    }
    if let Some((interaction, key_part)) = parts(view) {
        (whole.interaction, whole.key_part) = (Some(interaction), Some(key_part));
    }
    whole
}

/// b ÷ a by least squares over cells where both are finite.
fn slope(a: Option<&Heads<f32>>, b: Option<&Heads<f32>>) -> Option<f64> {
    let (mut products, mut squares) = (0.0, 0.0);
    for (&a, &b) in a?.iter().zip(b?).filter(|(a, b)| a.is_finite() && b.is_finite()) {
        products += f64::from(a) * f64::from(b);
        squares += f64::from(a) * f64::from(a);
    }
    (squares > 0.0).then(|| products / squares)
}

fn largest(numbers: &Heads<f32>) -> f64 {
    numbers.iter().filter(|x| x.is_finite()).fold(0.0, |most, &x| f64::max(most, f64::from(x).abs()))
}

/// How many numbers of q and v are not in their place: in the head's own columns of x·W; as the numbers lie.
fn split(view: &View<'_>) -> Option<(usize, usize)> {
    let (weights, biases) = (view.declared.weights?, view.declared.biases);
    let top = view.trace.top()?;
    let q = if view.declared.rotary { None } else { view.stage(|layer| &layer.q) };
    let v = view.stage(|layer| &layer.v);
    let sides = [
        (q, top.x_query.get(), &weights.w_q, biases.map(|b| &b.q)),
        (v, top.x_key.get(), &weights.w_v, biases.map(|b| &b.v)),
    ];
    let mut found = None;
    for (heads, x, w, bias) in sides {
        let (Some(heads), Some(x)) = (heads, x) else { continue };
        let wide = projected(x, w, bias.map_or(&[], Vec::as_slice));
        let (own, uncut) = found.unwrap_or((0, 0));
        let tolerance = MISPLACED * wide.iter().fold(0.0, |most: f64, &x| most.max(f64::from(x).abs()));
        let (here, lying) = misplaced(heads, &wide, tolerance);
        found = Some((own + here, uncut + lying));
    }
    found
}

/// x·W, and the bias where there is one. A plain loop: a library's blocked product would weigh more than all of this.
fn projected(x: &Matrix<f32>, w: &Matrix<f32>, bias: &[f32]) -> Matrix<f32> {
    let mut wide = Matrix::from_shape_fn((x.nrows(), w.ncols()), |(_, c)| bias.get(c).copied().unwrap_or(0.0));
    for (x, mut row) in x.rows().into_iter().zip(wide.rows_mut()) {
        for (&x, w) in x.iter().zip(w.rows()).filter(|(x, _)| **x != 0.0) {
            row.iter_mut().zip(w).for_each(|(sum, w)| *sum += x * w);
        }
    }
    wide
}

fn merge(view: &View<'_>) -> Option<(usize, usize)> {
    let out = view.stage(|layer: &Layer<f32>| &layer.head_output)?;
    Some(misplaced(out, view.trace.top()?.concat.get()?, 0.0))
}

/// How many numbers of `heads` `[h, n, d]` are not those of `wide` `[n, h·d]`: transposed, and as the numbers lie. NaN is
/// no number.
fn misplaced(heads: &Heads<f32>, wide: &Matrix<f32>, tolerance: f64) -> (usize, usize) {
    let (h, n, d) = heads.dim();
    if wide.dim() != (n, h * d) {
        return (heads.len(), heads.len());
    }
    let differs = |a: f32, b: f32| f64::from((a - b).abs()) > tolerance;
    let own = heads.indexed_iter().filter(|&((head, i, c), &x)| differs(x, wide[[i, head * d + c]])).count();
    (own, heads.iter().zip(wide).filter(|&(&a, &b)| differs(a, b)).count())
}

/// The interaction and the key's own part of raw scores: r − its row's mean − its column's mean + the mean of all.
#[expect(clippy::cast_precision_loss, reason = "numbers of cells")]
fn parts(view: &View<'_>) -> Option<(f64, f64)> {
    let (raw, q) = (view.raw?, view.stage(|layer| &layer.q)?);
    let Shape { n_k, .. } = view.shape;
    let (mut interaction, mut key_part, mut differ) = (0.0_f64, 0.0_f64, false);
    for (raw, q) in raw.outer_iter().zip(q.outer_iter()) {
        let rows: Vec<usize> = (0..raw.nrows()).filter(|&i| raw.row(i).iter().all(|x| x.is_finite())).collect();
        if rows.len() < 2 || n_k < 2 {
            return None;
        }
        let raw = raw.select(Axis(0), &rows).mapv(f64::from);
        let q = q.select(Axis(0), &rows);
        differ |= q.rows().into_iter().any(|row| row.iter().zip(q.row(0)).any(|(a, b)| (a - b).abs() > 1e-4));
        let (of_rows, of_keys) = (raw.mean_axis(Axis(1))?, raw.mean_axis(Axis(0))?);
        let all = raw.mean()?;
        let left = raw.indexed_iter().map(|((i, j), x)| (x - of_rows[i] - of_keys[j] + all).powi(2)).sum::<f64>();
        interaction = interaction.max((left / raw.len() as f64).sqrt());
        let keys = of_keys.slice(s![..]).iter().map(|x| (x - all).powi(2)).sum::<f64>();
        key_part = key_part.max((keys / n_k as f64).sqrt());
    }
    differ.then_some((interaction, key_part))
}
