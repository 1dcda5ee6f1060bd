//! The sentence in one line, with arcs from the word that asks to the words it looks at.

use super::desk::{Desk, text_of};
use super::word_editor::editable;
use crate::attention::Stage;
use crate::locale::{feature_name, number, word_spoken};
use crate::picture::{self, ArcsSpec, Palette, Theme, Word, WordKind};
use crate::state::Action;
use crate::text::TokenKind;
use crate::web::hooks::{use_hover, use_width};
use crate::web::renders;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use crate::web::svg;
use wasm_bindgen::JsCast;
use web_sys::{Element, SvgElement};
use yew::prelude::*;

/// Properties of [`Arcs`].
#[derive(Properties, PartialEq)]
pub struct ArcsProps {
    /// Language and store.
    pub desk: Desk,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
    /// Whether the word editor is open.
    pub editing: bool,
    /// Opens or closes the word editor.
    pub onedit: Callback<MouseEvent>,
}

/// Size of a word in a short sentence, in CSS px.
const WORD_SIZE: f64 = 34.0;
/// Below this width words are smaller, so that the map still stands on the first screen of a phone.
const NARROW: f64 = 480.0;

/// Words that can be chosen, and arcs that show what the chosen one looks at. Hovering the map previews its row.
#[component]
pub fn Arcs(props: &ArcsProps) -> Html {
    renders::count("Arcs");
    let (desk, store) = (&props.desk, &props.desk.store);
    let outer = use_node_ref();
    let width = use_width(&outer);
    let hover = use_hover(store);
    let w = desk.words();
    let picture = &props.picture;
    let selection = picture.plan.selection;
    let shape = picture.trace.shape;
    let shown = picture.inside(hover).unwrap_or((selection.query, selection.key));
    let weights = picture.row(Stage::Weights, shown.0);
    let tokens = picture.tokens();
    let line: Vec<Word<'_>> = tokens
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
    let drawing = picture::arcs(&ArcsSpec {
        words: &line,
        query: Some(shown.0),
        key: Some(shown.1),
        weights: &weights,
        width: if width > 0.0 { width } else { 320.0 },
        base_size: if width < NARROW { 0.8 * WORD_SIZE } else { WORD_SIZE },
    });
    {
        // The chosen word is never left outside a line that is wider than the page.
        let outer = outer.clone();
        let x = drawing.slots.get(selection.query).map_or(0.0, |slot| slot.x);
        use_effect_with((selection.query, drawing.scene.width.to_bits(), width.to_bits()), move |_| {
            if let Some(element) = outer.cast::<Element>() {
                let (left, view) = (f64::from(element.scroll_left()), f64::from(element.client_width()));
                if x < left + 24.0 || x > left + view - 24.0 {
                    #[expect(clippy::cast_possible_truncation, reason = "a position on the page")]
                    element.set_scroll_left((x - view / 2.0) as i32);
                }
            }
        });
    }
    let choose = {
        let store = store.clone();
        move |query: usize| store.dispatch(&Action::Select { head: None, query: Some(query), key: None }, When::Done)
    };
    let onkeydown = {
        let (choose, outer, last, at) = (choose.clone(), outer.clone(), shape.n_q - 1, selection.query);
        Callback::from(move |event: KeyboardEvent| {
            let next = match event.key().as_str() {
                "ArrowRight" => (at + 1).min(last),
                "ArrowLeft" => at.saturating_sub(1),
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            choose(next);
            let word = outer.cast::<Element>().and_then(|e| e.query_selector(&format!("[data-word='{next}']")).ok()?);
            if let Some(word) = word.and_then(|word| word.dyn_into::<SvgElement>().ok()) {
                // Focus may be refused by the browser; the choice stands all the same.
                let _ = word.focus();
            }
        })
    };
    let palette = Palette::of(if props.dark { Theme::Dark } else { Theme::Light });
    let (wide, high) = (drawing.scene.width.to_string(), drawing.scene.height.to_string());
    let token = tokens.get(selection.query);
    html! {
        <>
            <div class="arcs" ref={outer} role="group" aria-label={w.sentence_words}>
                <svg width={wide.clone()} height={high.clone()} viewBox={format!("0 0 {wide} {high}")} {onkeydown}>
                    { for drawing.slots.iter().enumerate().map(|(at, slot)| {
                        let choose = choose.clone();
                        let onclick = Callback::from(move |_: MouseEvent| choose(at));
                        let enter = {
                            let onclick = onclick.clone();
                            Callback::from(move |event: KeyboardEvent| {
                                if matches!(event.key().as_str(), "Enter" | " ")
                                    && let Ok(click) = MouseEvent::new("click")
                                {
                                    event.prevent_default();
                                    onclick.emit(click);
                                }
                            })
                        };
                        let area = slot.area;
                        let chosen = at == selection.query;
                        let weight = weights.get(at).map_or_else(String::new, |&w| number::weight(f64::from(w)));
                        html! {
                            <g class="word" key={at} role="button" tabindex={if chosen { "0" } else { "-1" }} aria-pressed={text_of(chosen)}
                                aria-label={word_spoken(desk.lang, &picture.labels[at], &weight, tokens[at].known)} data-word={at.to_string()} {onclick} onkeydown={enter}>
                                <rect class="word-focus" x={area.x.to_string()} y={area.y.to_string()} width={area.width.to_string()} height={area.height.to_string()} rx="4" />
                            </g>
                        }
                    }) }
                    <g class="drawing" aria-hidden="true">{ svg::marks(&drawing.scene, palette) }</g>
                </svg>
            </div>
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
                    <button type="button" class="link" aria-expanded={text_of(props.editing)} onclick={props.onedit.clone()} data-name="edit-word">{ w.edit_word }</button>
                </div>
            }
        </>
    }
}
