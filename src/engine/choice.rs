//! Which engine computes a problem, and why: a pure function of what is wished, how large the problem is, and what is
//! known of the browser's GPU.

use crate::attention::{Method, Shape};

/// An engine of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "names of engines")]
pub enum Kind {
    Cpu,
    WebGpu,
}

impl Kind {
    /// Its name in links and for scripts.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::WebGpu => "webgpu",
        }
    }
}

/// What is known of the browser's GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Gpu {
    /// Nobody has asked yet.
    #[default]
    Unknown,
    /// The browser has no WebGPU.
    NoWebGpu,
    /// The browser has WebGPU and no adapter to offer.
    NoAdapter,
    /// Its adapter is software: right, and slower than the CPU engine.
    Software,
    /// It is real and was not timed yet.
    Untimed,
    /// It was timed, and the CPU engine was as fast or faster.
    Slower,
    /// It was timed, and it was faster than the CPU engine.
    Faster,
    /// It was lost, and so was the one asked for in its place.
    Lost,
    /// It could not compute a problem: too large for it, out of memory, or a fault.
    Failed,
}

/// Why an engine computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The person, link or script said so.
    Chosen,
    /// The problem is so small that asking a GPU takes longer than computing.
    TooSmall,
    /// Only the CPU engine computes this method.
    Method,
    /// Because of the GPU.
    Gpu(Gpu),
}

/// An engine and the reason for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "what the type says")]
pub struct Choice {
    pub kind: Kind,
    pub why: Why,
}

/// Operations from which on a GPU may pay: about half a millisecond of the CPU engine.
pub const WORTH_FLOP: u64 = 20_000_000;

/// Operations of q·kᵀ and weights·v: 2 h n_q n_k (d_k + d_v).
#[must_use]
pub const fn flop(shape: &Shape) -> u64 {
    let cells = (shape.heads as u64).saturating_mul(shape.n_q as u64).saturating_mul(shape.n_k as u64);
    cells.saturating_mul(2 * (shape.d_k as u64 + shape.d_v as u64))
}

/// The engine for a problem of `flop` operations. `wish` is `None` for automatic.
///
/// A wish for WebGPU is fulfilled wherever there may be an adapter, software included. Where there is none the choice is the
/// CPU with the reason, for the page to say so: see [`Choice::is_denied`].
#[must_use]
pub const fn choose(wish: Option<Kind>, flop: u64, gpu: Gpu) -> Choice {
    let (kind, why) = match (wish, gpu) {
        (Some(Kind::Cpu), _) => (Kind::Cpu, Why::Chosen),
        (Some(Kind::WebGpu), Gpu::NoWebGpu | Gpu::NoAdapter) => (Kind::Cpu, Why::Gpu(gpu)),
        (Some(Kind::WebGpu), _) => (Kind::WebGpu, Why::Chosen),
        (None, _) if flop < WORTH_FLOP => (Kind::Cpu, Why::TooSmall),
        (None, Gpu::Faster) => (Kind::WebGpu, Why::Gpu(gpu)),
        (None, _) => (Kind::Cpu, Why::Gpu(gpu)),
    };
    Choice { kind, why }
}

/// [`choose`] for a problem that may have a method of its own, which only the CPU engine computes.
#[must_use]
pub fn choose_for(method: Option<&Method>, wish: Option<Kind>, flop: u64, gpu: Gpu) -> Choice {
    match method {
        Some(method) if !method.is_standard() => Choice { kind: Kind::Cpu, why: Why::Method },
        _ => choose(wish, flop, gpu),
    }
}

impl Choice {
    /// Whether WebGPU was wished for and something else computes because of the GPU; a method that no GPU program knows
    /// denies nobody anything.
    #[must_use]
    pub const fn is_denied(&self, wish: Option<Kind>) -> bool {
        matches!((wish, self.kind, self.why), (Some(Kind::WebGpu), Kind::Cpu, Why::Gpu(_)))
    }
}
