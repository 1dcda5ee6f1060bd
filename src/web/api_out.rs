//! What scripts get: notices, tokens and warnings as plain values.

use super::store::Picture;
use crate::insight;
use crate::locale;
use crate::state::Notice;
use crate::text::{Lang, Token, TokenKind, utf16_spans};
use js_sys::{Array, Object, Reflect};
use serde::Serialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

/// Sets a property of an object of ours.
pub fn set(target: &Object, key: &str, value: &JsValue) {
    // A plain object takes every property; a frozen window would refuse, and then there is no API.
    let _ = Reflect::set(target, &key.into(), value);
}

/// A warning or notice as scripts see it.
#[derive(Serialize)]
pub struct Said {
    /// Its stable name.
    pub code: String,
    /// A sentence.
    pub text: String,
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

/// Notices and warnings as a list of plain objects.
pub fn list_of(all: &[Said]) -> JsValue {
    let list = Array::new();
    for said in all {
        let object = Object::new();
        set(&object, "code", &said.code.as_str().into());
        set(&object, "text", &said.text.as_str().into());
        list.push(&object);
    }
    list.into()
}

/// The tokens of a sentence, with their places in it.
pub fn tokens_out(sentence: &str, tokens: &[Token], labels: &[String]) -> JsValue {
    let spans = utf16_spans(sentence, tokens);
    let list = Array::new();
    for ((token, label), span) in tokens.iter().zip(labels).zip(spans) {
        let text: &str = if matches!(token.kind, TokenKind::Byte { .. }) { label } else { &token.text };
        let object = Object::new();
        set(&object, "text", &text.into());
        set(&object, "start", &span.start.into());
        set(&object, "end", &span.end.into());
        set(&object, "kind", &kind_name(token.kind).into());
        list.push(&object);
    }
    list.into()
}

/// Notices as scripts see them.
pub fn said(lang: Lang, notices: &[Notice]) -> Vec<Said> {
    notices.iter().map(|n| Said { code: n.code().to_owned(), text: locale::notice(lang, n) }).collect()
}

/// Notices and what is wrong with the numbers.
pub fn warnings(lang: Lang, notices: &[Notice], picture: &Picture) -> JsValue {
    let mut all = said(lang, notices);
    for reading in insight::readings(&picture.trace, &picture.problem.mask) {
        if let Some(code) = warning_code(&reading) {
            all.push(Said { code: code.to_owned(), text: locale::reading(lang, &reading, &picture.labels) });
        }
    }
    list_of(&all)
}

/// Only what is wrong is a warning; that a head is uniform is a reading.
pub fn warning_code(reading: &insight::Reading) -> Option<&'static str> {
    match reading {
        insight::Reading::FullyMaskedRows { .. } => Some("fully_masked_rows"),
        insight::Reading::WeightLeak { .. } => Some("weight_leak"),
        insight::Reading::Saturated { .. } => Some("saturated"),
        insight::Reading::Uniform { .. }
        | insight::Reading::IdenticalRows { .. }
        | insight::Reading::IdleMask { .. } => None,
    }
}

/// Pairs of key and value, as texts: `[["t", "0.5"], …]`.
pub fn pairs_of(pairs: &JsValue) -> Vec<(String, String)> {
    let pairs = if Array::is_array(pairs) { Array::from(pairs) } else { Array::new() };
    let pair = |pair: JsValue| {
        let pair: Array = pair.dyn_into().ok()?;
        Some((pair.get(0).as_string()?, pair.get(1).as_string()?))
    };
    pairs.iter().filter_map(pair).collect()
}
