//! What the page relies on in the compiled program.

use wasm_bindgen_test::wasm_bindgen_test;

/// An environment RUSTFLAGS would replace the flags of .cargo/config.toml, and the speed would vanish without a word.
#[wasm_bindgen_test]
fn simd128_is_compiled_in() {
    let compiled_in: &[&str] = &[
        #[cfg(target_feature = "simd128")]
        "simd128",
    ];
    assert_eq!(compiled_in, ["simd128"]);
}
