//! `attentionLab.compute` and `attentionLab.attention`: numbers for scripts, without touching the page.
//!
//! They make a program of their own (`src/bin/lab.rs`), which the page loads when one of them is first called, because a
//! visitor who only looks needs neither.

use super::api_arrays::{self, Answer, AttentionError, Request, Wanted, array_out};
use super::api_out::{Said, list_of, pairs_of, set, tokens_out, warnings};
use super::environment;
use super::gpu_client::GpuClient;
use super::store::{compute_aside, compute_chosen};
use crate::attention::{Mask, Problem, ProblemError, Shape, Source, Stage, Trace};
use crate::engine::choice::{Choice, Kind, choose, flop};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, Generation, Want};
use crate::insight;
use crate::locale;
use crate::state::{Notice, Settings, link};
use crate::text::Lang;
use js_sys::Object;
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    let plain = serde_wasm_bindgen::Serializer::json_compatible();
    // Plain structures of strings and numbers always serialise.
    value.serialize(&plain).unwrap_or(JsValue::UNDEFINED)
}

#[derive(Serialize)]
struct HeadOut {
    name: String,
    role: Option<&'static str>,
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

/// Computes the settings of a link, given as pairs of texts.
///
/// # Errors
/// An `AttentionError`: why there is nothing to compute.
pub async fn compute(gpu: &GpuClient, lang: Lang, pairs: &JsValue) -> Result<JsValue, JsValue> {
    let pairs = pairs_of(pairs);
    let (settings, mut notices) =
        link::decode_pairs(&Settings::default(), pairs.iter().map(|(k, v)| (k.as_str(), v.clone())));
    let lang = settings.lang.unwrap_or(lang);
    let computed = compute_aside(gpu, &Rc::new(settings)).await;
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
    let arrays = Answer::from(out.clone());
    trace_out(&arrays, &picture.trace, &[Wanted::Weights, Wanted::Scores, Wanted::Output, Wanted::Entropy]);
    if let Some(output) = picture.trace.top().and_then(|layer| layer.output.get()) {
        set(&out, "layerOutput", &array_out(output));
    }
    set(&out, "engine", &api_arrays::name_of(picture.engine.kind));
    set(&out, "elapsedMs", &elapsed_ms.into());
    set(&out, "warnings", &warnings(lang, &notices, &picture));
    Ok(out.into())
}

fn trace_out(out: &Answer, trace: &Trace<f32>, want: &[Wanted]) {
    let Some(layer) = trace.top() else { return };
    for wanted in want {
        let array = match wanted {
            Wanted::Weights => layer.weights.get().map(array_out),
            Wanted::Scores => layer.masked.get().map(array_out),
            Wanted::Output => layer.head_output.get().map(array_out),
            Wanted::Entropy => Some(array_out(&layer.rows.entropy)),
        };
        let Some(array) = array else { continue };
        match wanted {
            Wanted::Weights => out.set_weights(&array),
            Wanted::Scores => out.set_scores(&array),
            Wanted::Output => out.set_output(&array),
            Wanted::Entropy => out.set_entropy(&array),
        }
    }
}

/// The stages behind the names of a `want`.
fn stages(want: &[Wanted]) -> Want {
    let stage = |wanted: &Wanted| match wanted {
        Wanted::Weights => Some(Stage::Weights),
        Wanted::Scores => Some(Stage::Masked),
        Wanted::Output => Some(Stage::HeadOutput),
        Wanted::Entropy => None, // statistics are always computed
    };
    let mut all = [Stage::Weights; 4];
    let mut count = 0;
    for (stage, place) in want.iter().filter_map(stage).zip(&mut all) {
        *place = stage;
        count += 1;
    }
    Want::only(&all[..count])
}

/// Attention of given arrays: the answer, or a promise of it where a GPU is to compute.
///
/// # Errors
/// An `AttentionError`: what is wrong with the request, or why it can't be computed.
pub fn attention(gpu: &GpuClient, lang: Lang, input: &JsValue) -> Result<JsValue, JsValue> {
    let Request { q, k, v, given, bias, causal, scale, temperature, engine, want } = api_arrays::request(lang, input)?;
    let ((heads, n_q, d_k), (_, n_k, d_v)) = (q.dim(), v.dim());
    let work = flop(&Shape { heads, n_q, n_k, d_k, d_v, d_model: 0 });
    #[expect(clippy::cast_precision_loss, reason = "widths are small")]
    let scale = scale.unwrap_or_else(|| 1.0 / (d_k as f32).sqrt());
    let mask = Mask { causal, given, bias, ..Mask::none() };
    let problem = Problem { source: Source::Given { q, k, v }, scale, temperature, mask, method: None };
    let choice = choose(engine, work, gpu.known());
    let start = environment::now_ms();
    if choice.kind == Kind::Cpu && !choice.is_denied(engine) {
        // At once: a turn of the event loop takes longer than a small problem.
        return ENGINE.with_borrow_mut(|engine| {
            let trace = on_cpu(engine, &problem, &stages(&want));
            let elapsed_ms = environment::now_ms() - start;
            let trace = trace.map_err(|error| AttentionError::of_problem(lang, &error))?;
            let answer = answer(lang, &problem, &trace, &want, choice, elapsed_ms);
            engine.recycle(trace);
            Ok(answer)
        });
    }
    let gpu = gpu.clone();
    let later = future_to_promise(async move {
        let computed = compute_chosen(&gpu, &problem, work, engine, &stages(&want)).await;
        let (trace, choice) = computed.map_err(|why| no_answer(lang, &why))?;
        Ok(answer(lang, &problem, &trace, &want, choice, environment::now_ms() - start))
    });
    Ok(later.into())
}

thread_local! {
    /// Keeps no numbers between calls, only memory.
    static ENGINE: RefCell<CpuEngine> = RefCell::new(CpuEngine::keeping(0));
}

fn on_cpu(engine: &mut CpuEngine, problem: &Problem, want: &Want) -> Result<Rc<Trace<f32>>, ProblemError> {
    let mut trace = None;
    engine.run(problem, want, Generation(0), &mut |answer| trace = Some(answer.trace))?;
    // An engine without an error has answered.
    trace.ok_or(ProblemError::Empty { what: "answer" })
}

fn answer(
    lang: Lang,
    problem: &Problem,
    trace: &Trace<f32>,
    want: &[Wanted],
    choice: Choice,
    elapsed_ms: f64,
) -> JsValue {
    let out = Answer::from(Object::new());
    trace_out(&out, trace, want);
    // Without a mask every row has a key.
    let closed = if problem.mask.is_none() { None } else { insight::fully_masked_rows(trace) };
    let closed = closed.map(|reading| {
        let labels: Vec<String> = (0..trace.shape.n_q).map(|i| i.to_string()).collect();
        Said { code: "fully_masked_rows".to_owned(), text: locale::reading(lang, &reading, &labels) }
    });
    out.set_warnings(&list_of(closed.as_slice()));
    out.set_engine(&api_arrays::name_of(choice.kind));
    out.set_elapsed_ms(elapsed_ms);
    out.into()
}
