//! The module that computes for scripts, a program of its own: `attentionLab.compute` and `attentionLab.attention`.
//!
//! Owns what it exports. The work is `web::api_aside`'s.

#[cfg(target_arch = "wasm32")]
mod exports {
    use attention_lab::text::Lang;
    use attention_lab::web::api_aside;
    use attention_lab::web::gpu_client::GpuClient;
    use std::cell::OnceCell;
    use wasm_bindgen::prelude::*;

    thread_local! {
        static GPU: OnceCell<GpuClient> = const { OnceCell::new() };
    }

    /// The browser's GPU; `program` is what static/start.js offers to programs, always the same.
    fn gpu(program: JsValue) -> GpuClient {
        GPU.with(|gpu| gpu.get_or_init(|| GpuClient::of(program)).clone())
    }

    fn lang(chinese: bool) -> Lang {
        if chinese { Lang::Zh } else { Lang::En }
    }

    /// The answer of `attentionLab.compute`, with texts in Chinese or English.
    ///
    /// # Errors
    /// An `AttentionError`.
    #[wasm_bindgen]
    pub async fn compute(program: JsValue, chinese: bool, pairs: JsValue) -> Result<JsValue, JsValue> {
        api_aside::compute(&gpu(program), lang(chinese), &pairs).await
    }

    /// The answer of `attentionLab.attention`, with texts in Chinese or English; or a promise of it, where a GPU computes.
    ///
    /// # Errors
    /// An `AttentionError`.
    #[wasm_bindgen]
    pub fn attention(program: JsValue, chinese: bool, input: JsValue) -> Result<JsValue, JsValue> {
        api_aside::attention(&gpu(program), lang(chinese), &input)
    }
}

fn main() {}
