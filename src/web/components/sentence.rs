//! The sentence box: follows every keystroke, and never disturbs an input method.

use super::desk::Desk;
use super::part::Body;
use crate::web::store::{Store, When};
use gloo::events::EventListener;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::HtmlTextAreaElement;
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Sentence {
    /// Language and store.
    pub desk: Desk,
    /// The sentence of the settings.
    pub text: Rc<str>,
}

impl Body for Sentence {
    const NAME: &'static str = "Sentence";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_sentence(self)
    }
}

/// The key code that browsers give keys which an input method takes.
const TAKEN_BY_INPUT_METHOD: u32 = 229;

/// Hands the draft to the store, and shows what it kept of one that was too long.
fn type_into(store: &Store, area: &HtmlTextAreaElement, when: When) {
    let typed = area.value();
    store.type_sentence(&typed, when);
    let kept = Rc::clone(&store.snapshot().settings().sentence);
    if kept.len() < typed.len() {
        area.set_value(&kept);
    }
}

/// A box for one sentence. The draft is the browser's; the settings follow it whenever no composition is under way.
#[hook]
fn use_sentence(props: &Sentence) -> Html {
    let store = props.desk.store.clone();
    let w = props.desk.words();
    let node = use_node_ref();
    let composing = use_memo((), |()| Cell::new(false));

    {
        let (node, composing) = (node.clone(), Rc::clone(&composing));
        use_effect_with(Rc::clone(&props.text), move |text| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>()
                && !composing.get()
                && area.value() != **text
            {
                area.set_value(text);
            }
        });
    }
    {
        let (node, composing, store) = (node.clone(), Rc::clone(&composing), store.clone());
        use_effect_with((), move |()| {
            let listeners = node.cast::<HtmlTextAreaElement>().map(|area| {
                let begun = Rc::clone(&composing);
                let target = area.clone();
                [
                    EventListener::new(&area, "compositionstart", move |_| begun.set(true)),
                    EventListener::new(&area, "compositionend", move |_| {
                        composing.set(false);
                        store.type_sentence(&target.value(), When::Moving);
                    }),
                ]
            });
            move || drop(listeners)
        });
    }

    let oninput = {
        let (store, composing) = (store.clone(), Rc::clone(&composing));
        Callback::from(move |event: InputEvent| {
            if composing.get() || event.is_composing() {
                return;
            }
            if let Some(area) = event.target().and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok()) {
                type_into(&store, &area, When::Moving);
            }
        })
    };
    let onchange = {
        let (store, node) = (store.clone(), node.clone());
        Callback::from(move |_: Event| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>() {
                type_into(&store, &area, When::Done);
            }
        })
    };
    let onkeydown = {
        let node = node.clone();
        Callback::from(move |event: KeyboardEvent| {
            let taken = composing.get() || event.is_composing() || event.key_code() == TAKEN_BY_INPUT_METHOD;
            if event.key() == "Enter" && !event.shift_key() && !taken {
                event.prevent_default();
                if let Some(area) = node.cast::<HtmlTextAreaElement>() {
                    type_into(&store, &area, When::Done);
                }
            }
        })
    };
    html! {
        <textarea ref={node} rows="1" aria-label={w.sentence} placeholder={w.sentence_placeholder} spellcheck="false"
            autocapitalize="off" autocomplete="off" dir="auto" {oninput} {onchange} {onkeydown} data-name="sentence" />
    }
}
