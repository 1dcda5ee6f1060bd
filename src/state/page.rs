//! The page: settings on show, settings pinned beside them, and what is no part of a link.

use super::action::Action;
use super::settings::Settings;
use super::update::update;
use std::rc::Rc;

/// Names a source that is no part of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// What a source holds. No kind exists yet; long texts, imported numbers and trained weights will be variants.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceData {}

/// What the large map shows while something is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Compare {
    /// B − A.
    #[default]
    Difference,
    /// What is pinned.
    A,
    /// What is on show.
    B,
}

/// How the page is being used: nothing here changes a number or belongs in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct View {
    /// A click or drag on the heat map sets mask cells instead of selecting.
    pub pencil: bool,
    /// What the large map shows while something is pinned.
    pub compare: Compare,
}

/// The page's state as one value.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PageState {
    /// Pinned settings to compare with.
    pub a: Option<Rc<Settings>>,
    /// The settings on show.
    pub b: Rc<Settings>,
    /// Sources with their ids, each id once.
    pub sources: Vec<(SourceId, Rc<SourceData>)>,
    /// How the page is being used.
    pub view: View,
}

impl PageState {
    /// The state after `action` on the settings on show.
    #[must_use]
    pub fn after(&self, action: &Action) -> Self {
        Self { b: Rc::new(update(&self.b, action)), ..self.clone() }
    }
}
