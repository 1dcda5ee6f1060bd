//! THE MEANING, numbers only: entropy, score statistics, the story of one number, and readings (warnings as values).
//!
//! Owns what can be said about a trace without words: `locale` turns it into sentences. Computes no attention: every
//! number here is read from a [`crate::attention::Trace`] or derived from what is read.

pub mod compare;
pub mod decode;
pub mod diagnosis;
pub mod entropy;
pub mod explain;
pub mod flash;
pub mod other_weights;
pub mod reading;
pub mod rotary;
pub mod selection;
pub mod statistics;
pub mod story;

pub use compare::{Comparison, RowDifference, compare, difference};
pub use decode::{Candidate, decode};
pub use diagnosis::{Cause, Declared, Diagnosis, Guess, Measure, diagnose};
pub use reading::{Reading, fully_masked_rows, readings, readings_of_head};
pub use selection::{strongest_key, strongest_query};
pub use story::{Product, Side, Story, Term, story};
