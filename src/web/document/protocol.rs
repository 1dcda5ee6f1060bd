//! The wire between the view and its worker: arrays of JavaScript whose first entry names what they are.
//!
//! Total on both sides: what has another form is no message.

use crate::engine::long::{Answer, Ask, Cell};
use crate::tensor::pyramid::Tile;
use js_sys::{Array, Float32Array, JsString, Uint8Array, Uint32Array};
use std::ops::Range;
use wasm_bindgen::{JsCast, JsValue};

/// What the view tells the worker.
pub enum Tell {
    /// A new text, with the settings as a link writes them.
    Open { id: u32, text: JsString, settings: String },
    /// Other settings of the same text; whether tokens or weights change.
    Set { id: u32, settings: String, anew: bool },
    /// A question to the session.
    Ask(Ask),
}

/// What the worker says.
pub enum Said {
    /// A text was read.
    Opened {
        /// Which [`Tell::Open`] or [`Tell::Set`].
        id: u32,
        /// The text that the tokens stand in, and whether more was left out.
        kept: String,
        cut: bool,
        /// Start and end of each token, in bytes of `kept`.
        spans: Vec<u32>,
        /// The number of each token's word: equal words have the same.
        words: Vec<u32>,
    },
    /// How far it is.
    Progress { id: u32, done: Vec<u32>, busy: bool, engine: usize, reserved: usize },
    /// An answer of the session; with a row, the token its output is nearest to and the cosine.
    Answer { id: u32, answer: Answer, nearest: Option<(usize, f32)> },
    /// The worker could not go on.
    Broken,
}

/// Numbers up to 2³², as JavaScript has them.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a double saturates")]
fn number(of: &Array, at: u32) -> Option<usize> {
    of.get(at).as_f64().map(|number| number as usize)
}

#[expect(clippy::cast_precision_loss, reason = "far below 2⁵³")]
fn js(number: usize) -> JsValue {
    JsValue::from_f64(number as f64)
}

fn word(of: &Array, at: u32) -> Option<u32> {
    number(of, at).and_then(|number| u32::try_from(number).ok())
}

fn array(name: &str, rest: impl IntoIterator<Item = JsValue>) -> Array {
    std::iter::once(JsValue::from_str(name)).chain(rest).collect()
}

impl Tell {
    /// As a message.
    pub fn encode(self) -> Array {
        match self {
            Self::Open { id, text, settings } => array("open", [id.into(), text.into(), settings.into()]),
            Self::Set { id, settings, anew } => array("set", [id.into(), settings.into(), anew.into()]),
            Self::Ask(ask) => encode_ask(ask),
        }
    }

    /// Of a message.
    pub fn decode(message: &JsValue) -> Option<Self> {
        let of = message.dyn_ref::<Array>()?;
        Some(match of.get(0).as_string()?.as_str() {
            "open" => {
                Self::Open { id: word(of, 1)?, text: of.get(2).dyn_into().ok()?, settings: of.get(3).as_string()? }
            }
            "set" => Self::Set { id: word(of, 1)?, settings: of.get(2).as_string()?, anew: of.get(3).as_bool()? },
            "head" => Self::Ask(Ask::Head(number(of, 1)?)),
            "row" => Self::Ask(Ask::Row(number(of, 1)?)),
            "cell" => {
                let level = u8::try_from(number(of, 1)?).ok()?;
                Self::Ask(Ask::Cell { level, at: (number(of, 2)?, number(of, 3)?) })
            }
            "tiles" => {
                let numbers = of.get(1).dyn_into::<Uint32Array>().ok()?.to_vec();
                let tile = |[level, row, column]: &[u32; 3]| {
                    Some(Tile {
                        level: u8::try_from(*level).ok()?,
                        row: u16::try_from(*row).ok()?,
                        column: u16::try_from(*column).ok()?,
                    })
                };
                Self::Ask(Ask::Tiles(numbers.as_chunks().0.iter().map(tile).collect::<Option<_>>()?))
            }
            "stop" => Self::Ask(Ask::Stop),
            "resume" => Self::Ask(Ask::Resume),
            _ => return None,
        })
    }
}

fn encode_ask(ask: Ask) -> Array {
    match ask {
        Ask::Head(head) => array("head", [js(head)]),
        Ask::Row(query) => array("row", [js(query)]),
        Ask::Cell { level, at } => array("cell", [level.into(), js(at.0), js(at.1)]),
        Ask::Tiles(tiles) => {
            let of = |tile: &Tile| [u32::from(tile.level), u32::from(tile.row), u32::from(tile.column)];
            let numbers: Vec<u32> = tiles.iter().flat_map(of).collect();
            array("tiles", [Uint32Array::from(numbers.as_slice()).into()])
        }
        Ask::Stop => array("stop", []),
        // Another temperature or mask travels with the settings.
        Ask::Resume | Ask::Problem { .. } => array("resume", []),
    }
}

impl Said {
    /// As a message.
    pub fn encode(self) -> Array {
        match self {
            Self::Opened { id, kept, cut, spans, words } => {
                let (spans, words) = (Uint32Array::from(spans.as_slice()), Uint32Array::from(words.as_slice()));
                array("opened", [id.into(), kept.into(), cut.into(), spans.into(), words.into()])
            }
            Self::Progress { id, done, busy, engine, reserved } => {
                let done = Uint32Array::from(done.as_slice());
                array("progress", [id.into(), done.into(), busy.into(), js(engine), js(reserved)])
            }
            Self::Answer { id, answer, nearest } => encode_answer(id, &answer, nearest),
            Self::Broken => array("broken", []),
        }
    }

    /// Of a message.
    pub fn decode(message: &JsValue) -> Option<Self> {
        let of = message.dyn_ref::<Array>()?;
        let id = word(of, 1);
        let words = |at: u32| of.get(at).dyn_into::<Uint32Array>().ok().map(|words| words.to_vec());
        Some(match of.get(0).as_string()?.as_str() {
            "opened" => Self::Opened {
                id: id?,
                kept: of.get(2).as_string()?,
                cut: of.get(3).as_bool()?,
                spans: words(4)?,
                words: words(5)?,
            },
            "progress" => Self::Progress {
                id: id?,
                done: words(2)?,
                busy: of.get(3).as_bool()?,
                engine: number(of, 4)?,
                reserved: number(of, 5)?,
            },
            "broken" => Self::Broken,
            name => {
                let (answer, nearest) = decode_answer(name, of)?;
                Self::Answer { id: id?, answer, nearest }
            }
        })
    }
}

fn encode_answer(id: u32, answer: &Answer, nearest: Option<(usize, f32)>) -> Array {
    let bytes = |bytes: &[u8]| JsValue::from(Uint8Array::from(bytes));
    match answer {
        Answer::Overview { head, rows, mean, max } => {
            array("overview", [id.into(), js(*head), js(rows.start), js(rows.end), bytes(mean), bytes(max)])
        }
        Answer::Tile { head, tile, mean, max } => {
            let place = [tile.level.into(), tile.row.into(), tile.column.into()];
            array("tile", [id.into(), js(*head)].into_iter().chain(place).chain([bytes(mean), bytes(max)]))
        }
        Answer::Row { head, query, weights, entropy, .. } => {
            let (at, cosine) = nearest.map_or((JsValue::NULL, 0.0), |(at, cosine)| (js(at), cosine));
            let weights = Float32Array::from(weights.as_slice());
            array("row", [id.into(), js(*head), js(*query), weights.into(), (*entropy).into(), at, cosine.into()])
        }
        Answer::Cell { head, level, at, cell } => {
            let place = [js(*head), (*level).into(), js(at.0), js(at.1)];
            let what = [cell.mean.into(), cell.max.into(), js(cell.at.0), js(cell.at.1)];
            array("cell", std::iter::once(id.into()).chain(place).chain(what))
        }
        Answer::Failed { head } => array("failed", [id.into(), js(*head)]),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "these doubles were f32")]
fn decode_answer(name: &str, of: &Array) -> Option<(Answer, Option<(usize, f32)>)> {
    let head = number(of, 2)?;
    let bytes = |at: u32| of.get(at).dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec());
    let float = |at: u32| of.get(at).as_f64().map(|number| number as f32);
    Some(match name {
        "overview" => {
            let rows: Range<usize> = number(of, 3)?..number(of, 4)?;
            (Answer::Overview { head, rows, mean: bytes(5)?, max: bytes(6)? }, None)
        }
        "tile" => {
            let tile = Tile {
                level: u8::try_from(number(of, 3)?).ok()?,
                row: u16::try_from(number(of, 4)?).ok()?,
                column: u16::try_from(number(of, 5)?).ok()?,
            };
            (Answer::Tile { head, tile, mean: bytes(6)?, max: bytes(7)? }, None)
        }
        "row" => {
            let weights = of.get(4).dyn_into::<Float32Array>().ok()?.to_vec();
            let nearest = number(of, 6).zip(float(7));
            let row = Answer::Row { head, query: number(of, 3)?, weights, entropy: float(5)?, output: Vec::new() };
            (row, nearest)
        }
        "cell" => {
            let cell = Cell { mean: float(6)?, max: float(7)?, at: (number(of, 8)?, number(of, 9)?) };
            let level = u8::try_from(number(of, 3)?).ok()?;
            (Answer::Cell { head, level, at: (number(of, 4)?, number(of, 5)?), cell }, None)
        }
        "failed" => (Answer::Failed { head }, None),
        _ => return None,
    })
}
