//! From settings to a problem: tokens, embeddings, weights, mask and a selection that lies inside the grid.
//!
//! Owns the limits of a sentence and the caches that let an engine recognise unchanged input by its `Rc` pointer. What
//! the numbers mean is `insight`'s.

use super::field::PositionKind;
use super::field_plan::{Methods, rule};
use super::notice::Notice;
use super::settings::{HEAD_TWO_PERIOD, MAX_SENTENCE, MAX_TOKENS, Settings, WeightsKind, cut_utf16};
use crate::attention::{Cells, Mask, Positions, Problem, ProblemError, Source, positions, random_weights, toy};
use crate::text::{AddedWord, Marks, Token, TokenKind, Tokenizer, tokenize};
use std::rc::Rc;

/// The selected head, query and key, all from 0 and inside the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[expect(missing_docs, reason = "names of what is selected")]
pub struct Selection {
    pub head: usize,
    pub query: usize,
    pub key: usize,
}

/// What is to be computed for some settings, and what is to be said about it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The sentence's tokens with the marks around them; queries and keys alike. Never more than
    /// [`MAX_INDEX`](super::settings::MAX_INDEX)` + 1`.
    pub tokens: Rc<[Token]>,
    /// `None` when there is no word to compute with; a notice says so.
    pub problem: Option<Problem>,
    /// The selection of the settings, moved inside the grid.
    pub selection: Selection,
    /// Number of heads h.
    pub heads: usize,
    /// Width of a query, a key and a value.
    pub d_k: usize,
    /// What there is to say, in the order of the way from sentence to mask.
    pub notices: Vec<Notice>,
}

/// Plans once, without a cache.
#[must_use]
pub fn plan(settings: &Settings) -> Plan {
    Planner::new().plan(settings)
}

/// Plans again and again; parts whose settings did not change keep their `Rc`.
#[derive(Debug, Default)]
pub struct Planner {
    tokens: Option<(TokenSettings, Cut)>,
    source: Option<(XSettings, WeightSettings, Source)>,
    keys: Option<Keys>,
    cells: Option<(Rc<Cells>, usize, Rc<Cells>)>,
    methods: Methods,
}

/// The padding mask of some tokens.
#[derive(Debug)]
struct Keys {
    tokens: Rc<[Token]>,
    visible: Rc<[bool]>,
}

/// All that the tokens depend on.
#[derive(Clone, Debug, PartialEq)]
struct TokenSettings {
    sentence: Rc<str>,
    tokenizer: Tokenizer,
    words: Rc<[AddedWord]>,
    marks: Marks,
}

/// All that x depends on; the tokens by their pointer.
#[derive(Debug)]
struct XSettings {
    tokens: Rc<[Token]>,
    positions: PositionKind,
    seed: u32,
    weights: WeightsKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum WeightSettings {
    Toy,
    Random { seed: u32, heads: usize, d_k: usize },
    Identity { heads: usize },
}

/// A sentence cut into tokens, within the limits.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) tokens: Rc<[Token]>,
    /// Tokens of the sentence, marks not counted: how many stayed, and of how many.
    kept: usize,
    of: usize,
    /// UTF-16 units of the sentence when it is longer than allowed.
    too_long: Option<usize>,
    broken_characters: usize,
}

impl TokenSettings {
    fn of(settings: &Settings) -> Self {
        Self {
            sentence: Rc::clone(&settings.sentence),
            tokenizer: settings.tokenizer,
            words: Rc::clone(&settings.words),
            marks: Marks { bos: settings.bos, pad: settings.pad },
        }
    }
}

impl XSettings {
    fn of(settings: &Settings, tokens: &Rc<[Token]>) -> Self {
        Self {
            tokens: Rc::clone(tokens),
            positions: settings.positions,
            seed: settings.seed,
            weights: settings.weights,
        }
    }

    /// Whether x made for these settings serves for those.
    fn serves(&self, settings: &Settings, tokens: &Rc<[Token]>) -> bool {
        Rc::ptr_eq(&self.tokens, tokens)
            && self.positions == settings.positions
            && (self.seed == settings.seed || self.positions != PositionKind::Learned)
            && self.weights == settings.weights
    }
}

impl WeightSettings {
    const fn of(settings: &Settings) -> Self {
        match settings.weights {
            WeightsKind::Toy => Self::Toy,
            WeightsKind::Random => Self::Random { seed: settings.seed, heads: settings.heads, d_k: settings.d_k },
            WeightsKind::Identity => Self::Identity { heads: settings.heads },
        }
    }
}

/// Cuts the sentence of `settings`. Settings made by code, not by a link, may hold a longer one than allowed.
pub(super) fn cut(settings: &Settings) -> Cut {
    let marks = Marks { bos: settings.bos, pad: settings.pad };
    let (sentence, units) = cut_utf16(&settings.sentence, MAX_SENTENCE);
    let mut tokens = tokenize(sentence, settings.tokenizer, &settings.words, marks);
    let mut of = 0;
    tokens.retain(|token| {
        let mark = is_mark(token);
        of += usize::from(!mark);
        mark || of <= MAX_TOKENS
    });
    Cut {
        tokens: tokens.into(),
        kept: of.min(MAX_TOKENS),
        of,
        too_long: (sentence.len() < settings.sentence.len()).then_some(units),
        broken_characters: sentence.chars().filter(|&c| c == char::REPLACEMENT_CHARACTER).count(),
    }
}

const fn is_mark(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Bos | TokenKind::Pad)
}

impl Planner {
    /// A planner that remembers nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Plans `settings`. Never fails: without a word there is no problem, and a notice.
    #[must_use]
    pub fn plan(&mut self, settings: &Settings) -> Plan {
        let cut = self.cut(settings);
        let tokens = Rc::clone(&cut.tokens);
        let n = tokens.len();
        let mut notices = Vec::new();
        if let Some(of) = cut.too_long {
            notices.push(Notice::SentenceTooLong { kept: MAX_SENTENCE, of });
        }
        if cut.broken_characters > 0 {
            notices.push(Notice::BrokenCharacters { count: cut.broken_characters });
        }
        if cut.kept < cut.of {
            notices.push(Notice::SentenceCut { kept: cut.kept, of: cut.of });
        }
        let selection = select(settings, n);
        let (heads, d_k) = (settings.head_count(), settings.head_width());
        if cut.kept == 0 {
            notices.push(match settings.pad {
                0 => Notice::NothingToRead,
                pad => Notice::OnlyPadding { pad },
            });
            return Plan { tokens, problem: None, selection, heads, d_k, notices };
        }
        if settings.weights == WeightsKind::Toy && settings.positions == PositionKind::On && n > HEAD_TWO_PERIOD {
            notices.push(Notice::HeadTwoRepeats { tokens: n, period: HEAD_TWO_PERIOD });
        }
        if (selection.query, selection.key) != (settings.query, settings.key) {
            notices.push(Notice::SelectionMoved {
                query: settings.query,
                key: settings.key,
                used_query: selection.query,
                used_key: selection.key,
            });
        }
        let source = match self.source(settings, &tokens) {
            Ok(source) => source,
            Err(error) => {
                notices.push(Notice::CannotCompute(error));
                return Plan { tokens, problem: None, selection, heads, d_k, notices };
            }
        };
        let mask = self.mask(settings, &tokens);
        let outside = settings.cells.len() - mask.cells.len();
        if outside > 0 {
            notices.push(Notice::CellsOutside { count: outside });
        }
        let problem = Problem {
            source,
            scale: multiplier(settings, d_k),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "0.05 to 20 lies well inside f32; engines compute in f32"
            )]
            temperature: settings.temperature as f32,
            mask,
            method: self.methods.method(settings, heads, d_k),
        };
        Plan { tokens, problem: Some(problem), selection, heads, d_k, notices }
    }

    fn cut(&mut self, settings: &Settings) -> Cut {
        let wanted = TokenSettings::of(settings);
        if let Some((known, cut)) = &self.tokens
            && *known == wanted
        {
            return cut.clone();
        }
        let mut new = cut(settings);
        // Another sentence may cut into the very same tokens (a space at the end): then everything below stays.
        if let Some((_, old)) = &self.tokens
            && old.tokens == new.tokens
        {
            new.tokens = Rc::clone(&old.tokens);
        }
        self.tokens = Some((wanted, new.clone()));
        new
    }

    /// Embeddings and weights; what did not change keeps its `Rc`.
    fn source(&mut self, settings: &Settings, tokens: &Rc<[Token]>) -> Result<Source, ProblemError> {
        let wanted = WeightSettings::of(settings);
        let (old_x, old_weights) = match &self.source {
            Some((known_x, known_weights, Source::Embedded { x_q, weights, .. })) => (
                known_x.serves(settings, tokens).then(|| Rc::clone(x_q)),
                (*known_weights == wanted).then(|| Rc::clone(weights)),
            ),
            _ => (None, None),
        };
        let x = match old_x {
            Some(x) => x,
            None => {
                let mut x = positions::embed_at(tokens, added_positions(settings))?;
                if settings.weights != WeightsKind::Toy {
                    random_weights::normalise_rows(&mut x);
                }
                Rc::new(x)
            }
        };
        let weights = old_weights.unwrap_or_else(|| {
            Rc::new(match wanted {
                WeightSettings::Toy => toy::weights(),
                WeightSettings::Random { seed, heads, d_k } => random_weights::weights(seed, heads, d_k),
                WeightSettings::Identity { heads } => random_weights::identity(heads),
            })
        });
        let source = Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights };
        self.source = Some((XSettings::of(settings, tokens), wanted, source.clone()));
        Ok(source)
    }

    fn mask(&mut self, settings: &Settings, tokens: &Rc<[Token]>) -> Mask {
        // Without a <PAD> the padding mask forbids nothing: leaving it out spares every engine the question.
        let padded = settings.padding && settings.pad > 0;
        let keys = padded.then(|| self.keys(tokens));
        let (causal, keys, rule) = rule(settings, tokens, keys);
        Mask { causal, keys, rule, cells: self.cells(&settings.cells, tokens.len()), ..Mask::none() }
    }

    fn keys(&mut self, tokens: &Rc<[Token]>) -> Rc<[bool]> {
        if let Some(known) = &self.keys
            && Rc::ptr_eq(&known.tokens, tokens)
        {
            return Rc::clone(&known.visible);
        }
        let visible: Rc<[bool]> = tokens.iter().map(|token| token.kind != TokenKind::Pad).collect();
        self.keys = Some(Keys { tokens: Rc::clone(tokens), visible: Rc::clone(&visible) });
        visible
    }

    /// The cells inside an n × n grid; the same `Rc` when all are.
    fn cells(&mut self, cells: &Rc<Cells>, n: usize) -> Rc<Cells> {
        if let Some((known, size, inside)) = &self.cells
            && *size == n
            && known == cells
        {
            return Rc::clone(inside);
        }
        let inside = cells.cut(u32::try_from(n).unwrap_or(u32::MAX)).map_or_else(|| Rc::clone(cells), Rc::new);
        self.cells = Some((Rc::clone(cells), n, Rc::clone(&inside)));
        inside
    }
}

/// What is added to the embedding for a token's place.
fn added_positions(settings: &Settings) -> Positions {
    match settings.positions {
        PositionKind::On => Positions::Toy,
        PositionKind::Off | PositionKind::Rope | PositionKind::Alibi => Positions::None,
        PositionKind::Sinusoidal => Positions::Sinusoidal { base: 1e4 },
        PositionKind::Learned => Positions::Learned { seed: settings.seed },
    }
}

/// What a raw score is multiplied by.
#[expect(clippy::cast_possible_truncation, reason = "a divisor of 1 to 12; engines compute in f32")]
fn multiplier(settings: &Settings, d_k: usize) -> f32 {
    (1.0 / settings.scale.divisor(d_k)) as f32
}

/// The selection of `settings`, moved inside `n` tokens.
fn select(settings: &Settings, n: usize) -> Selection {
    let last = n.saturating_sub(1);
    Selection {
        head: settings.head.saturating_sub(1).min(settings.head_count() - 1),
        query: settings.query.min(last),
        key: settings.key.min(last),
    }
}
