//! The frame of the page: header, notices, footer.

use super::desk::{Desk, text_of};
use crate::engine::choice::Kind;
use crate::locale::{self, engine_why};
use crate::state::{Action, Severity, Theme};
use crate::text::Lang;
use crate::web::environment;
use crate::web::store::{Snapshot, When};
use yew::prelude::*;

/// Name, what the page is for, and the three tools: share, language, theme.
pub fn header(desk: &Desk, dark: bool, sharing: bool, onshare: Callback<MouseEvent>) -> Html {
    let w = desk.words();
    let (other, other_name, other_code) = match desk.lang {
        Lang::Zh => (Lang::En, "EN", "en"),
        Lang::En => (Lang::Zh, "中文", "zh-CN"),
    };
    let theme_name = if dark { w.to_light } else { w.to_dark };
    // Back at what the system asks for, the page follows the system again.
    let theme = match dark {
        true if !environment::prefers_dark() => Theme::Auto,
        true => Theme::Light,
        false if environment::prefers_dark() => Theme::Auto,
        false => Theme::Dark,
    };
    html! {
        <header class="top">
            <span class="brand">{ w.title }</span>
            <span class="tagline">{ w.tagline }</span>
            <div class="top-tools">
                <button type="button" aria-expanded={text_of(sharing)} onclick={onshare} data-name="share">{ w.share }</button>
                <button type="button" lang={other_code} aria-label={w.switch_language} title={w.switch_language}
                    onclick={in_place(desk, Action::Lang(Some(other)))} data-name="language">{ other_name }</button>
                <button type="button" aria-label={theme_name} title={theme_name} onclick={in_place(desk, Action::Theme(theme))} data-name="theme">
                    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" />
                        <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
                    </svg>
                </button>
            </div>
        </header>
    }
}

/// Language and theme belong to the person, not to the picture: no step of undo.
fn in_place(desk: &Desk, action: Action) -> Callback<MouseEvent> {
    let store = desk.store.clone();
    Callback::from(move |_| store.dispatch(&action, When::InPlace))
}

/// What there is to say about the settings: sentences, spoken politely when they change. Quiet ones are for scripts.
pub fn notices(desk: &Desk, snapshot: &Snapshot) -> Html {
    let w = desk.words();
    let shown = snapshot.notices.iter().enumerate().filter(|(_, notice)| notice.severity() != Severity::Quiet);
    html! {
        <div role="status" aria-live="polite"><ul class="notices">
            { for shown.map(|(at, notice)| {
                let store = desk.store.clone();
                let onclick = Callback::from(move |_: MouseEvent| store.dismiss(at));
                let quiet = notice.severity() != Severity::Warning;
                html! {
                    <li class="notice" data-is={quiet.then_some("quiet")} data-code={notice.code()}>
                        <span>{ locale::notice(desk.lang, notice) }</span>
                        <button type="button" aria-label={w.dismiss} title={w.dismiss} {onclick}>{ "×" }</button>
                    </li>
                }
            }) }
        </ul></div>
    }
}

/// What computed this and why, how fast, how large, and that nothing leaves the page.
pub fn footer(desk: &Desk, snapshot: &Snapshot) -> Html {
    let w = desk.words();
    let shape = snapshot.picture.trace.shape;
    let engine = snapshot.picture.engine;
    let why = engine_why(desk.lang, engine.why);
    let on_gpu = engine.kind == Kind::WebGpu;
    let name = if on_gpu { "WebGPU" } else { "CPU · simd128" };
    html! {
        <footer class="foot">
            <span data-name="engine">{ format!("{name} · f32{}{why} · {:.2} ms", w.colon, snapshot.elapsed_ms) }</span>
            if snapshot.waiting { <span>{ w.engine_waiting }</span> }
            if on_gpu { { comparison(desk, snapshot.difference) } }
            <span>{ format!("{} {} · {} {} · ", shape.n_q, w.tokens_unit, shape.heads, w.heads_unit) }{ "d" }<sub>{ "k" }</sub>{ format!(" {}", shape.d_k) }</span>
            <span class="last">{ w.no_network }</span>
        </footer>
    }
}

/// On demand: how far the GPU's numbers are from the CPU's.
fn comparison(desk: &Desk, difference: Option<f64>) -> Html {
    let w = desk.words();
    if let Some(difference) = difference {
        return html! { <span data-name="difference">{ format!("{}{difference:.1e}", w.engine_difference) }</span> };
    }
    let store = desk.store.clone();
    let onclick = Callback::from(move |_: MouseEvent| store.compare());
    html! { <button type="button" class="link" {onclick} data-name="compare">{ w.engine_compare }</button> }
}
