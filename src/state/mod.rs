//! The page's state as one value.
//!
//! Owns [`Settings`] (all that a link carries), [`Action`] and [`update`], the link codec, notices, and the way from
//! settings to a [`crate::attention::Problem`] ([`plan`]). No clock, no randomness, no input or output.

pub mod settings;

pub use settings::{Contrast, EngineChoice, Scale, Settings, ShownStage, Tab, Theme, WeightsKind};
