//! Watches what the page asks of the browser: listeners, observers of sizes, and the history.

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(inline_js = r##"
// Counts listeners that are on and ResizeObservers that observe, until stop() puts the browser back as it was.
// Listeners of Yew's host elements are left out: Yew never takes them off, they go with the element.
export class Resources {
    constructor() {
        const listeners = this.listeners = new Map(), observing = this.observing = new Set();
        const { addEventListener, removeEventListener } = EventTarget.prototype, { ResizeObserver } = window;
        const counts = (target) => !target?.hasAttribute?.("data-yew-host");
        const keyOf = (name, options) => `${name} ${typeof options === "object" ? !!options?.capture : !!options}`;
        EventTarget.prototype.addEventListener = function (name, listener, options) {
            if (listener && counts(this ?? window)) {
                const target = this ?? window;
                const known = listeners.get(listener) ?? new Map();
                known.set(target, (known.get(target) ?? new Set()).add(keyOf(name, options)));
                listeners.set(listener, known);
            }
            return addEventListener.call(this, name, listener, options);
        };
        EventTarget.prototype.removeEventListener = function (name, listener, options) {
            listeners.get(listener)?.get(this ?? window)?.delete(keyOf(name, options));
            return removeEventListener.call(this, name, listener, options);
        };
        window.ResizeObserver = class extends ResizeObserver {
            observe(...rest) { observing.add(this); return super.observe(...rest); }
            disconnect() { observing.delete(this); return super.disconnect(); }
        };
        this.stop = () => {
            Object.assign(EventTarget.prototype, { addEventListener, removeEventListener });
            window.ResizeObserver = ResizeObserver;
        };
    }
    listeners_on() {
        let count = 0;
        for (const targets of this.listeners.values()) for (const names of targets.values()) count += names.size;
        return count;
    }
    observers_on() { return this.observing.size; }
    stop_watching() { this.stop(); }
}

// Writes down every change of the history, until stop() puts it back as it was.
export class Writes {
    constructor() {
        const calls = this.calls = [], waiting = this.waiting = [];
        const { pushState, replaceState } = history;
        const watch = (name, original) => (state, unused, url) => {
            original.call(history, state, unused, url);
            calls.push(`${name} ${decodeURIComponent(location.hash)}`);
            waiting.splice(0).forEach((resolve) => resolve());
        };
        history.pushState = watch("push", pushState);
        history.replaceState = watch("replace", replaceState);
        this.stop = () => { delete history.pushState; delete history.replaceState; };
    }
    take() { return this.calls.splice(0); }
    next() { return new Promise((resolve) => this.calls.length ? resolve() : this.waiting.push(resolve)); }
    stop_watching() { this.stop(); }
}
"##)]
extern "C" {
    /// Counts listeners and observers.
    pub type Resources;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Resources;
    /// Listeners added and not removed.
    #[wasm_bindgen(method)]
    pub fn listeners_on(this: &Resources) -> u32;
    /// ResizeObservers that observe something.
    #[wasm_bindgen(method)]
    pub fn observers_on(this: &Resources) -> u32;
    #[wasm_bindgen(method)]
    pub fn stop_watching(this: &Resources);

    /// Writes down changes of the history: `push #t=2`, `replace #`.
    pub type Writes;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Writes;
    #[wasm_bindgen(method, js_name = take)]
    fn take_array(this: &Writes) -> Array;
    /// Resolves once there is a change that nobody took.
    #[wasm_bindgen(method)]
    pub fn next(this: &Writes) -> Promise;
    #[wasm_bindgen(method)]
    pub fn stop_watching(this: &Writes);
}

impl Writes {
    /// The changes since this was last asked.
    pub fn take(&self) -> Vec<String> {
        self.take_array().iter().filter_map(|call| call.as_string()).collect()
    }
}
