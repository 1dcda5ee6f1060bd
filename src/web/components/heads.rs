//! The head strip: one small map per head.

use super::desk::{Desk, text_of};
use super::part::Body;
use crate::attention::Stage;
use crate::locale::role_name;
use crate::picture::{Palette, Theme, thumbnail};
use crate::state::Action;
use crate::web::paint;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, HtmlElement};
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Heads {
    /// Language and store.
    pub desk: Desk,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
}

impl Body for Heads {
    const NAME: &'static str = "Heads";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_heads(self)
    }
}

/// Side of a small map in CSS px; the style sheet has the last word.
const SIDE: f64 = 56.0;

/// Paints every head's weights, a pixel per cell, on the canvases inside `strip` in their order.
fn paint_all(strip: &Element, picture: &Picture, dark: bool) {
    let canvases = strip.get_elements_by_tag_name("canvas");
    let palette = Palette::of(if dark { Theme::Dark } else { Theme::Light });
    let shape = picture.trace.shape;
    for head in 0..shape.heads {
        let canvas = u32::try_from(head).ok().and_then(|at| canvases.item(at));
        let Some(canvas) = canvas.and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok()) else { return };
        let Some(weights) = picture.trace.rows(Stage::Weights, head, 0..shape.n_q) else { return };
        let forbidden = picture.forbidden(head);
        let forbids = |query: usize, key: usize| forbidden.get(query * shape.n_k + key).copied().unwrap_or(false);
        let masked: Option<&dyn Fn(usize, usize) -> bool> = if forbidden.is_empty() { None } else { Some(&forbids) };
        paint::small_map(&canvas, &thumbnail(weights, (0.0, 1.0), masked, SIDE), palette);
    }
}

/// Small maps as a radio group: arrow keys move the choice.
#[hook]
fn use_heads(props: &Heads) -> Html {
    let desk = &props.desk;
    let node = use_node_ref();
    let w = desk.words();
    let heads = props.picture.trace.shape.heads;
    let chosen = props.picture.plan.selection.head;
    {
        let node = node.clone();
        use_effect_with((props.picture.clone(), props.dark), move |(picture, dark)| {
            if let Some(strip) = node.cast::<Element>() {
                paint_all(&strip, picture, *dark);
            }
        });
    }
    let select = |head: usize| Action::Select { head: Some(head + 1), query: None, key: None };
    let onkeydown = {
        let (store, node) = (desk.store.clone(), node.clone());
        Callback::from(move |event: KeyboardEvent| {
            // The strip may be a frame behind: a key that is held down moves on from where the choice is.
            let chosen = store.snapshot().picture.plan.selection.head;
            let next = match event.key().as_str() {
                "ArrowRight" | "ArrowDown" => (chosen + 1) % heads,
                "ArrowLeft" | "ArrowUp" => (chosen + heads - 1) % heads,
                "Home" => 0,
                "End" => heads - 1,
                _ => return,
            };
            event.prevent_default();
            store.dispatch(&select(next), When::Done);
            let buttons = node.cast::<Element>().map(|strip| strip.children());
            let button = buttons.and_then(|all| all.item(u32::try_from(next).ok()?));
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // Focus may be refused by the browser; the choice stands all the same.
                let _ = button.focus();
            }
        })
    };
    html! {
        <div class="strip" data-is={(heads > 8).then_some("many")} role="radiogroup" aria-label={w.heads_label} ref={node} {onkeydown}>
            { for (0..heads).map(|head| {
                let name = props.picture.role(head).map_or("", |role| role_name(desk.lang, role));
                html! {
                    <button type="button" class="head" role="radio" aria-checked={text_of(head == chosen)}
                        aria-label={format!("{} {} {name}", w.head, head + 1)} tabindex={if head == chosen { "0" } else { "-1" }}
                        onclick={desk.act(select(head))} data-head={(head + 1).to_string()}>
                        <canvas aria-hidden="true" />
                        <b>{ head + 1 }</b>{ " " }{ name }
                    </button>
                }
            }) }
        </div>
    }
}
