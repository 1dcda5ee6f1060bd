//! Browser tests (wasm-bindgen-test, headless Chromium). The engine's run on the host too, against the same table.

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

mod engine;
mod twin;

#[cfg(target_arch = "wasm32")]
mod platform;
