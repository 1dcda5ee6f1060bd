//! Texts of the page in Chinese and English; a missing text does not compile.
//!
//! Owns the sentences. What there is to say are values of other rooms; here they are put into words.

pub mod diagnosis;
pub mod document;
pub mod document_spoken;
pub mod field;
pub mod input;
pub mod names;
pub mod notice;
pub mod number;
pub mod question;
pub mod spoken;
pub mod words;

pub use input::input_error;
pub use names::{dimension_name, feature_name, head_name, head_title, role_code, role_name, role_sentence};
pub use notice::{gpu_error, notice, problem_error};
pub use spoken::{cell_sentence, engine_why, reading, word_spoken};
pub use words::{Words, words};
