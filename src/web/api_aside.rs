//! `attentionLab.compute` and `attentionLab.attention`: numbers for scripts, without touching the page.
//!
//! They make a program of their own (`src/bin/lab.rs`), which the page loads when one of them is first called, because a
//! visitor who only looks needs neither.

use super::api_arrays::{self, AttentionError};
use super::api_out::{Said, pairs_of, set, tokens_out, warnings};
use super::environment;
use super::gpu_client::GpuClient;
use super::store::{compute_aside, compute_chosen};
use crate::attention::{Mask, Problem, Shape, Source, Stage, Trace};
use crate::engine::Want;
use crate::engine::choice::flop;
use crate::insight;
use crate::locale;
use crate::state::{Notice, Settings, link};
use crate::text::Lang;
use js_sys::Object;
use serde::Serialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

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

/// Attention of given arrays.
///
/// # Errors
/// An `AttentionError`: what is wrong with the request, or why it can't be computed.
pub async fn attention(gpu: &GpuClient, lang: Lang, input: &JsValue) -> Result<JsValue, JsValue> {
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
        method: None,
    };
    let work = flop(&shape);
    let start = environment::now_ms();
    let computed = compute_chosen(gpu, &problem, work, request.engine, &wanted(&request.want)).await;
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
