//! The view on a long text: a program of its own, loaded when a text is opened, and the worker that computes for it.
//!
//! Owns its components, the worker and the wire between them. The page's own program is another one: the two share the
//! document's language and theme, the address, and nothing in memory.

mod client;
mod colours;
mod labels;
mod paint;
mod panel;
mod parts;
mod protocol;
mod reader;
mod update;
mod worker;

pub use worker::serve;

use super::environment;
use gloo::events::EventListener;
use reader::{Msg, Reader, ReaderProps};
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlLinkElement};
use yew::html::Scope;

/// The element that holds the view, beside the page's own.
const HOLDER: &str = "long-text";

thread_local! {
    static OPEN: RefCell<Option<Scope<Reader>>> = const { RefCell::new(None) };
}

/// Opens the view: on `text`, or on what the address asks for. `base` is the folder of the module's files, with a slash;
/// `worker` is the worker's script.
pub fn open(base: String, worker: String, text: Option<String>) {
    let opened = OPEN.with_borrow(Clone::clone);
    if let Some(reader) = opened {
        reader.send_message(match text {
            Some(text) => Msg::Given(text),
            None => Msg::AddressMoved,
        });
        return;
    }
    let Some(document) = environment::document() else { return };
    let Some(body) = document.body() else { return };
    let (Ok(holder), Ok(style)) = (document.create_element("div"), document.create_element("link")) else { return };
    holder.set_id(HOLDER);
    if let Some(style) = style.dyn_ref::<HtmlLinkElement>() {
        style.set_rel("stylesheet");
        style.set_href(&format!("{base}document.css"));
    }
    // Appending a new element to a living one can't fail.
    let _ = document.head().map(|head| head.append_child(&style));
    let _ = body.append_child(&holder);
    let mounted = std::rc::Rc::new(std::cell::Cell::new(false));
    // The view is drawn when its styles are there, so that nothing jumps; without them it is drawn all the same.
    for event in ["load", "error"] {
        let (base, worker) = (base.clone(), worker.clone());
        let (text, holder, mounted) = (text.clone(), holder.clone(), mounted.clone());
        EventListener::once(&style, event, move |_| {
            if !mounted.replace(true) {
                mount(&holder, base, worker, text);
            }
        })
        .forget();
    }
}

fn mount(holder: &Element, base: String, worker: String, text: Option<String>) {
    set_page_aside(true);
    let props = ReaderProps { base, worker, text };
    let handle = yew::Renderer::<Reader>::with_root_and_props(holder.clone(), props).render();
    OPEN.replace(Some((*handle).clone()));
}

/// Shows the page's own parts again, or sets them aside while the view is open.
fn set_page_aside(aside: bool) {
    let root = environment::document().and_then(|document| document.document_element());
    if let Some(root) = root {
        // A plain attribute of an HTML element can't fail.
        let _ = if aside { root.set_attribute("data-long-text", "") } else { root.remove_attribute("data-long-text") };
    }
}
