//! Temperature, scale and mask: the three things under a person's fingers.

use super::desk::{Choice, Desk, root, text_of};
use crate::state::settings::TEMPERATURE;
use crate::state::{Action, MaskKind, Scale, Settings};
use crate::text::decimal;
use crate::web::store::{Store, When};
use js_sys::Math;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The field whose last input was refused; empty when none is.
pub type Wrong = UseStateHandle<&'static str>;

/// Steps of the slider: hundredths of a power of ten.
const STEPS_PER_DECADE: f64 = 100.0;

/// The temperature at a position of the slider, in three significant figures; its ends are the ends of the range.
fn temperature_at(position: f64) -> f64 {
    if position <= position_of(TEMPERATURE.0) {
        return TEMPERATURE.0;
    }
    // JavaScript's own powers and logarithms: the browser has them already.
    let exact = Math::pow(10.0, position / STEPS_PER_DECADE).clamp(TEMPERATURE.0, TEMPERATURE.1);
    let unit = match exact {
        ..0.1 => 10_000.0,
        ..1.0 => 1000.0,
        ..10.0 => 100.0,
        _ => 10.0,
    };
    (exact * unit).round() / unit
}

fn position_of(temperature: f64) -> f64 {
    (Math::log10(temperature) * STEPS_PER_DECADE).round()
}

fn slide(store: &Store, wrong: &Wrong, input: Option<HtmlInputElement>, when: When) {
    if let Some(position) = input.and_then(|input| decimal(&input.value())) {
        wrong.set("");
        store.dispatch(&Action::Temperature(temperature_at(position)), when);
    }
}

/// What scores are divided by; the mistake is among the choices only when asked for.
fn scale_row(desk: &Desk, settings: &Settings, with_mistake: bool) -> Html {
    let w = desk.words();
    let choice = |scale: Scale, label: Html, spoken| Choice {
        label,
        spoken: Some(spoken),
        actions: vec![Action::Scale(scale)],
        pressed: settings.scale == scale,
    };
    let mut choices = vec![
        choice(Scale::SqrtDk, html! { <>{ "÷ " }{ root("k") }</> }, w.scale_sqrt_dk_spoken),
        choice(Scale::None, w.scale_none.into(), w.scale_none),
    ];
    if with_mistake {
        let label = html! { <>{ "÷ " }{ root("model") }</> };
        choices.push(choice(Scale::SqrtDModel, label, w.scale_sqrt_dmodel_spoken));
    }
    desk.row(w.scale, "scale", choices)
}

/// The line of controls under the arcs.
///
/// `panels` says of the further controls, and of the mechanisms, whether they are open and how to open them.
pub fn controls(desk: &Desk, settings: &Settings, panels: [(bool, Callback<MouseEvent>); 2], wrong: &Wrong) -> Html {
    let [(more, onmore), (lab, onlab)] = panels;
    const NAME: &str = "temperature";
    let w = desk.words();
    let oninput = {
        let (store, wrong) = (desk.store.clone(), wrong.clone());
        Callback::from(move |event: InputEvent| slide(&store, &wrong, event.target_dyn_into(), When::Moving))
    };
    let onslid = {
        let (store, wrong) = (desk.store.clone(), wrong.clone());
        Callback::from(move |event: Event| slide(&store, &wrong, event.target_dyn_into(), When::Done))
    };
    let ontyped = {
        let (store, wrong) = (desk.store.clone(), wrong.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            match decimal(&input.value().trim().replace(['，', ','], ".")) {
                Some(value) if (TEMPERATURE.0..=TEMPERATURE.1).contains(&value) => {
                    wrong.set("");
                    store.dispatch(&Action::Temperature(value), When::Done);
                }
                _ => wrong.set(NAME),
            }
        })
    };
    let (causal, padding) = (settings.causal, settings.padding);
    let invalid = **wrong == NAME;
    let (lowest, highest) = (position_of(TEMPERATURE.0), position_of(TEMPERATURE.1));
    let shown = settings.temperature.to_string();
    html! {
        <div class="controls">
            <div class="temperature">
                <label for="temperature">{ w.temperature }</label>
                <small aria-hidden="true">{ w.sharper }</small>
                <input id="temperature" type="range" min={lowest.to_string()} max={highest.to_string()} step="1"
                    value={position_of(settings.temperature).to_string()} aria-valuetext={shown.clone()} {oninput} onchange={onslid} />
                <small aria-hidden="true">{ w.flatter }</small>
                <input class="field" type="text" inputmode="decimal" aria-label={w.temperature_number} value={shown}
                    aria-invalid={text_of(invalid)} aria-describedby={invalid.then_some("temperature-error")} onchange={ontyped} data-name="temperature" />
            </div>
            { scale_row(desk, settings, more || settings.scale == Scale::SqrtDModel) }
            { desk.row(w.mask, "mask", vec![
                Choice {
                    label: w.mask_none.into(),
                    spoken: None,
                    actions: [Action::Causal(false), Action::Padding(false)]
                        .into_iter()
                        .chain(MaskKind::ALL.map(|(_, kind)| Action::Mask(kind, false)))
                        .collect(),
                    pressed: !causal && !padding && settings.masks.is_empty(),
                },
                Choice::new(w.mask_causal, Action::Causal(!causal), causal),
                Choice::new(w.mask_padding, Action::Padding(!padding), padding),
            ]) }
            <button type="button" class="link more" aria-expanded={text_of(more)} onclick={onmore} data-name="more">
                { if more { w.less } else { w.more } }
            </button>
            <button type="button" class="link more" aria-expanded={text_of(lab)} onclick={onlab} data-name="lab">
                { if lab { w.lab_less } else { w.lab_more } }
            </button>
            if invalid {
                <p class="controls-note warning" id="temperature-error" role="alert">{ w.temperature_invalid }</p>
            }
            if causal {
                <p class="controls-note">{ w.causal_note }</p>
            }
            if padding && settings.pad == 0 {
                <p class="controls-note">{ w.padding_without_pad }</p>
            }
        </div>
    }
}
