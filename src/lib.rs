//! Attention Lab: multi-head attention, computed, drawn and explained in the browser.
//!
//! One line per room; each room's first lines say what it owns, and a native test checks who imports whom.
//!
//! ```text
//! Settings ──validate──▶ Problem ──engine──▶ Trace ──picture──▶ Scene ──painter──▶ canvas / SVG
//! ```

pub mod attention; // THE SUBJECT: embeddings, heads, masks, Problem, Trace, and the f64 oracle that is the specification
pub mod engine; // THE SPEED: trait Engine and the engines that fill a Trace
pub mod insight; // THE MEANING, numbers only: entropy, statistics, the story of one number, warnings as values
pub mod lesson; // the teaching as data: preset sentences and challenges
pub mod locale; // zh and en texts; a missing text does not compile
pub mod picture; // drawing as data: heat map, arcs, colour scales, hit testing, SVG painter
pub mod state; // the page's state as one value: Settings, Action, update, the link codec, Settings → Problem
pub mod tensor; // numbers: arrays, comparison with tolerances, seeded random numbers
pub mod text; // words: tokenizers, tokens tied to their span, lexicon, stable hashing
#[cfg(target_arch = "wasm32")]
pub mod web; // the only browser code: store, components, painters, JavaScript API
