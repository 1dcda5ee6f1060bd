//! The question that the chosen row answers, its answer in words, and the other question.

use crate::attention::Stage;
use crate::lesson::question::{self, Answer as Found};
use crate::locale::{number, words};
use crate::state::Action;
use crate::text::Lang;
use crate::web::hooks::use_store;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use yew::prelude::*;

/// Properties of [`Answer`].
#[derive(Properties, PartialEq)]
pub struct AnswerProps {
    /// The page's language.
    pub lang: Lang,
    /// What was computed.
    pub picture: Shared<Picture>,
}

/// The page's headline.
#[component]
pub fn Answer(props: &AnswerProps) -> Html {
    let store = use_store();
    let w = words(props.lang);
    let picture = &props.picture;
    let selection = picture.plan.selection;
    let row = picture.trace.rows(Stage::Weights, selection.head, selection.query..selection.query + 1);
    let weights: Vec<f32> = row.map(|row| row.iter().copied().collect()).unwrap_or_default();
    let role = picture.role(selection.head);
    let Some(asked) = question::question(props.lang, role, picture.tokens(), selection.query, &weights) else {
        return Html::default();
    };
    let label = |at: usize| picture.labels.get(at).cloned().unwrap_or_default();
    let answer = match asked.answer {
        Found::LooksAt { key, weight } => html! {
            <><i>{ label(selection.query) }</i>{ w.looks_at }<b>{ label(key) }</b>{ w.with_weight }<b>{ number::fixed(f64::from(weight), 2) }</b></>
        },
        _ => html! { { asked.answer_text.clone() } },
    };
    html! {
        <div class="answer">
            <h1>{ asked.question }</h1>
            <p>{ answer }</p>
            if let Some(swap) = asked.swap {
                <button type="button" class="link" data-name="swap" onclick={
                    let head = swap.head;
                    let query = selection.query;
                    move |_: MouseEvent| store.dispatch(&Action::Select { head: Some(head), query: Some(query), key: None }, When::Done)
                }>{ swap.label }</button>
            }
        </div>
    }
}
