//! The specification: attention in f64, written as the formulas stand, sharing no code with any engine.
