//! Host tests: golden values, properties, links, pictures, layering.

mod picture;
mod text;
