//! The WebGPU engine, as far as it needs no browser: what a device is to hold, to compute and to hand back, as data.
//!
//! Owns the shaders, the [`plan`] of a computation, the wire between the page and the module that drives the device, and
//! the way from a device's numbers to a trace. The web room's executor interprets a plan; it decides nothing.

pub mod answer;
pub mod layout;
pub mod limits;
pub mod plan;
pub mod planner;
pub mod shader;
pub mod sizes;
pub mod upload;
pub mod wire;

pub use answer::{compact, trace};
pub use layout::{Grid, Item, Part, read_back};
pub use limits::{Limits, Refusal};
pub use plan::Plan;
pub use planner::plan;
pub use wire::{MaskKind, Request};
