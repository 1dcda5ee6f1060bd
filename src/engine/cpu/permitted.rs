//! Which keys each query may attend to: forbidden keys never enter a sum.
//!
//! Most masks permit the first keys of a row and forbid the rest (none, causal, padding at the end), which a number says;
//! other rows have a list.

use crate::attention::{Mask, Shape};
use std::ops::Range;

/// The permitted keys of every row; rows that can't differ share one entry.
#[derive(Debug)]
pub struct Permitted {
    /// How many keys each row permits.
    counts: Vec<usize>,
    /// Where the list of a row stands in `keys`; `None` where its keys are the first ones.
    lists: Vec<Option<usize>>,
    keys: Vec<usize>,
    /// From one head's rows to the next head's; 0 where all heads share them.
    per_head: usize,
    n_k: usize,
}

impl Permitted {
    /// Asks `mask` once for every row that can differ.
    #[must_use]
    pub fn new(mask: &Mask, shape: &Shape) -> Self {
        let (n_q, n_k) = (shape.n_q, shape.n_k);
        let (heads, per_head) = if mask.depends_on_head() { (shape.heads, n_q) } else { (1, 0) };
        let (mut keys, mut counts, mut lists) = (Vec::new(), vec![n_k; heads * n_q], vec![None; heads * n_q]);
        let mut row = vec![false; if mask.is_none() { 0 } else { n_k }];
        for at in 0..if mask.is_none() { 0 } else { heads * n_q } {
            mask.fill_row(at / n_q, at % n_q, &mut row);
            let count = row.iter().filter(|&&may| may).count();
            if row[..count].contains(&false) {
                lists[at] = Some(keys.len());
                keys.extend(row.iter().enumerate().filter(|&(_, &may)| may).map(|(key, _)| key));
            }
            counts[at] = count;
        }
        Self { counts, lists, keys, per_head, n_k }
    }

    /// How many keys each of some rows of a head permits.
    #[must_use]
    pub fn counts(&self, head: usize, queries: Range<usize>) -> &[usize] {
        let start = head * self.per_head;
        &self.counts[start + queries.start..start + queries.end]
    }

    /// The permitted keys of a row, ascending, when they are not simply the first ones.
    #[must_use]
    pub fn list(&self, head: usize, query: usize) -> Option<&[usize]> {
        let row = head * self.per_head + query;
        self.lists[row].map(|start| &self.keys[start..start + self.counts[row]])
    }

    /// No row of these permits a key from this one on.
    #[must_use]
    pub fn reach(&self, head: usize, queries: Range<usize>) -> usize {
        let start = head * self.per_head;
        if self.lists[start + queries.start..start + queries.end].iter().any(Option::is_some) {
            return self.n_k;
        }
        self.counts(head, queries).iter().copied().max().unwrap_or(0)
    }
}
