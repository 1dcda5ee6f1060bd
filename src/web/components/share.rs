//! The link of the present state, and what it does not carry.

use super::desk::Desk;
use crate::state::{Settings, link};
use crate::web::{environment, tasks};
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// A panel with the link and a button that copies it; `said` is what came of copying.
pub fn share(
    desk: &Desk,
    settings: &Settings,
    field: &NodeRef,
    said: &UseStateHandle<&'static str>,
    onclose: Callback<MouseEvent>,
) -> Html {
    let w = desk.words();
    // The language is part of what is shared: the reader sees what the sharer saw.
    let mut shared = settings.clone();
    shared.lang = Some(desk.lang);
    let url = format!("{}#{}", environment::address(), link::encode(&shared));
    let oncopy = {
        let (field, said, url) = (field.clone(), said.clone(), url.clone());
        Callback::from(move |_: MouseEvent| {
            let (field, said, url) = (field.clone(), said.clone(), url.clone());
            tasks::spawn(async move {
                if environment::copy_text(&url).await {
                    said.set(w.copied);
                    return;
                }
                if let Some(input) = field.cast::<HtmlInputElement>() {
                    input.select();
                }
                said.set(w.copy_by_hand);
            });
        })
    };
    html! {
        <section class="panel fade" aria-label={w.share} id="share">
            <div class="share-row">
                <input class="field" ref={field.clone()} readonly=true value={url} aria-label={w.link} data-name="link" />
                <button type="button" class="tool" onclick={oncopy} data-name="copy">{ w.copy }</button>
                <button type="button" class="link" onclick={onclose}>{ w.close }</button>
            </div>
            <p class="muted" role="status">{ **said }</p>
            <p class="muted">{ w.link_carries }</p>
        </section>
    }
}
