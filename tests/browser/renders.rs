//! What a change costs: which components render, and how often.

use crate::page::{Page, painted, plain_event, point, settled};
use attention_lab::state::{Action, PositionKind, View};
use attention_lab::web::renders;
use attention_lab::web::store::When;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlInputElement;

type Renders = Vec<(&'static str, u32)>;

/// Which components rendered since this was last asked, and how often, by name.
fn rendered() -> Renders {
    renders::take().into_iter().collect()
}

/// A page that has come to rest: sizes are known.
async fn at_rest() -> Page {
    let page = Page::open().await;
    painted().await;
    rendered();
    page
}

#[wasm_bindgen_test]
async fn mounting_renders_the_page_once() {
    rendered();
    let page = Page::open().await;
    let counts = renders::take();
    for once in ["App", "Arcs", "Heads", "Inspector", "Map", "Sentence"] {
        assert_eq!(counts.get(once), Some(&1), "{once} in {counts:?}");
    }
    // These two learn their width from the document, and draw once more.
    for twice in ["ArcsLine", "MapCanvas"] {
        assert_eq!(counts.get(twice), Some(&2), "{twice} in {counts:?}");
    }
    page.close().await;
}

#[wasm_bindgen_test]
async fn hovering_renders_only_what_shows_it() {
    let page = at_rest().await;
    let canvas = page.find("[role=grid] canvas");
    let size = canvas.get_bounding_client_rect();
    point(&canvas, "pointermove", 0.5 * size.width(), 0.8 * size.height());
    settled().await;
    let hover = page.store.hover();
    assert!(hover.is_some(), "the middle of the map is a cell");
    assert_eq!(rendered(), [("ArcsLine", 1), ("MapCanvas", 1)]);
    // Another point of the same cell is nothing new, and nobody is told of it.
    let subscription = page.store.subscribe_hover(|_| panic!("told of nothing new"));
    point(&canvas, "pointermove", 0.5 * size.width() + 1.0, 0.8 * size.height() + 1.0);
    settled().await;
    assert_eq!((page.store.hover(), rendered()), (hover, vec![]));
    drop(subscription);
    point(&canvas, "pointerleave", 0.0, 0.0);
    page.store.set_hover(None);
    settled().await;
    assert_eq!(rendered(), [("ArcsLine", 1), ("MapCanvas", 1)]);
    // A sweep within one turn renders its end only.
    for step in 0..40 {
        page.store.set_hover(Some((step / 10, step % 4)));
    }
    settled().await;
    assert_eq!(rendered(), [("ArcsLine", 1), ("MapCanvas", 1)]);
    page.close().await;
}

/// The slider is moved to this step.
fn slide(page: &Page, step: i32, name: &str) {
    let slider: HtmlInputElement = page.find("#temperature").unchecked_into();
    slider.set_value(&step.to_string());
    slider.dispatch_event(&plain_event(name)).expect("an event can be dispatched");
}

#[wasm_bindgen_test]
async fn a_tick_of_the_temperature_renders_once() {
    let page = at_rest().await;
    slide(&page, 30, "input");
    settled().await;
    assert!((page.store.snapshot().settings().temperature - 2.0).abs() < 1e-9);
    assert_eq!(rendered(), [("ArcsLine", 1), ("MapCanvas", 1)], "what keeps the frame waiting");
    painted().await;
    assert_eq!(
        rendered(),
        [("App", 1), ("Arcs", 1), ("Heads", 1), ("Inspector", 1), ("Map", 1)],
        "and what follows it"
    );
    page.close().await;
}

#[wasm_bindgen_test]
async fn many_ticks_in_one_frame_do_not_pile_up() {
    let page = at_rest().await;
    for step in -50..=50 {
        slide(&page, step, "input");
    }
    settled().await;
    assert!((page.store.snapshot().settings().temperature - 3.16).abs() < 1e-9, "the last tick counts");
    assert_eq!(rendered(), [("ArcsLine", 1), ("MapCanvas", 1)]);
    painted().await;
    assert_eq!(rendered(), [("App", 1), ("Arcs", 1), ("Heads", 1), ("Inspector", 1), ("Map", 1)]);
    page.close().await;
}

#[wasm_bindgen_test]
async fn taking_the_pencil_computes_and_paints_no_other_numbers() {
    let page = at_rest().await;
    page.store.set_view(View { pencil: true, ..View::default() });
    settled().await;
    let counts = renders::take();
    assert_eq!(counts.get("App"), Some(&1));
    for quiet in ["Heads", "Inspector", "Sentence"] {
        assert_eq!(counts.get(quiet), None, "{quiet} in {counts:?}");
    }
    page.close().await;
}

#[wasm_bindgen_test]
async fn the_sentence_box_renders_only_for_another_sentence() {
    let page = at_rest().await;
    for action in [
        Action::Select { head: Some(5), query: None, key: None },
        Action::Causal(true),
        Action::Temperature(3.0),
        Action::Positions(PositionKind::Off),
    ] {
        page.store.dispatch(&action, When::Moving);
        painted().await;
    }
    assert_eq!(renders::take().get("Sentence"), None);
    page.store.dispatch(&Action::SetSentence("老鼠追猫".into()), When::Moving);
    painted().await;
    assert_eq!(renders::take().get("Sentence"), Some(&1));
    page.close().await;
}
