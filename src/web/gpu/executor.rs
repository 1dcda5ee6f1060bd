//! Runs plans: buffers, uploads, one submission, one read-back. Survives the loss of its device.

use super::bindings::{Buffer, ComputePass, GpuDevice, Pipeline, object, usage};
use super::device::Device;
use crate::engine::webgpu::plan::{self, Ask, Content, Role, Step};
use crate::engine::webgpu::{Limits, Plan, Refusal, Request, compact, planner, upload, wire};
use js_sys::{Array, Float32Array, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The browser has no WebGPU.
    NoWebGpu,
    /// It has no adapter to offer.
    NoAdapter,
    /// The device was lost.
    Lost,
    /// The problem is larger than the device.
    TooLarge(Refusal),
    /// A number that was read back is NaN or infinite: inputs so large that f32 overflows.
    NotFinite,
    /// Out of memory, a validation error, or words that are no request; in the browser's own words.
    Fault(String),
}

impl Failure {
    /// A fault in the browser's own words.
    pub fn fault(error: JsValue) -> Self {
        let message = Reflect::get(&error, &"message".into()).ok().and_then(|message| message.as_string());
        Self::Fault(message.unwrap_or_default())
    }

    /// What there is to say in a console.
    pub fn message(&self) -> &str {
        match self {
            Self::Fault(message) => message,
            Self::TooLarge(refusal) => refusal.what,
            _ => "",
        }
    }

    /// A stable name, which crosses to the page.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoWebGpu => "no_webgpu",
            Self::NoAdapter => "no_adapter",
            Self::Lost => "lost",
            Self::TooLarge(_) => "too_large",
            Self::NotFinite => "not_finite",
            Self::Fault(_) => "fault",
        }
    }
}

/// A device, the plan it is set up for, and the arrays that came last.
#[derive(Default)]
pub struct Executor {
    device: Option<Device>,
    setup: Option<Setup>,
    arrays: Vec<Vec<f32>>,
    /// Whether the device still has older arrays.
    stale: bool,
    /// Smaller limits than the device's own, for tests.
    limits: Option<Limits>,
    poisoned: bool,
}

/// What stands on the device for one plan; kept while the next plan has the same buffers and passes.
struct Setup {
    buffers: Vec<(plan::Buffer, Buffer)>,
    steps: Vec<Step>,
    passes: Vec<(Pipeline, JsValue)>,
    uniforms: (usize, Buffer),
    read_back: (u64, Buffer),
}

impl Executor {
    /// An executor that fills everything it computes with NaN before each run and respects these limits.
    pub fn for_tests(limits: Option<Limits>) -> Self {
        Self { limits, poisoned: true, ..Self::default() }
    }

    /// Computes what `words` ask for (see [`wire::encode`]) and hands back its numbers (see `engine::webgpu::compact`).
    ///
    /// A device that is lost, or that fails, is replaced once and the same problem computed again.
    ///
    /// # Errors
    /// [`Failure`]; the executor can be asked again.
    pub async fn run(&mut self, words: &[u32]) -> Result<Vec<f32>, Failure> {
        let Some(mut request) = wire::decode(words) else { return Err(Failure::Fault("no request".into())) };
        if let Some(arrays) = request.arrays.take() {
            self.arrays = arrays;
            self.stale = true;
        }
        let first = self.attempt(&request).await;
        if !matches!(first, Err(Failure::Lost | Failure::Fault(_))) {
            return first;
        }
        self.forget();
        let second = self.attempt(&request).await;
        if matches!(second, Err(Failure::Lost | Failure::Fault(_))) {
            self.forget();
        }
        second
    }

    /// Lets go of the device and everything on it.
    fn forget(&mut self) {
        self.setup = None;
        if let Some(device) = self.device.take() {
            device.handle.destroy();
        }
    }

    async fn attempt(&mut self, request: &Request) -> Result<Vec<f32>, Failure> {
        if self.device.as_ref().is_some_and(Device::is_lost) {
            self.forget();
        }
        let mut device = match self.device.take() {
            Some(device) => device,
            None => Device::open().await?,
        };
        let outcome = self.run_on(&mut device, request).await;
        self.device = Some(device);
        outcome
    }

    async fn run_on(&mut self, device: &mut Device, request: &Request) -> Result<Vec<f32>, Failure> {
        let limits = self.limits.unwrap_or(device.limits);
        let ask = Ask {
            shape: request.shape,
            want: request.want.clone(),
            mask: request.mask,
            bias: (!request.bias.is_empty()).then(|| request.bias_by_head()),
            scale: request.scale,
            temperature: request.temperature,
        };
        let plan = planner::plan(&ask, &limits).map_err(Failure::TooLarge)?;
        const SCOPES: [&str; 2] = ["validation", "out-of-memory"];
        for scope in SCOPES {
            device.handle.push_error_scope(scope);
        }
        let submitted = self.submit(device, request, plan).await;
        // A future handles its promise from the start: of what is not awaited below nothing is reported as unhandled.
        let scopes = SCOPES.map(|_| JsFuture::from(device.handle.pop_error_scope()));
        let (bytes, read_back, mapped) = submitted?;
        for scope in scopes {
            let error = scope.await.unwrap_or(JsValue::NULL);
            if !error.is_null() {
                return Err(Failure::fault(error));
            }
        }
        mapped.await.map_err(|_| Failure::Lost)?;
        let range = read_back.mapped_range().map_err(|_| Failure::Lost)?;
        #[expect(clippy::cast_possible_truncation, reason = "a mapped range is far below 2^32 numbers")]
        let numbers = Float32Array::new_with_byte_offset_and_length(&range, 0, (bytes / 4) as u32).to_vec();
        read_back.unmap();
        compact(request, &numbers).ok_or(Failure::NotFinite)
    }

    /// Sets up, uploads and submits; the read-back buffer and the promise that it is mapped.
    async fn submit(
        &mut self,
        device: &mut Device,
        request: &Request,
        plan: Plan,
    ) -> Result<(u64, Buffer, JsFuture), Failure> {
        let fresh = self.set_up(device, &plan).await?;
        let Some(setup) = &self.setup else { return Err(Failure::Lost) };
        let queue = device.handle.queue();
        let write = |buffer: &Buffer, words: &[u32]| {
            queue.write_buffer(buffer, 0, &Uint32Array::from(words)).map_err(Failure::fault)
        };
        write(&setup.uniforms.1, &plan.uniforms)?;
        for (buffer, handle) in &setup.buffers {
            match &buffer.role {
                Role::Filled(content, heads) => {
                    if fresh || self.stale || matches!(content, Content::Bits | Content::Bias) {
                        write(handle, &upload::words(*content, heads, request, &self.arrays))?;
                    }
                }
                Role::Computed if self.poisoned => {
                    let numbers = usize::try_from(buffer.bytes / 4).unwrap_or(0);
                    write(handle, &vec![f32::NAN.to_bits(); numbers])?;
                }
                Role::Computed => {}
            }
        }
        self.stale = false;
        let encoder = device.handle.create_command_encoder().map_err(Failure::fault)?;
        let mut open: Option<ComputePass> = None;
        let mut passes = setup.passes.iter();
        for step in &setup.steps {
            match step {
                Step::Pass(pass) => {
                    let Some((pipeline, group)) = passes.next() else { return Err(Failure::Lost) };
                    let compute = match open.take() {
                        Some(compute) => compute,
                        None => encoder.begin_compute_pass().map_err(Failure::fault)?,
                    };
                    compute.set_pipeline(pipeline);
                    compute.set_bind_group(0, group);
                    let [x, y, z] = pass.workgroups;
                    compute.dispatch(x, y, z);
                    open = Some(compute);
                }
                Step::Copy { buffer, to, bytes } => {
                    if let Some(compute) = open.take() {
                        compute.end();
                    }
                    let from = &setup.buffers[*buffer].1;
                    #[expect(clippy::cast_precision_loss, reason = "offsets are far below 2^53")]
                    let (to, bytes) = (*to as f64, *bytes as f64);
                    encoder.copy(from, 0.0, &setup.read_back.1, to, bytes).map_err(Failure::fault)?;
                }
            }
        }
        if let Some(compute) = open.take() {
            compute.end();
        }
        queue.submit(&Array::of1(&encoder.finish().map_err(Failure::fault)?)).map_err(Failure::fault)?;
        let mapped = JsFuture::from(setup.read_back.1.map(usage::READ));
        Ok((plan.read_back, setup.read_back.1.clone(), mapped))
    }

    /// Makes buffers, pipelines and bind groups for `plan`, where those of the last plan do not serve; whether it did.
    async fn set_up(&mut self, device: &mut Device, plan: &Plan) -> Result<bool, Failure> {
        let serves = self.setup.as_ref().is_some_and(|setup| {
            setup.steps == plan.steps
                && setup.read_back.0 == plan.read_back
                && setup.uniforms.0 == plan.uniforms.len()
                && setup.buffers.iter().map(|(buffer, _)| buffer).eq(&plan.buffers)
        });
        if serves {
            return Ok(false);
        }
        let mut old = self.setup.take();
        // A buffer of the same size and use serves again; the others are given back.
        let mut pool = old.as_mut().map(|setup| std::mem::take(&mut setup.buffers)).unwrap_or_default();
        let mut buffers = Vec::with_capacity(plan.buffers.len());
        for buffer in &plan.buffers {
            let place =
                pool.iter().position(|(other, _)| other.bytes == buffer.bytes && same_use(&other.role, &buffer.role));
            let handle = match place {
                Some(place) => pool.swap_remove(place).1,
                None => create(&device.handle, buffer.bytes, usage_of(&buffer.role))?,
            };
            buffers.push((buffer.clone(), handle));
        }
        for (_, unused) in pool {
            unused.destroy();
        }
        if let Some(old) = old {
            old.uniforms.1.destroy();
            old.read_back.1.destroy();
        }
        let uniform_bytes = (plan.uniforms.len() * 4) as u64;
        let uniforms = create(&device.handle, uniform_bytes, usage::UNIFORM | usage::COPY_DST)?;
        let read_back = create(&device.handle, plan.read_back, usage::MAP_READ | usage::COPY_DST)?;
        let mut passes = Vec::new();
        for step in &plan.steps {
            let Step::Pass(pass) = step else { continue };
            let pipeline = device.pipeline(pass).await?;
            let sizes = object([
                ("buffer", uniforms.clone().into()),
                ("offset", pass.uniforms.into()),
                ("size", pass.uniform_bytes.into()),
            ]);
            let entries = Array::of1(&object([("binding", 0.into()), ("resource", sizes.into())]));
            for (binding, &buffer) in (1_u32..).zip(&pass.buffers) {
                let resource = object([("buffer", buffers[buffer].1.clone().into())]);
                entries.push(&object([("binding", binding.into()), ("resource", resource.into())]));
            }
            let descriptor = object([("layout", pipeline.bind_group_layout(0)), ("entries", entries.into())]);
            let group = device.handle.create_bind_group(&descriptor).map_err(Failure::fault)?;
            passes.push((pipeline, group));
        }
        self.setup = Some(Setup {
            buffers,
            steps: plan.steps.clone(),
            passes,
            uniforms: (plan.uniforms.len(), uniforms),
            read_back: (plan.read_back, read_back),
        });
        Ok(true)
    }
}

const fn same_use(a: &Role, b: &Role) -> bool {
    matches!((a, b), (Role::Computed, Role::Computed) | (Role::Filled(..), Role::Filled(..)))
}

const fn usage_of(role: &Role) -> u32 {
    match role {
        Role::Filled(..) => usage::STORAGE | usage::COPY_DST,
        Role::Computed => usage::STORAGE | usage::COPY_SRC | usage::COPY_DST,
    }
}

fn create(device: &GpuDevice, bytes: u64, usage: u32) -> Result<Buffer, Failure> {
    #[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
    let size = JsValue::from(bytes.max(16) as f64);
    device.create_buffer(&object([("size", size), ("usage", usage.into())])).map_err(Failure::fault)
}
