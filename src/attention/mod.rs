//! THE SUBJECT: multi-head attention as pure values.
//!
//! Owns embeddings, positions, projections, masks, [`Problem`], [`Trace`] (the only result type) and the f64
//! [`oracle`] that is the specification. Owns no fast code (see `engine`) and no picture.

pub mod cells;
pub mod document;
pub mod embedding;
pub mod mask;
pub mod oracle;
pub mod pattern;
pub mod problem;
pub mod random_weights;
pub mod toy;
pub mod trace;

pub use cells::Cells;
pub use mask::Mask;
pub use pattern::{Pattern, Sparse};
pub use problem::{Problem, ProblemError, Source, Weights};
pub use trace::{Held, Layer, Shape, Stage, Trace};

/// Width of an embedding: 32 content + 16 position + 16 identity dimensions.
pub const D_MODEL: usize = 64;
