//! The question that the chosen row answers, its answer in words, and the other question.

use super::desk::Desk;
use super::presets;
use crate::attention::Stage;
use crate::lesson::question::{self, Answer as Found};
use crate::locale::number;
use crate::state::Action;
use crate::web::store::Picture;
use yew::prelude::*;

/// The page's headline.
pub fn answer(desk: &Desk, picture: &Picture) -> Html {
    let w = desk.words();
    let selection = picture.plan.selection;
    let weights = picture.row(Stage::Weights, selection.query);
    let role = picture.role(selection.head);
    let permits = |key: usize| picture.problem.mask.permits(selection.head, selection.query, key);
    let asked = question::question(desk.lang, role, picture.tokens(), selection.query, &weights, &permits);
    let Some(asked) = asked else {
        return Html::default();
    };
    let answer = match asked.answer {
        Found::LooksAt { key, weight } => {
            // The red word and the red arc are the selected key; where another is looked at more, both are named.
            let chosen = selection.key;
            let shown = weights.get(chosen).copied().unwrap_or(weight);
            let permitted = permits(chosen);
            html! {
                <>
                    <i>{ picture.label(selection.query) }</i>{ if permitted { w.looks_at } else { w.may_not_look_at } }
                    <b>{ picture.label(chosen) }</b>{ if permitted { w.with_weight } else { w.by_the_mask } }
                    if permitted { <b>{ number::fixed(f64::from(shown), 2) }</b> }
                    if key != chosen {
                        { format!("{}{} {}{}", w.most_before, picture.label(key), number::fixed(f64::from(weight), 2), w.most_after) }
                    }
                </>
            }
        }
        _ => asked.answer_text.into(),
    };
    html! {
        <div class="answer">
            <h1>{ asked.question }</h1>
            <p>{ answer }if let Some(gloss) = presets::gloss(desk, &picture.settings) { <small>{ gloss }</small> }</p>
            if let Some(swap) = asked.swap {
                <button type="button" class="link" data-name="swap"
                    onclick={desk.act(Action::Select { head: Some(swap.head), query: Some(selection.query), key: None })}>{ swap.label }</button>
            }
        </div>
    }
}
