//! Prepared sentences: a few at hand, all of them in a panel with what there is to see.

use crate::lesson::presets::{Group, PRESETS, Preset, in_group};
use crate::locale::words;
use crate::state::Action;
use crate::text::Lang;
use crate::web::hooks::use_store;
use crate::web::store::When;
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`Presets`].
#[derive(Properties, PartialEq)]
pub struct PresetsProps {
    /// The page's language.
    pub lang: Lang,
    /// The sentence of the settings.
    pub sentence: Rc<str>,
    /// Whether the panel of all presets is open.
    pub open: bool,
    /// Opens or closes the panel.
    pub ontoggle: Callback<()>,
}

/// How many presets stand in the line beside the sentence.
const AT_HAND: usize = 6;
/// Longest sentence in that line, in characters.
const SHORT: usize = 16;

fn short(sentence: &str) -> String {
    if sentence.chars().count() <= SHORT {
        return sentence.to_owned();
    }
    let cut: String = sentence.chars().take(SHORT - 2).collect();
    format!("{}…", cut.trim_end())
}

/// The line of presets; with the panel open, every preset in its group.
#[component]
pub fn Presets(props: &PresetsProps) -> Html {
    let store = use_store();
    let w = words(props.lang);
    let choose = |preset: &'static Preset| {
        let store = store.clone();
        Callback::from(move |_: MouseEvent| store.dispatch(&Action::Preset(Box::new(preset.settings())), When::Done))
    };
    let current = PRESETS.iter().find(|preset| *preset.sentence == *props.sentence);
    html! {
        <>
            <div class="presets" role="group" aria-label={w.presets}>
                { for in_group(Group::Main).take(AT_HAND).map(|preset| html! {
                    <button type="button" key={preset.id} aria-pressed={(current == Some(preset)).to_string()} title={preset.sentence}
                        data-preset={preset.id} onclick={choose(preset)}>{ short(preset.sentence) }</button>
                }) }
                <button type="button" class="more" aria-expanded={props.open.to_string()} onclick={props.ontoggle.reform(|_| ())} data-name="all-presets">{ w.more_presets }</button>
            </div>
            if props.open {
                <div class="panel preset-panel fade">
                    <div class="preset-groups">
                        { for [Group::Main, Group::Swap, Group::Reference, Group::Sense, Group::Challenge].into_iter().zip(w.preset_groups).map(|(group, title)| html! {
                            <section>
                                <h3>{ title }</h3>
                                <ul>
                                    { for in_group(group).map(|preset| html! {
                                        <li>
                                            <button type="button" data-preset={preset.id} onclick={choose(preset)}>{ preset.sentence }</button>
                                            <p>{ preset.title.in_language(props.lang) }</p>
                                        </li>
                                    }) }
                                </ul>
                            </section>
                        }) }
                    </div>
                </div>
            }
            if let Some(preset) = current {
                <p class="preset-note">{ preset.note.in_language(props.lang) }</p>
            }
        </>
    }
}
