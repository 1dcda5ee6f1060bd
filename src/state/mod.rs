//! The page's state as one value.
//!
//! Owns [`Settings`] (all that a link carries), [`Action`] and [`update()`], the link codec, notices, and the way from
//! settings to a [`crate::attention::Problem`] ([`plan()`]). No clock, no randomness, no input or output.

pub mod action;
pub mod asking;
pub mod document;
pub mod document_plan;
pub mod field;
mod field_plan;
pub mod input_error;
pub mod link;
pub mod notice;
pub mod page;
pub mod plan;
pub mod settings;
pub mod update;
pub mod words;

pub use action::{Action, CellEdit};
pub use asking::{answering_key, asking_query, asks, role_of_head};
pub use field::{Field, MaskKind, MaskKinds, Normalisation, PositionKind, ScoreKind, Sizes};
pub use input_error::InputError;
pub use notice::{Notice, Severity};
pub use page::{Compare, PageState, SourceData, SourceId, View};
pub use plan::{Plan, Planner, Selection, plan};
pub use settings::{Contrast, EngineChoice, Scale, Settings, ShownStage, Tab, Theme, WeightsKind};
pub use update::update;
