//! Who may attend to whom in a long text: masks that are a rule, not an array.

/// The keys that a query leaves out to save work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sparse {
    /// None.
    #[default]
    Full,
    /// All but the keys at most this far away: |i − j| ≤ w.
    Window(usize),
    /// All but the s − 1 keys on either side and every s-th one from the query: |i − j| < s or (i − j) mod s = 0
    /// (Child et al. 2019, "Generating Long Sequences with Sparse Transformers", the strided pattern).
    Strided(usize),
}

/// The mask of a long text. A query may always attend to itself, so no row is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Pattern {
    /// Key j ≤ query i only.
    pub causal: bool,
    /// Which of the others are left out.
    pub sparse: Sparse,
}

impl Pattern {
    /// May query `query` attend to key `key`?
    #[must_use]
    pub const fn permits(self, query: usize, key: usize) -> bool {
        let distance = query.abs_diff(key);
        (!self.causal || key <= query)
            && match self.sparse {
                Sparse::Full => true,
                Sparse::Window(width) => distance <= width,
                Sparse::Strided(stride) => {
                    distance < stride || distance.is_multiple_of(if stride == 0 { 1 } else { stride })
                }
            }
    }

    /// How many keys before and after itself a query reaches, where the permitted keys stand side by side.
    #[must_use]
    pub const fn reach(self) -> Option<(usize, usize)> {
        let width = match self.sparse {
            Sparse::Full => usize::MAX,
            Sparse::Window(width) => width,
            Sparse::Strided(_) => return None,
        };
        Some((width, if self.causal { 0 } else { width }))
    }

    /// Whether it forbids anything at all.
    #[must_use]
    pub const fn is_full(self) -> bool {
        !self.causal && matches!(self.sparse, Sparse::Full)
    }
}
