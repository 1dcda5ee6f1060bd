//! What the page is made of. A component reads a snapshot and dispatches actions; it never calls an engine.

mod answer;
mod app;
mod arcs;
mod controls;
mod foot;
mod header;
mod heads;
mod heat_map;
mod inspector;
mod map;
mod more;
mod notices;
mod numbers;
mod presets;
mod seg;
mod sentence;
mod share;
mod steps;
mod word_editor;

pub use app::{App, AppProps};
