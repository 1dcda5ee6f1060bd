//! The kernel as a WebAssembly module of its own: no imports, its own memory, plain numbers across the border.
//!
//! For plain workers, which each take some heads or rows, and for builds with other instructions than the page's (relaxed
//! SIMD). Who calls places arrays with `reserve`, fills them through `memory`, and calls; every function says which arrays it
//! reads and writes. Owns only that border: the computation is the crate `attention-kernel`'s. Elsewhere than in
//! WebAssembly it is empty.

#![cfg_attr(target_arch = "wasm32", no_std)]
#![expect(unsafe_code, reason = "arrays come as addresses in the module's memory")]

#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
mod memory;

#[cfg(target_arch = "wasm32")]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Not empty elsewhere, so that the lint's exception is never without cause.
#[cfg(not(target_arch = "wasm32"))]
#[unsafe(no_mangle)]
extern "C" fn only_for_webassembly() {}
