//! The parts that are drawn once the frame with the answer, the arcs and the map stands: the head strip and the inspector.
//!
//! A slider moves what the person looks at first; the rest follows right after, and on a slow machine passes over ticks.

use super::desk::Desk;
use super::heads::Heads;
use super::inspector::Inspector;
use super::part::{Body, part};
use crate::web::hooks::use_after_paint;
use crate::web::shared::Shared;
use crate::web::store::Picture;
use yew::functional::Hook;
use yew::prelude::*;

/// Which part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// One small map per head.
    Heads,
    /// The story of the selected number.
    Inspector,
}

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Later {
    /// Which part it is.
    pub which: Which,
    /// Language and store.
    pub desk: Desk,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
}

impl Body for Later {
    const NAME: &'static str = "Later";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_later(self)
    }
}

#[hook]
fn use_later(props: &Later) -> Html {
    let picture = use_after_paint(&props.picture);
    let desk = props.desk.clone();
    match props.which {
        Which::Heads => part(Heads { desk, dark: props.dark, picture }),
        Which::Inspector => part(Inspector { desk, picture }),
    }
}
