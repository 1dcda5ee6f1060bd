//! What the page knows of the browser's GPU, and its way to the module that drives it.
//!
//! Owns asking for an adapter, loading the module when it is first needed, and the wire to it. Which engine computes is
//! `engine::choice`'s business; the GPU's work is that of the module (`web::gpu`), another program.

use super::environment;
use crate::attention::{Problem, Source, Trace};
use crate::engine::Want;
use crate::engine::choice::Gpu;
use crate::engine::webgpu::{trace, wire};
use js_sys::{Float32Array, Promise, Reflect};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// What static/start.js offers to the page's program. Its promises never reject.
    type Program;
    #[wasm_bindgen(method)]
    fn adapter(this: &Program) -> Promise;
    #[wasm_bindgen(method)]
    fn gpu(this: &Program, words: &[u32]) -> Promise;
    /// How often `gpu` was called, by whichever program.
    #[wasm_bindgen(method, getter)]
    fn turn(this: &Program) -> f64;
}

#[derive(Default)]
struct Inner {
    known: Cell<Gpu>,
    program: Option<Program>,
    /// The arrays that the module received from here, and the turn in which it did.
    sent: RefCell<Option<(Source, f64)>>,
}

/// A handle on the browser's GPU; cloning shares it.
#[derive(Clone, Default)]
pub struct GpuClient(Rc<Inner>);

impl GpuClient {
    /// Finds what start.js left for the program; asks for nothing.
    pub fn new() -> Self {
        let property = |of: JsValue, name: &str| Reflect::get(&of, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let window = environment::window().map_or(JsValue::UNDEFINED, JsValue::from);
        Self::of(property(property(window, "attentionLab"), "program"))
    }

    /// With what start.js handed over.
    pub fn of(program: JsValue) -> Self {
        let program = program.is_object().then(|| program.unchecked_into());
        Self(Rc::new(Inner { program, ..Inner::default() }))
    }

    /// What is known so far.
    pub fn known(&self) -> Gpu {
        self.0.known.get()
    }

    /// Something was learned.
    pub fn learn(&self, gpu: Gpu) {
        self.0.known.set(gpu);
    }

    /// Asks the browser for its adapter; loads nothing.
    pub async fn ask(&self) -> Gpu {
        let answer = match &self.0.program {
            Some(program) => JsFuture::from(program.adapter()).await.ok(),
            None => None,
        };
        let gpu = learned(answer);
        self.learn(gpu);
        gpu
    }

    /// Computes a valid problem on the GPU.
    ///
    /// # Errors
    /// What was learned of the GPU instead of an answer.
    pub async fn compute(&self, problem: &Problem, want: &Want) -> Result<Trace<f32>, Gpu> {
        let (Some(program), Ok(shape)) = (&self.0.program, problem.shape()) else { return Err(Gpu::Failed) };
        // Another program may have sent its own arrays since.
        let last = self.0.sent.take().filter(|(_, turn)| *turn == program.turn());
        let words = wire::encode(problem, &shape, want, last.as_ref().map(|(source, _)| source));
        let promise = program.gpu(&words);
        self.0.sent.replace(Some((problem.source.clone(), program.turn())));
        let answer = JsFuture::from(promise).await.ok();
        if let Some(numbers) = answer.as_ref().and_then(|answer| answer.dyn_ref::<Float32Array>()) {
            let mut at = 0;
            let mut next = |count: usize| {
                let start = at;
                at += u32::try_from(count).ok()?;
                (at <= numbers.length()).then(|| numbers.subarray(start, at).to_vec())
            };
            return trace(problem, shape, want, &mut next).ok_or(Gpu::Failed);
        }
        // Nobody knows what the other side still has.
        self.0.sent.replace(None);
        let of_problem = answer.as_ref().is_some_and(|answer| *answer == "too_large" || *answer == "not_finite");
        let gpu = learned(answer);
        // That one problem is too large, or overflows, says nothing of the next.
        if !of_problem {
            self.learn(gpu);
        }
        Err(gpu)
    }
}

/// What start.js says of the GPU.
fn learned(answer: Option<JsValue>) -> Gpu {
    match answer.and_then(|answer| answer.as_string()).as_deref() {
        Some("real") => Gpu::Untimed,
        Some("software") => Gpu::Software,
        Some("no_webgpu") => Gpu::NoWebGpu,
        Some("no_adapter") => Gpu::NoAdapter,
        Some("lost") => Gpu::Lost,
        _ => Gpu::Failed,
    }
}
