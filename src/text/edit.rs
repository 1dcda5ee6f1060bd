//! What a person does to the words: merge, split, set features; and which words the browser's segmenter may add.
//!
//! Pure functions from a list of added words to the next one. The rule behind all: an entry is kept only while it
//! makes a difference, so that a link says nothing that is true without it.

use super::lexicon::{self, AddedWord, Feature, FeatureSet};
use super::script::{Class, is_letters, pieces};
use super::token::{Token, TokenKind};
use super::tokenize::{Marks, Tokenizer, tokenize};
use super::word_list::{WordList, folds_to};
use std::ops::Range;

/// The word that tokens `first` and `first + 1` make together, with the lexicon's features if it knows it.
/// Hand it to [`with_word`]. `None` for marks, bytes and chunks (whose borders are no matter of words), and across white
/// space unless letters stand on both sides of it ("New York").
#[must_use]
pub fn merge(input: &str, tokens: &[Token], first: usize) -> Option<AddedWord> {
    let left = tokens.get(first)?;
    let right = tokens.get(first.checked_add(1)?)?;
    let is_word = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Char | TokenKind::Punct);
    if !is_word(left) || !is_word(right) {
        return None;
    }
    let text = input.get(left.span.start..right.span.end)?;
    let apart = left.span.end != right.span.start;
    let letters = is_letters(&left.text) && is_letters(&right.text);
    if apart && !letters {
        return None;
    }
    let features = lexicon::lookup(text).unwrap_or(FeatureSet::EMPTY);
    Some(AddedWord { text: text.into(), features, split: false })
}

/// The words with `word` among them. It takes the place of every entry for the same text, and is left out if the text
/// is one word with these features without it.
#[must_use]
pub fn with_word(words: &[AddedWord], word: AddedWord) -> Vec<AddedWord> {
    let at = words.iter().position(|other| folds_to(&other.text, &word.text)).unwrap_or(words.len());
    let mut next = without(words, &word.text);
    let wanted = unknown_if_empty(word.features);
    if word.split || one_word(&word.text, &next) != Some(wanted) {
        next.insert(at.min(next.len()), word);
    }
    next
}

/// The words after the person took a token apart: an added word goes, and an entry that forbids the word comes where
/// the text would still be one, or where the segmenter could propose it again. Words of one character, marks and
/// the tokens of the other tokenizers change nothing.
#[must_use]
pub fn split(token: &Token, words: &[AddedWord]) -> Vec<AddedWord> {
    let cut = pieces(&token.text);
    if token.kind != TokenKind::Word || cut.len() < 2 {
        return words.to_vec();
    }
    let mut next = without(words, &token.text);
    let proposable = cut.iter().all(|piece| piece.class == Class::Unspaced);
    if proposable || one_word(&token.text, &next).is_some() {
        next.push(AddedWord { text: token.text.as_ref().into(), features: FeatureSet::EMPTY, split: true });
    }
    next
}

/// The words after the person set or cleared a feature of this token's word. Marks and bytes have none to set, and only
/// [`Feature::SETTABLE`] may be.
#[must_use]
pub fn set_feature(token: &Token, feature: Feature, on: bool, words: &[AddedWord]) -> Vec<AddedWord> {
    let is_mark = matches!(token.kind, TokenKind::Bos | TokenKind::Pad | TokenKind::Byte { .. });
    if is_mark || !Feature::SETTABLE.contains(&feature) {
        return words.to_vec();
    }
    let features = token.features.with(Feature::Unk, false).with(feature, on);
    let list = WordList::new(words);
    let present = list.word(&token.text);
    // In lower case an entry is the same word: it keeps its own spelling.
    let text = present.map_or_else(|| token.text.as_ref().into(), |word| word.text.clone());
    let rest = without(words, &token.text);
    let differs = WordList::new(&rest).features(&token.text).0 != unknown_if_empty(features);
    let joins = (present.is_some() || token.kind == TokenKind::Word) && one_word(&token.text, &rest).is_none();
    if !differs && !joins {
        return rest;
    }
    let at = words.iter().position(|word| folds_to(&word.text, &token.text)).unwrap_or(rest.len());
    let mut next = rest;
    next.insert(at.min(next.len()), AddedWord { text, features, split: false });
    next
}

/// Where the word tokenizer finds two or more unknown single characters in a row (scripts without spaces): there
/// the browser's segmenter may know words. Byte ranges.
#[must_use]
pub fn unknown_stretches(input: &str, words: &[AddedWord]) -> Vec<Range<usize>> {
    let mut stretches: Vec<(Range<usize>, usize)> = Vec::new();
    for token in tokenize(input, Tokenizer::Word, words, Marks::default()) {
        let unspaced = pieces(&token.text).first().is_some_and(|piece| piece.class == Class::Unspaced);
        if token.known || token.kind != TokenKind::Char || !unspaced {
            continue;
        }
        match stretches.last_mut() {
            Some((range, count)) if range.end == token.span.start => {
                range.end = token.span.end;
                *count += 1;
            }
            _ => stretches.push((token.span, 1)),
        }
    }
    stretches.into_iter().filter(|&(_, count)| count > 1).map(|(range, _)| range).collect()
}

/// The new words among a segmenter's `segments` (byte ranges of `input`): those of two or more characters that lie
/// wholly in an [unknown stretch](unknown_stretches) and that the person has not split. Each text once, no features.
#[must_use]
pub fn propose(input: &str, segments: &[Range<usize>], words: &[AddedWord]) -> Vec<AddedWord> {
    let list = WordList::new(words);
    let stretches = unknown_stretches(input, words);
    let borders: Vec<usize> = pieces(input).iter().map(|piece| piece.start).chain([input.len()]).collect();
    let on_border = |at: usize| borders.binary_search(&at).is_ok();
    let mut proposed: Vec<AddedWord> = Vec::new();
    for segment in segments {
        let inside = stretches.iter().any(|stretch| stretch.start <= segment.start && segment.end <= stretch.end);
        let Some(text) = input.get(segment.clone()).filter(|_| inside) else { continue };
        let whole = on_border(segment.start) && on_border(segment.end) && pieces(text).len() > 1;
        let seen = list.find(text).is_some() || proposed.iter().any(|word| &*word.text == text);
        if whole && !seen {
            proposed.push(AddedWord { text: text.into(), features: FeatureSet::EMPTY, split: false });
        }
    }
    proposed
}

/// The words without the entries for a text, in any case of letters.
fn without(words: &[AddedWord], text: &str) -> Vec<AddedWord> {
    words.iter().filter(|word| !folds_to(&word.text, text)).cloned().collect()
}

/// The features of a text if the word tokenizer takes it as one word, `None` if it cuts it.
fn one_word(text: &str, words: &[AddedWord]) -> Option<FeatureSet> {
    match tokenize(text, Tokenizer::Word, words, Marks::default()).as_slice() {
        [token] if token.span == (0..text.len()) => Some(token.features),
        _ => None,
    }
}

/// What a token has whose word has these features.
fn unknown_if_empty(features: FeatureSet) -> FeatureSet {
    if features.is_empty() { FeatureSet::of(&[Feature::Unk]) } else { features }
}
