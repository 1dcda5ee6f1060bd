//! Drawing as data: heat maps, arcs and thumbnails become a [`Scene`], which somebody else paints.
//!
//! Owns geometry, colour, the width of words, hit testing and the SVG painter. Knows no language (labels come in as
//! strings), no page state and no browser. All lengths are CSS pixels, x to the right and y down.

pub mod arcs;
pub mod colour;
mod grid;
pub mod heatmap;
pub mod measure;
pub mod numbers;
pub mod scale;
pub mod scene;
pub mod svg;
pub mod thumbnail;
pub mod viewport;

pub use arcs::{Arcs, ArcsSpec, Word, WordKind, arcs};
pub use colour::{Palette, Rgb, Theme};
pub use grid::{Layout, Target, stroke};
pub use heatmap::{HeatMap, HeatMapSpec, MapKind, Titles, heat_map};
pub use scale::ScaleName;
pub use scene::{Ink, Mark, Scene, Tone};
pub use svg::to_svg;
pub use thumbnail::thumbnail;
