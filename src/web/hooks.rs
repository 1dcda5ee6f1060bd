//! What components share: the size of an element, the hovered cell.

use super::store::{Hover, Store};
use super::tasks::{self, NextFrame};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

/// Width of the element's content in CSS pixels, followed as it changes; 0 until it is known.
#[hook]
pub fn use_width(node: &NodeRef) -> f64 {
    let width = use_state_eq(|| 0.0_f64);
    {
        let (node, width) = (node.clone(), width.clone());
        use_effect_with((), move |()| {
            let observed = node.cast::<Element>().and_then(|element| {
                width.set(f64::from(element.client_width()));
                // Rendering inside the observer's turn would resize what it observes: the next frame is early enough.
                let (frame, setter, watched) = (NextFrame::default(), width.setter(), element.clone());
                let seen = Closure::<dyn Fn()>::new(move || {
                    let (setter, watched) = (setter.clone(), watched.clone());
                    frame.once(move || setter.set(f64::from(watched.client_width())));
                });
                let observer = ResizeObserver::new(seen.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, seen))
            });
            move || {
                if let Some((observer, seen)) = observed {
                    observer.disconnect();
                    drop(seen);
                }
            }
        });
    }
    *width
}

/// `newest` as it was when the last frame was painted: what is drawn from it never keeps the next frame waiting. While
/// frames are late, values in between are passed over.
#[hook]
pub fn use_after_paint<T: Clone + PartialEq + 'static>(newest: &T) -> T {
    let again = use_force_update();
    // What is shown, what comes next, and whether a frame is awaited.
    let held = use_memo((), |()| (RefCell::new(newest.clone()), RefCell::new(newest.clone()), Cell::new(false)));
    let (shown, next, waiting) = &*held;
    next.replace(newest.clone());
    if *shown.borrow() != *newest && !waiting.replace(true) {
        let held = Rc::clone(&held);
        tasks::after_paint(move || {
            let (shown, next, waiting) = &*held;
            waiting.set(false);
            shown.replace(next.borrow().clone());
            again.force_update();
        });
    }
    shown.borrow().clone()
}

/// The hovered cell; re-renders only the component that asks.
#[hook]
pub fn use_hover(store: &Store) -> Hover {
    let hover = use_state_eq(|| store.hover());
    {
        let setter = hover.setter();
        use_effect_with(store.clone(), move |store| {
            let subscription = store.subscribe_hover(move |hover| setter.set(hover));
            move || drop(subscription)
        });
    }
    *hover
}
