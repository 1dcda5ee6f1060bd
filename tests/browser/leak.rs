//! A page that is taken away leaves nothing behind.

use crate::page::{Page, close_store, document, key_event, landing, next_frame, open_store, settled, watch_faults};
use crate::watch::Resources;
use attention_lab::state::Action;
use attention_lab::web::store::When;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn fifty_pages_leave_no_listener_subscription_or_observer() {
    watch_faults();
    let watch = Resources::new();
    let mut store = open_store(&landing());
    for round in 0..50 {
        let page = Page::of(store).await;
        assert_eq!(page.store.listeners(), (3, 2), "page, arcs and map listen to snapshots, arcs and map to hover");
        assert_eq!(watch.observers_on(), 2, "arcs and map follow their width");
        assert_eq!(watch.listeners_on(), 3, "keydown on the document, two ends of a composition on the box");
        store = page.leave().await;
        assert_eq!(store.listeners(), (0, 0), "round {round}");
        assert_eq!((watch.observers_on(), watch.listeners_on()), (0, 0), "round {round}");
        assert_eq!(store.handles(), 1, "round {round}: nobody else holds the store");
    }
    watch.stop_watching();
    // Whoever still listened would be called now.
    for key in ["ArrowRight", "ArrowLeft", "Escape", "Enter"] {
        document().dispatch_event(&key_event(key, |_| {})).expect("an event can be dispatched");
    }
    store.dispatch(&Action::Temperature(2.0), When::Moving);
    store.set_hover(Some((1, 1)));
    next_frame().await;
    settled().await;
    close_store(&store);
}

#[wasm_bindgen_test]
async fn a_page_in_full_use_leaves_nothing_either() {
    watch_faults();
    let watch = Resources::new();
    let page = Page::open().await;
    for selector in ["[data-name=more]", "[data-name=table]", "[data-name=share]", "[data-name=pencil]", ".limits"] {
        page.click(selector).await;
    }
    page.click("[data-name=all-presets]").await;
    page.click("[data-name=edit-word]").await;
    for step in 0..10 {
        page.click(&format!("[data-step='{step}']")).await;
    }
    page.click("[data-name=language]").await;
    let store = page.leave().await;
    assert_eq!(store.listeners(), (0, 0));
    assert_eq!((watch.observers_on(), watch.listeners_on(), store.handles()), (0, 0, 1));
    watch.stop_watching();
    close_store(&store);
}

#[wasm_bindgen_test]
fn a_listener_may_leave_or_come_while_it_is_called() {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    let store = open_store(&landing());
    let (called, mine) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(Vec::new())));
    let subscription = {
        let (called, mine, store) = (Rc::clone(&called), Rc::clone(&mine), store.clone());
        store.clone().subscribe(move |_| {
            called.set(called.get() + 1);
            let called = Rc::clone(&called);
            // Takes its own subscription away, and comes again in another form.
            let again = store.subscribe(move |_| called.set(called.get() + 100));
            mine.borrow_mut().clear();
            mine.borrow_mut().push(again);
        })
    };
    mine.borrow_mut().push(subscription);
    store.dispatch(&Action::Temperature(2.0), When::Moving);
    assert_eq!((called.get(), store.listeners()), (1, (1, 0)));
    store.dispatch(&Action::Temperature(3.0), When::Moving);
    assert_eq!((called.get(), store.listeners()), (101, (1, 0)));
    mine.borrow_mut().clear();
    assert_eq!(store.listeners(), (0, 0));
    close_store(&store);
}
