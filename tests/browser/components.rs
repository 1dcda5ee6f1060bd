//! The app on a page: what it shows, and that a change of the state is a change of the page.

use crate::page::{Page, key_event, landing, next_frame, open_link, open_store, painted, settled};
use crate::page::{document, plain_event};
use attention_lab::state::{Action, Settings, WeightsKind};
use attention_lab::text::Lang;
use attention_lab::web::store::When;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{HtmlCanvasElement, HtmlInputElement};

#[wasm_bindgen_test]
async fn landing_shows_the_question_its_answer_and_its_numbers() {
    let page = Page::open().await;
    assert_eq!(page.sentence_box().value(), "猫追老鼠");
    assert_eq!(page.text(".answer h1"), "谁在追？");
    assert_eq!(page.text(".answer p"), "追 看向 猫，权重 0.99");
    assert_eq!(page.count("[role=radiogroup] [role=radio]"), 8);
    assert_eq!(page.attribute("[role=radio][aria-checked=true]", "data-head").as_deref(), Some("4"));
    assert_eq!(page.count("[role=grid] canvas"), 1);
    assert_eq!(page.count(".words button"), 4, "<BOS>, 猫, 追, 老鼠");
    // q·k, q·k ÷ √8, and the weight.
    for (step, value) in [(1, "82.71"), (2, "29.24"), (8, "0.9893")] {
        assert_eq!(page.text(&format!("[data-step='{step}'] em")), value, "step {step}");
    }
    assert_eq!(document().title(), "注意力实验室");
    let html = document().document_element().expect("a document has a root");
    assert_eq!(html.get_attribute("lang").as_deref(), Some("zh-CN"));
    assert_eq!(html.get_attribute("data-theme").as_deref(), Some("light"));
    page.close().await;
}

#[wasm_bindgen_test]
async fn the_map_is_painted_as_wide_as_its_place() {
    let page = Page::open().await;
    next_frame().await;
    settled().await;
    let canvas: HtmlCanvasElement = page.find("[role=grid] canvas").unchecked_into();
    assert!(canvas.width() > 100 && canvas.height() > 100, "{} × {}", canvas.width(), canvas.height());
    let before = canvas.client_width();
    page.root.style().set_property("width", "300px").expect("a plain length");
    // The browser tells of the new size in a frame; the page draws anew after it.
    next_frame().await;
    next_frame().await;
    settled().await;
    assert!(canvas.client_width() < before && canvas.client_width() <= 300, "{}", canvas.client_width());
    page.close().await;
}

#[wasm_bindgen_test]
async fn an_action_changes_the_page() {
    let page = Page::open().await;
    page.store.dispatch(&Action::Temperature(2.0), When::Moving);
    assert_eq!(page.text("[data-step='8'] em"), "0.9893", "nothing is drawn before Yew's turn");
    painted().await;
    assert_eq!(page.text("[data-step='3'] em"), "14.62", "29.24 ÷ 2");
    assert_ne!(page.text("[data-step='8'] em"), "0.9893");
    let field: HtmlInputElement = page.find("input[data-name=temperature]").unchecked_into();
    assert_eq!(field.value(), "2");

    page.store.dispatch(&Action::SetSentence("女巫追猫".into()), When::Moving);
    painted().await;
    assert_eq!(page.sentence_box().value(), "女巫追猫");
    // Nobody asked the browser's segmenter, so 女巫 is two unknown characters: <BOS> 女 巫 追 猫.
    assert_eq!(page.count("[role=gridcell]"), 5);

    page.store.dispatch(&Action::Weights(WeightsKind::Random), When::Moving);
    page.store.dispatch(&Action::Heads(3), When::Moving);
    painted().await;
    assert_eq!(page.count("[role=radio]"), 3);
    page.close().await;
}

#[wasm_bindgen_test]
async fn the_other_question_is_one_click_away() {
    let page = Page::open().await;
    page.click("[data-name=swap]").await;
    assert_eq!(page.text(".answer h1"), "追谁？");
    assert!(page.text(".answer p").starts_with("追 看向 老鼠"), "{}", page.text(".answer p"));
    page.close().await;
}

#[wasm_bindgen_test]
async fn the_language_switches_back_and_forth() {
    let page = Page::open().await;
    page.click("[data-name=language]").await;
    assert_eq!(page.store.snapshot().lang, Lang::En);
    assert_eq!(page.text(".answer h1"), "Who is chasing?");
    let html = document().document_element().expect("a document has a root");
    assert_eq!(html.get_attribute("lang").as_deref(), Some("en"));
    assert_eq!(page.sentence(), "猫追老鼠", "a sentence is not translated");
    page.click("[data-name=language]").await;
    assert_eq!(page.text(".answer h1"), "谁在追？");
    page.close().await;
}

#[wasm_bindgen_test]
async fn dark_is_light_ink_on_a_dark_ground() {
    let page = Page::open().await;
    page.click("[data-name=theme]").await;
    assert!(page.store.snapshot().dark);
    let html = document().document_element().expect("a document has a root");
    assert_eq!(html.get_attribute("data-theme").as_deref(), Some("dark"));
    page.close().await;
}

#[wasm_bindgen_test]
async fn notices_come_and_are_dismissed() {
    let page = Page::of(open_link("lang=zh&t=99&h=x")).await;
    assert_eq!(page.count(".notices .notice"), 2);
    assert_eq!(page.count(".notice[data-code=clamped]"), 1);
    assert_eq!(page.count(".notice[data-code=unreadable]"), 1);
    assert_eq!(page.count("[role=status] > .notices"), 1);
    page.click(".notice[data-code=clamped] button").await;
    assert_eq!(page.count(".notice[data-code=clamped]"), 0);
    assert_eq!(page.count(".notice[data-code=unreadable]"), 1, "the other one stays");
    page.click(".notice button").await;
    assert_eq!(page.count(".notice"), 0);
    assert!((page.store.snapshot().settings().temperature - 20.0).abs() < 1e-9);

    // An empty sentence: the last picture stays, and a sentence says why.
    page.store.dispatch(&Action::SetSentence("".into()), When::Moving);
    painted().await;
    assert_eq!(page.count(".notice[data-code=nothing_to_read]"), 1);
    assert_eq!(page.count("[role=gridcell]"), 4);
    page.close().await;
}

#[wasm_bindgen_test]
async fn a_refused_number_says_so_and_changes_nothing() {
    let page = Page::open().await;
    let field: HtmlInputElement = page.find("input[data-name=temperature]").unchecked_into();
    for nonsense in ["0", "21", "-1", "NaN", "inf", "", "1e999", "二"] {
        field.set_value(nonsense);
        field.dispatch_event(&plain_event("change")).expect("an event can be dispatched");
        settled().await;
        assert_eq!(page.count("#temperature-error"), 1, "{nonsense:?}");
        assert_eq!(page.attribute("input[data-name=temperature]", "aria-invalid").as_deref(), Some("true"));
        assert!((page.store.snapshot().settings().temperature - 1.0).abs() < 1e-12, "{nonsense:?}");
    }
    field.set_value(" 2，5 ");
    field.dispatch_event(&plain_event("change")).expect("an event can be dispatched");
    settled().await;
    assert_eq!(page.count("#temperature-error"), 0);
    assert!((page.store.snapshot().settings().temperature - 2.5).abs() < 1e-12);
    page.close().await;
}

#[wasm_bindgen_test]
async fn escape_lets_go_of_panel_pencil_and_hover() {
    let page = Page::open().await;
    page.click("[data-name=share]").await;
    page.click("[data-name=pencil]").await;
    page.store.set_hover(Some((1, 1)));
    assert_eq!(page.count("#share"), 1);
    assert!(page.store.snapshot().page.view.pencil);
    page.press("textarea", "Escape").await;
    assert_eq!(page.count("#share"), 0);
    assert!(!page.store.snapshot().page.view.pencil);
    assert_eq!(page.store.hover(), None);
    page.close().await;
}

#[wasm_bindgen_test]
async fn arrows_walk_the_story_while_nothing_else_has_the_focus() {
    let page = Page::open().await;
    let open = |page: &Page| page.attribute(".step[aria-expanded=true]", "data-step").expect("one step is open");
    assert_eq!(open(&page), "1");
    let press = async |key: &str| {
        document().dispatch_event(&key_event(key, |_| {})).expect("an event can be dispatched");
        settled().await;
    };
    press("ArrowRight").await;
    assert_eq!(open(&page), "2");
    for _ in 0..12 {
        press("ArrowRight").await;
    }
    assert_eq!(open(&page), "9", "the last step");
    press("ArrowLeft").await;
    assert_eq!(open(&page), "8");
    page.focus("textarea");
    press("ArrowLeft").await;
    assert_eq!(open(&page), "8", "the sentence box has use for arrows");
    page.close().await;
}

#[wasm_bindgen_test]
async fn every_panel_opens_on_every_head_and_stage() {
    let settings = Settings { sentence: "The cat that chased the mouse was tired".into(), causal: true, ..landing() };
    let page = Page::of(open_store(&settings)).await;
    page.click("[data-name=more]").await;
    page.click("[data-name=table]").await;
    assert_eq!(page.count(".numbers tbody tr"), 9);
    for head in 1..=8 {
        page.click(&format!("[data-head='{head}']")).await;
        for choice in 1..=4 {
            page.click(&format!("[data-name=stage] button:nth-of-type({choice})")).await;
            let spoken = page.text("[role=gridcell][aria-selected=true]");
            assert!(!spoken.contains("NaN"), "head {head}, stage {choice}: {spoken}");
        }
        for step in 0..10 {
            page.click(&format!("[data-step='{step}']")).await;
            assert_eq!(page.count(".step-body"), 1, "head {head}, step {step}");
        }
        let story = page.text(".story");
        assert!(!story.contains("NaN") && !story.contains("undefined"), "head {head}: {story}");
    }
    page.close().await;
}
