//! The canvas of the large heat map: painted first, from the store's latest numbers, while the words around it may be a
//! frame behind.

use super::desk::Desk;
use super::heat_map::{Shown, draw, set_cells, spoken};
use super::part::Body;
use crate::picture::{self, Palette, Scene, Target, Theme};
use crate::state::Action;
use crate::web::hooks::{use_brush, use_hover, use_snapshot, use_width};
use crate::web::paint;
use crate::web::shared::Shared;
use crate::web::store::When;
use std::cell::Cell;
use std::rc::Rc;
use web_sys::{Element, HtmlCanvasElement};
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from, besides the store's latest snapshot.
#[derive(PartialEq)]
pub struct MapCanvas {
    /// Language and store.
    pub desk: Desk,
    /// The element whose width the map fills.
    pub outer: NodeRef,
    /// The line that says the hovered cell, or the selected one.
    pub read: NodeRef,
}

impl Body for MapCanvas {
    const NAME: &'static str = "MapCanvas";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_map_canvas(self)
    }
}

/// A stroke of the pencil under way.
#[derive(Clone, Copy)]
struct Stroke {
    /// What it sets cells to.
    permit: bool,
    /// Where it was seen last; nowhere while it is off the map.
    last: Option<(usize, usize)>,
}

#[hook]
fn use_map_canvas(props: &MapCanvas) -> Html {
    let MapCanvas { desk, outer, read } = props;
    let store = &desk.store;
    let shot = use_snapshot(store, false);
    let canvas = use_node_ref();
    let width = use_width(outer);
    let hover = use_hover(store);
    let stroke = use_memo((), |()| Cell::new(None::<Stroke>));
    let brush = use_brush();
    let picture = Shared(Rc::clone(&shot.picture));
    let shown = Shown::of(&shot.picture, shot.pinned.as_ref(), shot.page.view);
    let drawing = use_memo((shown, shot.lang, width.to_bits()), |(shown, lang, width)| {
        (draw(shown, *lang, f64::from_bits(*width)), Shown { front: shown.front.clone(), minus: shown.minus.clone() })
    });
    {
        let (canvas, read, lang) = (canvas.clone(), read.clone(), shot.lang);
        let (store, picture, wide) = (store.clone(), picture.clone(), width > 0.0);
        let painted = (Shared(Rc::clone(&drawing)), shot.dark, hover);
        use_effect_with(painted, move |(drawing, dark, hover)| {
            let (drawing, shown) = &**drawing;
            let selection = picture.plan.selection;
            let (query, key) = picture.inside(*hover).unwrap_or((selection.query, selection.key));
            if let Some(read) = read.get() {
                read.set_text_content(Some(&spoken(shown, lang, query, key, 4)));
            }
            let Some(canvas) = canvas.cast::<HtmlCanvasElement>() else { return };
            let palette = Palette::of(if *dark { Theme::Dark } else { Theme::Light });
            brush.paint(&canvas, &drawing.scene, palette);
            if let Some((query, key)) = *hover {
                let marks = picture::heatmap::hover_frame(&drawing.layout, query, key);
                let over = Scene { width: drawing.scene.width, height: drawing.scene.height, marks };
                paint::over(&canvas, &over, palette);
            }
            if wide {
                store.set_painted(&picture.0);
            }
        });
    }
    let penciling = shot.page.view.pencil;
    let onpointermove = {
        let (store, drawing, stroke, picture) =
            (store.clone(), Rc::clone(&drawing), Rc::clone(&stroke), picture.clone());
        Callback::from(move |event: PointerEvent| {
            let cell = cell_at(&drawing.0.layout, &event);
            store.set_hover(cell);
            // The left button, a finger or a pen: still down, and this one.
            let drawing = penciling && event.buttons() & 1 == 1 && event.is_primary();
            if let (Some(Stroke { permit, last }), true) = (stroke.get(), drawing) {
                // A stroke that left the map begins anew where it comes back.
                stroke.set(Some(Stroke { permit, last: cell }));
                if let Some(to) = cell {
                    let crossed = last.map_or_else(|| vec![to], |from| picture::stroke(from, to));
                    set_cells(&store, &picture, &crossed, permit, When::Moving);
                }
            }
        })
    };
    let onpointerleave = {
        let store = store.clone();
        Callback::from(move |_: PointerEvent| store.set_hover(None))
    };
    let onpointerdown = {
        let (store, drawing, stroke, picture) =
            (store.clone(), Rc::clone(&drawing), Rc::clone(&stroke), picture.clone());
        Callback::from(move |event: PointerEvent| {
            if !penciling || event.button() != 0 || !event.is_primary() {
                return;
            }
            if let Some(cell) = cell_at(&drawing.0.layout, &event) {
                let permit = !picture.problem.mask.permits(0, cell.0, cell.1);
                stroke.set(Some(Stroke { permit, last: Some(cell) }));
                if let Some(element) = event.target_dyn_into::<Element>() {
                    // Without capture a stroke ends at the edge of the map, which is fine too.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                set_cells(&store, &picture, &[cell], permit, When::Moving);
            }
        })
    };
    let onpointerup = {
        let (store, stroke) = (store.clone(), Rc::clone(&stroke));
        Callback::from(move |_: PointerEvent| {
            if stroke.take().is_some() {
                store.commit();
            }
        })
    };
    let onclick = {
        let (store, drawing) = (store.clone(), Rc::clone(&drawing));
        Callback::from(move |event: MouseEvent| {
            let (query, key) = match drawing.0.layout.hit(f64::from(event.offset_x()), f64::from(event.offset_y())) {
                Some(Target::Cell { query, key }) if !penciling => (Some(query), Some(key)),
                Some(Target::QueryLabel(query)) => (Some(query), None),
                Some(Target::KeyLabel(key)) => (None, Some(key)),
                _ => return,
            };
            store.dispatch(&Action::Select { head: None, query, key }, When::Done);
        })
    };
    html! {
        <canvas ref={canvas} aria-hidden="true" {onpointermove} {onpointerleave} {onpointerdown} onpointercancel={onpointerup.clone()} {onpointerup} {onclick} />
    }
}

fn cell_at(layout: &picture::Layout, event: &PointerEvent) -> Option<(usize, usize)> {
    match layout.hit(f64::from(event.offset_x()), f64::from(event.offset_y())) {
        Some(Target::Cell { query, key }) => Some((query, key)),
        _ => None,
    }
}
