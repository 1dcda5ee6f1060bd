//! Notices: what the page has to say about a link, a setting or a sentence, as values.
//!
//! Owns the values and how loud they are; the sentences are in `locale`. What numbers mean is `insight`'s business.

use crate::attention::ProblemError;

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// For the console and the JavaScript API; the page does not interrupt for it.
    Quiet,
    /// Worth a line: something was adjusted and the result is what most people would expect.
    Info,
    /// The person should read it: something asked for is not what is shown.
    Warning,
}

/// Something to say, with the data to say it. Texts taken from outside are cut to a sane length by [`Given::new`].
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "field names are the documentation: `used` is what the page goes on with")]
pub enum Notice {
    /// `v` is not a version that this page knows.
    Version { given: Given },
    /// The fragment was longer than a link may be, in bytes.
    LinkTooLong { kept: usize, of: usize },
    /// Keys that no version of the contract knows: the first few, and how many there were.
    UnknownKeys { first: Vec<Given>, count: usize },
    /// Keys of the contract whose feature this version does not have.
    ReservedKeys { keys: Vec<&'static str> },
    /// A key stood twice; the first value counts.
    Repeated { key: &'static str, used: Given },
    /// A value that does not mean anything for its key.
    Unreadable { key: &'static str, given: Given, used: Given },
    /// A number outside its range, moved to the nearest end.
    Clamped { key: &'static str, given: Given, used: Given },
    /// A value of the contract that this version can't do yet.
    NotYet { key: &'static str, given: Given, used: Given },
    /// Percent escapes that are broken or not UTF-8.
    BrokenEscapes { key: Given },
    /// Added words left out because there were too many, or because a word was empty or too long.
    WordsLeftOut { kept: usize, of: usize },
    /// A feature name that the model does not have.
    UnknownFeature { word: Given, feature: Given },
    /// The sentence was longer than the box and a link hold, in UTF-16 units.
    SentenceTooLong { kept: usize, of: usize },
    /// The sentence has more tokens than the page draws.
    SentenceCut { kept: usize, of: usize },
    /// There is no word to compute with.
    NothingToRead,
    /// There is no word, only `<PAD>`.
    OnlyPadding { pad: usize },
    /// U+FFFD stands where characters were broken (lone surrogates, bytes that are not UTF-8).
    BrokenCharacters { count: usize },
    /// More tokens than head 2's period: it repeats, and that is no property of the text.
    HeadTwoRepeats { tokens: usize, period: usize },
    /// The selected cell (from 0, as in a link: `<BOS>` counted) is outside the sentence; another was chosen.
    SelectionMoved { query: usize, key: usize, used_query: usize, used_key: usize },
    /// Cells set by hand that lie outside the grid are not used.
    CellsOutside { count: usize },
    /// Cells set by hand were dropped because the tokens under them changed.
    CellsDropped { count: usize },
    /// The engine refused the problem.
    CannotCompute(ProblemError),
    /// WebGPU was chosen, and the browser has none.
    NoWebGpu,
    /// WebGPU was chosen, and the browser has no adapter to offer.
    NoAdapter,
    /// WebGPU was chosen and could not compute: the device was lost twice, too small, or at fault.
    GpuFailed,
}

impl Notice {
    /// How loud it is.
    #[must_use]
    pub const fn severity(&self) -> Severity {
        match self {
            Self::UnknownKeys { .. } | Self::ReservedKeys { .. } => Severity::Quiet,
            Self::Repeated { .. }
            | Self::Clamped { .. }
            | Self::WordsLeftOut { .. }
            | Self::HeadTwoRepeats { .. }
            | Self::SelectionMoved { .. }
            | Self::CellsOutside { .. }
            | Self::CellsDropped { .. } => Severity::Info,
            Self::Version { .. }
            | Self::LinkTooLong { .. }
            | Self::Unreadable { .. }
            | Self::NotYet { .. }
            | Self::BrokenEscapes { .. }
            | Self::UnknownFeature { .. }
            | Self::SentenceTooLong { .. }
            | Self::SentenceCut { .. }
            | Self::NothingToRead
            | Self::OnlyPadding { .. }
            | Self::BrokenCharacters { .. }
            | Self::CannotCompute(_)
            | Self::NoWebGpu
            | Self::NoAdapter
            | Self::GpuFailed => Severity::Warning,
        }
    }

    /// A stable name for the JavaScript API (`warnings[].code`) and for tests.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Version { .. } => "version",
            Self::LinkTooLong { .. } => "link_too_long",
            Self::UnknownKeys { .. } => "unknown_keys",
            Self::ReservedKeys { .. } => "reserved_keys",
            Self::Repeated { .. } => "repeated_key",
            Self::Unreadable { .. } => "unreadable",
            Self::Clamped { .. } => "clamped",
            Self::NotYet { .. } => "not_yet",
            Self::BrokenEscapes { .. } => "broken_escapes",
            Self::WordsLeftOut { .. } => "words_left_out",
            Self::UnknownFeature { .. } => "unknown_feature",
            Self::SentenceTooLong { .. } => "sentence_too_long",
            Self::SentenceCut { .. } => "sentence_cut",
            Self::NothingToRead => "nothing_to_read",
            Self::OnlyPadding { .. } => "only_padding",
            Self::BrokenCharacters { .. } => "broken_characters",
            Self::HeadTwoRepeats { .. } => "head_two_repeats",
            Self::SelectionMoved { .. } => "selection_moved",
            Self::CellsOutside { .. } => "cells_outside",
            Self::CellsDropped { .. } => "cells_dropped",
            Self::CannotCompute(_) => "cannot_compute",
            Self::NoWebGpu => "no_webgpu",
            Self::NoAdapter => "no_adapter",
            Self::GpuFailed => "gpu_failed",
        }
    }
}

/// A text from outside, cut so that a sentence can quote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given(Box<str>);

impl Given {
    /// Longest text quoted, in characters; what is longer ends in `…`.
    pub const LONGEST: usize = 40;

    /// Cuts `text` to at most [`Self::LONGEST`] characters and takes out control characters, which would only blur the
    /// sentence that quotes it.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut characters = text.chars().filter(|c| !c.is_control());
        let mut cut: String = characters.by_ref().take(Self::LONGEST).collect();
        if characters.next().is_some() {
            cut.pop();
            cut.push('…');
        }
        Self(cut.into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
