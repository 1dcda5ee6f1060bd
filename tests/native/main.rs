//! Host tests: golden values, properties, links, pictures, layering.

mod attention;
mod engine;
mod golden;
mod insight;
mod layering;
mod lesson;
mod link;
mod locale;
mod picture;
mod state;
mod stream;
mod tensor;
mod text;
