//! `window.attentionLab`: the page for scripts, consoles and embedding pages.
//!
//! A stable contract, documented in the README. Everything goes through the same validation as a link; numbers cross
//! as typed arrays. What computes without touching the page is `api_aside`'s.

use super::api_out::{list_of, pairs_of, said, set, tokens_out, warnings};
use super::environment;
use super::store::{Store, When};
use super::tasks;
use crate::locale;
use crate::state::{Notice, link};
use crate::text::{Lang, decimal};
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// The version of the page and of this contract.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Puts the methods of `attentionLab` on the window.
pub fn install(store: &Store) {
    let Some(window) = environment::window() else { return };
    // static/start.js made the object, so that scripts can wait for `ready` while the program is still loading.
    let early = Reflect::get(&window, &"attentionLab".into()).ok().and_then(|api| api.dyn_into::<Object>().ok());
    let api = early.unwrap_or_default();
    set(&api, "version", &VERSION.into());
    let s = store.clone();
    method0(&api, "state", move || state(&s));
    // The methods that take an argument stand behind start.js, which makes plain values of what a caller gives.
    let program = Reflect::get(&api, &"program".into()).ok().and_then(|program| program.dyn_into::<Object>().ok());
    let program = program.unwrap_or_else(|| api.clone());
    let s = store.clone();
    method1(&program, "apply", move |pairs| apply(&s, &pairs).into());
    if !Reflect::has(&api, &"ready".into()).unwrap_or(false) {
        set(&api, "ready", &Promise::resolve(&JsValue::UNDEFINED));
    }
    set(&window, "attentionLab", &api);
}

/// Resolves `attentionLab.ready`: the first picture stands.
pub fn announce() {
    let Some(window) = environment::window() else { return };
    let Ok(api) = Reflect::get(&window, &"attentionLab".into()) else { return };
    let started = Reflect::get(&api, &"started".into()).ok();
    if let Some(resolve) = started.and_then(|started| started.dyn_into::<Function>().ok()) {
        // A resolver takes every value, and it is no part of the contract.
        let _ = resolve.call0(&JsValue::UNDEFINED);
        for name in ["started", "program"] {
            let _ = Reflect::delete_property(api.unchecked_ref::<Object>(), &name.into());
        }
    }
}

fn method0(target: &Object, name: &str, body: impl Fn() -> JsValue + 'static) {
    let closure = Closure::<dyn Fn() -> JsValue>::new(body);
    set(target, name, closure.as_ref());
    // The API lives as long as the page.
    closure.forget();
}

fn method1(target: &Object, name: &str, body: impl Fn(JsValue) -> JsValue + 'static) {
    let closure = Closure::<dyn Fn(JsValue) -> JsValue>::new(body);
    set(target, name, closure.as_ref());
    closure.forget();
}

/// Keys whose values scripts read as numbers.
const NUMBERS: [&str; 18] = [
    "v", "heads", "dk", "seed", "h", "q", "k", "t", "bos", "pad", "prefix", "window", "stride", "block", "global",
    "tau", "draw", "bias",
];

fn state(store: &Store) -> JsValue {
    state_with(store, Vec::new())
}

fn state_with(store: &Store, notices: Vec<Notice>) -> JsValue {
    let snapshot = store.snapshot();
    let out = Object::new();
    for (key, value) in link::pairs(snapshot.settings()) {
        let number = NUMBERS.contains(&key).then(|| decimal(&value)).flatten();
        set(&out, key, &number.map_or_else(|| JsValue::from(value), JsValue::from));
    }
    let picture = &snapshot.picture;
    // What the page shows, where a link would leave it to the browser.
    set(&out, "lang", &if snapshot.lang == Lang::Zh { "zh" } else { "en" }.into());
    set(&out, "tokens", &tokens_out(&picture.settings.sentence, picture.tokens(), &picture.labels));
    set(&out, "engineInUse", &picture.engine.kind.name().into());
    set(&out, "engineWhy", &locale::engine_why(snapshot.lang, picture.engine.why).into());
    set(&out, "elapsedMs", &snapshot.elapsed_ms.into());
    set(&out, "current", &snapshot.current.into());
    let mut all: Vec<Notice> = snapshot.notices.to_vec();
    for notice in &notices {
        if all.iter().all(|said| said.code() != notice.code()) {
            all.push(notice.clone());
        }
    }
    set(&out, "warnings", &warnings(snapshot.lang, &all, picture));
    set(&out, "notices", &list_of(&said(snapshot.lang, &notices)));
    out.into()
}

fn apply(store: &Store, pairs: &JsValue) -> Promise {
    let pairs = pairs_of(pairs);
    let base = store.snapshot().settings().clone();
    let (settings, notices) = link::decode_pairs(&base, pairs.iter().map(|(k, v)| (k.as_str(), v.clone())));
    store.replace(settings, notices.clone(), When::Done);
    let shown = store.clone();
    when_drawn(store, move || state_with(&shown, notices))
}

/// Resolves, when the latest picture is painted, to what `value` then is.
fn when_drawn(store: &Store, value: impl FnOnce() -> JsValue + 'static) -> Promise {
    let value = std::cell::RefCell::new(Some(value));
    Promise::new(&mut |resolve: Function, _| {
        let Some(value) = value.take() else { return };
        let store = store.clone();
        let resolve = move || {
            // A resolver takes every value.
            let _ = resolve.call1(&JsValue::UNDEFINED, &value());
        };
        tasks::when_painted(move || store.is_painted(), resolve);
    })
}
