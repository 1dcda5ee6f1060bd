//! Host tests: golden values, properties, links, pictures, layering.

mod attention;
#[path = "../conformance/mod.rs"]
mod conformance;
#[path = "conformance.rs"]
mod conformance_cpu;
mod diagnosis;
mod document;
mod document_state;
mod engine;
mod explain;
mod field;
mod field_plan;
mod golden;
mod insight;
mod kernel;
mod layering;
mod lesson;
mod link;
mod locale;
mod picture;
mod state;
mod stream;
mod tensor;
mod text;
mod viewport;
mod webgpu;
