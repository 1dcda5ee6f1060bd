//! Settings: everything that makes a picture, and therefore everything that a link carries.

use super::field::{Field, MaskKinds, PositionKind, Sizes};
use super::link::cells::{Cells, MAX_SIDE};
use super::words::tidy;
use crate::attention::D_MODEL;
use crate::attention::toy::ROLES;
use crate::text::{AddedWord, Lang, Tokenizer};
use std::rc::Rc;

/// The largest number of tokens cut from the input that this page draws; more are cut off, with a notice.
pub const MAX_TOKENS: usize = 128;
/// Longest sentence in a link and in the box, in UTF-16 code units.
pub const MAX_SENTENCE: usize = 4096;
/// Temperature range.
pub const TEMPERATURE: (f64, f64) = (0.05, 20.0);
/// Head 2 of the constructed model repeats with this period; longer inputs get a notice.
pub const HEAD_TWO_PERIOD: usize = 32;

/// Number of heads of random weights.
pub const HEADS: (usize, usize) = (1, 16);
/// Head width d_k of random weights.
pub const D_K: (usize, usize) = (1, 128);
/// Number of heads of the constructed model; its d_k is [`TOY_D_K`].
pub const TOY_HEADS: usize = ROLES.len();
/// Width of a query, key and value of the constructed model.
pub const TOY_D_K: usize = 8;
/// Most padding tokens.
pub const MAX_PAD: usize = 8;
/// Largest index a token can have: `<BOS>`, [`MAX_TOKENS`] and [`MAX_PAD`] tokens.
pub const MAX_INDEX: usize = MAX_TOKENS + MAX_PAD;

/// Which tab is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "names of tabs")]
pub enum Tab {
    #[default]
    Play,
    Lessons,
    Clinic,
    Labs,
    Glossary,
    About,
}

/// Where the weights come from; never one dressed as another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WeightsKind {
    /// The constructed eight heads.
    #[default]
    Toy,
    /// Seeded random projections.
    Random,
    /// W_Q = W_K = W_V = I: no parameters at all.
    Identity,
}

/// What a raw score is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scale {
    /// √d_k
    #[default]
    SqrtDk,
    /// Nothing.
    None,
    /// √d_model, a common mistake.
    SqrtDModel,
}

impl Scale {
    /// What a raw score is divided by.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    pub fn divisor(self, d_k: usize) -> f64 {
        match self {
            Self::SqrtDk => (d_k as f64).sqrt(),
            Self::None => 1.0,
            Self::SqrtDModel => (D_MODEL as f64).sqrt(),
        }
    }
}

/// Which matrix the large heat map draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "names of stages")]
pub enum ShownStage {
    #[default]
    Weights,
    Raw,
    Scaled,
    Masked,
}

/// How values become colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Contrast {
    /// 0 to 1, always.
    #[default]
    Fixed,
    /// Smallest to largest value shown; the page says so in a badge.
    Auto,
}

/// Which engine may compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "names of engines")]
pub enum EngineChoice {
    #[default]
    Auto,
    Cpu,
    WebGpu,
}

/// Light, dark, or as the system says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "names of themes")]
pub enum Theme {
    #[default]
    Auto,
    Light,
    Dark,
}

/// Everything that makes a picture. Always valid: every way in validates or clamps.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `lang`; `None` follows the browser.
    pub lang: Option<Lang>,
    /// `tab`
    pub tab: Tab,
    /// `s`: the sentence, at most [`MAX_SENTENCE`] UTF-16 units.
    pub sentence: Rc<str>,
    /// `tok`
    pub tokenizer: Tokenizer,
    /// `feat`: words added by the person or the browser's segmenter.
    pub words: Rc<[AddedWord]>,
    /// `w`
    pub weights: WeightsKind,
    /// `heads`, 1 to 16; used by random and identity weights.
    pub heads: usize,
    /// `dk`, 1 to 128; used by random weights.
    pub d_k: usize,
    /// `seed`; used by random weights.
    pub seed: u32,
    /// `h`: selected head, from 1.
    pub head: usize,
    /// `q`: selected query, from 0, `<BOS>` counted.
    pub query: usize,
    /// `k`: selected key, from 0, `<BOS>` counted.
    pub key: usize,
    /// `stage`
    pub stage: ShownStage,
    /// `t`
    pub temperature: f64,
    /// `scale`
    pub scale: Scale,
    /// `mask` contains causal.
    pub causal: bool,
    /// `mask` contains padding.
    pub padding: bool,
    /// `mask` contains these further kinds.
    pub masks: MaskKinds,
    /// `prefix`, `window`, `stride`, `block`, `global`
    pub sizes: Sizes,
    /// `cells`: cells set by hand over the mask.
    pub cells: Rc<Cells>,
    /// `pos`
    pub positions: PositionKind,
    /// `score norm tau draw fill num bias bug`: how it is computed.
    pub field: Field,
    /// `bos`
    pub bos: bool,
    /// `pad`, 0 to 8.
    pub pad: usize,
    /// `contrast`
    pub contrast: Contrast,
    /// `engine`
    pub engine: EngineChoice,
    /// `theme`
    pub theme: Theme,
    /// `a`: pinned settings to compare with, as a link without what is the person's own; empty for none.
    pub pinned: Rc<str>,
}

impl Default for Settings {
    /// The landing state: 猫追老鼠, head 4 (agent), the row of 追, its arc to 猫.
    fn default() -> Self {
        Self {
            lang: None,
            tab: Tab::Play,
            sentence: "猫追老鼠".into(),
            tokenizer: Tokenizer::Word,
            words: [].into(),
            weights: WeightsKind::Toy,
            heads: 8,
            d_k: 8,
            seed: 1,
            head: 4,
            query: 2,
            key: 1,
            stage: ShownStage::Weights,
            temperature: 1.0,
            scale: Scale::SqrtDk,
            causal: false,
            padding: false,
            masks: MaskKinds::default(),
            sizes: Sizes::default(),
            cells: Rc::default(),
            positions: PositionKind::On,
            field: Field::default(),
            bos: true,
            pad: 0,
            contrast: Contrast::Fixed,
            engine: EngineChoice::Auto,
            theme: Theme::Auto,
            pinned: "".into(),
        }
    }
}

impl Settings {
    /// Number of heads of the weights in use.
    #[must_use]
    pub const fn head_count(&self) -> usize {
        match self.weights {
            WeightsKind::Toy => TOY_HEADS,
            WeightsKind::Random | WeightsKind::Identity => self.heads,
        }
    }

    /// Head width of the weights in use.
    #[must_use]
    pub const fn head_width(&self) -> usize {
        match self.weights {
            WeightsKind::Toy => TOY_D_K,
            WeightsKind::Random => self.d_k,
            WeightsKind::Identity => D_MODEL / self.heads,
        }
    }

    /// The same settings with every number inside its range: for values that come from code, not from a link.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        let (kept, _) = cut_utf16(&self.sentence, MAX_SENTENCE);
        if kept.len() < self.sentence.len() {
            self.sentence = kept.into();
        }
        let words = tidy(self.words.iter().cloned());
        if words.as_slice() != &*self.words {
            self.words = words.into();
        }
        self.heads = self.heads.clamp(HEADS.0, HEADS.1);
        self.d_k = self.d_k.clamp(D_K.0, D_K.1);
        self.head = self.head.clamp(1, self.head_count());
        self.query = self.query.min(MAX_INDEX);
        self.key = self.key.min(MAX_INDEX);
        self.pad = self.pad.min(MAX_PAD);
        self.sizes = self.sizes.clamped();
        self.field = self.field.clamped();
        self.temperature = clamp_temperature(self.temperature).unwrap_or(1.0);
        if let Some(inside) = self.cells.cut(MAX_SIDE) {
            self.cells = Rc::new(inside);
        }
        self
    }
}

/// The nearest temperature in range; `None` for NaN, which is near to nothing.
#[must_use]
pub fn clamp_temperature(given: f64) -> Option<f64> {
    (!given.is_nan()).then(|| given.clamp(TEMPERATURE.0, TEMPERATURE.1))
}

/// The longest start of `text` with at most `most` UTF-16 units, cut between characters, and the units of the whole.
#[must_use]
pub fn cut_utf16(text: &str, most: usize) -> (&str, usize) {
    let (mut units, mut end) = (0, 0);
    for c in text.chars() {
        units += c.len_utf16();
        if units <= most {
            end += c.len_utf8();
        }
    }
    (&text[..end], units)
}

/// The longest start of `text` with at most `most` bytes, cut between characters.
#[must_use]
pub fn cut_utf8(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}
