//! Which characters join into words, and which stand alone.
