//! The words that a person or the segmenter added, ready to be matched against an input.
//!
//! A word matches as it is written, else in lower case; of two entries for the same text the later one counts.

use super::fold::fold;
use super::lexicon::{self, AddedWord, Feature, FeatureSet};
use super::script::{Piece, joined, pieces};

/// Features that the model and the tokenizer give, which no added word may claim.
const RESERVED: FeatureSet = FeatureSet::of(&[Feature::Const, Feature::Bos, Feature::Unk]);

/// Added words, longest first.
pub(super) struct WordList<'a> {
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    word: &'a AddedWord,
    /// Number of pieces.
    len: usize,
    /// First character in lower case: most entries are ruled out by it alone.
    first: char,
}

/// How far an added word may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Anywhere, but not to the middle of a run of letters.
    WholeRuns,
    /// Up to this piece, cutting its run: the run is one that the person asked to split.
    Within(usize),
}

impl<'a> WordList<'a> {
    /// Orders the words. Texts that begin or end with white space, or are empty, can't match and are left out.
    pub(super) fn new(words: &'a [AddedWord]) -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(words.len());
        for word in words.iter().filter(|word| word.text.trim() == &*word.text) {
            if let Some(first) = word.text.chars().next().map(fold) {
                let len = pieces(&word.text).len();
                // Before its equals: of words of the same length the later ones come first.
                let at = entries.partition_point(|entry| entry.len > len);
                entries.insert(at, Entry { word, len, first });
            }
        }
        Self { entries }
    }

    /// The entry for a whole text: exact, else in lower case.
    pub(super) fn find(&self, text: &str) -> Option<&'a AddedWord> {
        let start = text.chars().next().map(fold)?;
        let candidates = self.entries.iter().filter(|entry| entry.first == start).map(|entry| entry.word);
        let mut same = candidates.filter(|word| folds_to(&word.text, text));
        let first = same.clone().next()?;
        Some(same.find(|word| &*word.text == text).unwrap_or(first))
    }

    /// The entry for a whole text that says "one word", not "never one word".
    pub(super) fn word(&self, text: &str) -> Option<&'a AddedWord> {
        self.find(text).filter(|word| !word.split)
    }

    /// Whether this text must not be taken as one word.
    pub(super) fn is_split(&self, text: &str) -> bool {
        self.find(text).is_some_and(|word| word.split)
    }

    /// The longest added word that starts at piece `i`, as the index of the piece after it.
    pub(super) fn longest_at(&self, input: &str, pieces: &[Piece], i: usize, reach: Reach) -> Option<usize> {
        let start = pieces.get(i)?;
        let first = start.text.chars().next().map(fold)?;
        let candidates = self.entries.iter().filter(|entry| entry.first == first);
        candidates.map(|entry| (entry, i + entry.len)).find_map(|(entry, end)| {
            let allowed = match reach {
                Reach::WholeRuns => !joined(pieces, end - 1),
                Reach::Within(limit) => end <= limit,
            };
            let text = input.get(start.start..pieces.get(end - 1)?.end())?;
            // The entry that matches need not be the one that counts: a later or an exact one may forbid the word.
            (allowed && folds_to(&entry.word.text, text) && self.word(text).is_some()).then_some(end)
        })
    }

    /// The features of a text, and whether it is a known word: from the person, else from the lexicon, else unknown.
    pub(super) fn features(&self, text: &str) -> (FeatureSet, bool) {
        let features = match self.word(text) {
            Some(word) => FeatureSet(word.features.0 & !RESERVED.0),
            None => lexicon::lookup(text).unwrap_or(FeatureSet::EMPTY),
        };
        if features.is_empty() { (FeatureSet::of(&[Feature::Unk]), false) } else { (features, true) }
    }
}

/// Whether two texts are equal in lower case.
pub(super) fn folds_to(a: &str, b: &str) -> bool {
    a == b || a.chars().map(fold).eq(b.chars().map(fold))
}
