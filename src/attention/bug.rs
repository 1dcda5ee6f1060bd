//! Mistakes that people really make, as a small set: each changes one step of the computation and nothing else.

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bug {
    /// The mask is transposed: query i sees what key i should be seen by (triu for tril).
    MaskTransposed,
    /// The causal part is strict: a token does not see itself (tril with diagonal −1).
    MaskStrict,
    /// The causal part lets one future token through (tril with diagonal 1).
    MaskLoose,
    /// Permitted and forbidden are exchanged (true = may attend read as true = blocked).
    MaskInverted,
    /// The padding mask of keys is laid on the queries instead.
    MaskOnQueries,
    /// The scale multiplies the weights after softmax, not the scores before it.
    ScaleAfterSoftmax,
    /// Softmax over the queries of a key, not over the keys of a query.
    SoftmaxOverQueries,
    /// `[n, h·d]` is read as `[h, n, d]` as the numbers lie, without the transpose. Needs projections.
    SplitWithoutTranspose,
    /// `[h, n, d]` is read as `[n, h·d]` as the numbers lie, without the transpose.
    MergeWithoutTranspose,
    /// The last query's q begins with a NaN, in every head.
    NanRow,
}

impl Bug {
    /// All of them, in the order of the computation's account above.
    pub const ALL: [Self; 10] = [
        Self::MaskTransposed,
        Self::MaskStrict,
        Self::MaskLoose,
        Self::MaskInverted,
        Self::MaskOnQueries,
        Self::ScaleAfterSoftmax,
        Self::SoftmaxOverQueries,
        Self::SplitWithoutTranspose,
        Self::MergeWithoutTranspose,
        Self::NanRow,
    ];

    /// Its name in links; once given, it stays.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaskTransposed => "mask-transposed",
            Self::MaskStrict => "mask-strict",
            Self::MaskLoose => "mask-loose",
            Self::MaskInverted => "mask-inverted",
            Self::MaskOnQueries => "mask-on-queries",
            Self::ScaleAfterSoftmax => "scale-after-softmax",
            Self::SoftmaxOverQueries => "softmax-over-queries",
            Self::SplitWithoutTranspose => "split-without-transpose",
            Self::MergeWithoutTranspose => "merge-without-transpose",
            Self::NanRow => "nan-row",
        }
    }

    /// The bug of a link's name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|bug| bug.name() == name)
    }
}

/// A set of mistakes; empty as a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Bugs(u16);

impl Bugs {
    /// None.
    pub const NONE: Self = Self(0);

    /// Only this one.
    #[must_use]
    pub const fn of(bug: Bug) -> Self {
        Self(1 << bug as u16)
    }

    /// The same set with or without `bug`.
    #[must_use]
    pub const fn with(self, bug: Bug, on: bool) -> Self {
        let bit = 1 << bug as u16;
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }

    /// Whether `bug` is among them.
    #[must_use]
    pub const fn has(self, bug: Bug) -> bool {
        self.0 >> (bug as u16) & 1 == 1
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The bugs in it, in the order of [`Bug::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Bug> {
        Bug::ALL.into_iter().filter(move |&bug| self.has(bug))
    }
}
