//! The lexicon: 193 Chinese and English words with 0/1 features, and words that a person adds.
//!
//! Owns features, their names in links, and the look-up of a word. The words themselves stand in `lexicon/data.rs`;
//! how an input is cut into words is the tokenizer's.

mod data;

use super::fold::folded;
use std::sync::LazyLock;

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

    /// The features that a person may set on a word. Not among them: those that the model or the tokenizer gives
    /// (`const`, `bos`, `unk`, `punct`).
    pub const SETTABLE: [Self; 27] = [
        Self::Noun,
        Self::Pron,
        Self::Verb,
        Self::Trans,
        Self::Be,
        Self::Det,
        Self::Func,
        Self::Mod,
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

    /// The name in a link: `noun`, `want_animal`, `t_fin`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Const => "const",
            Self::Bos => "bos",
            Self::Noun => "noun",
            Self::Pron => "pron",
            Self::Verb => "verb",
            Self::Trans => "trans",
            Self::Be => "be",
            Self::Det => "det",
            Self::Func => "func",
            Self::Mod => "mod",
            Self::Punct => "punct",
            Self::Unk => "unk",
            Self::Animate => "animate",
            Self::Animal => "animal",
            Self::Human => "human",
            Self::Thing => "thing",
            Self::WantAnimal => "want_animal",
            Self::WantHuman => "want_human",
            Self::WantThing => "want_thing",
            Self::Sg => "sg",
            Self::Pl => "pl",
            Self::WantSg => "want_sg",
            Self::WantPl => "want_pl",
            Self::TFin => "t_fin",
            Self::TNat => "t_nat",
            Self::TFood => "t_food",
            Self::TTech => "t_tech",
            Self::SFin => "s_fin",
            Self::SNat => "s_nat",
            Self::SFood => "s_food",
            Self::STech => "s_tech",
        }
    }

    /// The feature of this [`name`](Self::name); `None` for any other text.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.name() == name)
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

/// The whole lexicon, sorted by word (by UTF-8 bytes), each word once.
#[must_use]
pub fn entries() -> &'static [(&'static str, FeatureSet)] {
    static ENTRIES: LazyLock<Vec<(&'static str, FeatureSet)>> = LazyLock::new(|| {
        let mut entries: Vec<(&str, FeatureSet)> = Vec::new();
        for &(words, features) in data::GROUPS {
            for word in words.split(' ') {
                match entries.binary_search_by_key(&word, |&(known, _)| known) {
                    Ok(at) => entries[at].1 = features, // of equal words the latest counts
                    Err(at) => entries.insert(at, (word, features)),
                }
            }
        }
        entries
    });
    &ENTRIES
}

/// The features of a word: as it is written, else in lower case. `None` for a word that the lexicon does not know.
#[must_use]
pub fn lookup(word: &str) -> Option<FeatureSet> {
    let exact = |word: &str| {
        let entries = entries();
        let at = entries.binary_search_by_key(&word, |&(known, _)| known).ok()?;
        entries.get(at).map(|&(_, features)| features)
    };
    exact(word).or_else(|| exact(&folded(word)))
}
