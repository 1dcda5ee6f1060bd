//! Who may attend to whom, as a predicate.
//!
//! A mask is a composition of parts, asked cell by cell or row by row; nothing here adds −∞ to a score.

use crate::tensor::Heads;
use std::collections::BTreeMap;
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
    /// Cells set by hand, (query, key) → may attend. They win over every other part.
    pub cells: Rc<BTreeMap<(u32, u32), bool>>,
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
        !self.causal && self.keys.is_none() && self.cells.is_empty() && self.given.is_none() && self.bias.is_none()
    }

    /// May query `query` attend to key `key` in head `head` (all from 0)?
    #[must_use]
    pub fn permits(&self, head: usize, query: usize, key: usize) -> bool {
        if let (Ok(i), Ok(j)) = (u32::try_from(query), u32::try_from(key))
            && let Some(&set) = self.cells.get(&(i, j))
        {
            return set;
        }
        self.permits_without_cells(head, query, key)
    }

    /// The same, as if no cell had been set by hand: what a pencil stroke would return to.
    #[must_use]
    pub fn permits_without_cells(&self, head: usize, query: usize, key: usize) -> bool {
        (!self.causal || key <= query)
            && self.keys.as_ref().is_none_or(|keys| keys.get(key).copied().unwrap_or(true))
            && self.given.as_ref().is_none_or(|given| given[[broadcast(given, head), query, key]])
            && self.bias.as_ref().is_none_or(|bias| bias[[broadcast(bias, head), query, key]] != f32::NEG_INFINITY)
    }

    /// What is added to the score of a permitted cell (0 where there is no bias).
    #[must_use]
    pub fn added(&self, head: usize, query: usize, key: usize) -> f32 {
        self.bias.as_ref().map_or(0.0, |bias| bias[[broadcast(bias, head), query, key]])
    }
}

/// The head index in an array of one matrix for all heads, or one per head.
fn broadcast<T>(array: &Heads<T>, head: usize) -> usize {
    if array.dim().0 == 1 { 0 } else { head }
}
