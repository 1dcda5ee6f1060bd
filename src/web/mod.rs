//! The only browser code.

/// Mounts the page into the document.
pub fn mount() {}
