//! Undo and redo are the browser's back and forward: committed changes are pushed, changes in motion only replace.
//!
//! Owns the address: nobody else writes it. While a control is dragged the address follows at a calm pace (browsers
//! refuse floods); on commit the entry that the drag started from is restored first, so that *back* returns to it.

use super::environment;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsValue;

/// At most one replacement of the address in this many milliseconds.
const CALM_MS: u32 = 250;

#[derive(Default)]
struct Inner {
    /// The fragment of the last committed state.
    committed: String,
    /// What stands in the address now.
    written: String,
    /// What a pending timer will write.
    waiting: Option<String>,
    timer: Option<Timeout>,
    /// An embedded page only ever replaces.
    replace_only: bool,
}

/// Writes the page's state into the address.
#[derive(Clone, Default)]
pub struct Address(Rc<RefCell<Inner>>);

impl Address {
    /// Starts from the address as it stands.
    pub fn new(replace_only: bool) -> Self {
        let fragment = environment::fragment();
        Self(Rc::new(RefCell::new(Inner {
            committed: fragment.clone(),
            written: fragment,
            replace_only,
            ..Inner::default()
        })))
    }

    /// The state is in motion (a slider is dragged): the address follows soon.
    pub fn drag(&self, fragment: String) {
        let mut inner = self.0.borrow_mut();
        inner.waiting = Some(fragment);
        if inner.timer.is_none() {
            let this = self.clone();
            inner.timer = Some(Timeout::new(CALM_MS, move || this.flush()));
        }
    }

    /// The state is committed: one step of undo.
    pub fn commit(&self, fragment: String) {
        let mut inner = self.0.borrow_mut();
        inner.timer = None;
        inner.waiting = None;
        if fragment == inner.committed {
            if inner.written != fragment {
                write(&fragment, true);
                inner.written = fragment;
            }
            return;
        }
        if inner.replace_only {
            write(&fragment, true);
        } else {
            if inner.written != inner.committed {
                write(&inner.committed, true);
            }
            write(&fragment, false);
        }
        inner.written.clone_from(&fragment);
        inner.committed = fragment;
    }

    /// The state is committed without a step of undo: the present entry takes it.
    pub fn commit_in_place(&self, fragment: String) {
        let mut inner = self.0.borrow_mut();
        inner.timer = None;
        inner.waiting = None;
        write(&fragment, true);
        inner.written.clone_from(&fragment);
        inner.committed = fragment;
    }

    /// The browser moved in its history, or a person edited the address: what stands there is committed.
    pub fn moved(&self) -> String {
        let fragment = environment::fragment();
        let mut inner = self.0.borrow_mut();
        inner.timer = None;
        inner.waiting = None;
        inner.written.clone_from(&fragment);
        inner.committed.clone_from(&fragment);
        fragment
    }

    fn flush(&self) {
        let mut inner = self.0.borrow_mut();
        inner.timer = None;
        if let Some(fragment) = inner.waiting.take()
            && fragment != inner.written
        {
            write(&fragment, true);
            inner.written = fragment;
        }
    }
}

fn write(fragment: &str, replace: bool) {
    let Some(history) = environment::window().and_then(|w| w.history().ok()) else { return };
    let url = if fragment.is_empty() { environment::address() } else { format!("#{fragment}") };
    // A sandboxed frame or a file may refuse: the page works on without an address.
    let _ = if replace {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
    } else {
        history.push_state_with_url(&JsValue::NULL, "", Some(&url))
    };
}
