//! What there is to say about the settings, in sentences, in place.

use crate::locale;
use crate::state::{Notice, Severity};
use crate::text::Lang;
use crate::web::hooks::use_store;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`Notices`].
#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    /// The page's language.
    pub lang: Lang,
    /// What there is to say.
    pub notices: Rc<[Notice]>,
}

/// A list of sentences, spoken politely when it changes.
#[component]
pub fn Notices(props: &NoticesProps) -> Html {
    let store = use_store();
    let w = locale::words(props.lang);
    html! {
        <div role="status" aria-live="polite">
            if !props.notices.is_empty() {
                <ul class="notices">
                    { for props.notices.iter().enumerate().map(|(at, notice)| {
                        let store = store.clone();
                        let onclick = Callback::from(move |_| store.dismiss(at));
                        let quiet = notice.severity() != Severity::Warning;
                        html! {
                            <li class={classes!("notice", quiet.then_some("quiet"))} data-code={notice.code()}>
                                <span>{ locale::notice(props.lang, notice) }</span>
                                <button type="button" aria-label={w.dismiss} title={w.dismiss} {onclick}>{ "×" }</button>
                            </li>
                        }
                    }) }
                </ul>
            }
        </div>
    }
}
