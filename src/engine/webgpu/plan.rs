//! The plan of a computation: buffers, passes, dispatches and copies, as data. [`planner`](super::planner) makes it.

use super::shader::Shader;
use super::wire::MaskKind;
use crate::attention::Shape;
use crate::engine::Want;
use std::ops::Range;

/// What a plan depends on: sizes, what is wanted, and how the mask is given. Not on any number.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "as in a request")]
pub struct Ask {
    pub shape: Shape,
    pub want: Want,
    pub mask: MaskKind,
    /// `None`: no bias. Else whether there is one for each head.
    pub bias: Option<bool>,
    pub scale: f32,
    pub temperature: f32,
}

/// What the page puts into a buffer before a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// x of the queries, `[1, n_q, d_model]`.
    XQuery,
    /// x of the keys, `[1, n_k, d_model]`.
    XKey,
    /// W_Q split into heads, `[heads, d_model, d_k]`; or q itself, `[heads, n_q, d_k]`, where it is given.
    Query,
    /// W_K or k.
    Key,
    /// W_V or v.
    Value,
    /// W_O, `[1, h·d_v, d_model]`.
    Output,
    /// Mask bits, `[1 or heads, n_q, words]`.
    Bits,
    /// Bias, `[1 or heads, n_q, n_k]`.
    Bias,
}

/// What a buffer is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Filled from outside, for these heads: storage, copied to.
    Filled(Content, Range<usize>),
    /// Written by passes: storage, copied from.
    Computed,
}

/// A buffer on the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// What it holds.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: u64,
    /// What it is for.
    pub role: Role,
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// Its shader.
    pub shader: Shader,
    /// Overridable constants, in the order of the shader.
    pub constants: Vec<(&'static str, u32)>,
    /// Indices of the buffers at bindings 1, 2, ….
    pub buffers: Vec<usize>,
    /// Where its sizes begin in the uniform buffer, bytes.
    pub uniforms: u32,
    /// How many bytes of sizes it has.
    pub uniform_bytes: u32,
    /// Workgroups in x, y and z.
    pub workgroups: [u32; 3],
}

/// One step of the single submission, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Computes.
    Pass(Pass),
    /// Copies the whole of a buffer into the read-back buffer.
    #[expect(missing_docs, reason = "index, and bytes")]
    Copy { buffer: usize, to: u64, bytes: u64 },
}

/// Everything that one run does.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Storage buffers.
    pub buffers: Vec<Buffer>,
    /// The uniform buffer, whose every pass has its own stretch.
    pub uniforms: Vec<u32>,
    /// Passes and copies.
    pub steps: Vec<Step>,
    /// Bytes of the read-back buffer; see [`read_back`](super::read_back).
    pub read_back: u64,
}
