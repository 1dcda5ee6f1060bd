//! The browser's word segmenter, which only proposes: what it finds is taken over into the settings while typing.

use crate::text::{AddedWord, FeatureSet};
use js_sys::{Array, Object, Reflect};
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

/// Words of two or more characters that the browser sees inside `stretch`; none where it has no segmenter.
pub fn propose(stretch: &str) -> Vec<AddedWord> {
    words(stretch).unwrap_or_default()
}

fn words(stretch: &str) -> Result<Vec<AddedWord>, JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"granularity".into(), &"word".into())?;
    let segments = Segmenter::new("zh", &options)?.segment(stretch)?;
    let mut found = Vec::new();
    for segment in Array::from(&segments) {
        let word = Reflect::get(&segment, &"segment".into())?.as_string().unwrap_or_default();
        let is_word = Reflect::get(&segment, &"isWordLike".into())?.is_truthy();
        if is_word && word.chars().nth(1).is_some() {
            found.push(AddedWord { text: word.into(), features: FeatureSet::EMPTY, split: false });
        }
    }
    Ok(found)
}
