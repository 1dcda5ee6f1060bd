//! Host tests: golden values, properties, links, pictures, layering.

mod lesson;
mod link;
mod locale;
mod state;
