//! Set-up, serve, build and test: one small program.
fn main() {}
