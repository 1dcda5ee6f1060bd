//! Prepared sentences: a few at hand, all of them in a panel with what there is to see.

use super::desk::{Desk, text_of};
use crate::lesson::presets::{Group, PRESETS, Preset, by_id, in_group};
use crate::picture::measure::fit;
use crate::state::{Action, Settings};
use crate::text::Lang;
use yew::prelude::*;

/// The presets in the line beside the sentence, by their names; in English more English ones.
const AT_HAND_EN: [&str; 6] = ["cat-chases", "cat-was-tired", "river-bank", "loan-rates", "i-love-you", "you-love-me"];
const AT_HAND: [&str; 6] =
    ["cat-chases", "i-love-you", "you-love-me", "relative-clause", "cat-was-tired", "riverside-bank"];
/// Longest sentence in that line, in em.
const SHORT: f64 = 8.5;

const GROUPS: [Group; 5] = [Group::Main, Group::Swap, Group::Reference, Group::Sense, Group::Challenge];

/// The preset whose picture this is: what its note says holds in these settings, whichever cell is looked at.
pub fn current(settings: &Settings) -> Option<&'static Preset> {
    let preset = PRESETS.iter().find(|preset| preset.sentence == &*settings.sentence)?;
    let Settings { lang, tab, engine, theme, contrast, stage, query, key, .. } = settings.clone();
    let own = Settings { lang, tab, engine, theme, contrast, stage, query, key, ..preset.settings() };
    (own == *settings).then_some(preset)
}

/// What a prepared Chinese sentence means, for a page in English.
pub fn gloss(desk: &Desk, settings: &Settings) -> Option<&'static str> {
    let preset = PRESETS.iter().find(|preset| preset.sentence == &*settings.sentence)?;
    (desk.lang == Lang::En && !preset.gloss.is_empty()).then_some(preset.gloss)
}

fn choose(desk: &Desk, preset: &'static Preset) -> Callback<MouseEvent> {
    desk.act(Action::Preset(Box::new(preset.settings())))
}

/// The line of presets beside the sentence.
pub fn presets(desk: &Desk, sentence: &str, open: bool, ontoggle: Callback<MouseEvent>) -> Html {
    let w = desk.words();
    html! {
        <div class="presets" role="group" aria-label={w.presets}>
            { for if desk.lang == Lang::En { AT_HAND_EN } else { AT_HAND }.into_iter().filter_map(by_id).map(|preset| html! {
                <button type="button" aria-pressed={text_of(preset.sentence == sentence)} title={preset.sentence}
                    data-preset={preset.id} onclick={choose(desk, preset)}>{ fit(preset.sentence, SHORT).into_owned() }</button>
            }) }
            <a href="#doc=" data-name="whole-text">{ w.whole_text }</a>
            <button type="button" class="more" aria-expanded={text_of(open)} onclick={ontoggle} data-name="all-presets">{ w.more_presets }</button>
        </div>
    }
}

/// Every preset in its group, with what there is to see.
pub fn all(desk: &Desk) -> Html {
    let w = desk.words();
    html! {
        <section class="panel preset-groups fade" aria-label={w.presets}>
            { for GROUPS.into_iter().zip(w.preset_groups).map(|(group, title)| html! {
                <div>
                    <h2>{ title }</h2>
                    <ul>
                        { for in_group(group).map(|preset| html! {
                            <li>
                                <button type="button" data-preset={preset.id} onclick={choose(desk, preset)}>
                                    { preset.sentence }<small>{ preset.note.in_language(desk.lang) }</small>
                                </button>
                            </li>
                        }) }
                    </ul>
                </div>
            }) }
        </section>
    }
}
