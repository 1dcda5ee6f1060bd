//! The sentence with its arcs, and what is known of the chosen word.

use super::arcs_line::ArcsLine;
use super::desk::{Desk, text_of};
use super::part::{Body, part};
use super::word_editor::editable;
use crate::locale::feature_name;
use crate::state::{Action, WeightsKind};
use crate::text::TokenKind;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Arcs {
    /// Language and store.
    pub desk: Desk,
    /// What was computed.
    pub picture: Shared<Picture>,
    /// Whether the word editor is open.
    pub editing: bool,
    /// Opens or closes the word editor.
    pub onedit: Callback<MouseEvent>,
}

impl Body for Arcs {
    const NAME: &'static str = "Arcs";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_arcs(self)
    }
}

/// The line, and under it what is known of the chosen word.
#[hook]
fn use_arcs(props: &Arcs) -> Html {
    let Arcs { desk, picture, editing, onedit } = props;
    let w = desk.words();
    let selection = picture.plan.selection;
    let token = picture.tokens().get(selection.query);
    // Made weights know nothing of a word but its features: the first that has none is offered, unless it is chosen.
    let unknown = picture.tokens().iter().position(|token| !token.known && editable(token));
    let unknown = unknown.filter(|&at| at != selection.query && picture.settings.weights == WeightsKind::Toy);
    let teach = |at: usize| {
        let (store, onedit, editing) = (desk.store.clone(), onedit.clone(), *editing);
        let onclick = move |event: MouseEvent| {
            store.dispatch(&Action::Select { head: None, query: Some(at), key: None }, When::Done);
            if !editing {
                onedit.emit(event);
            }
        };
        html! { <button type="button" class="link" {onclick} data-name="teach">{ w.teach }{ picture.label(at) }</button> }
    };
    html! {
        <>
            { part(ArcsLine { desk: desk.clone() }) }
            if let Some(hint) = token.and_then(|token| match token.kind {
                TokenKind::Bos => Some(w.bos_hint),
                TokenKind::Pad => Some(w.pad_hint),
                _ => None,
            }) {
                <div class="word-bar">{ picture.label(selection.query) }{ w.colon }{ hint }</div>
            }
            if let Some(token) = token.filter(|token| editable(token)) {
                <div class="word-bar">
                    <span>
                        { picture.label(selection.query) }{ w.colon }
                        if token.known {
                            { token.features.iter().map(|f| feature_name(desk.lang, f)).collect::<Vec<_>>().join(w.list_comma) }
                        } else {
                            { w.word_unknown_hint }
                        }
                    </span>
                    <button type="button" class="link" aria-expanded={text_of(*editing)} onclick={onedit.clone()} data-name="edit-word">{ w.edit_word }</button>
                    if let Some(at) = unknown { { teach(at) } }
                </div>
            }
        </>
    }
}
