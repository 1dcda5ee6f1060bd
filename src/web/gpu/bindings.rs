//! The part of WebGPU that the executor uses. Descriptors are plain objects, made by [`object`].

use js_sys::{Array, ArrayBuffer, Object, Promise, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

/// `GPUBufferUsage` and `GPUMapMode`.
pub mod usage {
    pub const MAP_READ: u32 = 0x01;
    pub const COPY_SRC: u32 = 0x04;
    pub const COPY_DST: u32 = 0x08;
    pub const UNIFORM: u32 = 0x40;
    pub const STORAGE: u32 = 0x80;
    /// Of `GPUMapMode`.
    pub const READ: u32 = 1;
}

#[wasm_bindgen]
extern "C" {
    pub type Gpu;
    #[wasm_bindgen(method, catch, js_name = requestAdapter)]
    pub fn request_adapter(this: &Gpu) -> Result<Promise, JsValue>;

    pub type Adapter;
    #[wasm_bindgen(method, getter)]
    pub fn limits(this: &Adapter) -> JsValue;
    #[wasm_bindgen(method, catch, js_name = requestDevice)]
    pub fn request_device(this: &Adapter, descriptor: &Object) -> Result<Promise, JsValue>;

    #[derive(Clone)]
    pub type GpuDevice;
    #[wasm_bindgen(method, getter)]
    pub fn limits(this: &GpuDevice) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn lost(this: &GpuDevice) -> Promise;
    #[wasm_bindgen(method, getter)]
    pub fn queue(this: &GpuDevice) -> Queue;
    #[wasm_bindgen(method, catch, js_name = createBuffer)]
    pub fn create_buffer(this: &GpuDevice, descriptor: &Object) -> Result<Buffer, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createShaderModule)]
    pub fn create_shader_module(this: &GpuDevice, descriptor: &Object) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createComputePipelineAsync)]
    pub fn create_compute_pipeline(this: &GpuDevice, descriptor: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createBindGroup)]
    pub fn create_bind_group(this: &GpuDevice, descriptor: &Object) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createCommandEncoder)]
    pub fn create_command_encoder(this: &GpuDevice) -> Result<Encoder, JsValue>;
    #[wasm_bindgen(method, js_name = pushErrorScope)]
    pub fn push_error_scope(this: &GpuDevice, filter: &str);
    #[wasm_bindgen(method, js_name = popErrorScope)]
    pub fn pop_error_scope(this: &GpuDevice) -> Promise;
    #[wasm_bindgen(method)]
    pub fn destroy(this: &GpuDevice);

    pub type Queue;
    #[wasm_bindgen(method, catch)]
    pub fn submit(this: &Queue, commands: &Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = writeBuffer)]
    pub fn write_buffer(this: &Queue, buffer: &Buffer, offset: u32, data: &Uint32Array) -> Result<(), JsValue>;

    #[derive(Clone)]
    pub type Buffer;
    #[wasm_bindgen(method, js_name = mapAsync)]
    pub fn map(this: &Buffer, mode: u32) -> Promise;
    #[wasm_bindgen(method, catch, js_name = getMappedRange)]
    pub fn mapped_range(this: &Buffer) -> Result<ArrayBuffer, JsValue>;
    #[wasm_bindgen(method)]
    pub fn unmap(this: &Buffer);
    #[wasm_bindgen(method)]
    pub fn destroy(this: &Buffer);

    pub type Encoder;
    #[wasm_bindgen(method, catch, js_name = beginComputePass)]
    pub fn begin_compute_pass(this: &Encoder) -> Result<ComputePass, JsValue>;
    #[wasm_bindgen(method, catch, js_name = copyBufferToBuffer)]
    pub fn copy(this: &Encoder, from: &Buffer, start: f64, to: &Buffer, at: f64, bytes: f64) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn finish(this: &Encoder) -> Result<JsValue, JsValue>;

    pub type ComputePass;
    #[wasm_bindgen(method, js_name = setPipeline)]
    pub fn set_pipeline(this: &ComputePass, pipeline: &Pipeline);
    #[wasm_bindgen(method, js_name = setBindGroup)]
    pub fn set_bind_group(this: &ComputePass, index: u32, group: &JsValue);
    #[wasm_bindgen(method, js_name = dispatchWorkgroups)]
    pub fn dispatch(this: &ComputePass, x: u32, y: u32, z: u32);
    #[wasm_bindgen(method)]
    pub fn end(this: &ComputePass);

    #[derive(Clone)]
    pub type Pipeline;
    #[wasm_bindgen(method, js_name = getBindGroupLayout)]
    pub fn bind_group_layout(this: &Pipeline, index: u32) -> JsValue;
}

/// A plain object with these properties.
pub fn object<const N: usize>(properties: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        put(&object, name, &value);
    }
    object
}

/// Sets a property; a plain object takes every one.
pub fn put(object: &Object, name: &str, value: &JsValue) {
    let _ = Reflect::set(object, &name.into(), value);
}

/// A property as a number; 0 where there is none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limits are whole numbers below 2^53")]
pub fn whole(object: &JsValue, name: &str) -> u64 {
    Reflect::get(object, &name.into()).ok().and_then(|value| value.as_f64()).map_or(0, |value| value as u64)
}
