//! Host tests: golden values, properties, links, pictures, layering.

mod layering;
mod lesson;
mod link;
mod locale;
mod picture;
mod state;
mod text;
