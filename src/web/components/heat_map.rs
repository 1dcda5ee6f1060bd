//! The large heat map: one canvas under a virtual grid that can be walked by keys and heard.

use crate::attention::Stage;
use crate::insight::{entropy, statistics};
use crate::locale::{cell_sentence, words};
use crate::picture::{self, HeatMap as Drawing, HeatMapSpec, MapKind, Mark, Palette, Scene, Target, Theme, Titles};
use crate::state::{Action, CellEdit, Contrast, ShownStage};
use crate::text::Lang;
use crate::web::hooks::{use_hover, use_store, use_width};
use crate::web::shared::Shared;
use crate::web::store::{Picture, Store, When};
use crate::web::{environment, paint};
use std::cell::Cell;
use std::rc::Rc;
use web_sys::{Element, HtmlCanvasElement};
use yew::prelude::*;

/// Properties of [`HeatMap`].
#[derive(Properties, PartialEq)]
pub struct HeatMapProps {
    /// The page's language.
    pub lang: Lang,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
    /// Whether a click or drag sets mask cells instead of selecting.
    pub pencil: bool,
}

/// The stage of the trace that a setting draws.
pub fn stage_of(shown: ShownStage) -> Stage {
    match shown {
        ShownStage::Weights => Stage::Weights,
        ShownStage::Raw => Stage::Raw,
        ShownStage::Scaled => Stage::Scaled,
        ShownStage::Masked => Stage::Masked,
    }
}

/// The ends of the colour scale: 0 and 1 for weights unless contrast is automatic; the largest score about 0 else.
pub fn domain(picture: &Picture) -> (f32, f32) {
    let head = picture.plan.selection.head;
    let stage = stage_of(picture.settings.stage);
    let ends = statistics::extremes(&picture.trace, stage, head);
    #[expect(clippy::cast_possible_truncation, reason = "the extremes of f32 numbers")]
    let (low, high) = ends.map_or((0.0, 1.0), |(low, high)| (low as f32, high as f32));
    match (picture.settings.stage, picture.settings.contrast) {
        (ShownStage::Weights, Contrast::Fixed) => (0.0, 1.0),
        (ShownStage::Weights, Contrast::Auto) => (low, high.max(low + f32::EPSILON)),
        _ => {
            let largest = low.abs().max(high.abs()).max(f32::EPSILON);
            (-largest, largest)
        }
    }
}

fn draw(picture: &Picture, lang: Lang, width: f64) -> Drawing {
    let w = words(lang);
    let selection = picture.plan.selection;
    let head = selection.head;
    let shape = picture.trace.shape;
    let Some(values) = picture.trace.rows(stage_of(picture.settings.stage), head, 0..shape.n_q) else {
        return Drawing::default();
    };
    let labels: Vec<&str> = picture.labels.iter().map(String::as_str).collect();
    let weights = picture.settings.stage == ShownStage::Weights;
    #[expect(clippy::cast_possible_truncation, reason = "numbers near 1, drawn with two decimals")]
    let narrow = |numbers: Vec<f64>| -> Vec<f32> { numbers.into_iter().map(|x| x as f32).collect() };
    let sums =
        if weights { narrow(statistics::row_sums(&picture.trace, head).unwrap_or_default()) } else { Vec::new() };
    let entropies = narrow((0..shape.n_q).filter_map(|q| entropy::normalised(&picture.trace, head, q)).collect());
    let mask = &picture.problem.mask;
    let forbidden = picture.forbidden(head);
    let hand = |query: usize, key: usize| match (u32::try_from(query), u32::try_from(key)) {
        (Ok(i), Ok(j)) => mask.cells.contains_key(&(i, j)),
        _ => false,
    };
    // A short sentence leaves the first screen room for everything else; a long one gets the height it needs.
    let max_height = (environment::view_height() * 0.47).clamp(330.0, 460.0).max(shape.n_q as f64 * 9.0);
    picture::heat_map(&HeatMapSpec {
        query_labels: &labels,
        key_labels: &labels,
        values,
        kind: if weights { MapKind::Weights } else { MapKind::Scores },
        domain: domain(picture),
        forbidden: &|query, key| forbidden.get(query * shape.n_k + key).copied().unwrap_or(false),
        hand_set: &hand,
        row_sums: &sums,
        row_entropy: weights.then_some(entropies.as_slice()),
        selected: Some((selection.query, selection.key)),
        hovered: None,
        width,
        max_height,
        type_scale: 1.0,
        titles: Titles { query: w.axis_query, key: w.axis_key, sum: "Σ", entropy: w.axis_entropy },
    })
}

/// The map, its hover frame, its pointer, its keys and its voice.
#[component]
pub fn HeatMap(props: &HeatMapProps) -> Html {
    let store = use_store();
    let outer = use_node_ref();
    let canvas = use_node_ref();
    let width = use_width(&outer);
    let hover = use_hover();
    let stroke = use_memo((), |()| Cell::new(None::<bool>));
    let drawing = use_memo((props.picture.clone(), props.lang, width.to_bits()), move |(picture, lang, width)| {
        draw(picture, *lang, f64::from_bits(*width))
    });
    {
        let canvas = canvas.clone();
        let frame: Vec<Mark> =
            hover.map(|(q, k)| picture::heatmap::hover_frame(&drawing.layout, q, k)).unwrap_or_default();
        use_effect_with((Shared(Rc::clone(&drawing)), props.dark, hover), move |(drawing, dark, _)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                let palette = Palette::of(if *dark { Theme::Dark } else { Theme::Light });
                paint::scene(&canvas, &drawing.scene, palette);
                if !frame.is_empty() {
                    let over = Scene { width: drawing.scene.width, height: drawing.scene.height, marks: frame };
                    paint::over(&canvas, &over, palette);
                }
            }
        });
    }

    let picture = &props.picture;
    let selection = picture.plan.selection;
    let shape = picture.trace.shape;
    let target = {
        let drawing = Rc::clone(&drawing);
        move |event: &PointerEvent| drawing.layout.hit(f64::from(event.offset_x()), f64::from(event.offset_y()))
    };
    let onpointermove = {
        let (store, target, stroke, picture) = (store.clone(), target.clone(), Rc::clone(&stroke), picture.clone());
        Callback::from(move |event: PointerEvent| {
            let cell = match target(&event) {
                Some(Target::Cell { query, key }) => Some((query, key)),
                _ => None,
            };
            store.set_hover(cell);
            if let (Some((query, key)), Some(permit)) = (cell, stroke.get())
                && picture.problem.mask.permits(0, query, key) != permit
            {
                set_cell(&store, &picture, query, key, permit, When::Moving);
            }
        })
    };
    let onpointerleave = {
        let store = store.clone();
        Callback::from(move |_: PointerEvent| store.set_hover(None))
    };
    let onpointerdown = {
        let (store, target, stroke, picture) = (store.clone(), target.clone(), Rc::clone(&stroke), picture.clone());
        let pencil = props.pencil;
        Callback::from(move |event: PointerEvent| match target(&event) {
            Some(Target::Cell { query, key }) if pencil => {
                let permit = !picture.problem.mask.permits(0, query, key);
                stroke.set(Some(permit));
                if let Some(element) = event.target_dyn_into::<Element>() {
                    // Without capture a stroke ends at the edge of the map, which is fine too.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                set_cell(&store, &picture, query, key, permit, When::Moving);
            }
            _ => {}
        })
    };
    let onpointerup = {
        let (store, stroke) = (store.clone(), Rc::clone(&stroke));
        Callback::from(move |_: PointerEvent| {
            if stroke.take().is_some() {
                store.commit();
            }
        })
    };
    let onclick = {
        let (store, drawing, pencil) = (store.clone(), Rc::clone(&drawing), props.pencil);
        Callback::from(move |event: MouseEvent| {
            let select = |query, key| store.dispatch(&Action::Select { head: None, query, key }, When::Done);
            match drawing.layout.hit(f64::from(event.offset_x()), f64::from(event.offset_y())) {
                Some(Target::Cell { query, key }) if !pencil => select(Some(query), Some(key)),
                Some(Target::QueryLabel(query)) => select(Some(query), None),
                Some(Target::KeyLabel(key)) => select(None, Some(key)),
                _ => {}
            }
        })
    };
    let onkeydown = {
        let (store, picture, pencil) = (store.clone(), picture.clone(), props.pencil);
        Callback::from(move |event: KeyboardEvent| key(&store, &picture, pencil, &event))
    };

    let active = format!("cell-{}-{}", selection.query, selection.key);
    let w = words(props.lang);
    html! {
        <div class={classes!("map-grid", props.pencil.then_some("pencil"))} ref={outer} role="grid" tabindex="0"
            aria-label={w.map_label} aria-describedby="map-keys" aria-rowcount={shape.n_q.to_string()} aria-colcount={shape.n_k.to_string()}
            aria-activedescendant={active} {onkeydown}>
            <canvas ref={canvas} aria-hidden="true" {onpointermove} {onpointerleave} {onpointerdown} {onpointerup} {onclick} />
            <div role="row" class="hidden" aria-rowindex={(selection.query + 1).to_string()}>
                { for (0..shape.n_k).map(|key| html! {
                    <span role="gridcell" key={key} id={format!("cell-{}-{key}", selection.query)} aria-colindex={(key + 1).to_string()}
                        aria-selected={(key == selection.key).to_string()}>
                        { spoken(picture, props.lang, selection.query, key) }
                    </span>
                }) }
            </div>
        </div>
    }
}

/// A cell as a sentence: 追 对 猫：0.99.
pub fn spoken(picture: &Picture, lang: Lang, query: usize, key: usize) -> String {
    let head = picture.plan.selection.head;
    let value = picture.trace.at(stage_of(picture.settings.stage), head, query, key).unwrap_or(f32::NAN);
    let label = |at: usize| picture.labels.get(at).map_or("", String::as_str);
    let permitted = picture.problem.mask.permits(head, query, key);
    cell_sentence(
        lang,
        label(query),
        label(key),
        f64::from(value),
        picture.settings.stage == ShownStage::Weights,
        permitted,
    )
}

/// Sets a cell to `permit`, or takes the hand-set mark away where the rest of the mask says the same.
fn set_cell(store: &Store, picture: &Picture, query: usize, key: usize, permit: bool, when: When) {
    let (Ok(i), Ok(j)) = (u32::try_from(query), u32::try_from(key)) else { return };
    let same = picture.problem.mask.permits_without_cells(0, query, key) == permit;
    store.dispatch(&Action::SetCell(CellEdit { query: i, key: j, permit: (!same).then_some(permit) }), when);
}

fn key(store: &Store, picture: &Picture, pencil: bool, event: &KeyboardEvent) {
    if event.alt_key() || event.ctrl_key() || event.meta_key() {
        return;
    }
    let crate::state::Selection { query, key, .. } = picture.plan.selection;
    let (last_query, last_key) = (picture.trace.shape.n_q - 1, picture.trace.shape.n_k - 1);
    let to = match event.key().as_str() {
        "ArrowUp" => (query.saturating_sub(1), key),
        "ArrowDown" => ((query + 1).min(last_query), key),
        "ArrowLeft" => (query, key.saturating_sub(1)),
        "ArrowRight" => (query, (key + 1).min(last_key)),
        "Home" => (query, 0),
        "End" => (query, last_key),
        "PageUp" => (0, key),
        "PageDown" => (last_query, key),
        " " | "Enter" if pencil => {
            event.prevent_default();
            set_cell(store, picture, query, key, !picture.problem.mask.permits(0, query, key), When::Done);
            return;
        }
        _ => return,
    };
    event.prevent_default();
    store.dispatch(&Action::Select { head: None, query: Some(to.0), key: Some(to.1) }, When::Moving);
}
