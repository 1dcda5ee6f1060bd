//! The WebGPU executor: it does what a plan of `engine::webgpu` says, and decides nothing.
//!
//! Runs in a module of its own, which the page loads when a GPU is to compute (`src/bin/gpu.rs`); nothing of the page but
//! that module and the browser tests uses this room. Speaks to the browser through its own [`bindings`]: those of web-sys
//! stand behind an unstable flag, and wgpu is twice their size.

mod bindings;
mod device;
mod executor;

pub use executor::{Executor, Failure};
