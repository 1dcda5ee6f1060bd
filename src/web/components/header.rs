//! Name, what the page is for, and the three tools: share, language, theme.

use crate::locale::words;
use crate::state::{Action, Theme};
use crate::text::Lang;
use crate::web::hooks::use_store;
use crate::web::store::When;
use yew::prelude::*;

/// Properties of [`Header`].
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// The page's language.
    pub lang: Lang,
    /// Whether the page is dark now.
    pub dark: bool,
    /// Whether the share panel is open.
    pub sharing: bool,
    /// Opens or closes the share panel.
    pub onshare: Callback<()>,
}

/// The top line of the page.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let store = use_store();
    let w = words(props.lang);
    let other = match props.lang {
        Lang::Zh => Lang::En,
        Lang::En => Lang::Zh,
    };
    let onlang = {
        let store = store.clone();
        Callback::from(move |_| store.dispatch(&Action::Lang(Some(other)), When::Done))
    };
    let theme = if props.dark { Theme::Light } else { Theme::Dark };
    let ontheme = Callback::from(move |_| store.dispatch(&Action::Theme(theme), When::Done));
    let (other_name, other_code) = match other {
        Lang::En => ("EN", "en"),
        Lang::Zh => ("中文", "zh-CN"),
    };
    html! {
        <header class="top">
            <span class="brand">{ w.title }</span>
            <span class="tagline">{ w.tagline }</span>
            <div class="top-tools">
                <button type="button" aria-expanded={props.sharing.to_string()} onclick={props.onshare.reform(|_| ())}>{ w.share }</button>
                <button type="button" lang={other_code} aria-label={w.switch_language} title={w.switch_language} onclick={onlang} data-name="language">{ other_name }</button>
                <button type="button" aria-label={if props.dark { w.to_light } else { w.to_dark }} title={if props.dark { w.to_light } else { w.to_dark }} onclick={ontheme} data-name="theme">
                    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" />
                        <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
                    </svg>
                </button>
            </div>
        </header>
    }
}
