//! The sentence box and input methods: nothing is taken over before it is composed.

use crate::page::{Page, input_event, plain_event, settled};
use crate::watch::Writes;
use attention_lab::state::Action;
use attention_lab::web::store::When;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::CompositionEvent;

/// What an input method says of its work.
fn compose(page: &Page, name: &str) {
    let event = CompositionEvent::new(name).expect("a composition event");
    page.sentence_box().dispatch_event(&event).expect("an event can be dispatched");
}

/// The box has this draft now.
fn draft(page: &Page, text: &str, composing: bool) {
    let area = page.sentence_box();
    area.set_value(text);
    area.dispatch_event(&input_event(composing)).expect("an event can be dispatched");
}

#[wasm_bindgen_test]
async fn the_sentence_changes_only_when_composed() {
    let page = Page::open().await;
    compose(&page, "compositionstart");
    for text in ["n", "nv", "nv'wu", "女巫"] {
        draft(&page, text, true);
        settled().await;
        assert_eq!(page.sentence(), "猫追老鼠", "draft {text}");
        assert_eq!(page.sentence_box().value(), text, "the draft is not disturbed");
    }
    compose(&page, "compositionend");
    settled().await;
    assert_eq!(page.sentence(), "女巫");
    assert_eq!(page.sentence_box().value(), "女巫");
    // Typing goes on without an input method.
    draft(&page, "女巫追猫", false);
    settled().await;
    assert_eq!(page.sentence(), "女巫追猫");
    page.close().await;
}

#[wasm_bindgen_test]
async fn either_sign_of_composing_is_enough() {
    let page = Page::open().await;
    // Some browsers send the first input before compositionstart.
    draft(&page, "n", true);
    settled().await;
    assert_eq!(page.sentence(), "猫追老鼠");
    // Others forget isComposing.
    compose(&page, "compositionstart");
    draft(&page, "ni", false);
    settled().await;
    assert_eq!(page.sentence(), "猫追老鼠");
    compose(&page, "compositionend");
    page.close().await;
}

#[wasm_bindgen_test]
async fn enter_belongs_to_the_input_method() {
    let page = Page::open().await;
    compose(&page, "compositionstart");
    draft(&page, "nv", true);
    let writes = Writes::new();
    assert!(!page.press("textarea", "Enter").await, "composing by compositionstart");
    assert!(!page.press_with("textarea", "Enter", |init| init.set_is_composing(true)).await);
    assert!(!page.press_with("textarea", "Enter", |init| init.set_key_code(229)).await);
    draft(&page, "女", true);
    compose(&page, "compositionend");
    // Safari sends the Enter that ended a composition after compositionend, with key code 229.
    assert!(!page.press_with("textarea", "Enter", |init| init.set_key_code(229)).await);
    assert!(!page.press_with("textarea", "Enter", |init| init.set_is_composing(true)).await);
    assert_eq!(writes.take(), Vec::<String>::new(), "nothing was committed");
    // Shift and Enter is the box's own; Enter alone commits.
    assert!(!page.press_with("textarea", "Enter", |init| init.set_shift_key(true)).await);
    assert!(page.press("textarea", "Enter").await);
    let written = writes.take();
    writes.stop_watching();
    assert_eq!(written.len(), 1, "{written:?}");
    assert!(written[0].starts_with("push #") && written[0].contains("s=女"), "{written:?}");
    assert_eq!(page.sentence(), "女");
    page.close().await;
}

#[wasm_bindgen_test]
async fn a_change_from_elsewhere_does_not_disturb_a_composition() {
    let page = Page::open().await;
    compose(&page, "compositionstart");
    draft(&page, "mao", true);
    page.store.dispatch(&Action::SetSentence("老鼠追猫".into()), When::Moving);
    settled().await;
    assert_eq!(page.sentence_box().value(), "mao");
    compose(&page, "compositionend");
    settled().await;
    assert_eq!(page.sentence(), "mao", "what was composed last counts");
    page.close().await;
}

#[wasm_bindgen_test]
async fn leaving_the_box_commits_once() {
    let page = Page::open().await;
    let writes = Writes::new();
    draft(&page, "老鼠追猫", false);
    page.sentence_box().dispatch_event(&plain_event("change")).expect("an event can be dispatched");
    page.sentence_box().dispatch_event(&plain_event("change")).expect("an event can be dispatched");
    settled().await;
    let written = writes.take();
    writes.stop_watching();
    assert_eq!(written.iter().filter(|call| call.starts_with("push")).count(), 1, "{written:?}");
    assert_eq!(page.sentence(), "老鼠追猫");
    page.close().await;
}
