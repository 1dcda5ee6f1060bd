//! The browser's word segmenter proposes words that the lexicon does not know; the person's own words stay.

use crate::page::{close_store, landing, open_store};
use attention_lab::state::Action;
use attention_lab::text::{AddedWord, Feature, FeatureSet};
use attention_lab::web::segmenter;
use attention_lab::web::store::{Store, When};
use wasm_bindgen_test::wasm_bindgen_test;

const SENTENCE: &str = "女巫追哥布林";

fn names(words: &[AddedWord]) -> Vec<&str> {
    words.iter().map(|word| &*word.text).collect()
}

fn labels(store: &Store) -> Vec<String> {
    store.snapshot().picture.labels.to_vec()
}

#[wasm_bindgen_test]
fn unknown_words_are_proposed() {
    let proposed = segmenter::propose(SENTENCE, &[]);
    let names = names(&proposed);
    assert!(proposed.iter().all(|word| word.features.is_empty() && !word.split), "a proposal says only: one word");
    assert_eq!(names.first(), Some(&"女巫"), "every browser's dictionary has a witch");
    // Not every one has a goblin, and what it makes of him is its own affair; but nothing crosses a known word.
    assert!(names[1..].iter().all(|name| "哥布林".contains(name)), "{names:?}");
}

#[wasm_bindgen_test]
fn places_are_counted_in_utf_16_by_the_browser_and_in_bytes_here() {
    for before in ["🐈", "e\u{301}", "👩‍👩‍👧", "𠮷", "\u{feff}"] {
        let text = format!("{before}女巫追猫");
        assert!(names(&segmenter::propose(&text, &[])).contains(&"女巫"), "after {before:?}");
    }
}

#[wasm_bindgen_test]
fn nothing_is_proposed_where_nothing_is_unknown_or_all_is_said() {
    assert_eq!(segmenter::propose("猫追老鼠", &[]), []);
    assert_eq!(segmenter::propose("the witch chased a goblin", &[]), []);
    assert_eq!(segmenter::propose("", &[]), []);
    let split = AddedWord { text: "女巫".into(), features: FeatureSet::EMPTY, split: true };
    assert!(!names(&segmenter::propose(SENTENCE, &[split])).contains(&"女巫"), "the person has split it");
}

#[wasm_bindgen_test]
fn typing_takes_proposals_over_and_forgets_them() {
    let store = open_store(&landing());
    store.type_sentence("女巫追猫", When::Moving);
    assert_eq!(labels(&store), ["BOS", "女巫", "追", "猫"]);
    assert_eq!(names(&store.snapshot().settings().words), ["女巫"]);
    store.type_sentence("老鼠追猫", When::Moving);
    assert!(store.snapshot().settings().words.is_empty(), "the link does not carry what was typed before");
    // What the person said of a word is no proposal, and stays.
    let features = FeatureSet::of(&[Feature::Noun, Feature::Animate]);
    let own = AddedWord { text: "女巫".into(), features, split: false };
    store.dispatch(&Action::SetWords(vec![own.clone()]), When::Moving);
    for text in ["女巫追猫", "老鼠追猫", "女巫"] {
        store.type_sentence(text, When::Moving);
        assert_eq!(*store.snapshot().settings().words, *std::slice::from_ref(&own), "{text}");
    }
    close_store(&store);
}
