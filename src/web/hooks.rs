//! What components share: the size of an element, the hovered cell.

use super::paint::Brush;
use super::shared::Shared;
use super::store::{Hover, Snapshot, Store};
use super::tasks::{self, NextFrame};
use std::cell::RefCell;
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

/// The latest snapshot. Who is `patient` takes one of a movement when the frame in which it is first seen was painted, and
/// while frames are late passes over those in between.
#[hook]
pub fn use_snapshot(store: &Store, patient: bool) -> Rc<Snapshot> {
    let snapshot = use_state_eq(|| Shared(store.snapshot()));
    {
        let setter = snapshot.setter();
        use_effect_with(store.clone(), move |store| {
            // Whatever changed between the first rendering and this subscription.
            setter.set(Shared(store.snapshot()));
            let held = Rc::new(RefCell::new(None::<Rc<Snapshot>>));
            let subscription = store.subscribe(move |next: Rc<Snapshot>| {
                let moving = patient && next.moving;
                let awaited = held.replace(moving.then(|| Rc::clone(&next))).is_some();
                if !moving {
                    setter.set(Shared(next));
                } else if !awaited {
                    let (held, setter) = (Rc::clone(&held), setter.clone());
                    tasks::after_paint(move || {
                        if let Some(next) = held.take() {
                            setter.set(Shared(next));
                        }
                    });
                }
            });
            move || drop(subscription)
        });
    }
    Rc::clone(&snapshot.0)
}

/// A brush of the component's own, which remembers what it painted.
#[hook]
pub fn use_brush() -> Rc<Brush> {
    use_memo((), |()| Brush::default())
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
