//! What stands under the large map: what the weights are, what the head is made for, what its numbers say.

use super::desk::{Desk, text_of};
use super::heat_map::Shown;
use super::presets;
use crate::attention::Stage;
use crate::insight::statistics::Spread;
use crate::insight::{Reading, entropy, readings_of_head, statistics};
use crate::locale::{self, number};
use crate::state::{Contrast, ShownStage, WeightsKind};
use crate::web::store::Picture;
use yew::prelude::*;

/// Badge, role, limits and colour bar.
pub fn caption(desk: &Desk, shown: &Shown, legend: &NodeRef, open: bool, onlimits: Callback<MouseEvent>) -> Html {
    let w = desk.words();
    let picture = &shown.front;
    let head = picture.plan.selection.head;
    let settings = &picture.settings;
    let is_weights = settings.stage == ShownStage::Weights;
    let (low, high) = shown.domain();
    let fixed = is_weights && settings.contrast == Contrast::Fixed;
    let end = |value: f32| number::fixed(f64::from(value), if fixed { 0 } else { 2 });
    let (badge, limits) = match settings.weights {
        WeightsKind::Toy => (w.badge_toy, w.limits_toy),
        WeightsKind::Random => (w.badge_random, w.limits_random),
        WeightsKind::Identity => (w.badge_identity, w.limits_identity),
    };
    html! {
        <>
            <div class="map-caption">
                <span class="badge" data-name="badge">{ badge }</span>
                <span>{ locale::head_title(desk.lang, head + 1, picture.role(head)) }</span>
                <button type="button" class="link limits" aria-expanded={text_of(open)} onclick={onlimits}>{ w.limits }</button>
                <span class="legend">
                    if !picture.problem.mask.is_none() { <span class="hatch" aria-hidden="true"></span>{ w.legend_forbidden } }
                    if settings.contrast == Contrast::Auto && is_weights { <span class="badge">{ w.badge_auto }</span> }
                    <span>{ end(low) }</span><canvas ref={legend.clone()} role="img" aria-label={w.legend} /><span>{ end(high) }</span>
                </span>
            </div>
            if open { <p class="panel muted fade">{ limits }</p> }
        </>
    }
}

/// Numbers about the selected head.
pub struct Facts {
    entropy: Option<f64>,
    raw: Option<Spread>,
    last: Option<Spread>,
    readings: Vec<Reading>,
}

impl Facts {
    /// The facts of the selected head.
    pub fn of(picture: &Picture) -> Self {
        let head = picture.plan.selection.head;
        let (trace, mask) = (&picture.trace, &picture.problem.mask);
        Self {
            entropy: entropy::mean_normalised(trace, head),
            raw: statistics::spread(trace, mask, Stage::Raw, head),
            last: statistics::spread(trace, mask, Stage::Masked, head),
            readings: readings_of_head(trace, mask, head),
        }
    }
}

/// Entropy, mean and deviation of the scores, warnings in words, and what a prepared sentence is there to show.
pub fn figures(desk: &Desk, picture: &Picture, facts: &Facts) -> Html {
    let w = desk.words();
    let spread = |title: &'static str, spread: Option<Spread>| {
        spread.filter(|s| s.mean.is_finite()).map(|s| html! {
            <div><dt>{ title }</dt><dd>{ format!("{} ± {}", number::fixed(s.mean, 2), number::fixed(s.deviation, 2)) }</dd></div>
        })
    };
    html! {
        <>
            if !facts.readings.is_empty() {
                <ul class="readings">
                    { for facts.readings.iter().map(|reading| {
                        let warning = !matches!(
                            reading,
                            Reading::Uniform { .. } | Reading::IdenticalRows { .. } | Reading::IdleMask { .. }
                        );
                        html! { <li data-is={warning.then_some("warning")}>{ locale::reading(desk.lang, reading, &picture.labels) }</li> }
                    }) }
                </ul>
            }
            <dl class="figures">
                if let Some(h) = facts.entropy { <div><dt>{ w.entropy_mean }</dt><dd>{ number::fixed(h, 3) }</dd></div> }
                { spread(w.spread_raw, facts.raw) }
                { spread(w.spread_final, facts.last) }
            </dl>
            if let Some(preset) = presets::current(&picture.settings) {
                <p class="preset-note">{ preset.note.in_language(desk.lang) }</p>
            }
        </>
    }
}
