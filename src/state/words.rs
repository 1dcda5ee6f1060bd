//! Added words: the limits every list of them keeps, wherever it comes from.

use crate::text::{AddedWord, Feature, FeatureSet};

/// Most words that a page adds to its lexicon.
pub const MAX_WORDS: usize = 256;
/// Longest added word, in characters.
pub const MAX_WORD_LENGTH: usize = 64;

/// Features that a word can't be given: the model sets them itself.
pub const OWN_FEATURES: FeatureSet = FeatureSet::of(&[Feature::Const, Feature::Bos, Feature::Unk]);

/// Whether a person may give `feature` to a word.
#[must_use]
pub const fn can_be_given(feature: Feature) -> bool {
    !OWN_FEATURES.has(feature)
}

/// Keeps the first of each word, trimmed, neither empty nor too long, at most [`MAX_WORDS`], without features that
/// are the model's own; in the given order.
#[must_use]
pub fn tidy(words: impl IntoIterator<Item = AddedWord>) -> Vec<AddedWord> {
    let mut kept: Vec<AddedWord> = Vec::new();
    for word in words {
        let text = word.text.trim();
        let fits = !text.is_empty() && text.chars().nth(MAX_WORD_LENGTH).is_none();
        if kept.len() < MAX_WORDS && fits && !kept.iter().any(|known| &*known.text == text) {
            kept.push(AddedWord {
                text: text.into(),
                features: FeatureSet(word.features.0 & FeatureSet::of(&Feature::ALL).0 & !OWN_FEATURES.0),
                split: word.split,
            });
        }
    }
    kept
}
