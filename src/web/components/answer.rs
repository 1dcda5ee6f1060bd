//! The question that the chosen row answers, its answer in words, and the other question.

use super::desk::Desk;
use super::presets;
use crate::attention::Stage;
use crate::lesson::question::{self, Answer as Found};
use crate::locale::{number, question as question_words};
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
            // The answer is the key that is looked at most; where another one is selected (the red word and the red arc),
            // both are named.
            let chosen = selection.key;
            let shown = weights.get(chosen).copied().unwrap_or(weight);
            let is_chosen = key == chosen;
            html! {
                <>
                    <i>{ picture.label(selection.query) }</i>{ w.looks_at }
                    if is_chosen { <b>{ picture.label(key) }</b> } else { <i>{ picture.label(key) }</i> }
                    { w.with_weight }
                    if is_chosen {
                        <b>{ question_words::figure(weight) }</b>
                    } else {
                        <i>{ question_words::figure(weight) }</i>{ w.chosen_before }<b>{ picture.label(chosen) }</b>
                        if permits(chosen) { { " " }{ number::weight(f64::from(shown)) } } else { { w.by_the_mask } }
                        { w.chosen_after }
                    }
                </>
            }
        }
        _ => asked.answer_text.into(),
    };
    html! {
        <div class="answer">
            <h1>{ asked.question }</h1>
            <p>{ answer }if let Some(gloss) = presets::gloss(desk, &picture.settings) { { " " }<small>{ gloss }</small> }</p>
            if let Some(swap) = asked.swap {
                <button type="button" class="link" data-name="swap"
                    onclick={desk.act(Action::Select { head: Some(swap.head), query: Some(selection.query), key: None })}>{ swap.label }</button>
            }
        </div>
    }
}
