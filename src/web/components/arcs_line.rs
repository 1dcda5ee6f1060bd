//! The sentence in one line, with its arcs: drawn first, from the store's latest numbers, while the words around it may be
//! a frame behind.

use super::desk::{Desk, text_of};
use super::part::{Body, part};
use super::word_editor::editable;
use crate::attention::Stage;
use crate::locale::word_spoken;
use crate::picture::arcs::Slot;
use crate::picture::{self, ArcsSpec, Palette, Theme, Word, WordKind};
use crate::state::Action;
use crate::text::TokenKind;
use crate::web::environment;
use crate::web::hooks::{use_brush, use_hover, use_snapshot, use_width};
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, HtmlElement};
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from, besides the store's latest snapshot.
#[derive(PartialEq)]
pub struct ArcsLine {
    /// Language and store.
    pub desk: Desk,
}

impl Body for ArcsLine {
    const NAME: &'static str = "ArcsLine";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_arcs_line(self)
    }
}

/// Size of a word in a short sentence, in CSS px.
const WORD_SIZE: f64 = 34.0;
/// Below this width, or in a window lower than this, words are smaller, so that the map still stands on the first screen.
const NARROW: f64 = 480.0;
const LOW: f64 = 800.0;

fn draw(picture: &Picture, shown: (usize, usize), width: f64) -> picture::Arcs {
    let weights = picture.row(Stage::Weights, shown.0);
    let words: Vec<Word<'_>> = picture
        .tokens()
        .iter()
        .zip(picture.labels.iter())
        .map(|(token, label)| Word {
            label,
            kind: match token.kind {
                TokenKind::Bos | TokenKind::Pad => WordKind::Mark,
                _ => WordKind::Word,
            },
            unknown: !token.known && editable(token),
        })
        .collect();
    picture::arcs(&ArcsSpec {
        words: &words,
        query: Some(shown.0),
        key: Some(shown.1),
        weights: &weights,
        width: if width > 0.0 { width } else { 320.0 },
        base_size: if width < NARROW || environment::view_height() < LOW { 0.8 * WORD_SIZE } else { WORD_SIZE },
    })
}

/// Words that can be chosen, and arcs that show what the chosen one looks at. Hovering the map previews its row.
///
/// The picture is a canvas; over it lie buttons, one a word, which render anew only when words or selection change.
#[hook]
fn use_arcs_line(props: &ArcsLine) -> Html {
    let desk = &props.desk;
    let shot = use_snapshot(&desk.store, false);
    let picture = Shared(Rc::clone(&shot.picture));
    let (outer, canvas) = (use_node_ref(), use_node_ref());
    let width = use_width(&outer);
    let hover = use_hover(&desk.store);
    let selection = picture.plan.selection;
    let shown = picture.inside(hover).unwrap_or((selection.query, selection.key));
    let drawing = use_memo((picture.clone(), shown, width.to_bits()), |(picture, shown, width)| {
        draw(picture, *shown, f64::from_bits(*width))
    });
    let brush = use_brush();
    {
        let canvas = canvas.clone();
        use_effect_with((Shared(Rc::clone(&drawing)), shot.dark), move |(drawing, dark)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                brush.paint(&canvas, &drawing.scene, Palette::of(if *dark { Theme::Dark } else { Theme::Light }));
            }
        });
    }
    {
        // A line wider than the page shows both ends of the chosen arc where they fit, else the word that asks.
        let outer = outer.clone();
        let at = |word: usize| drawing.slots.get(word).map_or(0.0, |slot| slot.x);
        let ends = (at(selection.query), at(selection.key));
        let moved = (selection.query, selection.key, drawing.scene.width.to_bits(), width.to_bits());
        use_effect_with(moved, move |_| {
            if let Some(element) = outer.cast::<Element>() {
                let view = f64::from(element.client_width());
                let middle = if (ends.0 - ends.1).abs() < view - 80.0 { f64::midpoint(ends.0, ends.1) } else { ends.0 };
                #[expect(clippy::cast_possible_truncation, reason = "a position on the page")]
                element.set_scroll_left((middle - view / 2.0) as i32);
            }
        });
    }
    html! {
        <div class="arcs" ref={outer}>
            <div class="arcs-line">
                { part(Words {
                    desk: desk.clone(),
                    slots: drawing.slots.clone(),
                    labels: Rc::clone(&picture.labels),
                    unknown: picture.tokens().iter().map(|token| !token.known).collect(),
                    chosen: selection.query,
                }) }
                <canvas ref={canvas} aria-hidden="true" />
            </div>
        </div>
    }
}

/// What the buttons are drawn from.
#[derive(PartialEq)]
struct Words {
    desk: Desk,
    slots: Vec<Slot>,
    labels: Rc<[String]>,
    unknown: Vec<bool>,
    chosen: usize,
}

impl Body for Words {
    const NAME: &'static str = "Words";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_words(self)
    }
}

/// One button a word, over its place in the picture; arrow keys move the choice.
#[hook]
fn use_words(props: &Words) -> Html {
    let Words { desk, slots, labels, unknown, chosen } = props;
    let node = use_node_ref();
    let (at, last) = (*chosen, slots.len().saturating_sub(1));
    {
        // Places go through CSSOM: style attributes would be blocked by a strict policy.
        let node = node.clone();
        use_effect_with(slots.clone(), move |slots| {
            let buttons = node.cast::<Element>().map(|words| words.children());
            for (at, slot) in slots.iter().enumerate() {
                let button = buttons.as_ref().and_then(|all| all.item(u32::try_from(at).ok()?));
                let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) else { return };
                let area = slot.area;
                for (name, value) in [("left", area.x), ("top", area.y), ("width", area.width), ("height", area.height)]
                {
                    // A plain length is never refused.
                    let _ = button.style().set_property(name, &format!("{value:.1}px"));
                }
            }
        });
    }
    let select = |query: usize| Action::Select { head: None, query: Some(query), key: None };
    let onkeydown = {
        let (store, node) = (desk.store.clone(), node.clone());
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (at + 1).min(last),
                "ArrowLeft" => at.saturating_sub(1),
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            store.dispatch(&select(next), When::Done);
            let buttons = node.cast::<Element>().map(|words| words.children());
            let button = buttons.and_then(|all| all.item(u32::try_from(next).ok()?));
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // Focus may be refused by the browser; the choice stands all the same.
                let _ = button.focus();
            }
        })
    };
    html! {
        <div class="words" ref={node} role="group" aria-label={desk.words().sentence_words} {onkeydown}>
            { for slots.iter().zip(labels.iter()).zip(unknown).enumerate().map(|(word, ((_, label), unknown))| html! {
                <button type="button" tabindex={if word == at { "0" } else { "-1" }} aria-pressed={text_of(word == at)}
                    aria-label={word_spoken(desk.lang, label, !unknown)} data-word={word.to_string()} onclick={desk.act(select(word))} />
            }) }
        </div>
    }
}
