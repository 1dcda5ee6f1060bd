//! The inspector follows one number from the words to its share of the output, step by step.

use super::desk::{Desk, text_of};
use super::part::Body;
use super::steps::{self, Step};
use crate::insight::{Side, story};
use crate::web::environment;
use crate::web::shared::Shared;
use crate::web::store::Picture;
use gloo::events::EventListener;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Inspector {
    /// Language and store.
    pub desk: Desk,
    /// What was computed.
    pub picture: Shared<Picture>,
}

impl Body for Inspector {
    const NAME: &'static str = "Inspector";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_inspector(self)
    }
}

/// Where the walk through the steps is.
#[derive(Clone, Copy, PartialEq)]
struct Place {
    /// The open step.
    step: usize,
    /// Which dimension of which vector the projection shows.
    dimension: usize,
    side: Side,
}

enum Walk {
    By(isize),
    To(usize),
    Dimension(usize),
    Side(Side),
}

impl Reducible for Place {
    type Action = Walk;

    fn reduce(self: Rc<Self>, walk: Walk) -> Rc<Self> {
        let last = Step::ALL.len() - 1;
        let next = match walk {
            Walk::By(by) => Self { step: self.step.saturating_add_signed(by).min(last), ..*self },
            Walk::To(step) => Self { step: step.min(last), ..*self },
            Walk::Dimension(dimension) => Self { dimension, step: 0, ..*self },
            Walk::Side(side) => Self { side, ..*self },
        };
        if next == *self { self } else { Rc::new(next) }
    }
}

/// The side of the page that tells the story of the selected number.
#[hook]
fn use_inspector(props: &Inspector) -> Html {
    let w = props.desk.words();
    // The dot product is open first: the step that people came to see.
    let place = use_reducer_eq(|| Place { step: 1, dimension: 0, side: Side::Query });
    {
        let walk = place.dispatcher();
        use_effect_with((), move |()| {
            let listener = environment::document().map(|document| {
                EventListener::new(&document, "keydown", move |event| {
                    let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
                    // Arrow keys walk the steps unless something on the page has use for them.
                    if environment::nothing_focused()
                        && let Some(by) = arrow(event)
                    {
                        walk.dispatch(Walk::By(by));
                    }
                })
            });
            move || drop(listener)
        });
    }
    let onkeydown = {
        let place = place.clone();
        Callback::from(move |event: KeyboardEvent| {
            if !environment::typing()
                && let Some(by) = arrow(&event)
            {
                event.prevent_default();
                place.dispatch(Walk::By(by));
            }
        })
    };
    let ondimension = use_callback(place.dispatcher(), |dimension, walk| walk.dispatch(Walk::Dimension(dimension)));
    let picture = &props.picture;
    let selection = picture.plan.selection;
    let Some(story) = story(&picture.trace, &picture.problem, selection.head, selection.query, selection.key) else {
        return Html::default();
    };
    let context = steps::Context {
        lang: props.desk.lang,
        picture,
        story: &story,
        side: place.side,
        dimension: place.dimension.min(picture.trace.shape.d_k.saturating_sub(1)),
        ondimension,
        onside: {
            let place = place.clone();
            Callback::from(move |side| place.dispatch(Walk::Side(side)))
        },
    };
    let by = |by: isize| {
        let place = place.clone();
        Callback::from(move |_: MouseEvent| place.dispatch(Walk::By(by)))
    };
    html! {
        <section class="story" {onkeydown} aria-label={w.story}>
            <h2>{ context.query() }{ " → " }{ context.key() }<small>{ w.story }</small></h2>
            <ol class="steps">
                { for Step::ALL.iter().enumerate().map(|(at, &step)| {
                    let open = at == place.step;
                    let to = {
                        let place = place.clone();
                        Callback::from(move |_: MouseEvent| place.dispatch(Walk::To(at)))
                    };
                    html! {
                        <li key={at}>
                            <button type="button" class="step" aria-expanded={text_of(open)} onclick={to} data-step={at.to_string()}>
                                <b>{ w.steps[at] }</b>
                                <span>{ context.formula(step) }</span>
                                <em>{ context.value(step) }</em>
                            </button>
                            if open { <div class="step-body fade">{ context.body(step) }</div> }
                        </li>
                    }
                }) }
            </ol>
            <div class="story-keys">
                <button type="button" class="tool" onclick={by(-1)} disabled={place.step == 0} data-name="step-back">{ "← " }{ w.step_back }</button>
                <span>{ w.story_hint }</span>
                <button type="button" class="tool" onclick={by(1)} disabled={place.step + 1 == Step::ALL.len()} data-name="step-on">{ w.step_on }{ " →" }</button>
            </div>
        </section>
    }
}

fn arrow(event: &KeyboardEvent) -> Option<isize> {
    if event.alt_key() || event.ctrl_key() || event.meta_key() {
        return None;
    }
    match event.key().as_str() {
        "ArrowRight" => Some(1),
        "ArrowLeft" => Some(-1),
        _ => None,
    }
}
