//! The diagnosis as a sentence.

use super::desk::Desk;
use super::part::Body;
use crate::locale;
use crate::web::shared::Shared;
use crate::web::store::{Examined, Picture, examine};
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Diagnosis {
    /// Language and store.
    pub desk: Desk,
    /// What was computed.
    pub picture: Shared<Picture>,
}

impl Body for Diagnosis {
    const NAME: &'static str = "Diagnosis";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_diagnosis(self)
    }
}

#[hook]
fn use_diagnosis(props: &Diagnosis) -> Html {
    let Diagnosis { desk, picture } = props;
    let w = desk.words();
    let Some(Examined { guesses, no_effect }) = examine(picture) else { return Html::default() };
    let sentence = if no_effect { w.no_effect.to_owned() } else { locale::diagnosis::diagnosis(desk.lang, &guesses) };
    html! { <p class="field-note" role="status" data-name="diagnosis"><b>{ w.diagnosis }</b>{ " " }{ sentence }</p> }
}
