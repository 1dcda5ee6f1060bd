//! Words: what a person typed becomes tokens, each tied to its place in the input.
//!
//! Owns tokenizers, tokens with byte spans, the bilingual lexicon with its features, what a person may do to the words,
//! how a token is labelled, and stable hashing.
//! Knows nothing of attention: an embedding is made from a token's features and identity elsewhere.

mod decimal;
pub mod display;
pub mod edit;
pub mod fold;
pub mod hash;
pub mod lexicon;
pub mod offsets;
pub mod script;
pub mod token;
pub mod tokenize;
mod word;
mod word_list;

pub use decimal::decimal;
pub use display::display;
pub use lexicon::{AddedWord, Feature, FeatureSet};
pub use offsets::{byte_span, utf16_span, utf16_spans};
pub use token::{Token, TokenKind};
pub use tokenize::{Marks, Tokenizer, tokenize};

/// A language of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Lang {
    /// Simplified Chinese.
    #[default]
    Zh,
    /// English.
    En,
}
