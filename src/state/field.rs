//! What departs from the standard way, as settings: the kinds of mask, and the method of computing.

use crate::attention::{Bugs, Fill};

/// A kind of mask besides causal and padding, or how the kinds combine. Sizes are in [`Sizes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskKind {
    /// `<PAD>` asks nothing: padding of the queries.
    Queries,
    /// The first keys are seen by all, the rest is causal.
    Prefix,
    /// Only so far to either side.
    Window,
    /// Near, or at a multiple of the stride.
    Strided,
    /// Within blocks of equal length.
    Block,
    /// A window, and some first tokens that see all and are seen by all.
    Global,
    /// Every sentence of the text is a document of its own, packed into one sequence.
    Documents,
    /// What one kind permits is permitted; without it, what all of them permit.
    Any,
    /// Permitted and forbidden are exchanged, when all else is combined.
    Not,
}

impl MaskKind {
    /// All of them, with their names in a link.
    pub const ALL: [(&'static str, Self); 9] = [
        ("queries", Self::Queries),
        ("prefix", Self::Prefix),
        ("window", Self::Window),
        ("strided", Self::Strided),
        ("block", Self::Block),
        ("global", Self::Global),
        ("documents", Self::Documents),
        ("any", Self::Any),
        ("not", Self::Not),
    ];
}

/// A set of [`MaskKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct MaskKinds(u16);

impl MaskKinds {
    /// The same set with or without `kind`.
    #[must_use]
    pub const fn with(self, kind: MaskKind, on: bool) -> Self {
        let bit = 1 << kind as u16;
        Self(if on { self.0 | bit } else { self.0 & !bit })
    }

    /// Whether `kind` is among them.
    #[must_use]
    pub const fn has(self, kind: MaskKind) -> bool {
        self.0 >> kind as u16 & 1 == 1
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The sizes of masks, in tokens; they stay while their mask is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// `prefix`: how many first keys all see.
    pub prefix: usize,
    /// `window`: how far to either side.
    pub window: usize,
    /// `stride`
    pub stride: usize,
    /// `block`
    pub block: usize,
    /// `global`: how many first tokens see all.
    pub global: usize,
}

/// Range of each of [`Sizes`].
pub const MASK_SIZE: (usize, usize) = (1, 128);

impl Default for Sizes {
    fn default() -> Self {
        Self { prefix: 2, window: 1, stride: 2, block: 2, global: 1 }
    }
}

impl Sizes {
    /// Every size inside [`MASK_SIZE`].
    #[must_use]
    pub fn clamped(self) -> Self {
        let inside = |size: usize| size.clamp(MASK_SIZE.0, MASK_SIZE.1);
        Self {
            prefix: inside(self.prefix),
            window: inside(self.window),
            stride: inside(self.stride),
            block: inside(self.block),
            global: inside(self.global),
        }
    }
}

/// Where positions come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PositionKind {
    /// The toy's own, added to the embedding.
    #[default]
    On,
    /// None.
    Off,
    /// Sines and cosines, added to the embedding.
    Sinusoidal,
    /// A table, added to the embedding.
    Learned,
    /// Rotary: q and k are turned.
    Rope,
    /// A penalty on the score by distance.
    Alibi,
}

/// What makes a raw score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ScoreKind {
    /// q·k
    #[default]
    Dot,
    /// q W kᵀ
    General,
    /// v·tanh(W q + U k)
    Additive,
    /// The same without tanh: all rows are alike.
    Linear,
}

/// What makes weights of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Normalisation {
    /// exp(s − max) ÷ Σ
    #[default]
    Softmax,
    /// exp(s) ÷ Σ
    WithoutMaximum,
    /// The largest takes all.
    Hard,
    /// One key is drawn.
    Sampled,
    /// Softmax of noisy scores, with τ.
    Gumbel,
    /// A kernel in the place of exp.
    Linear,
}

/// Range of τ of Gumbel-softmax.
pub const TAU: (f64, f64) = (0.01, 10.0);

/// The method of computing. The default is the standard way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// `score`
    pub score: ScoreKind,
    /// `norm`
    pub normalisation: Normalisation,
    /// `tau`
    pub tau: f64,
    /// `draw`: seed of what is drawn.
    pub draw: u32,
    /// `fill`
    pub fill: Fill,
    /// `num`: whether every number is rounded to 16 bits.
    pub half: bool,
    /// `bias`: whether projections add a bias.
    pub bias: bool,
    /// `bug`
    pub bugs: Bugs,
}

impl Default for Field {
    fn default() -> Self {
        Self {
            score: ScoreKind::Dot,
            normalisation: Normalisation::Softmax,
            tau: 1.0,
            draw: 1,
            fill: Fill::Exclude,
            half: false,
            bias: false,
            bugs: Bugs::NONE,
        }
    }
}

impl Field {
    /// τ inside its range.
    #[must_use]
    pub fn clamped(self) -> Self {
        Self { tau: if self.tau.is_nan() { 1.0 } else { self.tau.clamp(TAU.0, TAU.1) }, ..self }
    }
}
