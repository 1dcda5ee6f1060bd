//! Offsets for JavaScript: its strings count UTF-16 code units, tokens count UTF-8 bytes.

use super::token::Token;
use std::ops::Range;

/// A byte range of `input` in UTF-16 code units. A border within a character moves outward, so a byte of a character has
/// the whole character's range; one beyond the end moves to the end.
#[must_use]
pub fn utf16_span(input: &str, span: Range<usize>) -> Range<u32> {
    let mut counter = Counter::new(input);
    counter.span(&span)
}

/// [`utf16_span`] of every token, in one pass over the input.
#[must_use]
pub fn utf16_spans(input: &str, tokens: &[Token]) -> Vec<Range<u32>> {
    let mut counter = Counter::new(input);
    tokens.iter().map(|token| counter.span(&token.span)).collect()
}

/// The byte range of a range in UTF-16 code units; `None` if a border is beyond the end or within a character.
#[must_use]
pub fn byte_span(input: &str, span: Range<u32>) -> Option<Range<usize>> {
    let mut units = 0;
    let (mut start, mut end) = (None, None);
    for (at, c) in input.char_indices().map(|(at, c)| (at, Some(c))).chain([(input.len(), None)]) {
        start = start.or((units == span.start).then_some(at));
        end = end.or((units == span.end).then_some(at));
        units += c.map_or(0, |c| if c > '\u{FFFF}' { 2 } else { 1 });
    }
    Some(start?..end?).filter(|span| span.start <= span.end)
}

/// A place in the input, known in both counts; going on from it is cheap, going back starts anew.
struct Counter<'a> {
    input: &'a str,
    bytes: usize,
    units: u32,
}

impl<'a> Counter<'a> {
    const fn new(input: &'a str) -> Self {
        Self { input, bytes: 0, units: 0 }
    }

    fn span(&mut self, span: &Range<usize>) -> Range<u32> {
        let start = self.units_at(self.input.floor_char_boundary(span.start));
        let end = self.input.ceil_char_boundary(span.end.max(span.start));
        // An empty range within a character has nothing to cover.
        let end = if span.is_empty() { start } else { self.units_from_here(end) };
        start..end
    }

    /// Moves to a byte on a character border and gives its count of units.
    fn units_at(&mut self, bytes: usize) -> u32 {
        if bytes < self.bytes {
            (self.bytes, self.units) = (0, 0);
        }
        self.units = self.units_from_here(bytes);
        self.bytes = bytes;
        self.units
    }

    /// The count of units at a byte on a character border at or after this place.
    fn units_from_here(&self, bytes: usize) -> u32 {
        let passed = self.input.get(self.bytes..bytes).unwrap_or("");
        passed.chars().fold(self.units, |units, c| units.saturating_add(if c > '\u{FFFF}' { 2 } else { 1 }))
    }
}
