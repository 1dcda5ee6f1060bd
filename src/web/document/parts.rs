//! The map with its pointer, wheel and keys, the heads, the small map; and the view's ways to the browser.

use super::paint::{ABOVE, LEFT};
use super::reader::{Msg, Reader};
use crate::locale::document::document_head;
use crate::locale::document_spoken as spoken;
use crate::picture::Theme;
use crate::picture::viewport::{STEP, Viewport};
use crate::state::document::DocumentSettings;
use crate::tensor::pyramid::Pyramid;
use crate::text::Lang;
use crate::web::environment;
use gloo::timers::callback::Timeout;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlElement, MutationObserver, MutationObserverInit, Response};
use yew::html::Scope;
use yew::prelude::*;

/// Fingers on the map: (id, x, y) of each, and whether they moved it.
#[derive(Default)]
pub struct Pointers {
    down: Vec<(i32, f64, f64)>,
    moved: f64,
}

/// Movement in CSS pixels up to which a press is a click.
const STILL: f64 = 4.0;

/// The map: its canvas, and what a hand does on it.
pub fn map(reader: &Reader, ctx: &Context<Reader>) -> Html {
    let w = reader.words();
    let link = ctx.link();
    let view = reader.view;
    let frame = reader.frame.clone();
    // Pixels from the map's corner.
    let at = move |event: &MouseEvent| {
        let corner = frame.cast::<Element>().map(|element| element.get_bounding_client_rect());
        let (x, y) = corner.map_or((0.0, 0.0), |corner| (corner.left(), corner.top()));
        (f64::from(event.client_x()) - x - LEFT, f64::from(event.client_y()) - y - ABOVE)
    };
    let onwheel = {
        let at = at.clone();
        link.batch_callback(move |event: WheelEvent| {
            event.prevent_default();
            let (x, y) = at(&event);
            // Lines and pages count as pixels do elsewhere; a notch is about a hundred.
            let unit = [1.0, 33.0, 100.0][event.delta_mode().min(2) as usize];
            let factor = STEP.powf((-event.delta_y() * unit / 100.0).clamp(-4.0, 4.0));
            Some(Msg::Look(view.zoomed(factor, x.clamp(0.0, view.side_px), y.clamp(0.0, view.side_px))))
        })
    };
    let hand = |what: fn(&mut Pointers, &PointerEvent, (f64, f64), Viewport) -> Option<Msg>| {
        let (at, scope) = (at.clone(), link.clone());
        let pointers = PointersOf(link.clone());
        Callback::from(move |event: PointerEvent| {
            let place = at(&event);
            if let Some(message) = pointers.with(|pointers| what(pointers, &event, place, view)) {
                scope.send_message(message);
            }
        })
    };
    let cell = reader.settings.cell.unwrap_or((0, 0));
    let step = Pyramid::cell_side(view.level(environment::pixel_ratio()).min(reader.pyramid().top()));
    let last = reader.text.len().saturating_sub(1);
    let onkeydown = link.batch_callback(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return None;
        }
        let far = if event.shift_key() { 10 * step } else { step };
        let (query, key) = cell;
        let middle = |factor: f64| {
            let [x, y, ..] = view.rectangle(&(query..query + 1), &(key..key + 1));
            let inside = |at: f64| if at >= 0.0 && at <= view.side_px { at } else { view.side_px / 2.0 };
            Msg::Look(view.zoomed(factor, inside(x), inside(y)))
        };
        let message = match event.key().as_str() {
            "ArrowLeft" => Msg::Choose(query, key.saturating_sub(far)),
            "ArrowRight" => Msg::Choose(query, key + far),
            "ArrowUp" => Msg::Choose(query.saturating_sub(far), key),
            "ArrowDown" => Msg::Choose(query + far, key),
            "Home" => Msg::Choose(query, 0),
            "End" => Msg::Choose(query, last),
            "PageUp" => Msg::Choose(query.saturating_sub(10 * step), key),
            "PageDown" => Msg::Choose(query + 10 * step, key),
            "+" | "=" => middle(STEP),
            "-" | "_" => middle(1.0 / STEP),
            "0" => Msg::Look(Viewport::whole(view.places, view.side_px)),
            "Escape" => Msg::Over(None),
            _ => return None,
        };
        event.prevent_default();
        Some(message)
    });
    let sight = |start: f64| (whole_number(start.floor()), whole_number((start + view.span).ceil()).min(last + 1));
    let ((top, bottom), (left, right)) = (sight(view.top), sight(view.left));
    let summary = spoken::summary(
        reader.lang,
        &head_name(reader, reader.head()),
        reader.text.len(),
        (top, left),
        (bottom, right),
    );
    html! {
        <>
            <div ref={reader.frame.clone()} class="document-canvas" tabindex="0" role="application" data-name="map"
                aria-label={w.map} aria-describedby="document-summary" {onwheel} {onkeydown}
                onpointerdown={hand(pressed)} onpointermove={hand(moved)} onpointerup={hand(released)}
                onpointercancel={hand(cancelled)} onpointerleave={hand(left_map)}>
                <canvas ref={reader.canvas.clone()} />
            </div>
            <p id="document-summary" class="spoken-only">{ summary }{ w.map_keys }</p>
            <div class="document-tools">
                { tool(ctx, w.zoom_in, "+", Msg::Look, view.zoomed(STEP * STEP, view.side_px / 2.0, view.side_px / 2.0)) }
                { tool(ctx, w.zoom_out, "−", Msg::Look, view.zoomed(1.0 / STEP / STEP, view.side_px / 2.0, view.side_px / 2.0)) }
                { tool(ctx, w.zoom_all, w.zoom_all, Msg::Look, Viewport::whole(view.places, view.side_px)) }
                <span class="document-axes">{ "↓ " }{ w.queries }{ " · → " }{ w.keys }</span>
            </div>
            <p class="document-note">{ w.map_keys }</p>
        </>
    }
}

fn tool(
    ctx: &Context<Reader>,
    name: &'static str,
    sign: &'static str,
    message: fn(Viewport) -> Msg,
    to: Viewport,
) -> Html {
    let onclick = ctx.link().callback(move |_: MouseEvent| message(to));
    html! { <button type="button" class="tool" aria-label={name} title={name} {onclick}>{ sign }</button> }
}

/// The fingers of the view that a scope leads to.
struct PointersOf(Scope<Reader>);

impl PointersOf {
    fn with<T>(&self, act: impl FnOnce(&mut Pointers) -> Option<T>) -> Option<T> {
        let reader = self.0.get_component()?;
        act(&mut reader.pointers.borrow_mut())
    }
}

fn pressed(pointers: &mut Pointers, event: &PointerEvent, (x, y): (f64, f64), _: Viewport) -> Option<Msg> {
    if event.button() != 0 {
        return None;
    }
    // The target itself: Yew listens at the root, and what that captures never comes down to the map.
    if let Some(target) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) {
        // A pointer that is gone already can't be captured: then it moves nothing.
        let _ = target.set_pointer_capture(event.pointer_id());
    }
    if pointers.down.is_empty() {
        pointers.moved = 0.0;
    }
    pointers.down.retain(|(id, ..)| *id != event.pointer_id());
    pointers.down.push((event.pointer_id(), x, y));
    None
}

fn moved(pointers: &mut Pointers, event: &PointerEvent, (x, y): (f64, f64), view: Viewport) -> Option<Msg> {
    let Some(at) = pointers.down.iter().position(|(id, ..)| *id == event.pointer_id()) else {
        return Some(Msg::Over(Some((x, y))));
    };
    let (_, before_x, before_y) = std::mem::replace(&mut pointers.down[at], (event.pointer_id(), x, y));
    pointers.moved += (x - before_x).abs() + (y - before_y).abs();
    if pointers.moved <= STILL {
        return None;
    }
    let other = pointers.down.iter().find(|(id, ..)| *id != event.pointer_id());
    Some(Msg::Look(match other {
        None => view.moved(x - before_x, y - before_y),
        Some(&(_, other_x, other_y)) => {
            let distance = |x: f64, y: f64| (x - other_x).hypot(y - other_y).max(8.0);
            let factor = distance(x, y) / distance(before_x, before_y);
            let (middle_x, middle_y) = (f64::midpoint(x, other_x), f64::midpoint(y, other_y));
            view.zoomed(factor, middle_x, middle_y).moved((x - before_x) / 2.0, (y - before_y) / 2.0)
        }
    }))
}

fn released(pointers: &mut Pointers, event: &PointerEvent, (x, y): (f64, f64), view: Viewport) -> Option<Msg> {
    let was = pointers.down.iter().any(|(id, ..)| *id == event.pointer_id());
    pointers.down.retain(|(id, ..)| *id != event.pointer_id());
    let click = was && pointers.down.is_empty() && pointers.moved <= STILL;
    view.hit(x, y).filter(|_| click).map(|(query, key)| Msg::Choose(query, key))
}

fn cancelled(pointers: &mut Pointers, event: &PointerEvent, _: (f64, f64), _: Viewport) -> Option<Msg> {
    pointers.down.retain(|(id, ..)| *id != event.pointer_id());
    None
}

fn left_map(_: &mut Pointers, _: &PointerEvent, _: (f64, f64), _: Viewport) -> Option<Msg> {
    Some(Msg::Over(None))
}

/// A head's name in the view's language.
pub fn head_name(reader: &Reader, head: usize) -> String {
    let number = head + 1;
    match reader.role(head) {
        Some(role) => format!("{number} · {}", document_head(reader.lang, role)),
        None => number.to_string(),
    }
}

/// The heads with their small pictures, and the small map.
pub fn heads(reader: &Reader, ctx: &Context<Reader>) -> Html {
    let w = reader.words();
    let view = reader.view;
    let small = reader.small.clone();
    let onclick = ctx.link().batch_callback(move |event: MouseEvent| {
        let corner = small.cast::<Element>()?.get_bounding_client_rect();
        let share = |at: i32, start: f64| (f64::from(at) - start) / corner.width().max(1.0);
        #[expect(clippy::cast_precision_loss, reason = "tokens are few")]
        let all = view.places as f64;
        let (key, query) = (share(event.client_x(), corner.left()) * all, share(event.client_y(), corner.top()) * all);
        Some(Msg::Look(view.centred(query, key)))
    });
    html! {
        <section class="document-heads">
            <div class="document-strip" role="radiogroup" aria-label={w.heads}>
                { for (0..reader.maps.len()).map(|head| {
                    let settings = DocumentSettings { head: head + 1, ..reader.settings.clone() };
                    let onclick = ctx.link().callback(move |_: MouseEvent| Msg::Set(Box::new(settings.clone())));
                    let on = head == reader.head();
                    html! {
                        <button type="button" role="radio" class="head" aria-checked={if on { "true" } else { "false" }} {onclick} data-head={(head + 1).to_string()}>
                            <canvas ref={reader.thumbs[head].clone()} aria-hidden="true" />
                            <b>{ head_name(reader, head) }</b>
                        </button>
                    }
                }) }
            </div>
            <canvas ref={reader.small.clone()} class="document-small" role="img" aria-label={w.small_map} title={w.small_map} {onclick} />
        </section>
    }
}

/// Language and theme, as the page wrote them on the document.
pub fn dress() -> (Lang, Theme) {
    let root = environment::document().and_then(|document| document.document_element());
    let attribute = |name: &str| root.as_ref().and_then(|root| root.get_attribute(name)).unwrap_or_default();
    let lang = if attribute("lang").starts_with("zh") { Lang::Zh } else { Lang::En };
    (lang, if attribute("data-theme") == "dark" { Theme::Dark } else { Theme::Light })
}

/// Watches language and theme until dropped.
pub struct Watcher(MutationObserver, #[expect(dead_code, reason = "kept alive for the observer")] Closure<dyn Fn()>);

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.disconnect();
    }
}

/// Calls `changed` when the page changes its language or theme.
pub fn watch_dress(changed: Callback<()>) -> Option<Watcher> {
    let root = environment::document()?.document_element()?;
    let seen = Closure::<dyn Fn()>::new(move || changed.emit(()));
    let observer = MutationObserver::new(seen.as_ref().unchecked_ref()).ok()?;
    let options = MutationObserverInit::new();
    options.set_attribute_filter(&js_sys::Array::of2(&"lang".into(), &"data-theme".into()));
    observer.observe_with_options(&root, &options).ok()?;
    Some(Watcher(observer, seen))
}

/// The address's own language and theme, to be kept in it.
pub fn kept_keys() -> Vec<(String, String)> {
    let fragment = environment::fragment();
    let asked = DocumentSettings::decode(&format!("doc=&{fragment}"));
    asked.map(|settings| settings.kept).unwrap_or_default()
}

/// Text of a file of the page's own; `None` when it does not come.
pub async fn fetch_text(url: &str) -> Option<String> {
    let response = JsFuture::from(environment::window()?.fetch_with_str(url)).await.ok()?;
    let response: Response = response.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    JsFuture::from(response.text().ok()?).await.ok()?.as_string()
}

/// Writes the address: in place, or as a step of the browser's *back*.
pub fn write_address(fragment: &str, in_place: bool) {
    let Some(history) = environment::window().and_then(|window| window.history().ok()) else { return };
    let url = format!("#{fragment}");
    // A sandboxed frame may refuse: the view works on without an address.
    let _ = if in_place {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&url))
    } else {
        history.push_state_with_url(&JsValue::NULL, "", Some(&url))
    };
}

thread_local! {
    static SOON: RefCell<Option<Timeout>> = const { RefCell::new(None) };
}

/// Writes the address in place after a moment of rest: browsers refuse floods.
pub fn write_address_soon(fragment: &str) {
    let fragment = fragment.to_owned();
    SOON.replace(Some(Timeout::new(150, move || write_address(&fragment, true))));
}

/// Leaves for the page: the address keeps language and theme only.
pub fn leave(fragment: &str) {
    SOON.replace(None);
    let Some(window) = environment::window() else { return };
    // The page's own program follows its address.
    let _ = window.location().set_hash(fragment);
}

/// Side of the map in CSS pixels that fits its place in the window.
pub fn side_of(frame: &NodeRef) -> f64 {
    let width = frame.cast::<Element>().map_or(560.0, |element| f64::from(element.client_width()));
    let height = environment::view_height() - 215.0;
    (width - LEFT).min(height.max(300.0) - ABOVE).clamp(180.0, 1600.0).floor()
}

/// A number of tokens: not negative and whole already.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a double saturates")]
pub const fn whole_number(x: f64) -> usize {
    x as usize
}
