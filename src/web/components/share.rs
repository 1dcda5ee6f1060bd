//! The link of the present state, and what it does not carry.

use crate::locale::words;
use crate::state::{Settings, link};
use crate::text::Lang;
use crate::web::environment;
use crate::web::shared::Shared;
use crate::web::tasks;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Properties of [`Share`].
#[derive(Properties, PartialEq)]
pub struct ShareProps {
    /// The page's language.
    pub lang: Lang,
    /// What the link carries.
    pub settings: Shared<Settings>,
    /// The panel is closed.
    pub onclose: Callback<()>,
}

/// A panel with the link and a button that copies it.
#[component]
pub fn Share(props: &ShareProps) -> Html {
    let w = words(props.lang);
    let node = use_node_ref();
    let said = use_state(|| "");
    // The language is part of what is shared: the reader sees what the sharer saw.
    let mut shared = (*props.settings.0).clone();
    shared.lang = Some(props.lang);
    let url = format!("{}#{}", environment::address(), link::encode(&shared));
    let oncopy = {
        let (node, said, url) = (node.clone(), said.clone(), url.clone());
        Callback::from(move |_: MouseEvent| {
            let (node, said, url) = (node.clone(), said.clone(), url.clone());
            tasks::spawn(async move {
                if environment::copy_text(&url).await {
                    said.set(w.copied);
                } else {
                    if let Some(input) = node.cast::<HtmlInputElement>() {
                        input.select();
                    }
                    said.set(w.copy_by_hand);
                }
            });
        })
    };
    html! {
        <section class="panel fade" aria-label={w.share} id="share">
            <div class="share-row">
                <input class="field" ref={node} readonly=true value={url} aria-label={w.link} />
                <button type="button" class="tool" onclick={oncopy} data-name="copy">{ w.copy }</button>
                <button type="button" class="link" onclick={props.onclose.reform(|_| ())}>{ w.close }</button>
            </div>
            <p class="muted" role="status">{ *said }</p>
            <p class="muted">{ w.link_carries }</p>
        </section>
    }
}
