//! Language and theme as a person chose them here before; the link may say otherwise.

use crate::state::{Action, Settings, Theme};
use crate::text::Lang;
use crate::web::environment;

/// What `localStorage` keeps, besides the link: the language and the theme that a person chose.
const LANG_KEY: &str = "attention-lab.lang";
const THEME_KEY: &str = "attention-lab.theme";

/// What a person chose here before, where the link leaves it open.
#[derive(Clone, Copy)]
pub struct Preferences {
    lang: Option<Lang>,
    theme: Theme,
}

impl Preferences {
    /// Reads them from the browser; where storage is denied, nothing was chosen.
    pub fn remembered() -> Self {
        let lang = match environment::remembered(LANG_KEY).as_deref() {
            Some("zh") => Some(Lang::Zh),
            Some("en") => Some(Lang::En),
            _ => None,
        };
        let theme = match environment::remembered(THEME_KEY).as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::Auto,
        };
        Self { lang, theme }
    }

    /// The link's language, else the one chosen here before, else the browser's.
    pub fn language(self, settings: &Settings) -> Lang {
        settings.lang.or(self.lang).unwrap_or_else(environment::browser_lang)
    }

    /// The link's theme, else the one chosen here before, else the system's.
    pub fn darkness(self, settings: &Settings, system_dark: bool) -> bool {
        let chosen = if settings.theme == Theme::Auto { self.theme } else { settings.theme };
        match chosen {
            Theme::Light => false,
            Theme::Dark => true,
            Theme::Auto => system_dark,
        }
    }

    /// The same with what `action` chooses, which is remembered.
    pub fn choosing(self, action: &Action) -> Self {
        let mut preferences = self;
        match action {
            Action::Lang(lang) => {
                preferences.lang = *lang;
                environment::remember(LANG_KEY, lang.map_or("", |lang| if lang == Lang::Zh { "zh" } else { "en" }));
            }
            Action::Theme(theme) => {
                preferences.theme = *theme;
                let name = match theme {
                    Theme::Auto => "auto",
                    Theme::Light => "light",
                    Theme::Dark => "dark",
                };
                environment::remember(THEME_KEY, name);
            }
            _ => {}
        }
        preferences
    }
}
