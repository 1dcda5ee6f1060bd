//! The only browser code: it interprets what the other rooms describe.
//!
//! Owns the store, the components, the painters, the address and the JavaScript API. One file reads `window`
//! (`environment`), one spawns futures (`tasks`). Nothing imports this room but `main`.

pub mod api;
mod api_arrays;
pub mod api_aside;
mod api_out;
pub mod components;
pub mod document;
pub mod environment;
pub mod gpu;
pub mod gpu_client;
mod history;
mod hooks;
pub mod paint;
pub mod renders;
pub mod segmenter;
pub mod shared;
pub mod store;
pub mod tasks;

use gloo::events::EventListener;

/// Opens the store, mounts the page into the document's body, and puts the JavaScript API on the window.
pub fn mount() {
    let store = store::Store::open();
    api::install(&store);
    listen(&store);
    let painted = store.clone();
    yew::Renderer::<components::App>::with_props(components::AppProps { store }).render();
    tasks::when_painted(
        move || painted.is_painted(),
        || {
            environment::mark("first-picture");
            api::announce();
        },
    );
}

/// The browser's own events that change the state: its history, its colour scheme.
fn listen(store: &store::Store) {
    let Some(window) = environment::window() else { return };
    for name in ["popstate", "hashchange"] {
        let store = store.clone();
        EventListener::new(&window, name, move |_| store.address_moved()).forget();
    }
    let store = store.clone();
    if let Some(listener) = environment::on_scheme_change(move || store.scheme_changed()) {
        listener.forget();
    }
}
