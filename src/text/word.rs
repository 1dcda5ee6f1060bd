//! The word tokenizer: added words, the lexicon by forward maximum matching, runs of letters, single clusters.
//!
//! Gives where the words stand; tokens are made of that elsewhere.

use super::lexicon;
use super::script::{Class, Piece, pieces, run_end};
use super::token::TokenKind;
use super::word_list::{Reach, WordList};
use std::ops::Range;
use std::sync::LazyLock;

/// Cuts `input` into words: byte ranges in order, with nothing but white space between them.
pub(super) fn words(input: &str, list: &WordList) -> Vec<(TokenKind, Range<usize>)> {
    let pieces = pieces(input);
    let mut cut = Cut { input, list, pieces: &pieces, words: Vec::with_capacity(pieces.len()) };
    let mut i = 0;
    while let Some(piece) = pieces.get(i) {
        i = if piece.class == Class::Space { i + 1 } else { cut.word_at(i) };
    }
    cut.words
}

/// A cut in progress.
struct Cut<'a> {
    input: &'a str,
    list: &'a WordList<'a>,
    pieces: &'a [Piece<'a>],
    words: Vec<(TokenKind, Range<usize>)>,
}

impl Cut<'_> {
    /// Takes the word (or, of a run that is to be split, the words) at piece `i`; gives the piece after it.
    fn word_at(&mut self, i: usize) -> usize {
        let added = self.list.longest_at(self.input, self.pieces, i, Reach::WholeRuns);
        let own = match self.pieces[i].class {
            Class::Letter => run_end(self.pieces, i),
            Class::Unspaced => self.lexicon_word_end(i).unwrap_or(i + 1),
            Class::Space | Class::Joiner | Class::Hidden | Class::Symbol => i + 1,
        };
        match added {
            Some(end) if end >= own => self.take(i, end),
            _ if own > i + 1 && self.pieces[i].class == Class::Letter && self.list.is_split(self.text(i, own)) => {
                self.take_run_apart(i, own);
                own
            }
            _ => self.take(i, own),
        }
    }

    /// Cuts the run of letters between two pieces into added words, single clusters where none fits.
    fn take_run_apart(&mut self, start: usize, end: usize) {
        let mut i = start;
        while i < end {
            let next = self.list.longest_at(self.input, self.pieces, i, Reach::Within(end)).unwrap_or(i + 1);
            self.take(i, next);
            i = next;
        }
    }

    /// The longest word of the lexicon that starts at piece `i` of a script without spaces: the piece after it.
    fn lexicon_word_end(&self, i: usize) -> Option<usize> {
        let unspaced = self.pieces[i..].iter().take_while(|piece| piece.class == Class::Unspaced);
        let longest = unspaced.take(longest_unspaced_word()).count();
        (1..=longest).rev().map(|len| i + len).find(|&end| {
            let text = self.text(i, end);
            lexicon::lookup(text).is_some() && !self.list.is_split(text)
        })
    }

    /// The text from piece `start` to before piece `end`.
    fn text(&self, start: usize, end: usize) -> &str {
        &self.input[self.range(start, end)]
    }

    fn range(&self, start: usize, end: usize) -> Range<usize> {
        self.pieces[start].start..self.pieces[end - 1].end()
    }

    /// Takes the pieces from `start` to before `end` as one word.
    fn take(&mut self, start: usize, end: usize) -> usize {
        let range = self.range(start, end);
        let kind = match self.pieces[start].class {
            Class::Symbol | Class::Joiner if end == start + 1 => TokenKind::Punct,
            Class::Hidden if end == start + 1 => TokenKind::Char,
            Class::Unspaced | Class::Letter if end == start + 1 && self.stands_alone(start) => TokenKind::Char,
            _ => TokenKind::Word,
        };
        self.words.push((kind, range));
        end
    }

    /// Whether a single letter is here for want of a word: it is not a run of its own and no word covers it.
    fn stands_alone(&self, i: usize) -> bool {
        let text = self.pieces[i].text;
        let whole_run = self.pieces[i].class == Class::Letter
            && run_end(self.pieces, i) == i + 1
            && (i == 0 || run_end(self.pieces, i - 1) == i);
        !whole_run && self.list.word(text).is_none() && lexicon::lookup(text).is_none()
    }
}

/// The most clusters that a word of the lexicon has in a script without spaces.
fn longest_unspaced_word() -> usize {
    static LONGEST: LazyLock<usize> = LazyLock::new(|| {
        let words = lexicon::entries().iter().map(|&(word, _)| pieces(word));
        let unspaced = words.filter(|word| word.iter().all(|piece| piece.class == Class::Unspaced));
        unspaced.map(|word| word.len()).max().unwrap_or(1)
    });
    *LONGEST
}
