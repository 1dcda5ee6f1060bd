//! Browser tests (wasm-bindgen-test, headless Chromium). The engine's run on the host too, against the same table.

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

#[path = "../conformance/mod.rs"]
mod conformance;
mod engine;
mod twin;

#[cfg(target_arch = "wasm32")]
mod components;
#[cfg(target_arch = "wasm32")]
mod grid;
#[cfg(target_arch = "wasm32")]
mod history;
#[cfg(target_arch = "wasm32")]
mod ime;
#[cfg(target_arch = "wasm32")]
mod leak;
#[cfg(target_arch = "wasm32")]
mod page;
#[cfg(target_arch = "wasm32")]
mod paint;
#[cfg(target_arch = "wasm32")]
mod platform;
// Renderings are counted in development builds only.
#[cfg(all(target_arch = "wasm32", debug_assertions))]
mod renders;
#[cfg(target_arch = "wasm32")]
mod segmenter;
#[cfg(target_arch = "wasm32")]
mod watch;
#[cfg(target_arch = "wasm32")]
mod webgpu;
