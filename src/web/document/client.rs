//! The view's side of the worker: starts it, tells it, and hands on what it says.

use super::protocol::{Said, Tell};
use wasm_bindgen::prelude::*;
use web_sys::{MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

/// A running worker; ended when dropped.
pub struct Client {
    worker: Worker,
    _heard: Closure<dyn Fn(MessageEvent)>,
    _failed: Closure<dyn Fn()>,
}

impl Client {
    /// Starts the worker whose script is at `url`. `None` where the browser has none.
    pub fn start(url: &str, said: &Callback<Said>) -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(url, &options).ok()?;
        let heard = {
            let said = said.clone();
            Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
                if let Some(message) = Said::decode(&event.data()) {
                    said.emit(message);
                }
            })
        };
        let failed = {
            let said = said.clone();
            Closure::<dyn Fn()>::new(move || said.emit(Said::Broken))
        };
        worker.set_onmessage(Some(heard.as_ref().unchecked_ref()));
        worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
        Some(Self { worker, _heard: heard, _failed: failed })
    }

    /// Sends a message; those sent before the worker's program runs wait for it.
    pub fn tell(&self, tell: Tell) {
        // Nothing that is sent here is refused: plain arrays of numbers and texts.
        let _ = self.worker.post_message(&tell.encode());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}
