//! Which characters join into words, and which stand alone.
//!
//! Owns the cut of an input into [`Piece`]s (grapheme clusters and white space), the class of each, and where a run of
//! letters ends. Knows no words. The rules are few ranges over what the standard library knows of Unicode, not tables.

use unicode_segmentation::UnicodeSegmentation;

/// What a piece of the input is to a tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// White space, which separates and is never a token (except byte by byte).
    Space,
    /// A letter or digit of a script that puts spaces between words (Latin, Greek, Cyrillic, Arabic, Hebrew, Hangul, …).
    Letter,
    /// A letter of a script without spaces between words: Han, kana, Thai, Lao, Khmer, Myanmar.
    Unspaced,
    /// An apostrophe or a hyphen: between two letters it belongs to their run, elsewhere it is a symbol.
    Joiner,
    /// A control or format character, or a combining mark with nothing to combine with.
    Hidden,
    /// Punctuation, a symbol, an emoji.
    Symbol,
}

/// A grapheme cluster of the input, or a stretch of white space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The byte at which it starts.
    pub start: usize,
    /// Its text; never empty.
    pub text: &'a str,
    /// What it is.
    pub class: Class,
}

impl Piece<'_> {
    /// The byte after its last.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Cuts `input` into pieces that tile it. White space stands alone even where Unicode's cluster rules would tie
/// something to it (a combining mark after a space, a prefix sign before one), so that no token contains any.
#[must_use]
pub fn pieces(input: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for (at, cluster) in input.grapheme_indices(true) {
        let mut start = at;
        let mut rest = cluster;
        while let Some(first) = rest.chars().next() {
            let white = first.is_whitespace();
            let len = rest.find(|c: char| c.is_whitespace() != white).unwrap_or(rest.len());
            let (text, after) = rest.split_at(len);
            pieces.push(Piece { start, text, class: class_of(text) });
            start += len;
            rest = after;
        }
    }
    pieces
}

/// Whether pieces `i` and `i + 1` belong to the same run of letters.
#[must_use]
pub fn joined(pieces: &[Piece], i: usize) -> bool {
    let class = |i: usize| pieces.get(i).map(|piece| piece.class);
    match (class(i), class(i + 1)) {
        (Some(Class::Letter), Some(Class::Letter)) => true,
        (Some(Class::Letter), Some(Class::Joiner)) => class(i + 2) == Some(Class::Letter),
        (Some(Class::Joiner), Some(Class::Letter)) => i > 0 && class(i - 1) == Some(Class::Letter),
        _ => false,
    }
}

/// The index after the last piece of the run of letters that contains piece `i` (`i + 1` if it is no letter).
#[must_use]
pub fn run_end(pieces: &[Piece], i: usize) -> usize {
    let mut last = i;
    while joined(pieces, last) {
        last += 1;
    }
    last + 1
}

/// Whether `text` is one or more runs of letters with nothing but white space between them.
#[must_use]
pub fn is_letters(text: &str) -> bool {
    let pieces = pieces(text);
    let mut i = 0;
    while let Some(piece) = pieces.get(i) {
        match piece.class {
            Class::Space => i += 1,
            Class::Letter => i = run_end(&pieces, i),
            _ => return false,
        }
    }
    !pieces.is_empty()
}

/// Whether a character is drawn as nothing, or changes how its neighbours are drawn: joiners, direction marks,
/// variation selectors, tags, fillers, noncharacters. Control characters and spaces are not among them.
#[must_use]
pub const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
        | '\u{FDD0}'..='\u{FDEF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
        // The last two code points of every plane are noncharacters.
        || c as u32 & 0xFFFE == 0xFFFE
}

/// Whether a character attaches to the one before it (a combining mark), so that alone it has no place to stand.
/// An emoji's skin tone attaches too but shows as a swatch when alone, so it is not counted.
#[must_use]
pub fn is_combining(c: char) -> bool {
    // The cluster rules are asked rather than a table of our own: what makes one cluster with a letter attaches to it.
    let with_letter: String = ['a', c].into_iter().collect();
    !matches!(c, '\u{1F3FB}'..='\u{1F3FF}') && with_letter.graphemes(true).count() == 1
}

/// The class of a cluster, or of a stretch of white space.
fn class_of(text: &str) -> Class {
    let Some(first) = text.chars().next() else { return Class::Hidden };
    if first.is_whitespace() {
        Class::Space
    } else if text.contains('\u{20E3}') || is_enclosed(first) {
        Class::Symbol // a keycap such as 1️⃣ begins with a digit but is one sign
    } else if is_unspaced(first) {
        Class::Unspaced
    } else if first.is_alphanumeric() {
        Class::Letter
    } else if first.is_control() || is_invisible(first) || is_combining(first) {
        Class::Hidden
    } else if matches!(text, "'" | "’" | "-" | "\u{2010}" | "\u{2011}" | "\u{5F3}" | "\u{5F4}") {
        Class::Joiner // apostrophes, hyphens, and Hebrew's geresh and gershayim (צה״ל is one word)
    } else {
        Class::Symbol
    }
}

/// Letters and numbers in circles, brackets and squares (①, Ⓐ, ㈱): Unicode calls some of them letters, readers don't.
const fn is_enclosed(c: char) -> bool {
    matches!(c, '\u{2460}'..='\u{24FF}' | '\u{2776}'..='\u{2793}' | '\u{3200}'..='\u{33FF}' | '\u{1F100}'..='\u{1F1FF}')
}

/// A letter of a script that puts no spaces between words. Their digits count as letters of a run.
fn is_unspaced(c: char) -> bool {
    let han = matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}' // 々〆〇, Suzhou numerals
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}');
    let kana = matches!(c,
        '\u{3041}'..='\u{30FF}' | '\u{3100}'..='\u{312F}' | '\u{31A0}'..='\u{31BF}' // with bopomofo
        | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' | '\u{1AFF0}'..='\u{1B16F}');
    let south_east = matches!(c,
        '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' // Thai, Lao; Myanmar; Khmer
        | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}');
    c.is_alphanumeric() && (han || kana || south_east && !c.is_numeric())
}
