//! The module of the view on a long text: a program of its own, which the page loads when a text is opened, and its worker too.
//!
//! Owns what it exports. The view and the worker are `web::document`'s.

#[cfg(target_arch = "wasm32")]
mod exports {
    use attention_lab::web::document;
    use wasm_bindgen::prelude::*;

    /// Opens the view on `text`, or on what the address asks for. `base` is the address of the folder of its files, with a slash,
    /// `worker` that of the worker's script.
    #[wasm_bindgen]
    pub fn open(base: String, worker: String, text: Option<String>) {
        document::open(base, worker, text);
    }

    /// Answers the view; for a worker only.
    #[wasm_bindgen]
    pub fn serve() {
        document::serve();
    }
}

fn main() {}
