//! The hot loops: rows times matrices, softmax and what stands between, and the colouring of cells.
//!
//! A crate of its own so that these loops are built for speed while the page around them is built for size. What is
//! called from outside takes slices and is not inlined, for a generic or inlined function would be built by its caller,
//! for size. Owns no shape, no stage and no memory: callers bring it.

#![no_std]

pub mod cells;
mod combine;
mod exp;
mod lanes;
mod rows;
mod softmax;

pub use combine::{combine_chosen, row_times_matrix, transpose};
pub use exp::{SMALLEST, exp};
pub use rows::{all_finite, divide, gather, scale, scatter};
pub use softmax::{Summary, softmax};
