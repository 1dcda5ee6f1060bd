//! What the model knows of one word: features as chips, merged with the next word, or split.

use super::desk::{Desk, text_of};
use crate::locale::feature_name;
use crate::state::Action;
use crate::text::{AddedWord, Feature, Token, TokenKind, Tokenizer, edit};
use crate::web::store::Picture;
use yew::prelude::*;

/// Chips in groups, in the order in which a person would say them.
const GROUPS: [&[Feature]; 6] = [
    &[
        Feature::Noun,
        Feature::Pron,
        Feature::Verb,
        Feature::Trans,
        Feature::Be,
        Feature::Det,
        Feature::Func,
        Feature::Mod,
    ],
    &[Feature::Animate, Feature::Animal, Feature::Human, Feature::Thing],
    &[Feature::WantAnimal, Feature::WantHuman, Feature::WantThing],
    &[Feature::Sg, Feature::Pl, Feature::WantSg, Feature::WantPl],
    &[Feature::TFin, Feature::TNat, Feature::TFood, Feature::TTech],
    &[Feature::SFin, Feature::SNat, Feature::SFood, Feature::STech],
];

/// Whether a person can say what this token is.
pub fn editable(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Word | TokenKind::Char | TokenKind::Chunk)
}

/// The editor of the word that asks (the selected query).
pub fn word_editor(desk: &Desk, picture: &Picture, onclose: Callback<MouseEvent>) -> Html {
    let w = desk.words();
    let at = picture.plan.selection.query;
    let Some(token) = picture.tokens().get(at).filter(|token| editable(token)) else { return Html::default() };
    let input = &picture.settings.sentence;
    let added = &picture.settings.words;
    let label = picture.label(at);

    let set = |list: Vec<AddedWord>| desk.act(Action::SetWords(list));
    // Only the word tokenizer knows words that are added.
    let cuts_words = picture.settings.tokenizer == Tokenizer::Word;
    let merged = edit::merge(input, picture.tokens(), at).filter(|_| cuts_words);
    let titles = w.feature_groups;
    html! {
        <section class="panel word-editor fade" aria-label={w.word_editor} id="word-editor">
            <h2>{ label }{ " " }<small class="muted">{ if token.known { w.word_known } else { w.word_unknown } }</small></h2>
            { for GROUPS.iter().zip(titles).map(|(features, title)| html! {
                <div class="chip-group" role="group" aria-label={title}>
                    <span aria-hidden="true">{ title }</span>
                    { for features.iter().map(|&feature| {
                        let on = token.features.has(feature);
                        let onclick = set(edit::set_feature(token, feature, !on, added));
                        html! {
                            <button type="button" class="chip" aria-pressed={text_of(on)} data-feature={feature.name()} {onclick}>
                                { feature_name(desk.lang, feature) }
                            </button>
                        }
                    }) }
                </div>
            }) }
            <div class="chip-group">
                if let Some(word) = merged { <button type="button" class="tool" onclick={set(edit::with_word(added, word))} data-name="merge">{ w.merge_next }</button> }
                if cuts_words && token.text.chars().nth(1).is_some() { <button type="button" class="tool" onclick={set(edit::split(token, added))} data-name="split">{ w.split_word }</button> }
                <button type="button" class="link" onclick={onclose}>{ w.close }</button>
            </div>
        </section>
    }
}
