//! Drawing as data: a scene is computed here, and painted elsewhere.
