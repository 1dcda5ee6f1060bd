//! The page: which parts stand where, and which panels are open.

use super::answer::Answer;
use super::arcs::Arcs;
use super::controls::Controls;
use super::foot::Foot;
use super::header::Header;
use super::heads::Heads;
use super::inspector::Inspector;
use super::map::Map;
use super::more::More;
use super::notices::Notices;
use super::presets::Presets;
use super::sentence::Sentence;
use super::share::Share;
use super::word_editor::WordEditor;
use crate::locale::words;
use crate::web::environment;
use crate::web::shared::Shared;
use crate::web::store::{Snapshot, Store};
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`App`].
#[derive(Properties, PartialEq)]
pub struct AppProps {
    /// Where state comes from and changes go to.
    pub store: Store,
}

/// Which panel is open.
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
    let store = props.store.clone();
    let snapshot = use_state(|| Shared(store.snapshot()));
    let panel = use_state_eq(|| Panel::None);
    let more = use_state_eq(|| false);
    {
        let setter = snapshot.setter();
        use_effect_with(store.clone(), move |store| {
            let subscription = store.subscribe(move |next: Rc<Snapshot>| setter.set(Shared(next)));
            move || drop(subscription)
        });
    }
    let shot = (*snapshot).clone();
    let lang = shot.lang;
    use_effect_with((lang, shot.dark), |(lang, dark)| {
        environment::dress_document(*lang, *dark, words(*lang).title);
    });
    let w = words(lang);
    let toggle = |which: Panel| {
        let panel = panel.clone();
        Callback::from(move |()| panel.set(if *panel == which { Panel::None } else { which }))
    };
    let close = {
        let panel = panel.clone();
        Callback::from(move |()| panel.set(Panel::None))
    };
    let onmore = {
        let more = more.clone();
        Callback::from(move |()| more.set(!*more))
    };
    let picture = Shared(Rc::clone(&shot.picture));
    let settings = Shared(Rc::clone(&shot.settings));
    html! {
        <ContextProvider<Store> context={store}>
            <div class="page">
                <Header {lang} dark={shot.dark} sharing={*panel == Panel::Share} onshare={toggle(Panel::Share)} />
                <div class="main">
                    <main class="stage">
                        if *panel == Panel::Share { <Share {lang} settings={settings.clone()} onclose={close.clone()} /> }
                        <div class="say">
                            <Sentence {lang} text={Rc::clone(&shot.settings.sentence)} />
                            <Presets {lang} sentence={Rc::clone(&shot.settings.sentence)} open={*panel == Panel::Presets} ontoggle={toggle(Panel::Presets)} />
                        </div>
                        <Notices {lang} notices={Rc::clone(&shot.notices)} />
                        <Answer {lang} picture={picture.clone()} />
                        <Arcs {lang} dark={shot.dark} picture={picture.clone()} editing={*panel == Panel::Word} onedit={toggle(Panel::Word)} />
                        if *panel == Panel::Word { <WordEditor {lang} picture={picture.clone()} onclose={close} /> }
                        <Controls {lang} settings={settings.clone()} more={*more} {onmore} />
                        if *more { <More {lang} {settings} /> }
                        <div class="maps">
                            <Heads {lang} dark={shot.dark} picture={picture.clone()} />
                            <Map {lang} dark={shot.dark} picture={picture.clone()} />
                        </div>
                    </main>
                    <aside class="side" aria-label={w.story}>
                        <Inspector {lang} {picture} />
                    </aside>
                </div>
                <Foot snapshot={shot} />
            </div>
        </ContextProvider<Store>>
    }
}
