//! THE SUBJECT: multi-head attention as pure values.
//!
//! Owns embeddings, positions, projections, masks, methods and mistakes, [`Problem`], [`Trace`] (the only result type) and the f64
//! [`oracle`] that is the specification. Owns no fast code (see `engine`) and no picture.

pub mod bug;
pub mod cells;
pub mod document;
pub mod embedding;
pub mod mask;
pub mod mask_text;
pub mod method;
pub mod oracle;
pub mod pattern;
pub mod positions;
pub mod problem;
pub mod random_weights;
pub mod rule;
pub mod toy;
pub mod trace;

pub use bug::{Bug, Bugs};
pub use cells::Cells;
pub use mask::Mask;
pub use method::{Fill, Method, Position, Precision, Score, Weighting};
pub use pattern::{Pattern, Sparse};
pub use positions::Positions;
pub use problem::{Problem, ProblemError, Source, Weights};
pub use rule::Rule;
pub use trace::{Held, Layer, Shape, Stage, Trace};

/// Width of an embedding: 32 content + 16 position + 16 identity dimensions.
pub const D_MODEL: usize = 64;
