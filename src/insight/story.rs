//! The story of one number: every step from x to one weight, and from the weight to its share of the output.

use crate::attention::{Problem, Source, Stage, Trace};
use crate::tensor::Number;

/// One term of a dot product q·k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Product {
    /// q_d
    pub q: f64,
    /// k_d
    pub k: f64,
    /// q_d · k_d
    pub product: f64,
}

/// One non-zero term of a projection x·W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Which dimension f of the embedding.
    pub index: usize,
    /// x_f
    pub x: f64,
    /// W_fd
    pub w: f64,
    /// x_f · W_fd
    pub product: f64,
}

/// Which vector a projection makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// q of the query token.
    Query,
    /// k of the key token.
    Key,
    /// v of the key token.
    Value,
}

/// One cell (head, query, key) of a trace, step by step. Every number is the trace's own; `q·k`'s terms, the
/// exponent and its exponential are derived from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The cell: head, from 0.
    pub head: usize,
    /// The cell: query, from 0.
    pub query: usize,
    /// The cell: key, from 0.
    pub key: usize,
    /// The d_k terms of q·k; they add up to `raw`.
    pub products: Vec<Product>,
    /// q·k
    pub raw: f64,
    /// What `raw` is multiplied by: 1/√d_k as a rule.
    pub scale: f64,
    /// raw × scale
    pub scaled: f64,
    /// What `scaled` is divided by.
    pub temperature: f64,
    /// scaled ÷ temperature
    pub tempered: f64,
    /// What the mask adds to the score of this cell; 0 as a rule.
    pub bias: f64,
    /// Whether this query may attend to this key.
    pub permitted: bool,
    /// tempered + bias; −∞ where forbidden.
    pub masked: f64,
    /// Largest masked score of the row; −∞ where no key is permitted.
    pub row_max: f64,
    /// masked − row_max, at most 0; `None` where forbidden: the cell takes no part.
    pub exponent: Option<f64>,
    /// exp(exponent); 0 where forbidden.
    pub exp: f64,
    /// Σ exp over the permitted keys of the row; 0 where no key is permitted.
    pub sum: f64,
    /// exp ÷ sum
    pub weight: f64,
    /// v of the key, `[d_v]`.
    pub value: Vec<f64>,
    /// weight · v, `[d_v]`.
    pub contribution: Vec<f64>,
    /// The head's output at the query, o = Σ_j w_j v_j, `[d_v]`.
    pub output: Vec<f64>,
    /// This key's part of what is handed over to the query: |w_j v_j| ÷ Σ_i |w_i v_i| (Euclidean norms), in 0..=1. The
    /// shares of a row add up to 1. `None` when nothing is handed over.
    pub share: Option<f64>,
}

/// Tells the story of one cell.
///
/// `None` when the cell does not exist or a stage from q to the head output is not held.
#[must_use]
pub fn story<T: Number>(trace: &Trace<T>, problem: &Problem, head: usize, query: usize, key: usize) -> Option<Story> {
    let row = |stage, index: usize| -> Option<Vec<f64>> {
        let rows = trace.rows(stage, head, index..index.checked_add(1)?)?;
        Some(rows.iter().map(|number| number.to_f64()).collect())
    };
    let cell = |stage| trace.at(stage, head, query, key).map(Number::to_f64);
    let rows = &trace.top()?.rows;
    let statistic = |matrix: &crate::tensor::Matrix<T>| matrix.get([head, query]).map(|number| number.to_f64());

    let (q, k) = (row(Stage::Q, query)?, row(Stage::K, key)?);
    let products = q.iter().zip(&k).map(|(&q, &k)| Product { q, k, product: q * k }).collect();
    let permitted = problem.mask.permits(head, query, key);
    let (masked, row_max) = (cell(Stage::Masked)?, statistic(&rows.max)?);
    let exponent = permitted.then_some(masked - row_max);
    let inverse_sum = statistic(&rows.inverse_sum)?;
    let weight = cell(Stage::Weights)?;
    let (value, output) = (row(Stage::V, key)?, row(Stage::HeadOutput, query)?);
    let contribution: Vec<f64> = value.iter().map(|v| weight * v).collect();
    let values = trace.rows(Stage::V, head, 0..trace.shape.n_k)?;
    let handed: Vec<f64> = row(Stage::Weights, query)?.iter().zip(values.rows()).map(|(w, v)| w * length(v)).collect();
    let handed_over: f64 = handed.iter().sum();
    Some(Story {
        head,
        query,
        key,
        products,
        raw: cell(Stage::Raw)?,
        scale: f64::from(problem.scale),
        scaled: cell(Stage::Scaled)?,
        temperature: f64::from(problem.temperature),
        tempered: cell(Stage::Tempered)?,
        bias: f64::from(problem.mask.added(head, query, key)),
        permitted,
        masked,
        row_max,
        exponent,
        exp: exponent.map_or(0.0, f64::exp),
        sum: if inverse_sum > 0.0 { 1.0 / inverse_sum } else { 0.0 },
        weight,
        share: (handed_over > 0.0).then(|| handed[key] / handed_over),
        value,
        contribution,
        output,
    })
}

/// |v|
fn length<'a, T: Number>(v: impl IntoIterator<Item = &'a T>) -> f64 {
    v.into_iter().map(|x| x.to_f64() * x.to_f64()).sum::<f64>().sqrt()
}

impl Story {
    /// The non-zero terms x_f · W_fd that add up to dimension `dimension` of q, k or v in this story.
    ///
    /// `None` when q, k and v were given and not projected, or the dimension does not exist.
    #[must_use]
    pub fn terms(&self, problem: &Problem, side: Side, dimension: usize) -> Option<Vec<Term>> {
        let Source::Embedded { x_q, x_k, weights } = &problem.source else { return None };
        let (x, token, w, width) = match side {
            Side::Query => (x_q, self.query, &weights.w_q, weights.d_k()),
            Side::Key => (x_k, self.key, &weights.w_k, weights.d_k()),
            Side::Value => (x_k, self.key, &weights.w_v, weights.d_v()),
        };
        let column = self.head.checked_mul(width)?.checked_add(dimension)?;
        if dimension >= width || column >= w.ncols() || token >= x.nrows() {
            return None;
        }
        let terms = x.row(token).into_iter().zip(w.column(column)).enumerate().map(|(index, (&x, &w))| {
            let (x, w) = (f64::from(x), f64::from(w));
            Term { index, x, w, product: x * w }
        });
        Some(terms.filter(|term| term.product != 0.0).collect())
    }
}
