//! The hot loops: the blocked product, softmax and what stands between, long sequences, and the colouring of cells.
//!
//! A crate of its own so that these loops are built for speed while the page around them is built for size. What is
//! called from outside takes slices and is not inlined, for a generic or inlined function would be built by its caller,
//! for size. Owns no shape, no stage and no memory: callers bring it.

#![no_std]

pub mod cells;
mod dense;
mod exp;
mod lanes;
mod ln;
mod pool;
mod product;
mod rows;
mod softmax;
mod stream;

pub use dense::{Dense, dense_heads};
pub use exp::{SMALLEST, exp};
pub use ln::ln;
pub use pool::Pool;
pub use product::{BLOCK, Panels, Rows, SCRATCH, multiply, one_tile, pack, pack_transposed, panels_len, scratch_for};
pub use rows::{all_finite, divide, gather, scale, scatter};
pub use softmax::{Summary, softmax_rows};
pub use stream::{BAND, Reach, Sequence, scratch_len};
