//! The page: which parts stand where, and which panels are open.

use super::answer::answer;
use super::arcs::Arcs;
use super::controls::controls;
use super::desk::{Desk, flip};
use super::field::{broken, field};
use super::frame::{footer, header, notices};
use super::heads::Heads;
use super::inspector::Inspector;
use super::map::Map;
use super::more::more;
use super::part::part;
use super::presets;
use super::sentence::Sentence;
use super::share::share;
use super::word_editor::word_editor;
use crate::locale::words;
use crate::state::View;
use crate::web::environment;
use crate::web::hooks::use_snapshot;
use crate::web::renders;
use crate::web::shared::Shared;
use crate::web::store::Store;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`App`].
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// Where state comes from and changes go to.
    pub store: Store,
}

/// Which panel is open; one at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panel {
    None,
    Share,
    Word,
    Presets,
}

/// The whole page.
#[component]
pub fn App(props: &AppProps) -> Html {
    renders::count("App");
    let store = &props.store;
    let snapshot = use_snapshot(store, true);
    let shot = &*snapshot;
    let panel = use_state_eq(|| Panel::None);
    let further = use_state_eq(|| false);
    let lab = use_state_eq(|| false);
    let lab_part = use_state_eq(|| 0);
    let wrong = use_state_eq(|| "");
    let said = use_state_eq(|| "");
    let link_field = use_node_ref();
    let desk = Desk { lang: shot.lang, store: store.clone() };
    let w = desk.words();
    use_effect_with((shot.lang, shot.dark), |(lang, dark)| {
        environment::dress_document(*lang, *dark, words(*lang).title)
    });
    let open = |which: Panel| {
        let (panel, said) = (panel.clone(), said.clone());
        Callback::from(move |_: MouseEvent| {
            said.set("");
            panel.set(if *panel == which { Panel::None } else { which });
        })
    };
    // Escape lets go: of an open panel, of the pencil, of what is hovered.
    let onescape = {
        let (panel, store, view) = (panel.clone(), store.clone(), shot.page.view);
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" && !event.is_composing() {
                panel.set(Panel::None);
                store.set_hover(None);
                if view.pencil {
                    store.set_view(View { pencil: false, ..view });
                }
            }
        })
    };
    let picture = Shared(Rc::clone(&shot.picture));
    let settings = shot.settings();
    html! {
        <div class="page" onkeydown={onescape}>
            { header(&desk, shot.dark, *panel == Panel::Share, open(Panel::Share)) }
            <div class="main">
                <main class="stage" data-is={(!shot.current).then_some("not-current")}>
                    if *panel == Panel::Share { { share(&desk, settings, &link_field, &said, open(Panel::Share)) } }
                    <div class="say">
                        { part(Sentence { desk: desk.clone(), text: Rc::clone(&settings.sentence) }) }
                        { presets::presets(&desk, &settings.sentence, *panel == Panel::Presets, open(Panel::Presets)) }
                    </div>
                    if *panel == Panel::Presets { { presets::all(&desk) } }
                    { notices(&desk, shot) }
                    { answer(&desk, &picture) }
                    { part(Arcs {
                        desk: desk.clone(),
                        picture: picture.clone(),
                        editing: *panel == Panel::Word,
                        onedit: open(Panel::Word),
                    }) }
                    if *panel == Panel::Word { { word_editor(&desk, &picture, open(Panel::Word)) } }
                    { broken(&desk, settings) }
                    { controls(&desk, settings, [(*further, flip(&further)), (*lab, flip(&lab))], &wrong) }
                    if *further { { more(&desk, settings, &wrong) } }
                    if *lab { { field(&desk, settings, &picture, &lab_part, &wrong) } }
                    <div class="maps">
                        { part(Heads { desk: desk.clone(), dark: shot.dark, picture: picture.clone() }) }
                        { part(Map { desk: desk.clone(), dark: shot.dark, picture: picture.clone(), pinned: shot.pinned.clone().map(Shared), view: shot.page.view }) }
                    </div>
                </main>
                <aside class="side" aria-label={w.story}>
                    { part(Inspector { desk, picture }) }
                </aside>
            </div>
            { footer(&Desk { lang: shot.lang, store: store.clone() }, shot) }
        </div>
    }
}
