//! What parts of the page share: the language, the way to dispatch, and rows of choices.

use crate::locale::{Words, words};
use crate::state::Action;
use crate::text::Lang;
use crate::web::store::{Store, When};
use yew::prelude::*;

/// A part's hands: it speaks the page's language and can change the settings.
#[derive(Clone, PartialEq)]
pub struct Desk {
    /// The page's language.
    pub lang: Lang,
    /// Where actions go.
    pub store: Store,
}

/// One choice of a row.
pub struct Choice {
    /// How it is called.
    pub label: Html,
    /// Spoken name, where the label alone would not do.
    pub spoken: Option<&'static str>,
    /// What choosing it does.
    pub actions: Vec<Action>,
    /// Whether it holds.
    pub pressed: bool,
}

impl Choice {
    /// A choice with a plain name and one action.
    pub fn new(label: &'static str, action: Action, pressed: bool) -> Self {
        Self { label: label.into(), spoken: None, actions: vec![action], pressed }
    }
}

impl Desk {
    /// The texts of the page's language.
    pub fn words(&self) -> &'static Words {
        words(self.lang)
    }

    /// Does one thing on a click.
    pub fn act(&self, action: Action) -> Callback<MouseEvent> {
        self.act_all(vec![action])
    }

    /// Does several things on a click, as one step of undo.
    pub fn act_all(&self, actions: Vec<Action>) -> Callback<MouseEvent> {
        let store = self.store.clone();
        Callback::from(move |_| store.dispatch_all(&actions, When::Done))
    }

    /// Buttons side by side; those that hold are pressed. `name` is for tests.
    pub fn row(&self, title: &'static str, name: &'static str, choices: Vec<Choice>) -> Html {
        html! {
            <div class="seg" role="group" aria-label={title} data-name={name}>
                <span class="seg-title" aria-hidden="true">{ title }</span>
                <span class="seg-row">
                    { for choices.into_iter().map(|choice| html! {
                        <button type="button" aria-pressed={text_of(choice.pressed)} aria-label={choice.spoken} onclick={self.act_all(choice.actions)}>
                            { choice.label }
                        </button>
                    }) }
                </span>
            </div>
        }
    }
}

/// √d with an index, the bar over the radicand.
pub fn root(index: &'static str) -> Html {
    html! { <>{ "√" }<span class="radicand">{ "d" }<sub>{ index }</sub></span></> }
}

/// `true` or `false` as attributes hold it.
pub const fn text_of(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

/// Turns a state over on a click.
pub fn flip(state: &UseStateHandle<bool>) -> Callback<MouseEvent> {
    let state = state.clone();
    Callback::from(move |_| state.set(!*state))
}

/// A row of a table: its first cell, then the rest; `chosen` lights it up.
pub fn table_row(chosen: bool, cells: Vec<Html>) -> Html {
    html! { <tr data-is={chosen.then_some("chosen")}>{ for cells.into_iter().map(|cell| html! { <td>{ cell }</td> }) }</tr> }
}

/// A table with column titles, in a frame that scrolls when it is long.
pub fn table(name: &'static str, titles: Vec<Html>, rows: Vec<Html>) -> Html {
    let long = rows.len() > 9;
    html! {
        <div class="scroll" tabindex={long.then_some("0")} role={long.then_some("region")} aria-label={long.then_some(name)}>
            <table>
                <thead><tr>{ for titles.into_iter().map(|title| html! { <th>{ title }</th> }) }</tr></thead>
                <tbody>{ rows }</tbody>
            </table>
        </div>
    }
}
