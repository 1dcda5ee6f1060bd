//! What the model knows of one word: features as chips, merged with the next word, or split.

use crate::locale::{feature_name, words};
use crate::state::Action;
use crate::text::{Feature, Lang, Token, TokenKind, Tokenizer, edit};
use crate::web::hooks::use_store;
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use std::rc::Rc;
use yew::prelude::*;

/// Properties of [`WordEditor`].
#[derive(Properties, PartialEq)]
pub struct WordEditorProps {
    /// The page's language.
    pub lang: Lang,
    /// What was computed.
    pub picture: Shared<Picture>,
    /// The editor is closed.
    pub onclose: Callback<()>,
}

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
#[component]
pub fn WordEditor(props: &WordEditorProps) -> Html {
    let store = use_store();
    let w = words(props.lang);
    let picture = &props.picture;
    let at = picture.plan.selection.query;
    let Some(token) = picture.tokens().get(at).filter(|token| editable(token)) else { return Html::default() };
    let input = Rc::clone(&picture.settings.sentence);
    let added = Rc::clone(&picture.settings.words);
    let label = picture.labels.get(at).cloned().unwrap_or_default();

    let set_words = {
        let store = store.clone();
        Callback::from(move |list: Vec<crate::text::AddedWord>| store.dispatch(&Action::SetWords(list), When::Done))
    };
    let onsplit = {
        let (set_words, token, added) = (set_words.clone(), token.clone(), Rc::clone(&added));
        Callback::from(move |_: MouseEvent| set_words.emit(edit::split(&token, &added)))
    };
    // Only the word tokenizer knows words that are added.
    let cuts_words = picture.settings.tokenizer == Tokenizer::Word;
    let merged = edit::merge(&input, picture.tokens(), at).filter(|_| cuts_words);
    let onmerge = {
        let (set_words, added, merged) = (set_words.clone(), Rc::clone(&added), merged.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(word) = merged.clone() {
                set_words.emit(edit::with_word(&added, word));
            }
        })
    };
    let titles = w.feature_groups;
    html! {
        <section class="panel word-editor fade" aria-label={w.word_editor} id="word-editor">
            <h2>{ label }{ " " }<small class="muted">{ if token.known { w.word_known } else { w.word_unknown } }</small></h2>
            { for GROUPS.iter().zip(titles).map(|(features, title)| html! {
                <div class="chip-group" role="group" aria-label={title}>
                    <span aria-hidden="true">{ title }</span>
                    { for features.iter().map(|&feature| {
                        let on = token.features.has(feature);
                        let (set_words, token, added) = (set_words.clone(), token.clone(), Rc::clone(&added));
                        let onclick = Callback::from(move |_: MouseEvent| {
                            set_words.emit(edit::set_feature(&token, feature, !on, &added));
                        });
                        html! {
                            <button type="button" class="chip" aria-pressed={on.to_string()} data-feature={feature.name()} {onclick}>
                                { feature_name(props.lang, feature) }
                            </button>
                        }
                    }) }
                </div>
            }) }
            <div class="chip-group">
                if merged.is_some() { <button type="button" class="tool" onclick={onmerge} data-name="merge">{ w.merge_next }</button> }
                if cuts_words && token.text.chars().nth(1).is_some() { <button type="button" class="tool" onclick={onsplit} data-name="split">{ w.split_word }</button> }
                <button type="button" class="link" onclick={props.onclose.reform(|_| ())}>{ w.close }</button>
            </div>
        </section>
    }
}
