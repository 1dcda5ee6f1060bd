//! From a long text to what is computed: its tokens within the limit, embeddings and weights.

use super::document::{self, DocumentSettings, MOST_TOKENS};
use super::settings::cut_utf8;
use crate::attention::document::{code, embed, weights};
use crate::attention::{Source, embedding, random_weights};
use crate::text::{Marks, Token, Tokenizer, tokenize};
use std::rc::Rc;

/// The beginning of a text that is computed.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Its tokens, at most [`MOST_TOKENS`], without marks.
    pub tokens: Vec<Token>,
    /// Bytes of the text that they stand in; what follows was left out.
    pub bytes: usize,
    /// Whether something was left out.
    pub cut: bool,
}

/// A byte holds at most one token, so this many bytes for a first try are enough for most texts and few for none.
const FIRST_TRY: usize = 8 * MOST_TOKENS;

/// Cuts the beginning of a text into tokens. A text of any length takes no longer than the tokens that are kept.
#[must_use]
pub fn beginning(text: &str, tokenizer: Tokenizer) -> Beginning {
    let mut most = FIRST_TRY;
    loop {
        let part = cut_utf8(text, most);
        let whole = part.len() == text.len();
        let mut tokens = tokenize(part, tokenizer, &[], Marks::default());
        // One more than is kept: the last token of a part may go on behind it.
        if tokens.len() > MOST_TOKENS || whole || most >= 64 * FIRST_TRY {
            let cut = tokens.len() > MOST_TOKENS || !whole;
            tokens.truncate(MOST_TOKENS);
            let bytes = if cut { tokens.last().map_or(0, |last| last.span.end) } else { part.len() };
            return Beginning { tokens, bytes, cut };
        }
        most *= 4;
    }
}

/// Embeddings and weights for a text's tokens, and the scale 1/√d_k.
#[must_use]
pub fn source(settings: &DocumentSettings, tokens: &[Token]) -> (Source, f32) {
    let (x, weights) = match settings.source {
        document::Source::Constructed => (embed(tokens), weights()),
        document::Source::Random => {
            let mut x = embedding::embed(tokens, true);
            random_weights::normalise_rows(&mut x);
            (x, random_weights::weights(settings.seed, settings.heads, settings.d_k))
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "a width")]
    let scale = 1.0 / (weights.d_k() as f32).sqrt();
    let x = Rc::new(x);
    (Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights: Rc::new(weights) }, scale)
}

/// The token whose identity code is nearest to an output of the constructed heads, and the cosine of their angle; `None`
/// for an output of zeros.
#[must_use]
pub fn nearest_word(tokens: &[Token], output: &[f32]) -> Option<(usize, f32)> {
    let length = output.iter().map(|x| x * x).sum::<f32>().sqrt();
    let cosine = |token: &Token| code(token.identity).zip(output).map(|(c, x)| c * x).sum::<f32>() / length;
    let mut best = None;
    for (at, token) in tokens.iter().enumerate().filter(|_| length > 0.0) {
        let cosine = cosine(token);
        if best.is_none_or(|(_, most)| cosine > most) {
            best = Some((at, cosine));
        }
    }
    best
}
