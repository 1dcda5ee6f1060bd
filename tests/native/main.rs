//! Host tests: golden values, properties, links, pictures, layering.

mod layering;
mod picture;
mod text;
