//! Masks that are a rule: predicates over (query, key), and how they combine.

use super::pattern::{Pattern, Sparse};
use std::rc::Rc;

/// A predicate over cells: may query i attend to key j (both from 0)?
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// j ≤ i.
    Causal,
    /// Hides keys, one entry per key: `false` hides it from every query. A key without an entry is seen.
    Keys(Rc<[bool]>),
    /// Blinds queries, one entry per query: `false` lets it see nothing. A query without an entry sees.
    Queries(Rc<[bool]>),
    /// Prefix language model: the first p keys are seen by all, of the others only j ≤ i.
    Prefix(usize),
    /// |i − j| ≤ w.
    Window(usize),
    /// |i − j| < s or s divides i − j (Child et al. 2019).
    Strided(usize),
    /// i and j lie in the same block of b tokens; b = 0 counts as 1.
    Block(usize),
    /// The first `tokens` see all and are seen by all; the others see |i − j| ≤ `window` (Beltagy et al. 2020).
    Global {
        /// How many tokens are global.
        tokens: usize,
        /// Width of the window on either side.
        window: usize,
    },
    /// Documents packed into one sequence: i and j have the same number here. Without a number nothing is seen.
    Documents(Rc<[u32]>),
    /// Every one of these permits; an empty list permits all.
    All(Rc<[Rule]>),
    /// At least one of these permits; an empty list permits nothing.
    Any(Rc<[Rule]>),
    /// Permits what the other forbids.
    Not(Rc<Rule>),
}

impl Rule {
    /// May query `query` attend to key `key`?
    #[must_use]
    pub fn permits(&self, query: usize, key: usize) -> bool {
        let sparse = |sparse| Pattern { causal: false, sparse }.permits(query, key);
        match self {
            Self::Causal => key <= query,
            Self::Keys(keys) => keys.get(key).copied().unwrap_or(true),
            Self::Queries(queries) => queries.get(query).copied().unwrap_or(true),
            Self::Prefix(length) => key < *length || key <= query,
            Self::Window(width) => sparse(Sparse::Window(*width)),
            Self::Strided(stride) => sparse(Sparse::Strided(*stride)),
            Self::Block(size) => query / size.max(&1) == key / size.max(&1),
            Self::Global { tokens, window } => query < *tokens || key < *tokens || sparse(Sparse::Window(*window)),
            Self::Documents(ids) => ids.get(query).is_some_and(|id| ids.get(key) == Some(id)),
            Self::All(rules) => rules.iter().all(|rule| rule.permits(query, key)),
            Self::Any(rules) => rules.iter().any(|rule| rule.permits(query, key)),
            Self::Not(rule) => !rule.permits(query, key),
        }
    }
}
