//! A token: a piece of the input, or a mark that the model adds.

use super::lexicon::FeatureSet;
use std::ops::Range;
use std::rc::Rc;

/// What kind of piece a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// `<BOS>`, the beginning of the sequence; its span is empty.
    Bos,
    /// A word of the lexicon, a word that a person added, or a run of letters.
    Word,
    /// A single character (grapheme cluster) that no word covers, or any of the char tokenizer's.
    Char,
    /// One punctuation mark or symbol.
    Punct,
    /// A stretch between spaces (space tokenizer).
    Chunk,
    /// One UTF-8 byte of a character: piece `piece` (from 1) of `of`.
    Byte {
        /// The byte itself.
        value: u8,
        /// Which byte of its character, from 1.
        piece: u8,
        /// How many bytes its character has.
        of: u8,
    },
    /// `<PAD>`; its span is empty and stands at the end of the input.
    Pad,
}

/// A piece of the input with all that an embedding needs to know of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What kind of piece it is.
    pub kind: TokenKind,
    /// What is shown and hashed: the input's own text at `span`; `<BOS>` and `<PAD>` for marks;
    /// for a byte the whole character it belongs to.
    pub text: Rc<str>,
    /// Byte range in the input. A byte token's span is its one byte (not a character boundary in general).
    pub span: Range<usize>,
    /// Features from the lexicon or from the person; [`Feature::Unk`](super::Feature::Unk) alone for an unknown word.
    pub features: FeatureSet,
    /// False for an unknown word: it takes part by its hash identity only, and the page marks it.
    pub known: bool,
    /// FNV-1a 64 of what identifies it: the lower-cased text; for a byte, its value and place.
    pub identity: u64,
}
