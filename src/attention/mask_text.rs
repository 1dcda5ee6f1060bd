//! A mask as text that NumPy reads, in each of the conventions that libraries have, and back.
//!
//! The same word means opposite things in two libraries: `True` may attend in one and is blocked in the other.

use super::mask::Mask;
use crate::text::decimal;

/// What a library's mask says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Convention {
    /// `True` may attend: PyTorch `scaled_dot_product_attention`, JAX, Keras `MultiHeadAttention`.
    #[default]
    MayAttend,
    /// `True` is blocked: PyTorch `nn.MultiheadAttention` and `nn.Transformer`.
    Blocked,
    /// 1 keeps, 0 drops: Hugging Face `attention_mask`, TensorFlow.
    Keep,
    /// Added to the scores: 0 or −∞.
    Additive,
}

impl Convention {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::MayAttend, Self::Blocked, Self::Keep, Self::Additive];

    /// How a cell is written.
    const fn word(self, permits: bool) -> &'static str {
        match (self, permits) {
            (Self::MayAttend, true) | (Self::Blocked, false) => "True",
            (Self::MayAttend, false) | (Self::Blocked, true) => "False",
            (Self::Keep, true) => "1",
            (Self::Keep, false) => "0",
            (Self::Additive, true) => "0.0",
            (Self::Additive, false) => "-np.inf",
        }
    }

    /// What a word says; `None` where it says nothing here. A number of an additive mask at or below −1e4 blocks.
    fn permits(self, word: &str) -> Option<bool> {
        let truth = match word {
            "True" | "true" | "1" | "1." | "1.0" => Some(true),
            "False" | "false" | "0" | "0." | "0.0" => Some(false),
            _ => None,
        };
        match self {
            Self::MayAttend | Self::Keep => truth,
            Self::Blocked => truth.map(|blocked| !blocked),
            Self::Additive => match word {
                "-inf" | "-np.inf" | "-torch.inf" | "-math.inf" | "-Infinity" => Some(false),
                "True" | "False" | "true" | "false" => None,
                _ => match decimal(word) {
                    Some(0.0) => Some(true),
                    Some(added) if added <= -1e4 => Some(false),
                    _ => None,
                },
            },
        }
    }
}

/// Why a text is no mask of this size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskTextError {
    /// A word that means nothing in this convention; cut to 20 characters.
    Word(String),
    /// As many numbers as this, where `want` were wanted.
    Size {
        /// How many there are.
        got: usize,
        /// How many there must be.
        want: usize,
    },
}

/// The mask of one head as an expression that NumPy evaluates, `[n_q, n_k]`.
#[must_use]
pub fn write(mask: &Mask, head: usize, (n_q, n_k): (usize, usize), convention: Convention) -> String {
    let row = |query| {
        let words: Vec<&str> = (0..n_k).map(|key| convention.word(mask.permits(head, query, key))).collect();
        format!("[{}]", words.join(", "))
    };
    let rows: Vec<String> = (0..n_q).map(row).collect();
    format!("np.array([{}])", rows.join(",\n          "))
}

/// Reads a mask of `size` cells, row by row: what [`write`] writes, what Python, NumPy and PyTorch print, or plain words.
/// Brackets, commas and white space only part the words.
///
/// # Errors
/// [`MaskTextError`].
pub fn read(text: &str, size: usize, convention: Convention) -> Result<Vec<bool>, MaskTextError> {
    let text = text.replace("np.array", " ").replace("torch.tensor", " ").replace("tensor", " ").replace("array", " ");
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | ',' | ';'));
    let (mut cells, mut got) = (Vec::new(), 0);
    for word in words.filter(|word| !word.is_empty() && !word.starts_with("dtype=")) {
        match convention.permits(word) {
            Some(permits) => {
                got += 1;
                // One million words are counted, not kept.
                cells.extend((got <= size).then_some(permits));
            }
            None => return Err(MaskTextError::Word(word.chars().take(20).collect())),
        }
    }
    if got == size { Ok(cells) } else { Err(MaskTextError::Size { got, want: size }) }
}
