//! Temperature, scale and mask: the three things under a person's fingers.

use super::seg::{Choice, Seg};
use crate::locale::words;
use crate::state::settings::TEMPERATURE;
use crate::state::{Action, Scale, Settings};
use crate::text::Lang;
use crate::web::hooks::use_store;
use crate::web::shared::Shared;
use crate::web::store::When;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Controls`].
#[derive(Properties, PartialEq)]
pub struct ControlsProps {
    /// The page's language.
    pub lang: Lang,
    /// What is set.
    pub settings: Shared<Settings>,
    /// Whether the further controls are open.
    pub more: bool,
    /// Opens or closes them.
    pub onmore: Callback<()>,
}

/// Which part of the mask a button stands for.
#[derive(Clone, Copy, PartialEq)]
enum MaskPart {
    None,
    Causal,
    Padding,
}

/// Steps of the slider: hundredths of a power of ten.
const STEPS_PER_DECADE: f64 = 100.0;

/// The temperature at a position of the slider, rounded to three significant figures.
fn temperature_at(position: f64) -> f64 {
    let exact = 10_f64.powf(position / STEPS_PER_DECADE).clamp(TEMPERATURE.0, TEMPERATURE.1);
    let unit = 10_f64.powf(exact.log10().floor() - 2.0);
    (exact / unit).round() * unit
}

fn position_of(temperature: f64) -> f64 {
    (temperature.log10() * STEPS_PER_DECADE).round()
}

/// The line of controls under the arcs.
#[component]
pub fn Controls(props: &ControlsProps) -> Html {
    let store = use_store();
    let w = words(props.lang);
    let settings = &props.settings;
    let invalid = use_state_eq(|| false);

    let slide = |when: When| {
        let (store, invalid) = (store.clone(), invalid.clone());
        move |value: Option<HtmlInputElement>| {
            if let Some(position) = value.and_then(|input| input.value().parse().ok()) {
                invalid.set(false);
                store.dispatch(&Action::Temperature(temperature_at(position)), when);
            }
        }
    };
    let oninput = {
        let slide = slide(When::Moving);
        Callback::from(move |event: InputEvent| slide(event.target_dyn_into()))
    };
    let onslid = {
        let slide = slide(When::Done);
        Callback::from(move |event: Event| slide(event.target_dyn_into()))
    };
    let ontyped = {
        let (store, invalid) = (store.clone(), invalid.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let number = input.value().trim().replace(['，', ','], ".").parse::<f64>();
            match number {
                Ok(value) if value.is_finite() && (TEMPERATURE.0..=TEMPERATURE.1).contains(&value) => {
                    invalid.set(false);
                    store.dispatch(&Action::Temperature(value), When::Done);
                }
                _ => invalid.set(true),
            }
        })
    };
    let onscale = {
        let store = store.clone();
        Callback::from(move |scale: Scale| store.dispatch(&Action::Scale(scale), When::Done))
    };
    let mask = [
        (MaskPart::None, !settings.causal && !settings.padding),
        (MaskPart::Causal, settings.causal),
        (MaskPart::Padding, settings.padding),
    ];
    let onmask = {
        let (causal, padding) = (settings.causal, settings.padding);
        Callback::from(move |part: MaskPart| {
            let actions = match part {
                MaskPart::None => vec![Action::Causal(false), Action::Padding(false)],
                MaskPart::Causal => vec![Action::Causal(!causal)],
                MaskPart::Padding => vec![Action::Padding(!padding)],
            };
            store.dispatch_all(&actions, When::Done);
        })
    };
    let (lowest, highest) = (position_of(TEMPERATURE.0), position_of(TEMPERATURE.1));
    let shown = format!("{}", settings.temperature);
    html! {
        <div class="controls">
            <div class="temperature">
                <label for="temperature">{ w.temperature }</label>
                <input id="temperature" type="range" min={lowest.to_string()} max={highest.to_string()} step="1"
                    value={position_of(settings.temperature).to_string()} aria-valuetext={shown.clone()} {oninput} onchange={onslid} />
                <input class="field" type="text" inputmode="decimal" aria-label={w.temperature_number} value={shown}
                    aria-invalid={invalid.to_string()} aria-describedby={invalid.then_some("temperature-error")} onchange={ontyped} data-name="temperature" />
            </div>
            <Seg<Scale> title={w.scale} name="scale" chosen={vec![settings.scale]} onchoose={onscale} choices={vec![
                Choice { value: Scale::SqrtDk, label: html! { <>{ "÷ √d" }<sub>{ "k" }</sub></> }, spoken: Some(w.scale_sqrt_dk_spoken.into()) },
                Choice::new(Scale::None, w.scale_none),
                Choice { value: Scale::SqrtDModel, label: html! { <>{ "÷ √d" }<sub>{ "model" }</sub></> }, spoken: Some(w.scale_sqrt_dmodel_spoken.into()) },
            ]} />
            <Seg<MaskPart> title={w.mask} name="mask" chosen={mask.iter().filter(|(_, on)| *on).map(|(part, _)| *part).collect::<Vec<_>>()} onchoose={onmask} choices={vec![
                Choice::new(MaskPart::None, w.mask_none),
                Choice::new(MaskPart::Causal, w.mask_causal),
                Choice::new(MaskPart::Padding, w.mask_padding),
            ]} />
            <button type="button" class="link more" aria-expanded={props.more.to_string()} aria-controls="more-controls" onclick={props.onmore.reform(|_| ())} data-name="more">
                { if props.more { w.less } else { w.more } }
            </button>
            if *invalid {
                <p class="controls-note" id="temperature-error" role="alert">{ w.temperature_invalid }</p>
            }
            if settings.padding && settings.pad == 0 {
                <p class="controls-note">{ w.padding_without_pad }</p>
            }
        </div>
    }
}
