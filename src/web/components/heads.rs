//! The head strip: one small map per head.

use crate::attention::{Shape, Stage};
use crate::locale::{role_name, words};
use crate::picture::{Palette, Theme, thumbnail};
use crate::state::Action;
use crate::text::Lang;
use crate::web::hooks::use_store;
use crate::web::paint;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use web_sys::{HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

/// Properties of [`Heads`].
#[derive(Properties, PartialEq)]
pub struct HeadsProps {
    /// The page's language.
    pub lang: Lang,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
}

/// Side of a small map in CSS px; the style sheet has the last word.
const SIDE: f64 = 56.0;

/// Properties of [`SmallMap`].
#[derive(Properties, PartialEq)]
struct SmallMapProps {
    dark: bool,
    picture: Shared<Picture>,
    head: usize,
}

/// One head's weights, a pixel per cell, scaled by the style sheet.
#[component]
fn SmallMap(props: &SmallMapProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((props.picture.clone(), props.dark, props.head), move |(picture, dark, head)| {
            let Some(canvas) = node.cast::<HtmlCanvasElement>() else { return };
            let Shape { n_q, n_k, .. } = picture.trace.shape;
            let Some(weights) = picture.trace.rows(Stage::Weights, *head, 0..n_q) else { return };
            let forbidden = picture.forbidden(*head);
            let forbids = |query: usize, key: usize| forbidden.get(query * n_k + key).copied().unwrap_or(false);
            let scene = thumbnail(weights, (0.0, 1.0), &forbids, SIDE);
            paint::small_map(&canvas, &scene, Palette::of(if *dark { Theme::Dark } else { Theme::Light }));
        });
    }
    html! { <canvas ref={node} aria-hidden="true" /> }
}

/// Small maps as a radio group: arrow keys move the choice.
#[component]
pub fn Heads(props: &HeadsProps) -> Html {
    let store = use_store();
    let node = use_node_ref();
    let w = words(props.lang);
    let heads = props.picture.trace.shape.heads;
    let chosen = props.picture.plan.selection.head;
    let choose = {
        let store = store.clone();
        move |head: usize| {
            store.dispatch(&Action::Select { head: Some(head + 1), query: None, key: None }, When::Done);
        }
    };
    let onkeydown = {
        let (choose, node) = (choose.clone(), node.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (chosen + 1) % heads,
                "ArrowLeft" | "ArrowUp" => (chosen + heads - 1) % heads,
                "Home" => 0,
                "End" => heads - 1,
                _ => return,
            };
            event.prevent_default();
            choose(next);
            let buttons = node.cast::<HtmlElement>().map(|strip| strip.children());
            if let Some(button) = buttons.and_then(|all| all.item(u32::try_from(next).ok()?)) {
                let button: HtmlElement = wasm_bindgen::JsCast::unchecked_into(button);
                // Focus may be refused by the browser; the choice stands all the same.
                let _ = button.focus();
            }
        })
    };
    html! {
        <div class={classes!("strip", (heads > 8).then_some("many"))} role="radiogroup" aria-label={w.heads_label} ref={node} {onkeydown}>
            { for (0..heads).map(|head| {
                let choose = choose.clone();
                let onclick = Callback::from(move |_: MouseEvent| choose(head));
                let name = props.picture.role(head).map_or_else(String::new, |role| role_name(props.lang, role).to_owned());
                html! {
                    <button type="button" class="head" role="radio" key={head} aria-checked={(head == chosen).to_string()}
                        aria-label={format!("{} {} {name}", w.head, head + 1)} tabindex={if head == chosen { "0" } else { "-1" }} {onclick} data-head={(head + 1).to_string()}>
                        <SmallMap dark={props.dark} picture={props.picture.clone()} {head} />
                        <b>{ head + 1 }</b>{ " " }{ name }
                    </button>
                }
            }) }
        </div>
    }
}
