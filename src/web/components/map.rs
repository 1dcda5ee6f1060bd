//! The chosen head, large: one canvas under a virtual grid, its tools, and what its numbers say.

use super::desk::{Choice, Desk, flip, text_of};
use super::heat_map::{draw, key, set_cells, spoken};
use super::map_notes::{Facts, caption, figures};
use super::numbers::numbers;
use super::part::Body;
use crate::picture::{self, Palette, ScaleName, Scene, Target, Theme};
use crate::state::{Action, ShownStage, View};
use crate::web::hooks::{use_hover, use_width};
use crate::web::paint::{self, Brush};
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use std::cell::Cell;
use std::rc::Rc;
use web_sys::{Element, HtmlCanvasElement};
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct Map {
    /// Language and store.
    pub desk: Desk,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
    /// How the page is being used.
    pub view: View,
}

impl Body for Map {
    const NAME: &'static str = "Map";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_map(self)
    }
}

/// A stroke of the pencil under way.
#[derive(Clone, Copy)]
struct Stroke {
    /// What it sets cells to.
    permit: bool,
    /// Where it was seen last; nowhere while it is off the map.
    last: Option<(usize, usize)>,
}

/// The figure of the chosen head.
#[hook]
fn use_map(props: &Map) -> Html {
    let Map { desk, dark, picture, view } = props;
    let w = desk.words();
    let (table, limits) = (use_state_eq(|| false), use_state_eq(|| false));
    let (outer, canvas, legend) = (use_node_ref(), use_node_ref(), use_node_ref());
    let width = use_width(&outer);
    let hover = use_hover(&desk.store);
    let stroke = use_memo((), |()| Cell::new(None::<Stroke>));
    let painter = use_memo((), |()| (Brush::default(), Cell::new(None::<(bool, bool)>)));
    let key_of_picture = (picture.clone(), desk.lang, width.to_bits());
    let drawing = use_memo(key_of_picture, |(picture, lang, width)| draw(picture, *lang, f64::from_bits(*width)));
    let facts = use_memo(picture.clone(), |picture| Facts::of(picture));
    let settings = &picture.settings;
    let is_weights = settings.stage == ShownStage::Weights;
    {
        let (canvas, legend) = (canvas.clone(), legend.clone());
        let (store, picture, wide) = (desk.store.clone(), picture.clone(), width > 0.0);
        let painted = (Shared(Rc::clone(&drawing)), *dark, hover, is_weights);
        use_effect_with(painted, move |(drawing, dark, hover, is_weights)| {
            let palette = Palette::of(if *dark { Theme::Dark } else { Theme::Light });
            let (brush, legend_of) = &*painter;
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                brush.paint(&canvas, &drawing.scene, palette);
                if let Some((query, key)) = *hover {
                    let marks = picture::heatmap::hover_frame(&drawing.layout, query, key);
                    let over = Scene { width: drawing.scene.width, height: drawing.scene.height, marks };
                    paint::over(&canvas, &over, palette);
                }
                if wide {
                    store.set_painted(&picture.0);
                }
            }
            // The legend changes with its colours only.
            if legend_of.replace(Some((*dark, *is_weights))) != Some((*dark, *is_weights))
                && let Some(legend) = legend.cast::<HtmlCanvasElement>()
            {
                let scale = if *is_weights { ScaleName::Sequential } else { ScaleName::Diverging };
                paint::legend(&legend, scale, palette);
            }
        });
    }

    let (store, penciling) = (&desk.store, view.pencil);
    let onpointermove = {
        let (store, drawing, stroke, picture) =
            (store.clone(), Rc::clone(&drawing), Rc::clone(&stroke), picture.clone());
        Callback::from(move |event: PointerEvent| {
            let cell = cell_at(&drawing.layout, &event);
            store.set_hover(cell);
            // The left button, a finger or a pen: still down, and this one.
            let drawing = penciling && event.buttons() & 1 == 1 && event.is_primary();
            if let (Some(Stroke { permit, last }), true) = (stroke.get(), drawing) {
                // A stroke that left the map begins anew where it comes back.
                stroke.set(Some(Stroke { permit, last: cell }));
                if let Some(to) = cell {
                    let crossed = last.map_or_else(|| vec![to], |from| picture::stroke(from, to));
                    set_cells(&store, &picture, &crossed, permit, When::Moving);
                }
            }
        })
    };
    let onpointerleave = {
        let store = store.clone();
        Callback::from(move |_: PointerEvent| store.set_hover(None))
    };
    let onpointerdown = {
        let (store, drawing, stroke, picture) =
            (store.clone(), Rc::clone(&drawing), Rc::clone(&stroke), picture.clone());
        Callback::from(move |event: PointerEvent| {
            if !penciling || event.button() != 0 || !event.is_primary() {
                return;
            }
            if let Some(cell) = cell_at(&drawing.layout, &event) {
                let permit = !picture.problem.mask.permits(0, cell.0, cell.1);
                stroke.set(Some(Stroke { permit, last: Some(cell) }));
                if let Some(element) = event.target_dyn_into::<Element>() {
                    // Without capture a stroke ends at the edge of the map, which is fine too.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                set_cells(&store, &picture, &[cell], permit, When::Moving);
            }
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
        let (store, drawing) = (store.clone(), Rc::clone(&drawing));
        Callback::from(move |event: MouseEvent| {
            let (query, key) = match drawing.layout.hit(f64::from(event.offset_x()), f64::from(event.offset_y())) {
                Some(Target::Cell { query, key }) if !penciling => (Some(query), Some(key)),
                Some(Target::QueryLabel(query)) => (Some(query), None),
                Some(Target::KeyLabel(key)) => (None, Some(key)),
                _ => return,
            };
            store.dispatch(&Action::Select { head: None, query, key }, When::Done);
        })
    };
    let onkeydown = {
        let (store, picture) = (store.clone(), picture.clone());
        Callback::from(move |event: KeyboardEvent| key(&store, &picture, penciling, &event))
    };

    let onpencil = {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| store.set_view(View { pencil: !penciling }))
    };
    let shape = picture.trace.shape;
    let selection = picture.plan.selection;
    let (query, read_key) = picture.inside(hover).unwrap_or((selection.query, selection.key));
    let stage = |label, stage| Choice::new(label, Action::Stage(stage), settings.stage == stage);
    html! {
        <section class="map" aria-label={w.map_region}>
            <p class="map-how">{ if is_weights { w.how_to_read } else { w.how_to_read_scores } }</p>
            <div class="map-grid" data-is={penciling.then_some("pencil")} ref={outer} role="grid" tabindex="0"
                aria-label={w.map_label} aria-describedby="map-keys" aria-rowcount={shape.n_q.to_string()} aria-colcount={shape.n_k.to_string()}
                aria-activedescendant={format!("cell-{}-{}", selection.query, selection.key)} {onkeydown}>
                <canvas ref={canvas} aria-hidden="true" {onpointermove} {onpointerleave} {onpointerdown} onpointercancel={onpointerup.clone()} {onpointerup} {onclick} />
                <div role="row" class="hidden" aria-rowindex={(selection.query + 1).to_string()}>
                    { for (0..shape.n_k).map(|key| html! {
                        <span role="gridcell" id={format!("cell-{}-{key}", selection.query)} aria-colindex={(key + 1).to_string()} aria-selected={text_of(key == selection.key)}>
                            { spoken(picture, desk.lang, selection.query, key, 2) }
                        </span>
                    }) }
                </div>
            </div>
            // Under the map, which must not move away from the pencil.
            if penciling {
                <p class="muted">{ w.pencil_title }{ " " }<button type="button" class="link" onclick={onpencil.clone()} data-name="pencil-done">{ w.pencil_done }</button></p>
            }
            { caption(desk, picture, &legend, *limits, flip(&limits)) }
            <p class="map-read" aria-hidden="true">{ spoken(picture, desk.lang, query, read_key, 4) }</p>
            <p class="hidden" id="map-keys">{ if penciling { w.map_keys_pencil } else { w.map_keys } }</p>
            <div class="map-tools">
                { desk.row(w.matrix, "stage", vec![
                    stage(w.stage_weights, ShownStage::Weights), stage(w.stage_raw, ShownStage::Raw),
                    stage(w.stage_scaled, ShownStage::Scaled), stage(w.stage_masked, ShownStage::Masked),
                ]) }
                <button type="button" class="tool" aria-pressed={text_of(penciling)} title={w.pencil_title} onclick={onpencil} data-name="pencil">{ w.pencil }</button>
                if !settings.cells.is_empty() {
                    <button type="button" class="tool" onclick={desk.act(Action::ClearCells)} data-name="clear-cells">{ w.clear_cells }</button>
                }
                <button type="button" class="tool" aria-expanded={text_of(*table)} onclick={flip(&table)} data-name="table">{ w.table }</button>
            </div>
            // Under the map: above it, the first cell of a stroke would push the map away from the pencil.
            if !settings.cells.is_empty() { <p class="muted" data-name="cells-note">{ w.cells_note }</p> }
            { figures(desk, picture, &facts) }
            if *table { { numbers(desk, picture) } }
        </section>
    }
}

fn cell_at(layout: &picture::Layout, event: &PointerEvent) -> Option<(usize, usize)> {
    match layout.hit(f64::from(event.offset_x()), f64::from(event.offset_y())) {
        Some(Target::Cell { query, key }) => Some((query, key)),
        _ => None,
    }
}
