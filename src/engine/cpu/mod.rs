//! The CPU engine: f32, whole sentence at once.
