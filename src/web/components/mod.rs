//! What the page is made of. A part reads a snapshot and dispatches actions; it never calls an engine.
//!
//! Only what has a state or a canvas of its own is a [`part`]; the other pieces are functions from values to `Html`
//! (these few nodes are compared in no time). A state that the style sheet shows is
//! an attribute, `data-is`: Yew's class lists would be two more kilobytes of code.

mod answer;
mod app;
mod arcs;
mod arcs_line;
mod compare;
mod controls;
mod desk;
mod diagnosis;
mod field;
mod frame;
mod heads;
mod heat_map;
mod inspector;
mod map;
mod map_canvas;
mod map_notes;
mod mask_text;
mod more;
mod numbers;
mod part;
mod presets;
mod sentence;
mod share;
mod steps;
mod word_editor;

pub use app::{App, AppProps};
