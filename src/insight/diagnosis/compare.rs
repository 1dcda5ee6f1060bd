//! Two traces side by side: whether a mistake changes anything, and whether the past sees the future.

use crate::attention::{Held, Stage, Trace};
use ndarray::{Axis, s};

/// Numbers of two engines that differ by no more than this, of the larger of 1 and the stage's largest, are equal: what
/// f32 rounds differently when it adds in another order, and far less than a page prints.
const EQUAL: f32 = 4e-6;

/// How far a stage of two traces differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The stage.
    pub stage: Stage,
    /// Largest difference of two finite numbers.
    pub largest: f64,
    /// Cells that differ, those counted in which only one is finite, or both are infinite or NaN and not alike.
    pub cells: usize,
}

/// The stages that differ, in the order of the computation; none: a mistake has no effect here. Stages that only one of
/// the two holds are passed over. Row statistics follow from the stages. `None` where shapes differ.
#[must_use]
pub fn differences(one: &Trace<f32>, other: &Trace<f32>) -> Option<Vec<Difference>> {
    let (a, b) = (one.top()?, other.top()?);
    if one.shape != other.shape {
        return None;
    }
    let mut found = Vec::new();
    let mut add = |stage, one: Option<&[f32]>, other: Option<&[f32]>| {
        found.extend(one.zip(other).and_then(|(one, other)| difference(stage, one, other)));
    };
    for (stage, a, b) in [(Stage::XQuery, &a.x_query, &b.x_query), (Stage::XKey, &a.x_key, &b.x_key)] {
        add(stage, a.get().and_then(|a| a.as_slice()), b.get().and_then(|b| b.as_slice()));
    }
    for (stage, a, b) in [
        (Stage::Q, &a.q, &b.q),
        (Stage::K, &a.k, &b.k),
        (Stage::V, &a.v, &b.v),
        (Stage::Raw, &a.raw, &b.raw),
        (Stage::Scaled, &a.scaled, &b.scaled),
        (Stage::Tempered, &a.tempered, &b.tempered),
        (Stage::Masked, &a.masked, &b.masked),
        (Stage::Weights, &a.weights, &b.weights),
        (Stage::HeadOutput, &a.head_output, &b.head_output),
    ] {
        add(stage, a.get().and_then(|a| a.as_slice()), b.get().and_then(|b| b.as_slice()));
    }
    for (stage, a, b) in [(Stage::Concat, &a.concat, &b.concat), (Stage::Output, &a.output, &b.output)] {
        add(stage, a.get().and_then(|a| a.as_slice()), b.get().and_then(|b| b.as_slice()));
    }
    Some(found)
}

fn difference(stage: Stage, one: &[f32], other: &[f32]) -> Option<Difference> {
    let largest_number = one.iter().chain(other).filter(|x| x.is_finite()).fold(1.0, |most: f32, x| most.max(x.abs()));
    let tolerance = EQUAL * largest_number;
    let (mut cells, mut largest) = (usize::from(one.len() != other.len()), 0.0_f64);
    for (&a, &b) in one.iter().zip(other) {
        if a == b || a.is_nan() && b.is_nan() {
            continue;
        }
        let apart = (a - b).abs();
        if apart.is_finite() && apart <= tolerance {
            continue;
        }
        cells += 1;
        if apart.is_finite() {
            largest = largest.max(f64::from(apart));
        }
    }
    (cells > 0).then_some(Difference { stage, largest, cells })
}

/// What became of earlier outputs when a later token was exchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Causality {
    /// Queries before the edited token whose weights or outputs moved, ascending; none where a causal mask works.
    pub moved: Vec<usize>,
    /// The farthest that a number of theirs moved; NaN where one became NaN or ceased to be.
    pub largest: f64,
}

/// Compares a trace with that of a sentence in which token `edited` (from 0) and perhaps later ones were exchanged.
///
/// `None` where it can't be told: shapes differ, the token is the first or is not there, or head outputs are not held.
#[must_use]
pub fn causality(before: &Trace<f32>, after: &Trace<f32>, edited: usize) -> Option<Causality> {
    if before.shape != after.shape || edited == 0 || edited >= before.shape.n_q {
        return None;
    }
    let (a, b) = (before.top()?, after.top()?);
    let mut seen = Causality { moved: Vec::new(), largest: 0.0 };
    let outputs = (Held::get(&a.head_output)?, Held::get(&b.head_output)?);
    let scale = outputs.0.iter().chain(outputs.1).filter(|x| x.is_finite()).fold(1.0, |m: f32, x| m.max(x.abs()));
    for query in 0..edited {
        let rows = outputs.0.index_axis(Axis(1), query);
        let others = outputs.1.slice(s![.., query, ..]);
        let apart = rows.iter().zip(&others).filter(|(a, b)| !(a.is_nan() && b.is_nan())).map(|(a, b)| (a - b).abs());
        let worst = apart.fold(0.0, |worst: f32, x| if x > worst || x.is_nan() { x } else { worst });
        if worst > EQUAL * scale || worst.is_nan() {
            seen.moved.push(query);
            let worst = f64::from(worst);
            seen.largest = if worst > seen.largest || worst.is_nan() { worst } else { seen.largest };
        }
    }
    Some(seen)
}
