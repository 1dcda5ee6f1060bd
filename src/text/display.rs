//! How a token is written where it is shown, so that nothing is invisible and nothing reorders its line.

use super::script::{is_combining, is_invisible, pieces};
use super::token::{Token, TokenKind};

/// The label of a token: its text; `追 1/3` for a byte; `BOS` and `PAD` for marks. Control characters and a lone space
/// have control pictures (␊, ␠), invisible characters their code point (`U+202E`), and a combining mark with
/// nothing before it stands on a dotted circle.
#[must_use]
pub fn display(token: &Token) -> String {
    match token.kind {
        TokenKind::Bos => "BOS".to_owned(),
        TokenKind::Pad => "PAD".to_owned(),
        TokenKind::Byte { of: 0 | 1, .. } => visible(&token.text),
        TokenKind::Byte { piece, of, .. } => format!("{} {piece}/{of}", visible(&token.text)),
        TokenKind::Word | TokenKind::Char | TokenKind::Punct | TokenKind::Chunk => visible(&token.text),
    }
}

/// A text with everything in it made visible.
fn visible(text: &str) -> String {
    let alone = text.chars().nth(1).is_none();
    let mut label = String::new();
    for piece in pieces(text) {
        let mut chars = piece.text.chars();
        match chars.next() {
            None => {}
            // What an invisible character does to its neighbours is not wanted here, and theirs to it neither.
            Some(first) if is_invisible(first) || first.is_control() => {
                std::iter::once(first).chain(chars).for_each(|c| label.push_str(&picture(c)));
            }
            Some(first) if first.is_whitespace() && (alone || first != ' ') => {
                std::iter::once(first).chain(chars).for_each(|c| label.push_str(&picture(c)));
            }
            Some(first) if is_combining(first) => {
                label.push('◌');
                label.push_str(piece.text);
            }
            Some(_) => label.push_str(piece.text),
        }
    }
    label
}

/// A sign for a character that has none of its own.
fn picture(c: char) -> String {
    let code = u32::from(c);
    let sign = match code {
        0x00..=0x20 => char::from_u32(0x2400 + code),
        0x7F => Some('␡'),
        _ => None,
    };
    match sign {
        Some(sign) => sign.to_string(),
        None if c.is_control() || c.is_whitespace() || is_invisible(c) => format!("U+{code:04X}"),
        None => c.to_string(),
    }
}
