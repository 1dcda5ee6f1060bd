//! The module's memory: arrays one after the other, given back all at once or down to a mark.

use core::arch::wasm32::{memory_grow, memory_size};
use core::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    /// The linker's symbol for where the module's own data end.
    static __heap_base: u8;
}

const PAGE: usize = 65_536;
/// A cache line.
const ALIGN: usize = 64;

/// The first free address; 0 before the first reservation.
static FREE: AtomicUsize = AtomicUsize::new(0);

/// The first free address: a mark to release down to.
#[unsafe(no_mangle)]
pub extern "C" fn mark() -> usize {
    match FREE.load(Ordering::Relaxed) {
        0 => (&raw const __heap_base).addr().next_multiple_of(ALIGN),
        free => free,
    }
}

/// Gives back everything that was reserved since `mark` returned `to`.
#[unsafe(no_mangle)]
pub extern "C" fn release(to: usize) {
    FREE.store(to, Ordering::Relaxed);
}

/// The address of `bytes` new bytes, aligned to 64; 0 when the browser has no more memory to give. Views of `memory` made
/// before may be detached.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> usize {
    let start = mark();
    let Some(end) = start.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(ALIGN)) else { return 0 };
    let missing = end.saturating_sub(memory_size::<0>() * PAGE).div_ceil(PAGE);
    if missing > 0 && memory_grow::<0>(missing) == usize::MAX {
        return 0;
    }
    FREE.store(end, Ordering::Relaxed);
    start
}
