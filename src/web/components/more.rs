//! The further controls: how the sentence is cut, what is added, where the weights come from.

use super::controls::Wrong;
use super::desk::{Choice, Desk, text_of};
use crate::state::{Action, Contrast, EngineChoice, PositionKind, Settings, WeightsKind};
use crate::text::Tokenizer;
use crate::web::store::When;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// A whole number with its limits.
pub struct Number {
    /// Its place in the page, and what is told when it is refused.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Largest number.
    pub most: u32,
    /// Smallest number.
    pub least: u32,
    /// The number it has.
    pub value: usize,
    /// What is said when the input is no such number.
    pub error: &'static str,
    /// What another number does.
    pub action: Box<dyn Fn(u32) -> Action>,
}

/// A field for a whole number. Nonsense gets a sentence and changes nothing.
pub fn number(desk: &Desk, wrong: &Wrong, field: Number) -> Html {
    let Number { id, title, most, least, value, error, action } = field;
    let onchange = {
        let (wrong, store) = (wrong.clone(), desk.store.clone());
        Callback::from(move |event: Event| {
            let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return };
            match input.value().trim().parse::<u32>() {
                Ok(value) if (least..=most).contains(&value) => {
                    wrong.set("");
                    store.dispatch(&action(value), When::Done);
                }
                _ => wrong.set(id),
            }
        })
    };
    let invalid = **wrong == id;
    html! {
        <span class="row">
            <label for={id}>{ title }</label>
            <input class="field" {id} type="number" min={least.to_string()} max={most.to_string()} step="1" value={value.to_string()}
                aria-invalid={text_of(invalid)} aria-describedby={invalid.then_some("number-error")} {onchange} />
            if invalid { <span id="number-error" role="alert" class="warning">{ error }</span> }
        </span>
    }
}

/// The panel of further controls.
pub fn more(desk: &Desk, s: &Settings, wrong: &Wrong) -> Html {
    let w = desk.words();
    let tok = |label, tokenizer| Choice::new(label, Action::Tokenizer(tokenizer), s.tokenizer == tokenizer);
    let random = s.weights == WeightsKind::Random;
    html! {
        <div class="panel more-controls fade" id="more-controls">
            { desk.row(w.tokenizer, "tok", vec![
                tok(w.tok_word, Tokenizer::Word), tok(w.tok_char, Tokenizer::Char), tok(w.tok_space, Tokenizer::Space), tok(w.tok_byte, Tokenizer::Byte),
            ]) }
            { desk.row(w.positions, "pos", vec![
                Choice::new(w.on, Action::Positions(PositionKind::On), s.positions == PositionKind::On),
                Choice::new(w.off, Action::Positions(PositionKind::Off), s.positions == PositionKind::Off),
            ]) }
            { desk.row("<BOS>", "bos", vec![
                Choice::new(w.with, Action::Bos(true), s.bos), Choice::new(w.without, Action::Bos(false), !s.bos),
            ]) }
            { number(desk, wrong, Number { id: "pad", title: w.pad_count, least: 0, most: 8, value: s.pad, error: w.pad_error, action: Box::new(|n| Action::Pad(n as usize)) }) }
            { desk.row(w.weights_source, "w", vec![
                Choice::new(w.weights_toy, Action::Weights(WeightsKind::Toy), s.weights == WeightsKind::Toy),
                Choice::new(w.weights_random, Action::Weights(WeightsKind::Random), random),
                Choice::new(w.weights_identity, Action::Weights(WeightsKind::Identity), s.weights == WeightsKind::Identity),
            ]) }
            if s.weights != WeightsKind::Toy {
                { number(desk, wrong, Number { id: "heads", title: w.heads, least: 1, most: 16, value: s.heads, error: w.heads_error, action: Box::new(|n| Action::Heads(n as usize)) }) }
            }
            if random {
                { number(desk, wrong, Number { id: "dk", title: w.head_width, least: 1, most: 128, value: s.d_k, error: w.dk_error, action: Box::new(|n| Action::HeadWidth(n as usize)) }) }
                { number(desk, wrong, Number { id: "seed", title: w.seed, least: 0, most: u32::MAX, value: s.seed as usize, error: w.seed_error, action: Box::new(Action::Seed) }) }
            }
            { desk.row(w.contrast, "contrast", vec![
                Choice::new(w.contrast_fixed, Action::Contrast(Contrast::Fixed), s.contrast == Contrast::Fixed),
                Choice::new(w.contrast_auto, Action::Contrast(Contrast::Auto), s.contrast == Contrast::Auto),
            ]) }
            { desk.row(w.engine, "engine", vec![
                Choice::new(w.engine_auto, Action::Engine(EngineChoice::Auto), s.engine == EngineChoice::Auto),
                Choice::new("CPU", Action::Engine(EngineChoice::Cpu), s.engine == EngineChoice::Cpu),
                Choice::new("WebGPU", Action::Engine(EngineChoice::WebGpu), s.engine == EngineChoice::WebGpu),
            ]) }
        </div>
    }
}
