//! The browser's word segmenter, which only proposes: what it finds is taken over into the settings while typing.

use crate::text::{AddedWord, byte_span, edit};
use js_sys::{Array, Object, Reflect};
use std::ops::Range;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = Intl)]
    type Segmenter;
    #[wasm_bindgen(constructor, js_namespace = Intl, catch)]
    fn new(locale: &str, options: &JsValue) -> Result<Segmenter, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn segment(this: &Segmenter, text: &str) -> Result<JsValue, JsValue>;
}

/// Words that the browser sees where the lexicon and `words` know none; nothing where it has no segmenter.
pub fn propose(text: &str, words: &[AddedWord]) -> Vec<AddedWord> {
    if edit::unknown_stretches(text, words).is_empty() {
        return Vec::new();
    }
    let segments = segments(text).unwrap_or_default();
    edit::propose(text, &segments, words)
}

/// The byte ranges of what the browser takes for words.
fn segments(text: &str) -> Result<Vec<Range<usize>>, JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"granularity".into(), &"word".into())?;
    let segments = Segmenter::new("zh", &options)?.segment(text)?;
    let mut found = Vec::new();
    let mut start = 0;
    for segment in Array::from(&segments) {
        let word: js_sys::JsString = Reflect::get(&segment, &"segment".into())?.unchecked_into();
        let end = start + word.length();
        if Reflect::get(&segment, &"isWordLike".into())?.is_truthy() {
            found.extend(byte_span(text, start..end));
        }
        start = end;
    }
    Ok(found)
}
