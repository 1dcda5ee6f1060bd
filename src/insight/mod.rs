//! THE MEANING, numbers only: entropy, score statistics, the story of one number, and readings (warnings as values).
