//! Which cells a method takes for permitted, and what becomes of the scores of the others.

use crate::attention::method::{Fill, Method, Position, Weighting};
use crate::attention::{Bug, Mask, Problem, Shape};
use crate::tensor::Matrix;
use std::rc::Rc;

/// Every cell, `[h, n_q, n_k]`, as the method reads the mask.
pub fn permitted(problem: &Problem, method: &Method, shape: &Shape) -> Vec<bool> {
    let Shape { heads, n_q, n_k, .. } = *shape;
    let (bugs, mask) = (method.bugs, misunderstood(&problem.mask, method));
    let turned = bugs.has(Bug::MaskTransposed);
    let mut may = Vec::with_capacity(heads * n_q * n_k);
    for head in 0..heads {
        for query in 0..n_q {
            let start = may.len();
            may.resize(start + n_k, false);
            let row = &mut may[start..];
            if turned {
                row.iter_mut().enumerate().for_each(|(key, may)| *may = mask.permits(head, key, query));
            } else {
                mask.fill_row(head, query, row);
            }
        }
    }
    if bugs.has(Bug::MaskInverted) {
        may.iter_mut().for_each(|may| *may = !*may);
    }
    may
}

/// The mask with another causal part or with its keys on the queries, said as a rule.
fn misunderstood(mask: &Mask, method: &Method) -> Mask {
    use crate::attention::Rule;
    let mut mask = mask.clone();
    let mut rules: Vec<Rule> = mask.rule.take().map(|rule| rule.as_ref().clone()).into_iter().collect();
    if mask.causal && method.bugs.has(Bug::MaskStrict) {
        mask.causal = false;
        rules.extend([Rule::Causal, Rule::Not(Rc::new(Rule::Window(0)))]);
    } else if mask.causal && method.bugs.has(Bug::MaskLoose) {
        mask.causal = false;
        // |i − j| ≤ 1 lets the token before through as well, which causal does anyway.
        rules.push(Rule::Any([Rule::Causal, Rule::Window(1)].into()));
    }
    if method.bugs.has(Bug::MaskOnQueries) {
        rules.extend(mask.keys.take().map(Rule::Queries));
    }
    if !rules.is_empty() {
        mask.rule = Some(Rc::new(Rule::All(rules.into())));
    }
    mask
}

/// How many keys the mask as it is permits, `[h, n_q]`.
pub fn counts(mask: &Mask, shape: &Shape) -> Matrix<u32> {
    Matrix::from_shape_fn((shape.heads, shape.n_q), |(head, query)| {
        u32::try_from(mask.count_permitted(head, query, shape.n_k)).unwrap_or(u32::MAX)
    })
}

/// tempered + bias, and the fill's number in forbidden cells.
#[expect(clippy::cast_precision_loss, reason = "numbers of heads and distances are small")]
pub fn masked(tempered: &[f32], may: &[bool], problem: &Problem, method: &Method, shape: &Shape) -> Vec<f32> {
    let Shape { heads, n_q, n_k, .. } = *shape;
    let alibi = method.position == Position::Alibi;
    let biased = alibi || problem.mask.bias.is_some();
    let mut masked = Vec::with_capacity(tempered.len());
    for (at, (&score, &may)) in tempered.iter().zip(may).enumerate() {
        let (head, query, key) = (at / (n_q * n_k), at / n_k % n_q, at % n_k);
        let mut bias = if biased { problem.mask.added(head, query, key) } else { 0.0 };
        if alibi {
            bias -= (-8.0 * (head + 1) as f32 / heads as f32).exp2() * query.abs_diff(key) as f32;
        }
        let score = if method.weighting == Weighting::Linear { score * bias.exp() } else { score + bias };
        masked.push(if may { score } else { filled(score, method.fill) });
    }
    masked
}

fn filled(score: f32, fill: Fill) -> f32 {
    match fill {
        Fill::Exclude | Fill::MinusInfinity => f32::NEG_INFINITY,
        Fill::ReplaceBillion => -1e9,
        Fill::AddBillion => score - 1e9,
        Fill::AddTenThousand => score - 1e4,
        Fill::Zero => 0.0,
        Fill::MultiplyAfter => score,
    }
}
