//! A page to try: the app mounted into a container of its own, with hands (keys, pointer, typing) and eyes.
//!
//! Nothing here sleeps: a test waits for Yew's scheduler, for an animation frame, or for an event.

use attention_lab::state::{Settings, Theme, link};
use attention_lab::text::Lang;
use attention_lab::web::components::{App, AppProps};
use attention_lab::web::store::Store;
use js_sys::{Promise, Reflect};
use std::cell::{Cell, RefCell};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Document, Element, Event, EventInit, EventTarget, HtmlElement, HtmlTextAreaElement, KeyboardEventInit};
use web_sys::{InputEvent, InputEventInit, KeyboardEvent, PointerEvent, PointerEventInit, Window};
use yew::AppHandle;

/// Width of the container in CSS px.
pub const WIDTH: u32 = 960;

pub fn window() -> Window {
    web_sys::window().expect("tests run in a browser")
}

pub fn document() -> Document {
    window().document().expect("a window has a document")
}

/// Everything that Yew was asked to do is done.
pub async fn settled() {
    yew::scheduler::flush().await;
}

/// The next animation frame has come.
pub async fn next_frame() {
    let frame = Promise::new(&mut |resolve, _| {
        window().request_animation_frame(&resolve).expect("a window gives frames");
    });
    JsFuture::from(frame).await.expect("a frame is never refused");
}

/// A frame was painted, and what is drawn after it is drawn.
pub async fn painted() {
    next_frame().await;
    next_frame().await;
    settled().await;
}

/// The next event of this name on `target` has come.
pub async fn next_event(target: &EventTarget, name: &str, cause: impl FnOnce()) {
    let event = Promise::new(&mut |resolve, _| {
        target.add_event_listener_with_callback(name, &resolve).expect("a target takes listeners");
    });
    cause();
    JsFuture::from(event).await.expect("an event is no refusal");
}

/// The landing state in Chinese, in light colours: what a test begins with, whatever the browser prefers.
pub fn landing() -> Settings {
    Settings { lang: Some(Lang::Zh), theme: Theme::Light, ..Settings::default() }
}

/// The address without a fragment.
fn bare_address() -> String {
    let href = window().location().href().expect("an address can be read");
    href.split('#').next().unwrap_or_default().to_owned()
}

/// Browsers refuse floods of changes (Chromium 200 in ten seconds), so what stands there already is not written again.
fn set_address(fragment: &str) {
    let url = if fragment.is_empty() { bare_address() } else { format!("{}#{fragment}", bare_address()) };
    if window().location().href().is_ok_and(|now| now == url) {
        return;
    }
    let history = window().history().expect("a window has a history");
    history.replace_state_with_url(&JsValue::NULL, "", Some(&url)).expect("the test page may change its address");
}

/// The address as the runner opened it.
pub fn restore_address() {
    RUNNERS_OWN.with(|fragment| set_address(fragment));
}

/// Opens a store at these settings, with nothing remembered from before.
pub fn open_store(settings: &Settings) -> Store {
    open_link(&link::encode(settings))
}

thread_local! {
    /// The fragment with which the runner opened its page.
    static RUNNERS_OWN: String = {
        let hash = window().location().hash().unwrap_or_default();
        hash.strip_prefix('#').unwrap_or_default().to_owned()
    };
}

/// Opens a store at this fragment, with nothing remembered from before.
pub fn open_link(fragment: &str) -> Store {
    // The first to ask is the first to change it.
    RUNNERS_OWN.with(|_| {});
    if let Ok(Some(storage)) = window().local_storage() {
        storage.clear().expect("storage can be cleared");
    }
    set_address(fragment);
    Store::open()
}

/// Lets go of a store: no write to the address is pending, and nothing is remembered.
pub fn close_store(store: &Store) {
    store.address_moved();
    if let Ok(Some(storage)) = window().local_storage() {
        storage.clear().expect("storage can be cleared");
    }
}

thread_local! {
    /// What went wrong in handlers of events: the browser reports it and goes on, so nobody else would fail.
    static FAULTS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Writes down from now on what goes wrong in handlers of events.
pub fn watch_faults() {
    if FAULTS.with_borrow_mut(|faults| faults.replace(Vec::new()).is_some()) {
        return;
    }
    let note = Closure::<dyn Fn(Event)>::new(|event: Event| {
        // What is no exception has no error: a browser also tells so of sizes that change once more within a frame.
        let thrown = Reflect::get(&event, &"error".into()).is_ok_and(|error| error.is_truthy());
        let message = Reflect::get(&event, &"message".into()).ok().and_then(|message| message.as_string());
        if thrown {
            FAULTS.with_borrow_mut(|faults| faults.get_or_insert_default().push(message.unwrap_or_default()));
        }
    });
    window()
        .add_event_listener_with_callback("error", note.as_ref().unchecked_ref())
        .expect("a window takes listeners");
    note.forget();
}

/// The app in a container.
pub struct Page {
    pub store: Store,
    pub root: HtmlElement,
    app: AppHandle<App>,
}

impl Page {
    /// The landing state.
    pub async fn open() -> Self {
        Self::of(open_store(&landing())).await
    }

    /// The app over a store.
    pub async fn of(store: Store) -> Self {
        keep_panic_hook();
        watch_faults();
        let root: HtmlElement = document().create_element("div").expect("a plain element").unchecked_into();
        root.style().set_property("width", &format!("{WIDTH}px")).expect("a plain length");
        root.set_attribute("data-yew-host", "").expect("a plain attribute");
        document().body().expect("a document has a body").append_child(&root).expect("a body takes children");
        let props = AppProps { store: store.clone() };
        let app = yew::Renderer::<App>::with_root_and_props(root.clone().into(), props).render();
        settled().await;
        Self { store, root, app }
    }

    /// Takes the app away, and lets go of its store.
    pub async fn close(self) {
        let store = self.leave().await;
        close_store(&store);
    }

    /// Takes the app away; the store stays.
    pub async fn leave(self) -> Store {
        self.app.destroy();
        settled().await;
        self.root.remove();
        let faults = FAULTS.with_borrow_mut(|faults| faults.replace(Vec::new())).unwrap_or_default();
        assert!(faults.is_empty(), "handlers failed: {faults:?}");
        self.store
    }

    /// The first element of a selector.
    pub fn find(&self, selector: &str) -> Element {
        self.look_for(selector).unwrap_or_else(|| panic!("nothing is {selector}"))
    }

    /// The first element of a selector, if there is one.
    pub fn look_for(&self, selector: &str) -> Option<Element> {
        self.root.query_selector(selector).expect("a selector")
    }

    /// How many elements a selector has.
    pub fn count(&self, selector: &str) -> u32 {
        self.root.query_selector_all(selector).expect("a selector").length()
    }

    /// The text of the first element of a selector.
    pub fn text(&self, selector: &str) -> String {
        self.find(selector).text_content().unwrap_or_default()
    }

    /// An attribute of the first element of a selector.
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        self.find(selector).get_attribute(name)
    }

    /// The box for the sentence.
    pub fn sentence_box(&self) -> HtmlTextAreaElement {
        self.find("textarea").unchecked_into()
    }

    /// The sentence that is computed.
    pub fn sentence(&self) -> String {
        self.store.snapshot().settings().sentence.to_string()
    }

    /// Clicks, and waits for what comes of it.
    pub async fn click(&self, selector: &str) {
        self.find(selector).unchecked_into::<HtmlElement>().click();
        settled().await;
    }

    /// Focuses.
    pub fn focus(&self, selector: &str) {
        self.find(selector).unchecked_into::<HtmlElement>().focus().expect("a focus is never refused here");
    }

    /// Presses a key and waits for what comes of it; whether the page took the key for itself.
    pub async fn press(&self, selector: &str, key: &str) -> bool {
        self.press_with(selector, key, |_| {}).await
    }

    /// The same, with modifiers.
    pub async fn press_with(&self, selector: &str, key: &str, modify: impl FnOnce(&KeyboardEventInit)) -> bool {
        let event = key_event(key, modify);
        self.find(selector).dispatch_event(&event).expect("an event can be dispatched");
        painted().await;
        event.default_prevented()
    }
}

/// A key that is pressed.
pub fn key_event(key: &str, modify: impl FnOnce(&KeyboardEventInit)) -> KeyboardEvent {
    let init = KeyboardEventInit::new();
    init.set_key(key);
    init.set_bubbles(true);
    init.set_cancelable(true);
    modify(&init);
    KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).expect("a key event")
}

/// An `input` event.
pub fn input_event(composing: bool) -> InputEvent {
    let init = InputEventInit::new();
    init.set_bubbles(true);
    init.set_is_composing(composing);
    InputEvent::new_with_event_init_dict("input", &init).expect("an input event")
}

/// An event that bubbles, by name.
pub fn plain_event(name: &str) -> Event {
    let init = EventInit::new();
    init.set_bubbles(true);
    Event::new_with_event_init_dict(name, &init).expect("an event")
}

/// A pointer event at a place inside `target`, in CSS px from its corner.
pub fn point(target: &Element, name: &str, x: f64, y: f64) {
    let corner = target.get_bounding_client_rect();
    let init = PointerEventInit::new();
    init.set_bubbles(true);
    #[expect(clippy::cast_possible_truncation, reason = "a place on the page")]
    let whole = |at: f64| at.round() as i32;
    init.set_client_x(whole(corner.left() + x));
    init.set_client_y(whole(corner.top() + y));
    let event = PointerEvent::new_with_event_init_dict(name, &init).expect("a pointer event");
    target.dispatch_event(&event).expect("an event can be dispatched");
}

/// Yew puts a panic hook of its own in place unless it is given one: the runner's is the one to keep.
fn keep_panic_hook() {
    thread_local! {
        static KEPT: Cell<bool> = const { Cell::new(false) };
    }
    if !KEPT.replace(true) && !std::thread::panicking() {
        yew::set_custom_panic_hook(std::panic::take_hook());
    }
}
