//! Texts of the page in Chinese and English; a missing text does not compile.
