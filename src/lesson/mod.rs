//! The teaching as data.
//!
//! Owns the prepared sentences ([`presets`]) and the question that a row of a head answers ([`question`]). Draws and
//! computes nothing.

pub mod presets;
pub mod question;

use crate::text::Lang;

/// A text in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "names of languages")]
pub struct Text {
    pub zh: &'static str,
    pub en: &'static str,
}

impl Text {
    /// The text in `lang`.
    #[must_use]
    pub const fn in_language(self, lang: Lang) -> &'static str {
        match lang {
            Lang::Zh => self.zh,
            Lang::En => self.en,
        }
    }
}
