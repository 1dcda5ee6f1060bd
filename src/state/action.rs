//! Actions: everything a person, a lesson or a script can do to the settings, as values.

use super::field::{Field, MaskKind, PositionKind, Sizes};
use super::settings::{Contrast, EngineChoice, Scale, Settings, ShownStage, Tab, Theme, WeightsKind};
use crate::text::{AddedWord, Lang, Tokenizer};
use std::rc::Rc;

/// A cell of the mask set by hand, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEdit {
    /// Row.
    pub query: u32,
    /// Column.
    pub key: u32,
    /// Permitted, forbidden, or `None`: back to what the rest of the mask says.
    pub permit: Option<bool>,
}

/// One change of the settings. Values out of range are moved to the nearest end by [`update`](super::update::update).
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Another sentence; the selection goes to the row that tells most.
    SetSentence(Rc<str>),
    /// Words that the browser's segmenter found: taken over where the person has not said anything about them.
    ProposeWords(Vec<AddedWord>),
    /// The person's list of added words, as a whole.
    SetWords(Vec<AddedWord>),
    /// How the sentence is cut.
    Tokenizer(Tokenizer),
    /// Constructed or random weights.
    Weights(WeightsKind),
    /// Number of heads of random weights.
    Heads(usize),
    /// Head width of random weights.
    HeadWidth(usize),
    /// Seed of random weights.
    Seed(u32),
    /// Selects what is given: head from 1; query and key from 0. A head alone brings its telling row.
    #[expect(missing_docs, reason = "names of what is selected")]
    Select { head: Option<usize>, query: Option<usize>, key: Option<usize> },
    /// Temperature; NaN changes nothing.
    Temperature(f64),
    /// What raw scores are divided by.
    Scale(Scale),
    /// Causal mask.
    Causal(bool),
    /// Padding mask.
    Padding(bool),
    /// One cell set by hand.
    SetCell(CellEdit),
    /// Several cells set by hand: a stroke.
    SetCells(Vec<CellEdit>),
    /// No cell is set by hand any more.
    ClearCells,
    /// A further kind of mask, on or off.
    Mask(MaskKind, bool),
    /// The sizes of masks.
    Sizes(Sizes),
    /// Where positions come in.
    Positions(PositionKind),
    /// How it is computed.
    Field(Field),
    /// `<BOS>` on or off.
    Bos(bool),
    /// Number of padding tokens.
    Pad(usize),
    /// Which matrix is drawn.
    Stage(ShownStage),
    /// How values become colours.
    Contrast(Contrast),
    /// Which engine may compute.
    Engine(EngineChoice),
    /// Light or dark.
    Theme(Theme),
    /// Language; `None` follows the browser.
    Lang(Option<Lang>),
    /// Which tab is open.
    Tab(Tab),
    /// Pins the present settings, to compare others with; `false` lets go of what is pinned.
    Pin(bool),
    /// What is pinned and what is on show change places.
    Swap,
    /// A prepared setting. What belongs to the person and not to the picture (language, theme, tab, engine) stays.
    Preset(Box<Settings>),
    /// Other settings as a whole: a link, undo and redo, the JavaScript API.
    Replace(Box<Settings>),
}
