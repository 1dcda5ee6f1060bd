//! Which keys each query may attend to, as lists: forbidden keys then never enter a sum.

use crate::attention::{Mask, Shape};

/// Lists of permitted keys, ascending, one per row; rows of equal lists share one.
#[derive(Debug)]
pub struct Permitted {
    keys: Vec<usize>,
    /// Row r has keys[starts[r]..starts[r + 1]].
    starts: Vec<usize>,
    sharing: Sharing,
    n_q: usize,
}

#[derive(Clone, Copy, Debug)]
enum Sharing {
    /// No mask: one list for all.
    All,
    /// One list per query.
    Heads,
    /// One list per head and query.
    None,
}

impl Permitted {
    /// Asks `mask` once for every row that can differ.
    #[must_use]
    pub fn new(mask: &Mask, shape: &Shape) -> Self {
        let sharing = match (mask.is_none(), mask.depends_on_head()) {
            (true, _) => Sharing::All,
            (false, false) => Sharing::Heads,
            (false, true) => Sharing::None,
        };
        let (heads, n_q) = match sharing {
            Sharing::All => (1, 1),
            Sharing::Heads => (1, shape.n_q),
            Sharing::None => (shape.heads, shape.n_q),
        };
        let (mut keys, mut starts) = (Vec::new(), vec![0]);
        let mut row = vec![false; shape.n_k];
        for head in 0..heads {
            for query in 0..n_q {
                mask.fill_row(head, query, &mut row);
                keys.extend(row.iter().enumerate().filter(|&(_, &may)| may).map(|(key, _)| key));
                starts.push(keys.len());
            }
        }
        Self { keys, starts, sharing, n_q }
    }

    /// The keys of one row.
    #[must_use]
    pub fn row(&self, head: usize, query: usize) -> &[usize] {
        let row = match self.sharing {
            Sharing::All => 0,
            Sharing::Heads => query,
            Sharing::None => head * self.n_q + query,
        };
        &self.keys[self.starts[row]..self.starts[row + 1]]
    }
}
