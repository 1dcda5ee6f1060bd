//! Settings of the view on a long text, and the link that carries them.
//!
//! Owns the keys `doc`, `pool` and `view`, and the masks of long texts. Total, as the page's own link is: what can't be read
//! keeps its default. A text that was pasted or opened is in no link.

use super::link::percent;
use super::settings::{D_K, HEADS, TEMPERATURE, clamp_temperature};
use crate::attention::{Pattern, Sparse, document};
use crate::text::{Tokenizer, decimal};

/// The texts that come with the page; their names are values of `doc`.
pub const NAMES: [&str; 2] = ["sanguo", "alice"];
/// The most tokens of a text that are computed.
pub const MOST_TOKENS: usize = 16_384;
/// Width of a window and stride of a strided mask, unless the link says otherwise.
pub const WINDOW: usize = 256;
/// See [`WINDOW`].
pub const STRIDE: usize = 128;

/// Where q and k come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Source {
    /// The four heads constructed for long texts.
    #[default]
    Constructed,
    /// Seeded random projections of the page's embedding.
    Random,
}

/// What a cell shows that stands for many weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Pooling {
    /// The largest.
    #[default]
    Max,
    /// Their mean.
    Mean,
}

/// Everything that makes the picture of a long text, but the text.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentSettings {
    /// `doc`: a bundled text; empty for one of the person's own.
    pub name: String,
    /// `tok`: word, char or space.
    pub tokenizer: Tokenizer,
    /// `w`
    pub source: Source,
    /// `heads`, of random weights.
    pub heads: usize,
    /// `dk`, of random weights.
    pub d_k: usize,
    /// `seed`, of random weights.
    pub seed: u32,
    /// `h`, from 1.
    pub head: usize,
    /// `t`
    pub temperature: f64,
    /// `mask`
    pub pattern: Pattern,
    /// `pool`
    pub pooling: Pooling,
    /// `q` and `k`, from 0: the cell that is read out, once one is chosen.
    pub cell: Option<(usize, usize)>,
    /// `view`: left, top and side of the window in tokens; `None` for the whole map.
    pub view: Option<[usize; 3]>,
    /// Keys of the page that the link keeps: language and theme, as they stand.
    pub kept: Vec<(String, String)>,
}

impl Default for DocumentSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            tokenizer: Tokenizer::Word,
            source: Source::Constructed,
            heads: 8,
            d_k: 8,
            seed: 1,
            head: 1,
            temperature: 1.0,
            pattern: Pattern::default(),
            pooling: Pooling::Max,
            cell: None,
            view: None,
            kept: Vec::new(),
        }
    }
}

impl DocumentSettings {
    /// Number of heads.
    #[must_use]
    pub const fn head_count(&self) -> usize {
        match self.source {
            Source::Constructed => document::ROLES.len(),
            Source::Random => self.heads,
        }
    }

    /// What is wrong with the address and can be said: the name of a text that there is none of.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.name.is_empty() || NAMES.contains(&self.name.as_str())
    }

    /// Reads the fragment of an address, without `#`; `None` when it asks for no long text.
    #[must_use]
    pub fn decode(fragment: &str) -> Option<Self> {
        let mut settings = Self::default();
        let mut asked = false;
        let (mut query, mut key) = (None, None);
        for (name, value) in fragment.split('&').take(64).filter_map(|pair| pair.split_once('=')) {
            let value = percent::decode(value).0;
            let number = value.parse::<usize>().ok();
            match name {
                "doc" => {
                    settings.name = value.chars().take(40).collect();
                    asked = true;
                }
                "tok" => settings.tokenizer = pick(&TOKENIZERS, &value).unwrap_or_default(),
                "w" => settings.source = pick(&SOURCES, &value).unwrap_or_default(),
                "heads" => settings.heads = number.unwrap_or(settings.heads).clamp(HEADS.0, HEADS.1),
                "dk" => settings.d_k = number.unwrap_or(settings.d_k).clamp(D_K.0, D_K.1),
                "seed" => settings.seed = value.parse().unwrap_or(settings.seed),
                "h" => settings.head = number.unwrap_or(1).max(1),
                "t" => {
                    let read = decimal(&value).and_then(clamp_temperature);
                    settings.temperature = read.unwrap_or(1.0).clamp(TEMPERATURE.0, TEMPERATURE.1);
                }
                "mask" => settings.pattern = pattern(&value),
                "pool" => settings.pooling = pick(&POOLINGS, &value).unwrap_or_default(),
                "q" => query = number,
                "k" => key = number,
                "view" => settings.view = view(&value),
                "lang" | "theme" => settings.kept.push((name.to_owned(), value.chars().take(8).collect())),
                _ => {}
            }
        }
        settings.cell = query.map(|query| (query, key.unwrap_or(query)));
        settings.head = settings.head.min(settings.head_count());
        asked.then_some(settings)
    }

    /// The fragment of an address, without `#`; keys at their default are left out.
    #[must_use]
    pub fn encode(&self) -> String {
        let plain = Self::default();
        let mut pairs: Vec<(&str, String)> = vec![("doc", percent::encode(&self.name))];
        let mut add = |key, differs: bool, value: String| {
            if differs {
                pairs.push((key, value));
            }
        };
        add("tok", self.tokenizer != plain.tokenizer, name_of(&TOKENIZERS, self.tokenizer));
        add("w", self.source != plain.source, name_of(&SOURCES, self.source));
        let random = self.source == Source::Random;
        add("heads", random && self.heads != plain.heads, self.heads.to_string());
        add("dk", random && self.d_k != plain.d_k, self.d_k.to_string());
        add("seed", random && self.seed != plain.seed, self.seed.to_string());
        add("h", self.head != plain.head, self.head.to_string());
        add("t", self.temperature != plain.temperature, self.temperature.to_string());
        add("mask", !self.pattern.is_full(), mask_text(self.pattern));
        add("pool", self.pooling != plain.pooling, name_of(&POOLINGS, self.pooling));
        if let Some((query, key)) = self.cell {
            add("q", true, query.to_string());
            add("k", query != key, key.to_string());
        }
        if let Some([left, top, span]) = self.view {
            add("view", true, format!("{left},{top},{span}"));
        }
        for (key, value) in &self.kept {
            pairs.push((key, percent::encode(value)));
        }
        pairs.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
    }
}

const TOKENIZERS: [(&str, Tokenizer); 3] =
    [("word", Tokenizer::Word), ("char", Tokenizer::Char), ("space", Tokenizer::Space)];
const SOURCES: [(&str, Source); 2] = [("doc", Source::Constructed), ("random", Source::Random)];
const POOLINGS: [(&str, Pooling); 2] = [("max", Pooling::Max), ("mean", Pooling::Mean)];

fn pick<T: Copy>(table: &[(&str, T)], text: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

fn name_of<T: PartialEq>(table: &[(&str, T)], value: T) -> String {
    table.iter().find(|(_, other)| *other == value).map_or_else(String::new, |(name, _)| (*name).to_owned())
}

/// A mask as the link writes it: `none`, or `causal` and `window` or `strided`, with `:` and a width, joined by `+`.
fn mask_text(pattern: Pattern) -> String {
    let sized = |name: &str, size: usize, usual: usize| {
        if size == usual { name.to_owned() } else { format!("{name}:{size}") }
    };
    let causal = pattern.causal.then(|| "causal".to_owned());
    let sparse = match pattern.sparse {
        Sparse::Full => None,
        Sparse::Window(width) => Some(sized("window", width, WINDOW)),
        Sparse::Strided(stride) => Some(sized("strided", stride, STRIDE)),
    };
    causal.into_iter().chain(sparse).collect::<Vec<_>>().join("+")
}

fn pattern(text: &str) -> Pattern {
    let mut pattern = Pattern::default();
    for part in text.split('+').take(4) {
        let (name, size) = part.split_once(':').map_or((part, None), |(name, size)| (name, size.parse().ok()));
        match name {
            "causal" => pattern.causal = true,
            "window" => pattern.sparse = Sparse::Window(size.unwrap_or(WINDOW).clamp(1, MOST_TOKENS)),
            "strided" => pattern.sparse = Sparse::Strided(size.unwrap_or(STRIDE).clamp(2, MOST_TOKENS)),
            _ => {}
        }
    }
    pattern
}

fn view(text: &str) -> Option<[usize; 3]> {
    let mut numbers = text.split(',').map(|part| part.parse::<usize>().ok());
    let mut next = || numbers.next().flatten().map(|number| number.min(MOST_TOKENS));
    Some([next()?, next()?, next()?])
}
