//! Counts how often each component renders, so that tests can see what a change costs; nothing of it is in a release.

#[cfg(debug_assertions)]
use std::{cell::RefCell, collections::BTreeMap};

#[cfg(debug_assertions)]
thread_local! {
    static COUNTS: RefCell<BTreeMap<&'static str, u32>> = const { RefCell::new(BTreeMap::new()) };
}

/// The component of this name renders once more.
#[inline]
pub fn count(component: &'static str) {
    #[cfg(debug_assertions)]
    COUNTS.with_borrow_mut(|counts| *counts.entry(component).or_default() += 1);
    #[cfg(not(debug_assertions))]
    let _ = component;
}

/// How often each component rendered since this was last asked; those that did not are left out.
#[cfg(debug_assertions)]
pub fn take() -> BTreeMap<&'static str, u32> {
    COUNTS.take()
}
