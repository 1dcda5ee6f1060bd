//! The chosen head, large: one canvas under a virtual grid, its tools, and what its numbers say.

use super::compare::comparison;
use super::desk::{Choice, Desk, flip, text_of};
use super::heat_map::{Shown, key, spoken};
use super::map_canvas::MapCanvas;
use super::map_notes::{Facts, caption, figures};
use super::numbers::numbers;
use super::part::{Body, part};
use crate::picture::{Palette, ScaleName, Theme};
use crate::state::{Action, ShownStage, View};
use crate::web::paint;
use crate::web::shared::Shared;
use crate::web::store::Picture;
use web_sys::HtmlCanvasElement;
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
    /// What is pinned beside it.
    pub pinned: Option<Shared<Picture>>,
    /// How the page is being used.
    pub view: View,
}

impl Body for Map {
    const NAME: &'static str = "Map";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_map(self)
    }
}

/// The figure of the chosen head.
#[hook]
fn use_map(props: &Map) -> Html {
    let Map { desk, dark, picture, pinned, view } = props;
    let shown = Shown::of(&picture.0, pinned.as_ref().map(|pinned| &pinned.0), *view);
    let difference = shown.minus.is_some();
    let w = desk.words();
    let (table, limits) = (use_state_eq(|| false), use_state_eq(|| false));
    let (outer, read, legend) = (use_node_ref(), use_node_ref(), use_node_ref());
    let settings = &picture.settings;
    let is_weights = settings.stage == ShownStage::Weights;
    let sequential = is_weights && !difference;
    {
        let legend = legend.clone();
        use_effect_with((*dark, sequential), move |(dark, sequential)| {
            if let Some(legend) = legend.cast::<HtmlCanvasElement>() {
                let scale = if *sequential { ScaleName::Sequential } else { ScaleName::Diverging };
                paint::legend(&legend, scale, Palette::of(if *dark { Theme::Dark } else { Theme::Light }));
            }
        });
    }
    let (store, penciling) = (&desk.store, view.pencil);
    let onkeydown = {
        let store = store.clone();
        Callback::from(move |event: KeyboardEvent| key(&store, &event))
    };
    let onpencil = {
        let (store, view) = (store.clone(), *view);
        Callback::from(move |_: MouseEvent| store.set_view(View { pencil: !penciling, ..view }))
    };
    let shape = picture.trace.shape;
    let selection = picture.plan.selection;
    let stage = |label, stage| Choice::new(label, Action::Stage(stage), settings.stage == stage);
    html! {
        <section class="map" aria-label={w.map_region}>
            { comparison(desk, picture, pinned.as_ref(), *view) }
            <p class="map-how">{ if difference { w.how_to_read_difference } else if is_weights { w.how_to_read } else { w.how_to_read_scores } }</p>
            <div class="map-grid" data-is={penciling.then_some("pencil")} ref={outer.clone()} role="grid" tabindex="0"
                aria-label={w.map_label} aria-describedby="map-keys" aria-rowcount={shape.n_q.to_string()} aria-colcount={shape.n_k.to_string()}
                aria-activedescendant={format!("cell-{}-{}", selection.query, selection.key)} {onkeydown}>
                { part(MapCanvas { desk: desk.clone(), outer, read: read.clone() }) }
                <div role="row" class="hidden" aria-rowindex={(selection.query + 1).to_string()}>
                    { for (0..shape.n_k).map(|key| html! {
                        <span role="gridcell" id={format!("cell-{}-{key}", selection.query)} aria-colindex={(key + 1).to_string()} aria-selected={text_of(key == selection.key)}>
                            { spoken(&shown, desk.lang, selection.query, key, 2) }
                        </span>
                    }) }
                </div>
            </div>
            // Under the map, which must not move away from the pencil.
            if penciling {
                <p class="muted">{ w.pencil_title }{ " " }<button type="button" class="link" onclick={onpencil.clone()} data-name="pencil-done">{ w.pencil_done }</button></p>
            }
            { caption(desk, &shown, &legend, *limits, flip(&limits)) }
            <p class="map-read" aria-hidden="true" ref={read} />
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
                if settings.pinned.is_empty() {
                    <button type="button" class="tool" title={w.pin_title} onclick={desk.act(Action::Pin(true))} data-name="pin">{ w.pin }</button>
                }
                <button type="button" class="tool" aria-expanded={text_of(*table)} onclick={flip(&table)} data-name="table">{ w.table }</button>
            </div>
            // Under the map: above it, the first cell of a stroke would push the map away from the pencil.
            if !settings.cells.is_empty() { <p class="muted" data-name="cells-note">{ w.cells_note }</p> }
            { figures(desk, &shown.front, &Facts::of(&shown.front)) }
            if *table { { numbers(desk, &shown.front) } }
        </section>
    }
}
