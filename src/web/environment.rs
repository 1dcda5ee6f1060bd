//! The one file that reads `window`: document, preferences, clock, storage, address.
//!
//! Every question has an answer even where the browser denies it (no storage, no media queries): nothing here panics.

use crate::text::Lang;
use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, MediaQueryList, Storage, Window};

/// The window, when there is one.
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The document, when there is one.
pub fn document() -> Option<Document> {
    window()?.document()
}

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since navigation, to the browser's precision.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub fn now_ms() -> f64;
}

/// Device pixels per CSS pixel, between 1 and 4.
pub fn pixel_ratio() -> f64 {
    let ratio = window().map_or(1.0, |w| w.device_pixel_ratio());
    if ratio.is_finite() { ratio.clamp(1.0, 4.0) } else { 1.0 }
}

/// Height of the view in CSS pixels.
pub fn view_height() -> f64 {
    window().and_then(|w| w.inner_height().ok()).and_then(|h| h.as_f64()).unwrap_or(800.0)
}

/// The browser's preferred language of the two: Chinese when its first language is Chinese, else English.
pub fn browser_lang() -> Lang {
    let first = window().and_then(|w| w.navigator().language()).unwrap_or_default();
    if first.to_ascii_lowercase().starts_with("zh") { Lang::Zh } else { Lang::En }
}

/// Whether the system asks for a dark page.
pub fn prefers_dark() -> bool {
    dark_query().is_some_and(|query| query.matches())
}

/// Calls `changed` whenever the system switches between light and dark; until the listener is dropped.
pub fn on_scheme_change(changed: impl Fn() + 'static) -> Option<EventListener> {
    Some(EventListener::new(dark_query()?.as_ref(), "change", move |_| changed()))
}

fn dark_query() -> Option<MediaQueryList> {
    window()?.match_media("(prefers-color-scheme: dark)").ok()?
}

/// The fragment of the address, without `#`.
pub fn fragment() -> String {
    let hash = window().and_then(|w| w.location().hash().ok()).unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

/// The address without its fragment.
pub fn address() -> String {
    let href = window().and_then(|w| w.location().href().ok()).unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// A remembered preference; `None` where nothing is remembered or storage is denied.
pub fn remembered(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Remembers a preference where storage allows it.
pub fn remember(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // Denied or full storage only means that the preference is not kept.
        let _ = storage.set_item(key, value);
    }
}

fn storage() -> Option<Storage> {
    window()?.local_storage().ok()?
}

/// Sets language and theme on the root element, and the document's title.
pub fn dress_document(lang: Lang, dark: bool, title: &str) {
    let Some(document) = document() else { return };
    document.set_title(title);
    if let Some(root) = document.document_element() {
        // Setting a plain attribute of an HTML element can't fail.
        let _ = root.set_attribute("lang", if lang == Lang::Zh { "zh-CN" } else { "en" });
        let _ = root.set_attribute("data-theme", if dark { "dark" } else { "light" });
    }
}

/// Whether the keyboard focus is in something that takes text.
pub fn typing() -> bool {
    let focused: Option<Element> = document().and_then(|d| d.active_element());
    focused
        .is_some_and(|element| matches!(element.tag_name().as_str(), "TEXTAREA" | "SELECT") || is_text_input(&element))
}

fn is_text_input(element: &Element) -> bool {
    element.dyn_ref::<web_sys::HtmlInputElement>().is_some_and(|input| input.type_() != "range")
}

/// Puts `text` on the clipboard; `false` where the browser refuses.
pub async fn copy_text(text: &str) -> bool {
    let Some(clipboard) = window().map(|w| w.navigator().clipboard()) else { return false };
    if clipboard.is_undefined() {
        // Browsers have no clipboard on pages that are not served securely.
        return false;
    }
    wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// Whether the keyboard focus is on the page itself and on nothing in it.
pub fn nothing_focused() -> bool {
    let focused = document().and_then(|d| d.active_element());
    focused.is_none_or(|element| matches!(element.tag_name().as_str(), "BODY" | "HTML"))
}

/// Sets a mark in the browser's performance timeline.
pub fn mark(name: &str) {
    if let Some(clock) = window().and_then(|w| w.performance()) {
        // Marks with plain names are never refused.
        let _ = clock.mark(name);
    }
}
