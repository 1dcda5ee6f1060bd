//! Undo and redo are the browser's back and forward: what a drag and a commit do to the history.

use crate::page::{close_store, landing, next_event, open_store, restore_address, window};
use crate::watch::Writes;
use attention_lab::state::{Action, link};
use attention_lab::web::store::{Store, When};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

fn warm(store: &Store, temperature: f64, when: When) {
    store.dispatch(&Action::Temperature(temperature), when);
}

fn temperature(store: &Store) -> f64 {
    store.snapshot().settings().temperature
}

/// The fragment of the landing state at a temperature, with its sign.
fn at(temperature: f64) -> String {
    let settings = attention_lab::state::Settings { temperature, ..landing() };
    format!("#{}", link::encode(&settings))
}

async fn next_write(writes: &Writes) {
    JsFuture::from(writes.next()).await.expect("a promise that only resolves");
}

/// One step through the browser's history.
async fn travel(by: i32) {
    let history = window().history().expect("a window has a history");
    next_event(&window(), "popstate", || history.go_with_delta(by).expect("a history can be travelled")).await;
}

#[wasm_bindgen_test]
async fn a_drag_replaces_a_commit_pushes_and_back_undoes_the_drag() {
    let store = open_store(&landing());
    let writes = Writes::new();
    for step in 1..=40 {
        warm(&store, 1.0 + f64::from(step) / 10.0, When::Moving);
    }
    assert_eq!(writes.take(), Vec::<String>::new(), "a drag writes calmly, not at once");
    next_write(&writes).await;
    assert_eq!(writes.take(), [format!("replace {}", at(5.0))], "one replacement for forty ticks");
    warm(&store, 2.0, When::Moving);
    warm(&store, 2.0, When::Done);
    let want = [format!("replace {}", at(1.0)), format!("push {}", at(2.0))];
    assert_eq!(writes.take(), want, "the entry that the drag started from comes back, then one push");

    travel(-1).await;
    store.address_moved();
    assert!((temperature(&store) - 1.0).abs() < 1e-12, "back is the state before the drag");
    assert!(store.snapshot().current && (store.snapshot().picture.problem.temperature - 1.0).abs() < 1e-6);
    travel(1).await;
    store.address_moved();
    assert!((temperature(&store) - 2.0).abs() < 1e-12, "forward is the state after it");
    travel(-1).await;
    store.address_moved();
    assert_eq!(writes.take(), Vec::<String>::new(), "travelling writes nothing");
    writes.stop_watching();
    close_store(&store);
    restore_address();
}

#[wasm_bindgen_test]
async fn a_drag_that_ends_where_it_began_is_no_step() {
    let store = open_store(&landing());
    let writes = Writes::new();
    warm(&store, 4.0, When::Moving);
    next_write(&writes).await;
    writes.take();
    warm(&store, 1.0, When::Done);
    assert_eq!(writes.take(), [format!("replace {}", at(1.0))]);
    warm(&store, 1.0, When::Done);
    store.commit();
    assert_eq!(writes.take(), Vec::<String>::new(), "a commit of what is committed is nothing");
    writes.stop_watching();
    close_store(&store);
    restore_address();
}

#[wasm_bindgen_test]
async fn a_quick_change_is_one_push_and_nothing_follows_it() {
    let store = open_store(&landing());
    let writes = Writes::new();
    warm(&store, 4.0, When::Moving);
    warm(&store, 2.0, When::Done);
    assert_eq!(writes.take(), [format!("push {}", at(2.0))], "nothing was replaced, so nothing is restored");
    // The drag's pending write must not come after the commit: a later one is the next to be seen.
    warm(&store, 3.0, When::Moving);
    next_write(&writes).await;
    assert_eq!(writes.take(), [format!("replace {}", at(3.0))]);
    travel(-1).await;
    store.address_moved();
    assert!((temperature(&store) - 1.0).abs() < 1e-12);
    writes.stop_watching();
    close_store(&store);
    restore_address();
}

#[wasm_bindgen_test]
async fn going_back_in_the_middle_of_a_drag_ends_it() {
    let store = open_store(&landing());
    let writes = Writes::new();
    warm(&store, 2.0, When::Done);
    warm(&store, 7.0, When::Moving);
    travel(-1).await;
    store.address_moved();
    assert!((temperature(&store) - 1.0).abs() < 1e-12);
    // What was still to be written of the drag is forgotten: the next write is that of the next drag.
    writes.take();
    warm(&store, 3.0, When::Moving);
    next_write(&writes).await;
    assert_eq!(writes.take(), [format!("replace {}", at(3.0))]);
    writes.stop_watching();
    close_store(&store);
    restore_address();
}

#[wasm_bindgen_test]
fn several_changes_at_once_are_one_step() {
    let store = open_store(&landing());
    let writes = Writes::new();
    store.dispatch_all(&[Action::Causal(true), Action::Padding(true), Action::Pad(2)], When::Done);
    let written = writes.take();
    writes.stop_watching();
    assert_eq!(written.len(), 1, "{written:?}");
    assert!(written[0].starts_with("push #"), "{written:?}");
    assert!(store.snapshot().settings().causal && store.snapshot().settings().pad == 2);
    close_store(&store);
    restore_address();
}
