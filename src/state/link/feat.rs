//! The `feat` value: added words with their features, `女巫:noun+animate,哥布林,那只:split`.
//!
//! Words are parted by `,`, a word from its features by `:`, features by `+`. Where a word holds one of `%` `,` `:` `+`
//! itself, these four are percent-escaped *within* the value (`a%2Cb`); the link table then escapes the value as a
//! whole, like any other. The pseudo-feature `split` says that the text is never one word.

use super::percent;
use crate::state::notice::{Given, Notice};
use crate::state::words::{can_be_given, tidy};
use crate::text::{AddedWord, Feature, FeatureSet};

const SPLIT: &str = "split";

/// Encodes words in their order.
#[must_use]
pub fn encode(words: &[AddedWord]) -> String {
    let word = |word: &AddedWord| {
        let mut names: Vec<&str> = word.features.iter().map(Feature::name).collect();
        if word.split {
            names.push(SPLIT);
        }
        let text = percent::encode_only(&word.text, b"%,:+");
        if names.is_empty() { text } else { format!("{text}:{}", names.join("+")) }
    };
    words.iter().map(word).collect::<Vec<_>>().join(",")
}

/// Decodes words; what can't be used is left out and said.
#[must_use]
pub fn decode(value: &str) -> (Vec<AddedWord>, Vec<Notice>) {
    let mut notices = Vec::new();
    if value.is_empty() {
        return (Vec::new(), notices);
    }
    let mut of = 0;
    let mut found = Vec::new();
    for item in value.split(',') {
        of += 1;
        let (text, names) = item.split_once(':').unwrap_or((item, ""));
        let (text, broken) = percent::decode(text);
        if broken && !notices.iter().any(|notice| matches!(notice, Notice::BrokenEscapes { .. })) {
            notices.push(Notice::BrokenEscapes { key: Given::new("feat") });
        }
        let mut word = AddedWord { text: text.into(), features: FeatureSet::EMPTY, split: false };
        let mut unknown = false;
        for name in names.split('+').filter(|name| !name.is_empty()) {
            match Feature::from_name(name).filter(|&feature| can_be_given(feature)) {
                Some(feature) => word.features = word.features.with(feature, true),
                None if name == SPLIT => word.split = true,
                None => {
                    unknown = true;
                    if notices.len() < MOST_NOTICES {
                        notices
                            .push(Notice::UnknownFeature { word: Given::new(&word.text), feature: Given::new(name) });
                    }
                }
            }
        }
        // A word of which nothing said is understood stays what it was: added bare, it would lose what the lexicon says.
        if unknown && word.features == FeatureSet::EMPTY && !word.split {
            of -= 1;
        } else {
            found.push(word);
        }
    }
    let words = tidy(found);
    if words.len() < of {
        notices.push(Notice::WordsLeftOut { kept: words.len(), of });
    }
    (words, notices)
}

/// Unknown features are named one by one up to here; more would bury everything else.
const MOST_NOTICES: usize = 4;
