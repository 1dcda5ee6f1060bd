//! The four tokenizers: word, char, space, byte.
//!
//! Owns the choice between them and how a piece of the input becomes a token. How words are found is `word`'s.
//! For every input: tokens stand in order and don't overlap, a token's text is the input at its span, and between
//! spans there is nothing but white space. Byte tokens tile the input, white space and all.

use super::fold::folded;
use super::hash::fnv1a;
use super::lexicon::{AddedWord, Feature, FeatureSet};
use super::script::{Class, pieces};
use super::token::{Token, TokenKind};
use super::word::words as cut_words;
use super::word_list::WordList;
use std::ops::Range;
use std::rc::Rc;

/// How the input is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Tokenizer {
    /// Lexicon and added words by forward maximum matching, then runs of letters, single characters, single marks.
    #[default]
    Word,
    /// One token per character (grapheme cluster); white space is left out.
    Char,
    /// Cut at white space only.
    Space,
    /// One token per UTF-8 byte.
    Byte,
}

/// The marks that the model adds around the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Marks {
    /// `<BOS>` in front.
    pub bos: bool,
    /// Number of `<PAD>` at the end.
    pub pad: usize,
}

/// Stands before a byte token's identity, so that it differs from every text's: no UTF-8 text contains this byte.
const NO_TEXT: u8 = 0xFF;

/// Cuts `input` into tokens and adds the marks.
#[must_use]
pub fn tokenize(input: &str, tokenizer: Tokenizer, words: &[AddedWord], marks: Marks) -> Vec<Token> {
    let words = WordList::new(words);
    let token = |(kind, span): (TokenKind, Range<usize>)| {
        let (features, known) = words.features(&input[span.clone()]);
        let text = &input[span.clone()];
        Token { kind, text: text.into(), span, features, known, identity: text_identity(text) }
    };
    let mut tokens = Vec::new();
    tokens.extend(marks.bos.then(|| mark(TokenKind::Bos, "<BOS>", FeatureSet::of(&[Feature::Bos]), 0)));
    match tokenizer {
        Tokenizer::Word => tokens.extend(cut_words(input, &words).into_iter().map(token)),
        Tokenizer::Char => tokens.extend(characters(input).map(token)),
        Tokenizer::Space => tokens.extend(chunks(input).map(token)),
        Tokenizer::Byte => tokens.extend(bytes(input)),
    }
    tokens.extend((0..marks.pad).map(|_| mark(TokenKind::Pad, "<PAD>", FeatureSet::EMPTY, input.len())));
    tokens
}

/// The identity of a token that is text: FNV-1a 64 of it [`folded`] to lower case.
#[must_use]
pub fn text_identity(text: &str) -> u64 {
    fnv1a(folded(text).as_bytes())
}

/// A mark that the model adds: its span is empty and stands at byte `at`.
fn mark(kind: TokenKind, text: &str, features: FeatureSet, at: usize) -> Token {
    Token { kind, text: text.into(), span: at..at, features, known: true, identity: text_identity(text) }
}

/// Grapheme clusters, white space left out.
fn characters(input: &str) -> impl Iterator<Item = (TokenKind, Range<usize>)> {
    let visible = pieces(input).into_iter().filter(|piece| piece.class != Class::Space);
    visible.map(|piece| (TokenKind::Char, piece.start..piece.end()))
}

/// The stretches between white space.
fn chunks(input: &str) -> impl Iterator<Item = (TokenKind, Range<usize>)> {
    let mut end = 0;
    // Splitting at single characters keeps the count of bytes simple; the empty stretches between them are dropped.
    let stretches = input.split_inclusive(char::is_whitespace).map(move |stretch| {
        let start = end;
        end += stretch.len();
        start..start + stretch.trim_end().len()
    });
    stretches.filter(|span| !span.is_empty()).map(|span| (TokenKind::Chunk, span))
}

/// Every byte of the input, white space too.
fn bytes(input: &str) -> impl Iterator<Item = Token> {
    input.char_indices().flat_map(|(start, c)| {
        let mut buffer = [0; 4];
        let text: Rc<str> = Rc::from(&*c.encode_utf8(&mut buffer));
        let of = text.len() as u8; // 1 to 4
        (1..=of).map(move |piece| {
            let at = start + usize::from(piece) - 1;
            let value = buffer[usize::from(piece) - 1];
            Token {
                kind: TokenKind::Byte { value, piece, of },
                text: Rc::clone(&text),
                span: at..at + 1,
                features: FeatureSet::of(&[Feature::Unk]),
                known: false,
                identity: fnv1a(&[NO_TEXT, value, piece, of]),
            }
        })
    })
}
