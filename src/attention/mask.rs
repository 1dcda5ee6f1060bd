//! Who may attend to whom, as a predicate.
//!
//! A mask is a composition of parts, asked cell by cell or row by row; nothing here adds −∞ to a score.

use super::cells::Cells;
use super::problem::ProblemError;
use super::rule::Rule;
use super::trace::Shape;
use crate::tensor::Heads;
use ndarray::{ArrayView1, s};
use std::rc::Rc;

/// A mask over `[n_q, n_k]` cells (or `[h, n_q, n_k]` where `given` or `bias` says so).
///
/// A cell is permitted when every part permits it, unless a cell set by hand says otherwise: `cells` wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mask {
    /// Key j may be seen by query i only when j ≤ i (aligned top-left for rectangular shapes).
    pub causal: bool,
    /// One entry per key; `false` hides the key from every query (padding mask).
    pub keys: Option<Rc<[bool]>>,
    /// A rule over (query, key), the same for every head.
    pub rule: Option<Rc<Rule>>,
    /// Cells set by hand. They win over every other part.
    pub cells: Rc<Cells>,
    /// A mask given cell by cell, `[1 or h, n_q, n_k]`, `true` = may attend.
    pub given: Option<Rc<Heads<bool>>>,
    /// Numbers added to the scores after scale and temperature, `[1 or h, n_q, n_k]`; −∞ forbids.
    pub bias: Option<Rc<Heads<f32>>>,
}

impl Mask {
    /// Nothing is forbidden.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Whether any part can forbid or change anything.
    #[must_use]
    pub fn is_none(&self) -> bool {
        !self.causal
            && self.keys.is_none()
            && self.rule.is_none()
            && self.cells.is_empty()
            && self.given.is_none()
            && self.bias.is_none()
    }

    /// May query `query` attend to key `key` in head `head` (all from 0)?
    #[must_use]
    pub fn permits(&self, head: usize, query: usize, key: usize) -> bool {
        if let (Ok(i), Ok(j)) = (u32::try_from(query), u32::try_from(key))
            && let Some(set) = self.cells.get(&(i, j))
        {
            return set;
        }
        self.permits_without_cells(head, query, key)
    }

    /// The same, as if no cell had been set by hand: what a pencil stroke would return to.
    ///
    /// A cell outside a given array counts as permitted; validation refuses such arrays before anything is computed.
    #[must_use]
    pub fn permits_without_cells(&self, head: usize, query: usize, key: usize) -> bool {
        (!self.causal || key <= query)
            && self.keys.as_ref().is_none_or(|keys| keys.get(key).copied().unwrap_or(true))
            && self.rule.as_ref().is_none_or(|rule| rule.permits(query, key))
            && cell(self.given.as_deref(), head, query, key).unwrap_or(true)
            && cell(self.bias.as_deref(), head, query, key) != Some(f32::NEG_INFINITY)
    }

    /// What is added to the score of a permitted cell: 0 where there is no bias, and 0 where a cell set by hand
    /// permits what a bias of −∞ forbids.
    #[must_use]
    pub fn added(&self, head: usize, query: usize, key: usize) -> f32 {
        cell(self.bias.as_deref(), head, query, key).filter(|&bias| bias != f32::NEG_INFINITY).unwrap_or(0.0)
    }

    /// Writes [`Self::permits`] of keys 0, 1, … of one row into `row`; the fast form, one look-up per row and part.
    pub fn fill_row(&self, head: usize, query: usize, row: &mut [bool]) {
        row.fill(true);
        if self.causal {
            row.iter_mut().skip(query.saturating_add(1)).for_each(|may| *may = false);
        }
        if let Some(keys) = &self.keys {
            row.iter_mut().zip(keys.iter()).for_each(|(may, &key)| *may &= key);
        }
        if let Some(rule) = &self.rule {
            row.iter_mut().enumerate().for_each(|(key, may)| *may &= rule.permits(query, key));
        }
        if let Some(given) = row_of(self.given.as_deref(), head, query) {
            row.iter_mut().zip(given).for_each(|(may, &given)| *may &= given);
        }
        if let Some(bias) = row_of(self.bias.as_deref(), head, query) {
            row.iter_mut().zip(bias).for_each(|(may, &bias)| *may &= bias != f32::NEG_INFINITY);
        }
        if let Ok(i) = u32::try_from(query) {
            for (j, set) in self.cells.row(i) {
                if let Some(may) = usize::try_from(j).ok().and_then(|j| row.get_mut(j)) {
                    *may = set;
                }
            }
        }
    }

    /// How many of the keys 0 to n_k − 1 query `query` may attend to in head `head`.
    #[must_use]
    pub fn count_permitted(&self, head: usize, query: usize, n_k: usize) -> usize {
        let mut row = vec![false; n_k];
        self.fill_row(head, query, &mut row);
        row.iter().filter(|&&may| may).count()
    }

    /// Whether the permitted cells or the bias may differ from head to head.
    #[must_use]
    pub fn depends_on_head(&self) -> bool {
        self.given.as_ref().is_some_and(|given| given.dim().0 > 1)
            || self.bias.as_ref().is_some_and(|bias| bias.dim().0 > 1)
    }

    /// Checks that every part fits a computation of `shape` and that the bias is a number or −∞ everywhere.
    ///
    /// Cells set by hand outside the shape are no error: they wait for a longer sentence.
    ///
    /// # Errors
    /// [`ProblemError::Shape`] for `mask keys`, `mask` or `bias`; [`ProblemError::NotFinite`] for `bias`.
    pub fn check(&self, shape: &Shape) -> Result<(), ProblemError> {
        if let Some(keys) = &self.keys
            && keys.len() != shape.n_k
        {
            return Err(ProblemError::Shape { what: "mask keys", got: vec![keys.len()], want: vec![shape.n_k] });
        }
        check_cells("mask", self.given.as_deref(), shape)?;
        check_cells("bias", self.bias.as_deref(), shape)?;
        let bad = |bias: f32| bias.is_nan() || bias == f32::INFINITY;
        match self.bias.as_ref().and_then(|array| array.iter().position(|&bias| bad(bias))) {
            Some(index) => Err(ProblemError::NotFinite { what: "bias", index }),
            None => Ok(()),
        }
    }
}

fn check_cells<T>(what: &'static str, array: Option<&Heads<T>>, shape: &Shape) -> Result<(), ProblemError> {
    let Some(array) = array else { return Ok(()) };
    let (heads, n_q, n_k) = array.dim();
    if (heads == 1 || heads == shape.heads) && n_q == shape.n_q && n_k == shape.n_k {
        return Ok(());
    }
    // One matrix for all heads is as welcome as one per head: ask for the form that was meant.
    let wanted = if heads == 1 { 1 } else { shape.heads };
    Err(ProblemError::Shape { what, got: vec![heads, n_q, n_k], want: vec![wanted, shape.n_q, shape.n_k] })
}

/// One number of an array of one matrix for all heads, or one per head.
fn cell<T: Copy>(array: Option<&Heads<T>>, head: usize, query: usize, key: usize) -> Option<T> {
    let array = array?;
    array.get([broadcast(array, head), query, key]).copied()
}

/// One row of such an array.
fn row_of<T>(array: Option<&Heads<T>>, head: usize, query: usize) -> Option<ArrayView1<'_, T>> {
    let array = array?;
    let head = broadcast(array, head);
    (head < array.dim().0 && query < array.dim().1).then(|| array.slice(s![head, query, ..]))
}

/// The head index in an array of one matrix for all heads, or one per head.
fn broadcast<T>(array: &Heads<T>, head: usize) -> usize {
    if array.dim().0 == 1 { 0 } else { head }
}
