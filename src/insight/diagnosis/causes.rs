//! From evidence to causes, likeliest first.
//!
//! Each test asks for what only its cause leaves behind, so that a healthy computation leaves nothing. What is certain stands
//! in the order of the computation, for an early mistake changes what comes after it; what is only known to be wrong
//! stands last.

use super::evidence::{Evidence, total, widened};
use super::mask::{Applied, applied};
use super::{Cause, Guess, Measure, View, Whole};
use crate::attention::{Bug, Shape};
use ndarray::{ArrayView1, s};

/// Smallest and largest sum of some lines of weights.
type Sums = Option<(f64, f64)>;

/// Everything that may have gone wrong.
pub(super) fn rank(view: &View<'_>, all: &Evidence, whole: &Whole) -> Vec<Guess> {
    let applied = applied(view);
    let mut found = Vec::new();
    nan_queries(view, &mut found);
    wrong_split(whole, &mut found);
    wrong_scale(view, all, whole, applied.as_ref(), &mut found);
    query_cancels(view, whole, &mut found);
    if let Some(applied) = &applied {
        wrong_mask(view, all, applied, &mut found);
        wrong_axis(view, applied, &mut found);
        nan_weights(view, applied, whole, &mut found);
        masked_rows(view, applied, &mut found);
        wrong_sums(view, applied, &mut found);
        sunk_cells(view, applied, &mut found);
    }
    wrong_merge(view, all, whole, &mut found);
    // Stable: within certain and uncertain the order stays.
    found.sort_by_key(|guess| is_vague(guess.cause));
    found
}

/// Causes that say what is wrong, not why.
const fn is_vague(cause: Cause) -> bool {
    matches!(cause, Cause::OtherMask | Cause::NotNormalised | Cause::OutputNotMixed)
}

fn guess(found: &mut Vec<Guess>, cause: Cause, numbers: &[(Measure, Option<f64>)]) {
    let known = |&(measure, number): &(Measure, Option<f64>)| {
        number.filter(|number| !number.is_nan()).map(|number| (measure, number))
    };
    found.push(Guess { cause, numbers: numbers.iter().filter_map(known).collect() });
}

#[expect(clippy::cast_precision_loss, reason = "counts of cells and rows")]
const fn count(n: usize) -> Option<f64> {
    Some(n as f64)
}

fn nan_queries(view: &View<'_>, found: &mut Vec<Guess>) {
    let Some(q) = view.stage(|layer| &layer.q) else { return };
    let is_nan = |&(head, query): &(usize, usize)| q.slice(s![head, query, ..]).iter().any(|x| x.is_nan());
    let rows: Vec<usize> = rows(&view.shape).filter(is_nan).map(|(_, query)| query).collect();
    if let Some(&first) = rows.iter().min() {
        let numbers = [(Measure::Rows, count(rows.len())), (Measure::FirstRow, count(first))];
        guess(found, Cause::Bug(Bug::NanRow), &numbers);
    }
}

fn rows(shape: &Shape) -> impl Iterator<Item = (usize, usize)> {
    let Shape { heads, n_q, .. } = *shape;
    (0..heads).flat_map(move |head| (0..n_q).map(move |query| (head, query)))
}

fn wrong_split(whole: &Whole, found: &mut Vec<Guess>) {
    let wrong = whole.misplaced_in_split.filter(|&cells| cells > 0);
    if let Some(cells) = wrong.filter(|_| whole.misplaced_if_uncut == Some(0)) {
        guess(found, Cause::Bug(Bug::SplitWithoutTranspose), &[(Measure::Misplaced, count(cells))]);
    }
}

#[expect(clippy::cast_precision_loss, reason = "widths are small")]
fn wrong_scale(view: &View<'_>, all: &Evidence, whole: &Whole, applied: Option<&Applied>, found: &mut Vec<Guess>) {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < view.tolerance(1e-3, 4e-3);
    let (root, d_model) = ((view.shape.d_k as f64).sqrt(), view.shape.d_model as f64);
    let factor = whole.scale_factor;
    if let Some(got) = factor.filter(|&factor| !near(factor, 1.0)) {
        // Rows, or columns where softmax took the wrong axis as well, add up to 1/√d_k.
        let lines = applied.map_or([None; 2], |applied| [whole_rows(view, applied), live_columns(view, applied)]);
        let is_late = |&(least, most): &(f64, f64)| near(least * root, 1.0) && near(most * root, 1.0);
        let late = lines.into_iter().flatten().find(is_late).filter(|_| near(got, root));
        let cause = match (late, near(got, root)) {
            (Some(_), _) => Cause::Bug(Bug::ScaleAfterSoftmax),
            (None, true) => Cause::NoScale,
            (None, false) if d_model > 0.0 && near(got, root / d_model.sqrt()) => Cause::ScaleOfModel,
            (None, false) => Cause::OtherScale,
        };
        let numbers = [
            (Measure::ScaleFactor, factor),
            (Measure::MostLineSum, late.map(|(_, most)| most)),
            (Measure::ScoreDeviation, all.scaled.map(|spread| spread.deviation)),
            (Measure::Softness, all.softness),
        ];
        guess(found, cause, &numbers);
    }
    let declared = f64::from(view.declared.temperature);
    if let Some(got) = whole.temperature.filter(|&got| !near(got, declared)) {
        guess(found, Cause::OtherTemperature, &[(Measure::Temperature, Some(got)), (Measure::Softness, all.softness)]);
    }
}

fn query_cancels(view: &View<'_>, whole: &Whole, found: &mut Vec<Guess>) {
    let (Some(interaction), Some(key_part), Some(largest)) = (whole.interaction, whole.key_part, whole.largest_score)
    else {
        return;
    };
    let rounding = view.tolerance(1e-6, 2e-3) * largest;
    if interaction <= rounding && key_part > 20.0 * rounding {
        let numbers = [(Measure::Interaction, Some(interaction)), (Measure::KeyPart, Some(key_part))];
        guess(found, Cause::QueryCancels, &numbers);
    }
}

fn wrong_mask(view: &View<'_>, all: &Evidence, applied: &Applied, found: &mut Vec<Guess>) {
    let (through, missing) = applied.errors(view);
    let leaked = (Measure::LeakedWeight, all.leaked);
    let numbers = [(Measure::ForbiddenCells, count(through)), (Measure::MissingCells, count(missing)), leaked];
    if through + missing > 0 {
        let before = found.len();
        for bug in applied.explanations(view).into_iter().flat_map(|bugs| bugs.iter().collect::<Vec<_>>()) {
            if !found[before..].iter().any(|guess| guess.cause == Cause::Bug(bug)) {
                guess(found, Cause::Bug(bug), &numbers);
            }
        }
        if applied.used.iter().all(|&used| used != Some(false)) {
            guess(found, Cause::MaskIgnored, &numbers);
        }
        if found.len() == before {
            guess(found, Cause::OtherMask, &numbers);
        }
    }
    if applied.zeroed {
        guess(found, Cause::ZeroFill, &[leaked, (Measure::ForbiddenCells, all.leaking_cells.and_then(count))]);
    }
    if applied.multiplied {
        guess(found, Cause::MultipliedAfter, &[(Measure::LeastRowSum, all.row_sums.map(|(least, _)| least))]);
    }
}

/// NaN that scores did not bring, or that they brought though no query is NaN.
fn nan_weights(view: &View<'_>, applied: &Applied, whole: &Whole, found: &mut Vec<Guess>) {
    let (Some(weights), Some(masked)) = (view.weights, view.masked) else { return };
    let (mut of_scores, mut of_exp, mut of_fill, mut blocked) = (0, 0, 0, 0);
    for (head, query) in rows(&view.shape) {
        if !weights.slice(s![head, query, ..]).iter().any(|w| w.is_nan()) {
            continue;
        }
        let scores = masked.slice(s![head, query, ..]);
        let overflowed = |&score: &f32| score.is_nan() || score == f32::INFINITY;
        let part = scores.iter().zip(applied.used.slice(s![head, query, ..])).filter(|(_, used)| **used != Some(false));
        let far = part.fold(0.0, |most: f32, (score, _)| most.max(score.abs()));
        if applied.row_is_blocked(head, query) {
            blocked += 1;
        } else if scores.iter().any(overflowed) {
            of_scores += 1;
        } else if f64::from(far) > view.tolerance(80.0, 5.0) {
            of_exp += 1;
        } else {
            of_fill += 1;
        }
    }
    let caused = |cause| found.iter().any(|guess| guess.cause == Cause::Bug(cause));
    if caused(Bug::NanRow) {
        (of_scores, of_exp, of_fill) = (0, 0, 0);
    } else if caused(Bug::SoftmaxOverQueries) {
        // Columns with nothing permitted are NaN in every row.
        of_fill = 0;
    }
    let largest = (Measure::LargestScore, whole.largest_score);
    if of_scores > 0 {
        guess(found, Cause::ScoresOverflow, &[(Measure::Rows, count(of_scores)), largest]);
    }
    if of_exp > 0 {
        let sizes = masked.iter().filter(|x| x.is_finite()).fold(0.0, |most: f32, x| most.max(x.abs()));
        let largest = (Measure::LargestScore, Some(f64::from(sizes)));
        guess(found, Cause::MissingMaximum, &[(Measure::Rows, count(of_exp)), largest]);
    }
    if of_fill > 0 {
        guess(found, Cause::FillTakesPart, &[(Measure::Rows, count(of_fill))]);
    }
    if blocked > 0 {
        guess(found, Cause::MaskedRowsNan, &[(Measure::Rows, count(blocked))]);
    }
}

/// Rows with nothing permitted, of which the fill made something.
#[expect(clippy::cast_precision_loss, reason = "counts of keys and rows")]
fn masked_rows(view: &View<'_>, applied: &Applied, found: &mut Vec<Guess>) {
    let Some(weights) = view.weights.filter(|_| !applied.zeroed) else { return };
    let filled = |&(head, query): &(usize, usize)| {
        // A NaN is no number above 0.
        applied.row_is_blocked(head, query) && total(weights.slice(s![head, query, ..])) > 0.0
    };
    let rows: Vec<(usize, usize)> = rows(&view.shape).filter(filled).collect();
    let Some(&(_, first)) = rows.first() else { return };
    let entropy = |&(head, query): &(usize, usize)| -> f64 {
        let row = weights.slice(s![head, query, ..]);
        row.iter().map(|&w| f64::from(w)).filter(|&w| w > 0.0).map(|w| -w * w.ln()).sum()
    };
    let most = (view.shape.n_k as f64).ln();
    let mean = rows.iter().map(entropy).sum::<f64>() / rows.len() as f64;
    let numbers = [
        (Measure::Rows, count(rows.len())),
        (Measure::NormalisedEntropy, Some(if most > 0.0 { mean / most } else { 1.0 })),
        (Measure::FirstRow, count(first)),
    ];
    guess(found, Cause::MaskedRowsFilled, &numbers);
}

/// Weight in cells whose scores the mask lowered, in rows that have others: the fill was too weak for this way of making
/// weights.
fn sunk_cells(view: &View<'_>, applied: &Applied, found: &mut Vec<Guess>) {
    let Some(weights) = view.weights.filter(|_| !applied.zeroed && !applied.multiplied) else { return };
    if found.iter().any(|guess| matches!(guess.cause, Cause::Bug(Bug::SoftmaxOverQueries) | Cause::FillTakesPart)) {
        return;
    }
    let (mut cells, mut leaked) = (0, 0.0);
    for (head, query) in rows(&view.shape).filter(|&(head, query)| !applied.row_is_blocked(head, query)) {
        let row = weights.slice(s![head, query, ..]).into_iter().zip(applied.used.slice(s![head, query, ..]));
        for (&w, _) in row.filter(|&(&w, &used)| used == Some(false) && w != 0.0 && !w.is_nan()) {
            cells += 1;
            leaked += f64::from(w);
        }
    }
    if cells > 0 {
        let numbers = [(Measure::LeakedWeight, Some(leaked)), (Measure::ForbiddenCells, count(cells))];
        guess(found, Cause::FillTakesPart, &numbers);
    }
}

/// Smallest and largest sum of the rows in which something took part; a NaN is left out of its row.
fn live_rows(view: &View<'_>, applied: &Applied) -> Sums {
    ends(rows_in_use(view, applied)?)
}

/// The same, of rows without a NaN.
fn whole_rows(view: &View<'_>, applied: &Applied) -> Sums {
    ends(rows_in_use(view, applied)?.filter(|row| !row.iter().any(|w| w.is_nan())))
}

fn rows_in_use<'a>(view: &View<'a>, applied: &Applied) -> Option<impl Iterator<Item = ArrayView1<'a, f32>>> {
    let weights = view.weights?;
    let live = rows(&view.shape).filter(|&(head, query)| !applied.row_is_blocked(head, query));
    Some(live.map(|(head, query)| weights.slice(s![head, query, ..])))
}

/// Smallest and largest sum of the columns in which something took part; a NaN is left out of its column.
fn live_columns(view: &View<'_>, applied: &Applied) -> Sums {
    let weights = view.weights?;
    let Shape { heads, n_k, .. } = view.shape;
    let columns = (0..heads).flat_map(|head| (0..n_k).map(move |key| (head, key)));
    let live =
        |&(head, key): &(usize, usize)| applied.used.slice(s![head, .., key]).iter().any(|&used| used != Some(false));
    ends(columns.filter(live).map(|(head, key)| weights.slice(s![head, .., key])))
}

/// Smallest and largest sum of lines that hold a number.
fn ends<'a>(lines: impl Iterator<Item = ArrayView1<'a, f32>>) -> Sums {
    let numbers = lines.filter(|line| line.iter().any(|w| !w.is_nan()));
    let sums = numbers.map(|line| line.iter().filter(|w| !w.is_nan()).map(|&w| f64::from(w)).sum());
    sums.fold(None, |ends, sum| Some(widened(ends, sum)))
}

/// How far the farther end is from 1.
fn from_one((least, most): (f64, f64)) -> f64 {
    (1.0 - least).abs().max((most - 1.0).abs())
}

fn sums_as_numbers(rows: Sums, columns: Sums) -> [(Measure, Option<f64>); 4] {
    [
        (Measure::LeastRowSum, rows.map(|(least, _)| least)),
        (Measure::MostRowSum, rows.map(|(_, most)| most)),
        (Measure::LeastColumnSum, columns.map(|(least, _)| least)),
        (Measure::MostColumnSum, columns.map(|(_, most)| most)),
    ]
}

/// Columns add up to 1, and rows do not; to 1/√d_k, where that was multiplied in afterwards.
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
fn wrong_axis(view: &View<'_>, applied: &Applied, found: &mut Vec<Guess>) {
    let late = found.iter().any(|guess| guess.cause == Cause::Bug(Bug::ScaleAfterSoftmax));
    let times = if late { (view.shape.d_k as f64).sqrt() } else { 1.0 };
    let tolerance = view.tolerance(1e-4, 0.02);
    let is_one = |(least, most)| from_one((least * times, most * times)) <= tolerance;
    let (rows, columns) = (live_rows(view, applied), live_columns(view, applied));
    if rows.is_some_and(|sums| !is_one(sums)) && columns.is_some_and(is_one) {
        guess(found, Cause::Bug(Bug::SoftmaxOverQueries), &sums_as_numbers(rows, columns));
    }
}

/// Rows do not add up to 1, and nothing found so far says why.
fn wrong_sums(view: &View<'_>, applied: &Applied, found: &mut Vec<Guess>) {
    let rows = live_rows(view, applied);
    let wrong = rows.is_some_and(|sums| from_one(sums) > view.tolerance(1e-4, 0.02));
    if wrong && !found.iter().any(|guess| explains_sums(guess.cause)) {
        guess(found, Cause::NotNormalised, &sums_as_numbers(rows, live_columns(view, applied)));
    }
}

/// Causes after which rows do not add up to 1.
const fn explains_sums(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::Bug(Bug::ScaleAfterSoftmax | Bug::SoftmaxOverQueries | Bug::NanRow)
            | Cause::MultipliedAfter
            | Cause::MissingMaximum
            | Cause::ScoresOverflow
            | Cause::FillTakesPart
    )
}

fn wrong_merge(view: &View<'_>, all: &Evidence, whole: &Whole, found: &mut Vec<Guess>) {
    if let Some(v) = view.stage(|layer| &layer.v) {
        let largest = v.iter().filter(|x| x.is_finite()).fold(1.0, |most: f64, &x| most.max(f64::from(x).abs()));
        let tolerance = view.tolerance(1e-4, 0.02) * largest;
        if let Some(error) = all.mix_error.filter(|&error| error > tolerance) {
            guess(found, Cause::OutputNotMixed, &[(Measure::Error, Some(error))]);
        }
    }
    let wrong = whole.misplaced_in_merge.filter(|&cells| cells > 0);
    if let Some(cells) = wrong.filter(|_| whole.misplaced_if_unmerged == Some(0)) {
        guess(found, Cause::Bug(Bug::MergeWithoutTranspose), &[(Measure::Misplaced, count(cells))]);
    }
}
