//! The lexicon: 193 Chinese and English words with 0/1 features, and words that a person adds.

/// One 0/1 feature of a word. The discriminant is its index in the 32 content dimensions of an embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are the documentation; the page's chips explain each in two languages")]
pub enum Feature {
    Const = 0,
    Bos,
    Noun,
    Pron,
    Verb,
    Trans,
    Be,
    Det,
    Func,
    Mod,
    Punct,
    Unk,
    Animate,
    Animal,
    Human,
    Thing,
    WantAnimal,
    WantHuman,
    WantThing,
    Sg,
    Pl,
    WantSg,
    WantPl,
    TFin,
    TNat,
    TFood,
    TTech,
    SFin,
    SNat,
    SFood,
    STech,
}

impl Feature {
    /// Every feature, in the order of the embedding's dimensions.
    pub const ALL: [Self; 31] = [
        Self::Const,
        Self::Bos,
        Self::Noun,
        Self::Pron,
        Self::Verb,
        Self::Trans,
        Self::Be,
        Self::Det,
        Self::Func,
        Self::Mod,
        Self::Punct,
        Self::Unk,
        Self::Animate,
        Self::Animal,
        Self::Human,
        Self::Thing,
        Self::WantAnimal,
        Self::WantHuman,
        Self::WantThing,
        Self::Sg,
        Self::Pl,
        Self::WantSg,
        Self::WantPl,
        Self::TFin,
        Self::TNat,
        Self::TFood,
        Self::TTech,
        Self::SFin,
        Self::SNat,
        Self::SFood,
        Self::STech,
    ];

    /// The names of [`Self::ALL`], in the same order: what a link (`feat`) and the reference model call them.
    pub const NAMES: [&'static str; 31] = [
        "const",
        "bos",
        "noun",
        "pron",
        "verb",
        "trans",
        "be",
        "det",
        "func",
        "mod",
        "punct",
        "unk",
        "animate",
        "animal",
        "human",
        "thing",
        "want_animal",
        "want_human",
        "want_thing",
        "sg",
        "pl",
        "want_sg",
        "want_pl",
        "t_fin",
        "t_nat",
        "t_food",
        "t_tech",
        "s_fin",
        "s_nat",
        "s_food",
        "s_tech",
    ];

    /// Its name: `want_animal`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The feature of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|&known| known == name).map(|at| Self::ALL[at])
    }
}

/// A set of features, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct FeatureSet(pub u32);

impl FeatureSet {
    /// No feature.
    pub const EMPTY: Self = Self(0);

    /// The set of these features.
    #[must_use]
    pub const fn of(features: &[Feature]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < features.len() {
            bits |= 1 << features[i] as u32;
            i += 1;
        }
        Self(bits)
    }

    /// Whether `feature` is in the set.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// The set with `feature` put in or taken out.
    #[must_use]
    pub const fn with(self, feature: Feature, on: bool) -> Self {
        let bit = 1 << feature as u32;
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }

    /// Whether no feature is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The features in the set, in the order of the embedding's dimensions.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.into_iter().filter(move |&feature| self.has(feature))
    }
}

/// A word that the person or the browser's segmenter added to the lexicon of this page (link key `feat`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedWord {
    /// The word as it stands in the input.
    pub text: Box<str>,
    /// Its features; empty means "unknown, but one word".
    pub features: FeatureSet,
    /// The opposite of a word: this text is never taken as one word, but cut into shorter ones (link feature `split`).
    pub split: bool,
}
