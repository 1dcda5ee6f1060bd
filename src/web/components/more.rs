//! The further controls: how the sentence is cut, what is added, where the weights come from.

use super::seg::{Choice, Seg};
use crate::locale::words;
use crate::state::{Action, Contrast, EngineChoice, Settings, WeightsKind};
use crate::text::{Lang, Tokenizer};
use crate::web::hooks::use_store;
use crate::web::shared::Shared;
use crate::web::store::When;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`More`].
#[derive(Properties, PartialEq)]
pub struct MoreProps {
    /// The page's language.
    pub lang: Lang,
    /// What is set.
    pub settings: Shared<Settings>,
}

/// Properties of [`Number`].
#[derive(Properties, PartialEq)]
struct NumberProps {
    id: &'static str,
    title: AttrValue,
    min: u32,
    max: u32,
    value: u32,
    onnumber: Callback<u32>,
    /// What is said when the number is not one, or out of range.
    error: AttrValue,
}

/// A whole number with its limits. Nonsense gets a sentence and changes nothing.
#[component]
fn Number(props: &NumberProps) -> Html {
    let wrong = use_state_eq(|| false);
    let onchange = {
        let (wrong, onnumber, min, max) = (wrong.clone(), props.onnumber.clone(), props.min, props.max);
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            match input.value().trim().parse::<u32>() {
                Ok(value) if (min..=max).contains(&value) => {
                    wrong.set(false);
                    onnumber.emit(value);
                }
                _ => wrong.set(true),
            }
        })
    };
    let error_id = format!("{}-error", props.id);
    html! {
        <span class="row">
            <label for={props.id}>{ props.title.clone() }</label>
            <input class="field" id={props.id} type="number" min={props.min.to_string()} max={props.max.to_string()} step="1"
                value={props.value.to_string()} aria-invalid={wrong.to_string()} aria-describedby={wrong.then(|| error_id.clone())} {onchange} />
            if *wrong { <span id={error_id} role="alert" class="muted">{ props.error.clone() }</span> }
        </span>
    }
}

/// The panel of further controls.
#[component]
pub fn More(props: &MoreProps) -> Html {
    let store = use_store();
    let w = words(props.lang);
    let s = &props.settings;
    fn on<T: 'static>(store: &crate::web::store::Store, action: impl Fn(T) -> Action + 'static) -> Callback<T> {
        let store = store.clone();
        Callback::from(move |value: T| store.dispatch(&action(value), When::Done))
    }
    let yes_no = |yes: bool| vec![yes];
    html! {
        <div class="panel more-controls fade" id="more-controls">
            <Seg<Tokenizer> title={w.tokenizer} name="tok" chosen={vec![s.tokenizer]} onchoose={on(&store, Action::Tokenizer)} choices={vec![
                Choice::new(Tokenizer::Word, w.tok_word),
                Choice::new(Tokenizer::Char, w.tok_char),
                Choice::new(Tokenizer::Space, w.tok_space),
                Choice::new(Tokenizer::Byte, w.tok_byte),
            ]} />
            <Seg<bool> title={w.positions} name="pos" chosen={yes_no(s.positions)} onchoose={on(&store, Action::Positions)} choices={vec![Choice::new(true, w.on), Choice::new(false, w.off)]} />
            <Seg<bool> title={"<BOS>"} name="bos" chosen={yes_no(s.bos)} onchoose={on(&store, Action::Bos)} choices={vec![Choice::new(true, w.with), Choice::new(false, w.without)]} />
            <Number id="pad" title={w.pad_count} min=0 max=8 value={count(s.pad)} onnumber={on(&store, |n: u32| Action::Pad(n as usize))} error={w.pad_error} />
            <Seg<WeightsKind> title={w.weights_source} name="w" chosen={vec![s.weights]} onchoose={on(&store, Action::Weights)} choices={vec![
                Choice::new(WeightsKind::Toy, w.weights_toy),
                Choice::new(WeightsKind::Random, w.weights_random),
            ]} />
            if s.weights == WeightsKind::Random {
                <Number id="heads" title={w.heads} min=1 max=16 value={count(s.heads)} onnumber={on(&store, |n: u32| Action::Heads(n as usize))} error={w.heads_error} />
                <Number id="dk" title={"d_k"} min=1 max=128 value={count(s.d_k)} onnumber={on(&store, |n: u32| Action::HeadWidth(n as usize))} error={w.dk_error} />
                <Number id="seed" title={w.seed} min=0 max={u32::MAX} value={s.seed} onnumber={on(&store, Action::Seed)} error={w.seed_error} />
            }
            <Seg<Contrast> title={w.contrast} name="contrast" chosen={vec![s.contrast]} onchoose={on(&store, Action::Contrast)} choices={vec![
                Choice::new(Contrast::Fixed, w.contrast_fixed),
                Choice::new(Contrast::Auto, w.contrast_auto),
            ]} />
            <Seg<EngineChoice> title={w.engine} name="engine" chosen={vec![s.engine]} onchoose={on(&store, Action::Engine)} choices={vec![
                Choice::new(EngineChoice::Auto, w.engine_auto),
                Choice::new(EngineChoice::Cpu, "CPU"),
            ]} />
        </div>
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
