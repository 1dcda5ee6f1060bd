//! The teaching as data.
