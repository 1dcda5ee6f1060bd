//! Texts of the page in Chinese and English; a missing text does not compile.
//!
//! Owns the sentences. What there is to say are values of other rooms; here they are put into words.

pub mod notice;
pub mod question;
