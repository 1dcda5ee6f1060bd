//! A device of the browser's adapter: its limits, its pipelines, and whether it is still there.

use super::bindings::{Adapter, Gpu, GpuDevice, Pipeline, object, put, whole};
use super::executor::Failure;
use crate::engine::webgpu::limits::Limits;
use crate::engine::webgpu::plan::Pass;
use crate::engine::webgpu::shader::Shader;
use js_sys::{Object, Reflect};
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

type Constants = Vec<(&'static str, u32)>;

/// A device and what was compiled for it.
pub struct Device {
    /// The browser's object.
    pub handle: GpuDevice,
    /// What it can do.
    pub limits: Limits,
    lost: Rc<Cell<bool>>,
    modules: Vec<(Shader, JsValue)>,
    pipelines: Vec<(Shader, Constants, Pipeline)>,
}

impl Device {
    /// Asks the browser for an adapter and a device with the largest buffers that it offers.
    pub async fn open() -> Result<Self, Failure> {
        let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).unwrap_or(JsValue::UNDEFINED);
        let gpu = Reflect::get(&navigator, &"gpu".into()).unwrap_or(JsValue::UNDEFINED);
        if gpu.is_undefined() || gpu.is_null() {
            return Err(Failure::NoWebGpu);
        }
        let asked = gpu.unchecked_into::<Gpu>().request_adapter().map_err(|_| Failure::NoAdapter)?;
        let adapter = JsFuture::from(asked).await.map_err(|_| Failure::NoAdapter)?;
        if adapter.is_null() || adapter.is_undefined() {
            return Err(Failure::NoAdapter);
        }
        let adapter: Adapter = adapter.unchecked_into();
        let (offered, required) = (adapter.limits(), Object::new());
        for name in ["maxBufferSize", "maxStorageBufferBindingSize"] {
            if let Ok(most) = Reflect::get(&offered, &name.into()) {
                put(&required, name, &most);
            }
        }
        let asked = adapter.request_device(&object([("requiredLimits", required.into())])).map_err(Failure::fault)?;
        let handle: GpuDevice = JsFuture::from(asked).await.map_err(Failure::fault)?.unchecked_into();
        let own = handle.limits();
        let word = |name| u32::try_from(whole(&own, name)).unwrap_or(u32::MAX);
        let limits = Limits {
            buffer: whole(&own, "maxBufferSize"),
            binding: whole(&own, "maxStorageBufferBindingSize"),
            workgroups: word("maxComputeWorkgroupsPerDimension"),
            uniform_alignment: word("minUniformBufferOffsetAlignment"),
            ..Limits::DEFAULT
        };
        let lost = Rc::new(Cell::new(false));
        let (gone, told) = (Rc::clone(&lost), handle.lost());
        wasm_bindgen_futures::spawn_local(async move {
            // Never rejects; resolves when the device is gone, for whatever reason.
            let _ = JsFuture::from(told).await;
            gone.set(true);
        });
        Ok(Self { handle, limits, lost, modules: Vec::new(), pipelines: Vec::new() })
    }

    /// Whether the browser has taken the device away.
    pub fn is_lost(&self) -> bool {
        self.lost.get()
    }

    /// The pipeline of a pass; compiled once for each shader and its constants.
    pub async fn pipeline(&mut self, pass: &Pass) -> Result<Pipeline, Failure> {
        let known =
            self.pipelines.iter().find(|(shader, constants, _)| *shader == pass.shader && *constants == pass.constants);
        if let Some((_, _, pipeline)) = known {
            return Ok(pipeline.clone());
        }
        let constants = Object::new();
        for (name, value) in &pass.constants {
            put(&constants, name, &JsValue::from(*value));
        }
        let compute = object([
            ("module", self.module(pass.shader)?),
            ("entryPoint", "main".into()),
            ("constants", constants.into()),
        ]);
        let descriptor = object([("layout", "auto".into()), ("compute", compute.into())]);
        let compiled = self.handle.create_compute_pipeline(&descriptor).map_err(Failure::fault)?;
        let pipeline: Pipeline = JsFuture::from(compiled).await.map_err(Failure::fault)?.unchecked_into();
        self.pipelines.push((pass.shader, pass.constants.clone(), pipeline.clone()));
        Ok(pipeline)
    }

    fn module(&mut self, shader: Shader) -> Result<JsValue, Failure> {
        if let Some((_, module)) = self.modules.iter().find(|(known, _)| *known == shader) {
            return Ok(module.clone());
        }
        let descriptor = object([("code", shader.text().into())]);
        let module = self.handle.create_shader_module(&descriptor).map_err(Failure::fault)?;
        self.modules.push((shader, module.clone()));
        Ok(module)
    }
}
