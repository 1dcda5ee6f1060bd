//! Host tests: golden values, properties, links, pictures, layering.

mod attention;
mod engine;
mod golden;
mod insight;
mod tensor;
