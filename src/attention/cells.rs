//! Mask cells set by hand, in row-major order.

/// (query, key), both from 0.
pub type Cell = (u32, u32);

/// Cells set by hand: which, and whether each may attend. Ordered by query, then key.
///
/// A sorted list and not a `BTreeMap`, whose machinery is as long as several rooms of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells(Vec<(Cell, bool)>);

impl Cells {
    /// No cell.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many cells are set.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What a cell is set to.
    #[must_use]
    pub fn get(&self, cell: &Cell) -> Option<bool> {
        let at = self.place(cell).ok()?;
        self.0.get(at).map(|&(_, permit)| permit)
    }

    /// Whether a cell is set.
    #[must_use]
    pub fn contains_key(&self, cell: &Cell) -> bool {
        self.place(cell).is_ok()
    }

    /// Sets a cell.
    pub fn insert(&mut self, cell: Cell, permit: bool) {
        match self.place(&cell) {
            Ok(at) => self.0[at].1 = permit,
            Err(at) => self.0.insert(at, (cell, permit)),
        }
    }

    /// Unsets a cell.
    pub fn remove(&mut self, cell: &Cell) {
        if let Ok(at) = self.place(cell) {
            self.0.remove(at);
        }
    }

    /// Every cell that is set.
    pub fn iter(&self) -> impl Iterator<Item = (Cell, bool)> {
        self.0.iter().copied()
    }

    /// The cells of one query, as (key, may attend).
    pub fn row(&self, query: u32) -> impl Iterator<Item = (u32, bool)> {
        let start = self.0.partition_point(|&((q, _), _)| q < query);
        self.0[start..].iter().take_while(move |&&((q, _), _)| q == query).map(|&((_, key), permit)| (key, permit))
    }

    /// The cells above and left of `side`; `None` when that is all of them.
    #[must_use]
    pub fn cut(&self, side: u32) -> Option<Self> {
        let mut inside = self.clone();
        inside.0.retain(|&((query, key), _)| query < side && key < side);
        (inside.len() < self.len()).then_some(inside)
    }

    fn place(&self, cell: &Cell) -> Result<usize, usize> {
        // The common case of cells that come in order needs no search.
        match self.0.last() {
            Some((last, _)) if last < cell => Err(self.0.len()),
            _ => self.0.binary_search_by_key(cell, |&(known, _)| known),
        }
    }
}

impl FromIterator<(Cell, bool)> for Cells {
    fn from_iter<I: IntoIterator<Item = (Cell, bool)>>(cells: I) -> Self {
        let mut set = Self::new();
        for (cell, permit) in cells {
            set.insert(cell, permit);
        }
        set
    }
}

impl<const N: usize> From<[(Cell, bool); N]> for Cells {
    fn from(cells: [(Cell, bool); N]) -> Self {
        cells.into_iter().collect()
    }
}
