//! `window.attentionLab`: the page for scripts, consoles and embedding pages.
//!
//! A stable contract, documented in the README. Everything goes through the same validation as a link; numbers cross
//! as typed arrays, structures through serde-wasm-bindgen.

use super::api_arrays::{self, AttentionError};
use super::environment;
use super::store::{Picture, Store, When, compute_aside, compute_chosen};
use super::tasks;
use crate::attention::{Mask, Problem, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::engine::choice::flop;

use crate::insight;
use crate::locale;
use crate::state::{Notice, Settings, link};
use crate::text::decimal;
use crate::text::{Lang, Token, TokenKind, utf16_spans};
use js_sys::{Array, Function, Object, Promise, Reflect};
use serde::Serialize;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

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
    let s = store.clone();
    method1(&program, "compute", move |pairs| {
        let s = s.clone();
        promise(Box::pin(async move { compute(&s, &pairs).await }))
    });
    let s = store.clone();
    method1(&program, "attention", move |input| {
        let s = s.clone();
        promise(Box::pin(async move { attention(&s, &input).await }))
    });
    if !Reflect::has(&api, &"ready".into()).unwrap_or(false) {
        set(&api, "ready", &Promise::resolve(&JsValue::UNDEFINED));
    }
    set(&window, "attentionLab", &api);
}

/// One form of every answer that comes later: each form is code of its own.
fn promise(answer: Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>>) -> JsValue {
    future_to_promise(answer).into()
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

fn set(target: &Object, key: &str, value: &JsValue) {
    // A plain object takes every property; a frozen window would refuse, and then there is no API.
    let _ = Reflect::set(target, &key.into(), value);
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

/// A warning or notice as scripts see it.
#[derive(Serialize)]
struct Said {
    code: String,
    text: String,
}

#[derive(Serialize)]
struct TokenOut<'a> {
    text: &'a str,
    start: u32,
    end: u32,
    kind: &'static str,
}

#[derive(Serialize)]
struct HeadOut {
    name: String,
    role: Option<&'static str>,
}

fn kind_name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Bos => "bos",
        TokenKind::Word => "word",
        TokenKind::Char => "char",
        TokenKind::Punct => "punct",
        TokenKind::Chunk => "chunk",
        TokenKind::Byte { .. } => "byte",
        TokenKind::Pad => "pad",
    }
}

fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let plain = serde_wasm_bindgen::Serializer::json_compatible();
    // Plain structures of strings and numbers always serialise.
    value.serialize(&plain).unwrap_or(JsValue::UNDEFINED)
}

fn tokens_out(sentence: &str, tokens: &[Token], labels: &[String]) -> JsValue {
    let spans = utf16_spans(sentence, tokens);
    let list: Vec<TokenOut<'_>> = tokens
        .iter()
        .zip(labels)
        .zip(spans)
        .map(|((token, label), span)| TokenOut {
            text: if matches!(token.kind, TokenKind::Byte { .. }) { label } else { &token.text },
            start: span.start,
            end: span.end,
            kind: kind_name(token.kind),
        })
        .collect();
    to_js(&list)
}

fn said(lang: Lang, notices: &[Notice]) -> Vec<Said> {
    notices.iter().map(|n| Said { code: n.code().to_owned(), text: locale::notice(lang, n) }).collect()
}

fn warnings(lang: Lang, notices: &[Notice], picture: &Picture) -> JsValue {
    let mut all = said(lang, notices);
    for reading in insight::readings(&picture.trace, &picture.problem.mask) {
        if let Some(code) = warning_code(&reading) {
            all.push(Said { code: code.to_owned(), text: locale::reading(lang, &reading, &picture.labels) });
        }
    }
    to_js(&all)
}

/// Only what is wrong is a warning; that a head is uniform is a reading.
fn warning_code(reading: &insight::Reading) -> Option<&'static str> {
    match reading {
        insight::Reading::FullyMaskedRows { .. } => Some("fully_masked_rows"),
        insight::Reading::WeightLeak { .. } => Some("weight_leak"),
        insight::Reading::Saturated { .. } => Some("saturated"),
        insight::Reading::Uniform { .. } | insight::Reading::IdenticalRows { .. } => None,
    }
}

/// Keys whose values scripts read as numbers.
const NUMBERS: [&str; 10] = ["v", "heads", "dk", "seed", "h", "q", "k", "t", "bos", "pad"];

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
        if !all.contains(notice) {
            all.push(notice.clone());
        }
    }
    set(&out, "warnings", &warnings(snapshot.lang, &all, picture));
    set(&out, "notices", &to_js(&said(snapshot.lang, &notices)));
    out.into()
}

/// Pairs of key and value, as texts: `[["t", "0.5"], …]`.
fn pairs_of(pairs: &JsValue) -> Vec<(String, String)> {
    let pairs = if Array::is_array(pairs) { Array::from(pairs) } else { Array::new() };
    let pair = |pair: JsValue| {
        let pair: Array = pair.dyn_into().ok()?;
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    pairs.iter().filter_map(pair).collect()
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

/// The error of a computation that gave no answer.
fn no_answer(lang: Lang, why: &[Notice]) -> JsValue {
    match why.last() {
        Some(Notice::CannotCompute(error)) => AttentionError::of_problem(lang, error),
        Some(notice @ (Notice::NoWebGpu | Notice::NoAdapter | Notice::GpuFailed)) => {
            AttentionError::new(notice.code(), &locale::gpu_error(lang, notice))
        }
        Some(notice) => AttentionError::new(notice.code(), &locale::notice(lang, notice)),
        None => AttentionError::new("nothing_to_read", ""),
    }
}

async fn compute(store: &Store, pairs: &JsValue) -> Result<JsValue, JsValue> {
    let lang = store.snapshot().lang;
    let pairs = pairs_of(pairs);
    let (settings, mut notices) =
        link::decode_pairs(&Settings::default(), pairs.iter().map(|(k, v)| (k.as_str(), v.clone())));
    let lang = settings.lang.unwrap_or(lang);
    let computed = compute_aside(store.gpu(), &Rc::new(settings)).await;
    let (picture, elapsed_ms) = computed.map_err(|why| match why.last() {
        Some(notice @ Notice::CannotCompute(_)) => AttentionError::new(notice.code(), &locale::notice(lang, notice)),
        _ => no_answer(lang, &why),
    })?;
    notices.extend(picture.plan.notices.iter().cloned());
    let out = Object::new();
    let tokens = tokens_out(&picture.settings.sentence, picture.tokens(), &picture.labels);
    set(&out, "tokens", &tokens);
    set(&out, "keyTokens", &tokens);
    let shape = picture.trace.shape;
    let heads: Vec<HeadOut> = (0..shape.heads)
        .map(|head| {
            let role = picture.role(head);
            HeadOut {
                name: role.map_or_else(|| locale::head_name(lang, head + 1), |r| locale::role_name(lang, r).to_owned()),
                role: role.map(locale::role_code),
            }
        })
        .collect();
    set(&out, "heads", &to_js(&heads));
    trace_out(&out, &picture.trace, &["weights", "scores", "output", "entropy", "layerOutput"]);
    set(&out, "engine", &picture.engine.kind.name().into());
    set(&out, "elapsedMs", &elapsed_ms.into());
    set(&out, "warnings", &warnings(lang, &notices, &picture));
    Ok(out.into())
}

fn trace_out(out: &Object, trace: &Trace<f32>, want: &[&str]) {
    let Some(layer) = trace.top() else { return };
    for &name in want {
        let array = match name {
            "weights" => layer.weights.get().map(api_arrays::array_out),
            "scores" => layer.masked.get().map(api_arrays::array_out),
            "output" => layer.head_output.get().map(api_arrays::array_out),
            "layerOutput" => layer.output.get().map(api_arrays::array_out),
            "entropy" => Some(api_arrays::array_out(&layer.rows.entropy)),
            _ => None,
        };
        if let Some(array) = array {
            set(out, name, &array);
        }
    }
}

/// The stages behind the names of a `want`.
fn wanted(names: &[String]) -> Want {
    let stage = |name: &String| match name.as_str() {
        "weights" => Some(Stage::Weights),
        "scores" => Some(Stage::Masked),
        "output" => Some(Stage::HeadOutput),
        _ => None, // statistics are always computed
    };
    Want::only(&names.iter().filter_map(stage).collect::<Vec<_>>())
}

async fn attention(store: &Store, input: &JsValue) -> Result<JsValue, JsValue> {
    let lang = store.snapshot().lang;
    let request = api_arrays::request(lang, input)?;
    let ((heads, n_q, d_k), (_, n_k, d_v)) = (request.q.dim(), request.v.dim());
    let shape = Shape { heads, n_q, n_k, d_k, d_v, d_model: 0 };
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let scale = request.scale.unwrap_or_else(|| 1.0 / (request.q.dim().2 as f32).sqrt());
    let problem = Problem {
        source: Source::Given { q: request.q, k: request.k, v: request.v },
        scale,
        temperature: request.temperature,
        mask: Mask { causal: request.causal, given: request.given, bias: request.bias, ..Mask::none() },
    };
    let work = flop(&shape);
    let start = environment::now_ms();
    let computed = compute_chosen(store.gpu(), &problem, work, request.engine, &wanted(&request.want)).await;
    let (trace, choice) = computed.map_err(|why| no_answer(lang, &why))?;
    let elapsed_ms = environment::now_ms() - start;
    let out = Object::new();
    let want: Vec<&str> = request.want.iter().map(String::as_str).collect();
    trace_out(&out, &trace, &want);
    let labels: Vec<String> = (0..trace.shape.n_q).map(|i| i.to_string()).collect();
    let closed: Vec<Said> = insight::fully_masked_rows(&trace)
        .map(|reading| Said { code: "fully_masked_rows".to_owned(), text: locale::reading(lang, &reading, &labels) })
        .into_iter()
        .collect();
    set(&out, "warnings", &to_js(&closed));
    set(&out, "engine", &choice.kind.name().into());
    set(&out, "elapsedMs", &elapsed_ms.into());
    Ok(out.into())
}
