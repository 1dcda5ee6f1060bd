//! Paints the map, its rulers, the small map and the heads' thumbnails.

use super::colours::{Ends, colours};
use super::labels;
use super::reader::Reader;
use crate::picture::viewport::Viewport;
use crate::picture::{Palette, Rgb, Theme, Tone};
use crate::state::document::Pooling;
use crate::tensor::pyramid::{Pyramid, Tile, halved};
use crate::web::environment;
use std::collections::BTreeMap;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// CSS pixels left of the map and above it, for the labels.
pub const LEFT: f64 = 76.0;
/// See [`LEFT`].
pub const ABOVE: f64 = 60.0;

/// Which picture: a head's whole map (`None`), or one of its tiles.
type Key = (usize, Option<Tile>);

/// Coloured pictures of maps and tiles, one pixel a cell.
#[derive(Default)]
pub struct Surfaces {
    made: BTreeMap<Key, HtmlCanvasElement>,
    dress: Option<(Theme, Pooling, bool, usize, bool)>,
    ends: BTreeMap<usize, Ends>,
    /// When a head's pictures were forgotten last, in milliseconds of the page's clock.
    at_ms: BTreeMap<usize, f64>,
}

/// The least time between two pictures of a map in the making: colouring it takes a part of a frame.
const CALM_MS: f64 = 300.0;

impl Surfaces {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// A head's map has more rows than before: its scale may be another, and with it the colours of its tiles. `true` when
    /// it is to be drawn now, and not after more rows.
    pub fn changed(&mut self, head: usize, complete: bool) -> bool {
        let now = environment::now_ms();
        if !complete && self.at_ms.get(&head).is_some_and(|at| now - at < CALM_MS) {
            return false;
        }
        self.at_ms.insert(head, now);
        self.made.retain(|(of, _), _| *of != head);
        self.ends.remove(&head);
        true
    }

    /// A tile is no longer held.
    pub fn drop_tile(&mut self, head: usize, tile: Tile) {
        self.made.remove(&(head, Some(tile)));
    }
}

impl Reader {
    const fn pool(&self) -> usize {
        match self.settings.pooling {
            Pooling::Mean => 0,
            Pooling::Max => 1,
        }
    }

    /// The ends of a head's colour scale.
    pub fn ends(&self, head: usize) -> Ends {
        let mut surfaces = self.surfaces.borrow_mut();
        let codes = self.maps.get(head).map_or(&[][..], |map| &map.codes[self.pool()]);
        *surfaces.ends.entry(head).or_insert_with(|| Ends::of(codes))
    }

    /// Paints all there is to paint.
    pub fn paint(&self) {
        if !self.open {
            return;
        }
        let whole = Pyramid::cell_side(self.pyramid().top()) * 512;
        // A window smaller than the map's cells gets the map at half the size, so that no cell is left out.
        let half = self.view.level(environment::pixel_ratio()) > self.pyramid().top();
        let dress = Some((self.theme, self.settings.pooling, self.settings.pattern.is_full(), whole, half));
        if self.surfaces.borrow().dress != dress {
            self.surfaces.borrow_mut().clear();
            self.surfaces.borrow_mut().dress = dress;
        }
        self.paint_map(half);
        self.paint_small();
        for (head, node) in self.thumbs.iter().enumerate().take(self.maps.len()) {
            if let (Some(canvas), Some(picture)) =
                (node.cast::<HtmlCanvasElement>(), self.surface(head, None, self.halvings_to(64)))
            {
                stretch(&canvas, &picture, 64.0);
            }
        }
    }

    fn paint_map(&self, half: bool) {
        let Some(canvas) = self.canvas.cast::<HtmlCanvasElement>() else { return };
        let (side, ratio) = (self.view.side_px, environment::pixel_ratio());
        let Some(context) = fitted(&canvas, LEFT + side, ABOVE + side, ratio) else { return };
        let tone = |tone| JsValue::from_str(&tone_css(self.theme, tone));
        context.save();
        context.begin_path();
        context.rect(LEFT, ABOVE, side, side);
        context.clip();
        fill(&context, &tone(Tone::Soft), [LEFT, ABOVE, side, side]);
        context.set_image_smoothing_enabled(false);
        let head = self.head();
        let top = self.pyramid().top();
        if let Some(picture) = self.surface(head, None, u8::from(half)) {
            self.place(&context, &picture, Pyramid::cell_side(top + u8::from(half)), (0, 0));
        }
        let level = self.view.level(ratio);
        for tile in if level < top { self.view.tiles(level) } else { Vec::new() } {
            if let (Some(picture), Some(area)) = (self.surface(head, Some(tile), 0), self.pyramid().area(tile)) {
                self.place(&context, &picture, Pyramid::cell_side(level), (area.queries.start, area.keys.start));
            }
        }
        let side_of_cell = Pyramid::cell_side(level.min(top));
        let outlined = [(self.over, Tone::Foreground), (self.settings.cell, Tone::Accent)];
        for (cell, ink) in outlined.into_iter().filter_map(|(cell, ink)| Some((cell?, ink))) {
            let start = |at: usize| at / side_of_cell * side_of_cell;
            let (query, key) = (start(cell.0), start(cell.1));
            let [x, y, width, height] = self.view.rectangle(&(query..query + side_of_cell), &(key..key + side_of_cell));
            set_stroke(&context, &tone(ink));
            context.set_line_width(1.5);
            if ink == Tone::Accent {
                // The row that is read out.
                context.set_global_alpha(0.5);
                context.stroke_rect(LEFT - 2.0, ABOVE + y, side + 4.0, height.max(1.0));
                context.set_global_alpha(1.0);
            }
            let grow = (5.0 - width).max(0.0) / 2.0;
            context.stroke_rect(LEFT + x - grow, ABOVE + y - grow, width + 2.0 * grow, height + 2.0 * grow);
        }
        context.restore();
        labels::paint(self, &context);
    }

    /// Draws a picture of cells of `side` tokens whose first stands at query and key `start`.
    fn place(
        &self,
        context: &CanvasRenderingContext2d,
        picture: &HtmlCanvasElement,
        side: usize,
        start: (usize, usize),
    ) {
        let cells = |count: u32| usize::try_from(count).unwrap_or_default() * side;
        let (rows, columns) = (cells(picture.height()), cells(picture.width()));
        let [x, y, width, height] = self.view.rectangle(&(start.0..start.0 + rows), &(start.1..start.1 + columns));
        let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(picture, LEFT + x, ABOVE + y, width, height);
    }

    fn paint_small(&self) {
        let Some(canvas) = self.small.cast::<HtmlCanvasElement>() else { return };
        let side = 132.0;
        let Some(context) = fitted(&canvas, side, side, environment::pixel_ratio()) else { return };
        fill(&context, &JsValue::from_str(&tone_css(self.theme, Tone::Background)), [0.0, 0.0, side, side]);
        let halvings = self.halvings_to(132);
        if let Some(picture) = self.surface(self.head(), None, halvings) {
            let whole = Viewport::whole(self.text.len(), side);
            let covered = |cells: u32| {
                let tokens =
                    usize::try_from(cells).unwrap_or_default() * Pyramid::cell_side(self.pyramid().top() + halvings);
                whole.rectangle(&(0..tokens), &(0..tokens))[2]
            };
            let (width, height) = (covered(picture.width()), covered(picture.height()));
            let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(&picture, 0.0, 0.0, width, height);
        }
        let [left, top, width, height] = self.view.share().map(|share| share * side);
        set_stroke(&context, &JsValue::from_str(&tone_css(self.theme, Tone::Accent)));
        context.set_line_width(1.5);
        let (width, height) = (width.max(4.0), height.max(4.0));
        context.stroke_rect(left + 0.75, top + 0.75, (width - 1.5).max(2.0), (height - 1.5).max(2.0));
    }

    /// How often a map is halved so that it has about `side` cells a side: drawn smaller, whole rows would be left out.
    fn halvings_to(&self, side: usize) -> u8 {
        let pyramid = self.pyramid();
        let mut cells = pyramid.cells(pyramid.top());
        let mut halvings = 0;
        while 2 * cells > 3 * side {
            cells = cells.div_ceil(2);
            halvings += 1;
        }
        halvings
    }

    /// The coloured picture of a map, halved so many times, or of a tile; `None` where its numbers are not there yet.
    fn surface(&self, head: usize, tile: Option<Tile>, halvings: u8) -> Option<HtmlCanvasElement> {
        let pyramid = self.pyramid();
        // A halved picture is kept beside the whole one: as a tile of a level that there is none of.
        let small = Tile { level: u8::MAX - halvings, row: 0, column: 0 };
        let key = (head, if halvings > 0 { Some(small) } else { tile });
        if let Some(made) = self.surfaces.borrow().made.get(&key) {
            return Some(made.clone());
        }
        let (codes, columns) = match tile {
            None => {
                let map = self.maps.get(head)?;
                let mut columns = pyramid.cells(pyramid.top());
                let mut codes = map.codes[self.pool()].clone();
                for _ in 0..halvings {
                    codes = halved(&codes, columns, self.pool() == 0);
                    columns = columns.div_ceil(2);
                }
                (codes, columns)
            }
            Some(tile) => {
                let held = self.tiles.iter().find(|held| held.head == head && held.tile == tile)?;
                (held.codes[self.pool()].clone(), pyramid.area(tile)?.columns)
            }
        };
        let rows = codes.len().checked_div(columns).filter(|&rows| rows > 0)?;
        let table = colours(self.theme, self.ends(head), !self.settings.pattern.is_full());
        let mut pixels = vec![0; codes.len() * 4];
        attention_kernel::cells::pixels(&table, &codes, &mut pixels);
        let canvas = environment::document()?.create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok()?;
        let size = |cells: usize| u32::try_from(cells).unwrap_or_default();
        canvas.set_width(size(columns));
        canvas.set_height(size(rows));
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), size(columns), size(rows)).ok()?;
        context_of(&canvas)?.put_image_data(&image, 0.0, 0.0).ok()?;
        self.surfaces.borrow_mut().made.insert(key, canvas.clone());
        Some(canvas)
    }
}

/// A tone as CSS writes it.
pub fn tone_css(theme: Theme, tone: Tone) -> String {
    let colour: Rgb = Palette::of(theme).colour(tone);
    colour.to_css()
}

fn context_of(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// The canvas at this size in CSS pixels, cleared.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few thousand pixels")]
fn fitted(canvas: &HtmlCanvasElement, width: f64, height: f64, ratio: f64) -> Option<CanvasRenderingContext2d> {
    let (device_width, device_height) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    if (canvas.width(), canvas.height()) != (device_width, device_height) {
        canvas.set_width(device_width);
        canvas.set_height(device_height);
    }
    let style = canvas.style();
    // Plain lengths are never refused.
    let _ = style.set_property("width", &format!("{width}px"));
    let _ = style.set_property("height", &format!("{height}px"));
    let context = context_of(canvas)?;
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    Some(context)
}

/// A thumbnail: cells may be smaller than pixels here, it is only for telling heads apart.
fn stretch(canvas: &HtmlCanvasElement, picture: &HtmlCanvasElement, side: f64) {
    let Some(context) = fitted(canvas, side, side, environment::pixel_ratio()) else { return };
    let share = f64::from(picture.height()) / f64::from(picture.width().max(1));
    let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(picture, 0.0, 0.0, side, side * share.min(1.0));
}

/// Fills a rectangle.
pub fn fill(context: &CanvasRenderingContext2d, colour: &JsValue, [x, y, width, height]: [f64; 4]) {
    set_fill(context, colour);
    context.fill_rect(x, y, width, height);
}

/// Sets the colour of what is filled.
pub fn set_fill(context: &CanvasRenderingContext2d, colour: &JsValue) {
    context.set_fill_style_str(&colour.as_string().unwrap_or_default());
}

fn set_stroke(context: &CanvasRenderingContext2d, colour: &JsValue) {
    context.set_stroke_style_str(&colour.as_string().unwrap_or_default());
}
