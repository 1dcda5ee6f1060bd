//! The module that drives the GPU: a program of its own, which the page loads when a GPU is to compute.
//!
//! Owns what it exports, and that runs follow each other. The work is `web::gpu`'s.

#[cfg(target_arch = "wasm32")]
mod exports {
    use attention_lab::web::gpu::Executor;
    use js_sys::{Error, Function, Promise};
    use std::cell::RefCell;
    use wasm_bindgen::prelude::*;
    use wasm_bindgen_futures::JsFuture;

    thread_local! {
        /// At rest, or taken by the run that is under way.
        static EXECUTOR: RefCell<Option<Executor>> = RefCell::new(Some(Executor::default()));
        /// The end of the last run that was asked for.
        static LAST: RefCell<Promise> = RefCell::new(Promise::resolve(&JsValue::UNDEFINED));
    }

    /// Computes a request and resolves to its numbers; see `engine::webgpu`. Runs are answered in the order of their asking.
    ///
    /// # Errors
    /// An `Error` whose name is the failure's code.
    #[wasm_bindgen]
    pub async fn run(words: Vec<u32>) -> Result<Vec<f32>, JsValue> {
        let mut finished: Option<Function> = None;
        let end = Promise::new(&mut |resolve, _| finished = Some(resolve));
        let before = LAST.replace(end);
        // Never rejects: it is the promise made just above, by the run before.
        let _ = JsFuture::from(before).await;
        let mut executor = EXECUTOR.take().unwrap_or_default();
        let outcome = executor.run(&words).await;
        EXECUTOR.replace(Some(executor));
        if let Some(finished) = finished {
            let _ = finished.call0(&JsValue::UNDEFINED);
        }
        outcome.map_err(|failure| {
            let error = Error::new(failure.message());
            error.set_name(failure.code());
            error.into()
        })
    }
}

fn main() {}
