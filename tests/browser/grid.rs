//! The heat map as a grid for the keyboard: a cursor, a row of cells at a time, and the pencil.

use crate::page::{Page, landing, open_store, painted, settled};
use attention_lab::state::{Action, Settings};
use attention_lab::web::store::When;
use wasm_bindgen_test::wasm_bindgen_test;

const GRID: &str = "[role=grid]";

/// The cursor as the grid tells it: row from 1, and the cell that is active.
fn cursor(page: &Page) -> (String, String) {
    let row = page.attribute("[role=grid] [role=row]", "aria-rowindex").expect("a row has an index");
    (row, page.attribute(GRID, "aria-activedescendant").expect("a cell is active"))
}

fn at(row: usize, key: usize) -> (String, String) {
    (row.to_string(), format!("cell-{}-{key}", row - 1))
}

/// Only the cursor's row is in the document, and the active cell is in it, once, and selected.
fn only_one_row(page: &Page, n: u32) {
    assert_eq!(page.count("[role=row]"), 1);
    assert_eq!(page.count("[role=gridcell]"), n);
    assert_eq!(page.count("[role=gridcell][aria-selected=true]"), 1);
    let active = cursor(page).1;
    assert_eq!(page.count(&format!("#{active}")), 1);
    assert_eq!(page.attribute("[role=gridcell][aria-selected=true]", "id").as_deref(), Some(&*active));
}

#[wasm_bindgen_test]
async fn keys_move_the_cursor() {
    let page = Page::open().await;
    page.focus(GRID);
    assert_eq!(page.attribute(GRID, "aria-rowcount").as_deref(), Some("4"));
    assert_eq!(page.attribute(GRID, "aria-colcount").as_deref(), Some("4"));
    assert_eq!(cursor(&page), at(3, 1), "the row of 追, at 猫");
    let way = [
        ("ArrowRight", at(3, 2)),
        ("ArrowRight", at(3, 3)),
        ("ArrowRight", at(3, 3)),
        ("ArrowUp", at(2, 3)),
        ("ArrowUp", at(1, 3)),
        ("ArrowUp", at(1, 3)),
        ("Home", at(1, 0)),
        ("ArrowLeft", at(1, 0)),
        ("End", at(1, 3)),
        ("PageDown", at(4, 3)),
        ("ArrowDown", at(4, 3)),
        ("ArrowLeft", at(4, 2)),
        ("PageUp", at(1, 2)),
        ("ArrowDown", at(2, 2)),
    ];
    for (step, (key, want)) in way.into_iter().enumerate() {
        assert!(page.press(GRID, key).await, "the page takes {key} for itself");
        assert_eq!(cursor(&page), want, "step {step}, {key}");
        only_one_row(&page, 4);
        let selection = page.store.snapshot().picture.plan.selection;
        assert_eq!(at(selection.query + 1, selection.key), want, "the selection goes along");
    }
    painted().await;
    assert!(page.text(".story h2").starts_with("猫 → 追"), "{}", page.text(".story h2"));
    page.close().await;
}

#[wasm_bindgen_test]
async fn other_keys_are_left_to_the_browser() {
    let page = Page::open().await;
    page.focus(GRID);
    for key in ["Tab", "a", " ", "Enter", "F5"] {
        assert!(!page.press(GRID, key).await, "{key}");
    }
    assert!(!page.press_with(GRID, "ArrowRight", |init| init.set_ctrl_key(true)).await);
    assert!(!page.press_with(GRID, "ArrowLeft", |init| init.set_alt_key(true)).await);
    assert!(!page.press_with(GRID, "ArrowLeft", |init| init.set_meta_key(true)).await);
    assert_eq!(cursor(&page), at(3, 1));
    assert!(page.store.snapshot().settings().cells.is_empty());
    page.close().await;
}

#[wasm_bindgen_test]
async fn arrows_in_the_grid_do_not_walk_the_story() {
    let page = Page::open().await;
    page.focus(GRID);
    page.press(GRID, "ArrowRight").await;
    page.press(GRID, "ArrowRight").await;
    assert_eq!(page.attribute(".step[aria-expanded=true]", "data-step").as_deref(), Some("1"));
    page.close().await;
}

#[wasm_bindgen_test]
async fn a_long_sentence_has_as_many_cells_as_one_row() {
    let sentence = "the cat ".repeat(60);
    let page = Page::of(open_store(&Settings { sentence: sentence.into(), ..landing() })).await;
    let n = u32::try_from(page.store.snapshot().picture.trace.shape.n_k).expect("few tokens");
    assert!(n > 100, "{n}");
    only_one_row(&page, n);
    page.press(GRID, "PageDown").await;
    page.press(GRID, "End").await;
    only_one_row(&page, n);
    assert_eq!(cursor(&page), at(n as usize, n as usize - 1));
    page.close().await;
}

#[wasm_bindgen_test]
async fn with_the_pencil_space_sets_a_cell() {
    let page = Page::open().await;
    page.click("[data-name=pencil]").await;
    assert_eq!(page.attribute("[data-name=pencil]", "aria-pressed").as_deref(), Some("true"));
    page.focus(GRID);
    let cells = |page: &Page| page.store.snapshot().settings().cells.iter().collect::<Vec<_>>();
    let weight = |page: &Page| page.text("[role=gridcell][aria-selected=true]");
    let before = weight(&page);
    assert!(page.press(GRID, " ").await, "the page takes the key for itself: no scrolling");
    assert_eq!(cells(&page), [((2, 1), false)], "追 may not look at 猫");
    assert_ne!(weight(&page), before);
    assert_eq!(page.count("[data-name=clear-cells]"), 1);
    // The way back is no hand-set cell at all.
    page.press(GRID, " ").await;
    assert_eq!(cells(&page), []);
    assert_eq!(weight(&page), before);
    assert_eq!(page.count("[data-name=clear-cells]"), 0);
    // Enter does the same; under a causal mask a later key is permitted by hand.
    page.store.dispatch(&Action::Causal(true), When::Moving);
    settled().await;
    page.press(GRID, "End").await;
    page.press(GRID, "Enter").await;
    assert_eq!(cells(&page), [((2, 3), true)]);
    // Off again, Space is the browser's.
    page.click("[data-name=pencil]").await;
    assert!(!page.press(GRID, " ").await);
    assert_eq!(cells(&page), [((2, 3), true)]);
    page.close().await;
}

#[wasm_bindgen_test]
async fn arrows_choose_a_head_and_a_word() {
    let page = Page::open().await;
    let head = |page: &Page| page.attribute("[role=radio][aria-checked=true]", "data-head").expect("a head is chosen");
    // Keys that come within one frame count one by one.
    for (keys, chosen) in [
        (&["ArrowRight"][..], "5"),
        (&["End"], "8"),
        (&["ArrowRight"], "1"),
        (&["Home", "ArrowLeft"], "8"),
        (&["ArrowRight", "ArrowRight", "ArrowRight"], "3"),
        (&["End"], "8"),
    ] {
        for key in keys {
            page.press("[role=radiogroup]", key).await;
        }
        painted().await;
        assert_eq!(head(&page), chosen, "after {keys:?}");
    }
    assert_eq!(page.count("[role=radio][tabindex='0']"), 1, "one stop for the tabulator");

    let word = |page: &Page| page.attribute(".words [aria-pressed=true]", "data-word").expect("a word is chosen");
    page.press(".words", "Home").await;
    assert_eq!(word(&page), "0");
    page.press(".words", "ArrowLeft").await;
    assert_eq!(word(&page), "0");
    page.press(".words", "ArrowRight").await;
    assert_eq!(word(&page), "1");
    page.press(".words", "End").await;
    assert_eq!(word(&page), "3");
    page.click("[data-word='2']").await;
    assert_eq!(word(&page), "2");
    page.close().await;
}
