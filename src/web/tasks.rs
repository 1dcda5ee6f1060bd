//! The one file that spawns futures and asks for animation frames.

use super::environment::now_ms;
use gloo::render::{AnimationFrame, request_animation_frame};
use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

/// Runs a future to its end on the page's thread.
pub fn spawn(future: impl Future<Output = ()> + 'static) {
    wasm_bindgen_futures::spawn_local(future);
}

/// One pending animation frame at a time: asking again before it comes changes nothing.
#[derive(Clone, Default)]
pub struct NextFrame(Rc<RefCell<Option<AnimationFrame>>>);

impl NextFrame {
    /// Calls `then` in the next frame, unless a call is pending already.
    pub fn once(&self, then: impl FnOnce() + 'static) {
        let mut pending = self.0.borrow_mut();
        if pending.is_some() {
            return;
        }
        let slot = Rc::clone(&self.0);
        *pending = Some(request_animation_frame(move |_| {
            // The handle of a frame that came is of no more use.
            slot.borrow_mut().take();
            then();
        }));
    }
}

/// Calls `then` after the next frame was painted.
pub fn after_paint(then: impl FnOnce() + 'static) {
    // The first frame paints what was rendered; a task after it runs when the pixels stand.
    let frame = request_animation_frame(move |_| {
        gloo::timers::callback::Timeout::new(0, then).forget();
    });
    // Nobody keeps the handle, whose drop would cancel the frame.
    std::mem::forget(frame);
}

/// Calls `then` after a frame by whose end `painted` holds. Yew puts off effects, and so the painting of canvases, when
/// rendering takes long. A page of no width is never painted: after a second `then` is called all the same. That second
/// does not run while there is nothing to paint yet (`None`).
pub fn when_painted(painted: impl Fn() -> Option<bool> + 'static, then: impl FnOnce() + 'static) {
    frames_until(now_ms() + PATIENCE_MS, painted, then);
}

const PATIENCE_MS: f64 = 1000.0;

fn frames_until(late: f64, painted: impl Fn() -> Option<bool> + 'static, then: impl FnOnce() + 'static) {
    after_paint(move || match painted() {
        None => frames_until(now_ms() + PATIENCE_MS, painted, then),
        Some(false) if now_ms() <= late => frames_until(late, painted, then),
        Some(_) => then(),
    });
}
