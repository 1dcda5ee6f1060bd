//! The chosen head, large: which matrix, the pencil, the map, what it is, and what its numbers say.

use super::heat_map::{HeatMap, domain, spoken};
use super::numbers::Numbers;
use super::seg::{Choice, Seg};
use crate::attention::Stage;
use crate::insight::{Reading, entropy, readings, statistics};
use crate::locale::{self, number, words};
use crate::picture::{Palette, ScaleName, Theme};
use crate::state::{Action, Contrast, ShownStage, WeightsKind};
use crate::text::Lang;
use crate::web::hooks::{use_hover, use_store};
use crate::web::paint;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

/// Properties of [`Map`].
#[derive(Clone, Properties, PartialEq)]
pub struct MapProps {
    /// The page's language.
    pub lang: Lang,
    /// Whether the page is dark.
    pub dark: bool,
    /// What was computed.
    pub picture: Shared<Picture>,
}

/// The figure of the chosen head.
#[component]
pub fn Map(props: &MapProps) -> Html {
    let store = use_store();
    let pencil = use_state_eq(|| false);
    let table = use_state_eq(|| false);
    let w = words(props.lang);
    let settings = &props.picture.settings;
    let onstage = {
        let store = store.clone();
        Callback::from(move |stage: ShownStage| store.dispatch(&Action::Stage(stage), When::Done))
    };
    let flip = |state: &UseStateHandle<bool>| {
        let state = state.clone();
        Callback::from(move |_: MouseEvent| state.set(!*state))
    };
    let onclear = Callback::from(move |_: MouseEvent| store.dispatch(&Action::ClearCells, When::Done));
    html! {
        <section class="map" aria-label={w.map_region}>
            <div class="map-tools">
                <Seg<ShownStage> title={w.matrix} name="stage" chosen={vec![settings.stage]} onchoose={onstage} choices={vec![
                    Choice::new(ShownStage::Weights, w.stage_weights),
                    Choice::new(ShownStage::Raw, w.stage_raw),
                    Choice::new(ShownStage::Scaled, w.stage_scaled),
                    Choice::new(ShownStage::Masked, w.stage_masked),
                ]} />
                <button type="button" class="tool" aria-pressed={pencil.to_string()} title={w.pencil_title} onclick={flip(&pencil)} data-name="pencil">{ w.pencil }</button>
                if !settings.cells.is_empty() {
                    <button type="button" class="tool" onclick={onclear} data-name="clear-cells">{ w.clear_cells }</button>
                }
                <button type="button" class="tool" aria-expanded={table.to_string()} onclick={flip(&table)} data-name="table">{ w.table }</button>
            </div>
            <HeatMap lang={props.lang} dark={props.dark} picture={props.picture.clone()} pencil={*pencil} />
            <ReadOut ..props.clone() />
            <p class="hidden" id="map-keys">{ if *pencil { w.map_keys_pencil } else { w.map_keys } }</p>
            <Caption ..props.clone() />
            <Figures ..props.clone() />
            if *table { <Numbers lang={props.lang} picture={props.picture.clone()} /> }
        </section>
    }
}

/// The hovered cell in words, or the selected one.
#[component]
fn ReadOut(props: &MapProps) -> Html {
    let hover = use_hover();
    let selection = props.picture.plan.selection;
    let shape = props.picture.trace.shape;
    let (query, key) =
        hover.filter(|&(q, k)| q < shape.n_q && k < shape.n_k).unwrap_or((selection.query, selection.key));
    html! { <p class="map-read" aria-hidden="true">{ spoken(&props.picture, props.lang, query, key) }</p> }
}

/// What the weights are, what the head is made for, and what the colours mean.
#[component]
fn Caption(props: &MapProps) -> Html {
    let open = use_state_eq(|| false);
    let node = use_node_ref();
    let w = words(props.lang);
    let picture = &props.picture;
    let head = picture.plan.selection.head;
    let settings = &picture.settings;
    let is_weights = settings.stage == ShownStage::Weights;
    let scale = if is_weights { ScaleName::Sequential } else { ScaleName::Diverging };
    {
        let node = node.clone();
        use_effect_with((props.dark, is_weights), move |(dark, _)| {
            if let Some(canvas) = node.cast::<HtmlCanvasElement>() {
                paint::legend(&canvas, scale, Palette::of(if *dark { Theme::Dark } else { Theme::Light }));
            }
        });
    }
    let (low, high) = domain(picture);
    let end = |value: f32| {
        if is_weights && settings.contrast == Contrast::Fixed {
            number::fixed(f64::from(value), 0)
        } else {
            number::significant(f64::from(value), 3)
        }
    };
    let (badge, limits) = match settings.weights {
        WeightsKind::Toy => (w.badge_toy, w.limits_toy),
        WeightsKind::Random => (w.badge_random, w.limits_random),
    };
    let onlimits = {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(!*open))
    };
    html! {
        <>
            <div class="map-caption">
                <span class="badge" data-name="badge">{ badge }</span>
                <span>{ locale::head_title(props.lang, head + 1, picture.role(head)) }</span>
                <button type="button" class="link limits" aria-expanded={open.to_string()} onclick={onlimits}>{ w.limits }</button>
                <span class="legend">
                    if !picture.problem.mask.is_none() { <span class="hatch" aria-hidden="true"></span>{ w.legend_forbidden } }
                    if settings.contrast == Contrast::Auto && is_weights { <span class="badge">{ w.badge_auto }</span> }
                    <span>{ end(low) }</span><canvas ref={node} role="img" aria-label={w.legend} /><span>{ end(high) }</span>
                </span>
            </div>
            if *open { <p class="panel muted fade">{ limits }</p> }
        </>
    }
}

/// Entropy, mean and deviation of the scores, and warnings in words.
#[component]
fn Figures(props: &MapProps) -> Html {
    let w = words(props.lang);
    let picture = &props.picture;
    let head = picture.plan.selection.head;
    let (trace, mask) = (&picture.trace, &picture.problem.mask);
    let spread = |stage| statistics::spread(trace, mask, stage, head);
    let of_this_head = |reading: &Reading| match reading {
        Reading::FullyMaskedRows { .. } => true,
        Reading::WeightLeak { head: of, .. }
        | Reading::Uniform { head: of, .. }
        | Reading::Saturated { head: of, .. }
        | Reading::IdenticalRows { head: of } => *of == head,
    };
    let all = readings(trace, mask);
    let said: Vec<&Reading> = all.iter().filter(|reading| of_this_head(reading)).collect();
    let labels = &picture.labels;
    html! {
        <>
            <dl class="figures">
                <div><dt>{ w.entropy_mean }</dt><dd>{ entropy::mean_normalised(trace, head).map_or_else(|| "–".into(), |h| number::fixed(h, 3)) }</dd></div>
                { for [(Stage::Raw, w.spread_raw), (Stage::Masked, w.spread_final)].into_iter().filter_map(|(stage, title)| spread(stage).map(|s| html! {
                    <div><dt>{ title }</dt><dd>{ format!("{} ± {}", number::fixed(s.mean, 2), number::fixed(s.deviation, 2)) }</dd></div>
                })) }
            </dl>
            if !said.is_empty() {
                <ul class="readings">
                    { for said.into_iter().map(|reading| {
                        let warning = !matches!(reading, Reading::Uniform { .. } | Reading::IdenticalRows { .. });
                        html! { <li class={warning.then_some("warning")}>{ locale::reading(props.lang, reading, labels) }</li> }
                    }) }
                </ul>
            }
        </>
    }
}
