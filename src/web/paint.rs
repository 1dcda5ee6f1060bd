//! The canvas painter: interprets a scene, and owns nothing of what it shows.

use super::environment;
use crate::picture::colour::Palette;
use crate::picture::scale;
use crate::picture::scene::{Anchor, Cells, FontWeight, Ink, Mark, Point, Rect, Scene, Segment, Stroke, Text, Tone};
use js_sys::Array;
use std::cell::RefCell;
use std::f64::consts::TAU;
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// The type of the page (static/base.css), which a canvas does not inherit.
const FAMILY: &str = "-apple-system, \"PingFang SC\", \"Segoe UI\", \"Microsoft YaHei\", Roboto, \"Noto Sans CJK SC\", system-ui, sans-serif";

/// The largest side of a canvas that every browser has.
const MOST_PIXELS: f64 = 8192.0;

/// Paints `scene` on `canvas`, which takes the scene's size in CSS px at the screen's resolution.
pub fn scene(canvas: &HtmlCanvasElement, scene: &Scene, palette: &'static Palette) {
    Brush::default().paint(canvas, scene, palette);
}

/// Less lasting work than this, in texts, is done anew as fast as it is copied.
const WORTH_KEEPING: usize = 16;

/// Paints one canvas again and again. Texts, and hatches, that last from one scene to the next are kept as pictures of
/// their own and copied, since the labels and the mask of a long sentence cost more than everything else on its map.
#[derive(Default)]
pub struct Brush(RefCell<[Kept; 2]>);

/// Which picture a mark may be kept in, and what it costs to paint, in texts.
fn keepable(mark: &Mark) -> Option<(usize, usize)> {
    match mark {
        Mark::Hatch { areas, .. } => Some((0, areas.len())),
        Mark::Text(_) => Some((1, 1)),
        _ => None,
    }
}

/// Marks of one kind.
#[derive(Default)]
struct Kept {
    /// Width and height of the canvas, and its palette: what the marks were painted for.
    place: Option<(u32, u32, &'static Palette)>,
    /// The marks of the last scene.
    marks: Vec<Mark>,
    /// Those of them that a picture holds, by their place among them.
    layer: Option<(Vec<bool>, HtmlCanvasElement)>,
}

impl Kept {
    /// Takes the marks of the next scene. The layer stays while all of its marks do; without one, the marks that are as
    /// they were become the next layer, where they are worth it.
    fn take(&mut self, canvas: &HtmlCanvasElement, marks: &[&Mark], palette: &'static Palette, ratio: f64) {
        let place = Some((canvas.width(), canvas.height(), palette));
        let same: Vec<bool> = if self.place == place && self.marks.len() == marks.len() {
            self.marks.iter().zip(marks).map(|(old, new)| old == *new).collect()
        } else {
            Vec::new()
        };
        let lasting = || marks.iter().zip(&same).filter(|(_, same)| **same).map(|(mark, _)| *mark);
        if let Some((held, _)) = &self.layer {
            if same.len() == held.len() && held.iter().zip(&same).all(|(held, same)| !held || *same) {
                return;
            }
            self.layer = None;
        } else if lasting().filter_map(keepable).map(|(_, cost)| cost).sum::<usize>() >= WORTH_KEEPING
            && let Some(layer) = new_canvas()
            && let Some(context) = context(&layer)
        {
            layer.set_width(canvas.width());
            layer.set_height(canvas.height());
            let painter = Painter::new(&context, palette, ratio);
            lasting().for_each(|mark| painter.mark(mark));
            self.layer = Some((same, layer));
        }
        self.place = place;
        self.marks = marks.iter().map(|mark| (*mark).clone()).collect();
    }

    /// Whether the layer holds mark number `at` of this kind.
    fn holds(&self, at: usize) -> bool {
        self.layer.as_ref().is_some_and(|(held, _)| held.get(at) == Some(&true))
    }
}

impl Brush {
    /// Paints `scene` on `canvas`, which takes the scene's size in CSS px at the screen's resolution.
    pub fn paint(&self, canvas: &HtmlCanvasElement, scene: &Scene, palette: &'static Palette) {
        // A canvas has a largest side; a scene that is wider is painted at a lower resolution, not cut or stretched.
        let ratio = environment::pixel_ratio().min(MOST_PIXELS / scene.width.max(scene.height).max(1.0));
        resize(canvas, scene.width, scene.height, ratio);
        let Some(context) = context(canvas) else { return };
        let painter = Painter::new(&context, palette, ratio);
        context.clear_rect(0.0, 0.0, scene.width, scene.height);
        let mut kept = self.0.borrow_mut();
        for (kind, kept) in kept.iter_mut().enumerate() {
            let of_kind = |mark: &&Mark| keepable(mark).is_some_and(|(of, _)| of == kind);
            let marks: Vec<&Mark> = scene.marks.iter().filter(of_kind).collect();
            kept.take(canvas, &marks, palette, ratio);
        }
        let copy = |kept: &Kept| {
            let Some((_, layer)) = &kept.layer else { return };
            painter.opaque();
            // The layer has the canvas's own pixels. A picture that fails to draw is an empty canvas, not a panic.
            let _ = context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
            let _ = context.draw_image_with_html_canvas_element(layer, 0.0, 0.0);
            let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        };
        let mut seen = [0, 0];
        for mark in &scene.marks {
            let Some((kind, _)) = keepable(mark) else {
                painter.mark(mark);
                continue;
            };
            let at = seen[kind];
            seen[kind] += 1;
            if !kept[kind].holds(at) {
                painter.mark(mark);
            } else if kind == 0 && (0..at).all(|before| !kept[0].holds(before)) {
                // Hatches lie under the frames that follow them; texts lie on top of everything.
                copy(&kept[0]);
            }
        }
        copy(&kept[1]);
        context.set_global_alpha(1.0);
    }
}

/// Paints marks over what stands on the canvas already.
pub fn over(canvas: &HtmlCanvasElement, scene: &Scene, palette: &Palette) {
    let Some(context) = context(canvas) else { return };
    let painter = Painter { context: &context, palette, told: RefCell::default() };
    scene.marks.iter().for_each(|mark| painter.mark(mark));
    context.set_global_alpha(1.0);
}

/// Paints the grids of a scene alone, one canvas pixel per cell; the style sheet scales them.
pub fn small_map(canvas: &HtmlCanvasElement, scene: &Scene, palette: &Palette) {
    let mut layers = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Cells(cells) => Some(cells),
        _ => None,
    });
    let Some(first) = layers.next() else { return };
    let mut below = pixels(first, palette);
    for layer in layers.filter(|layer| layer.indices.len() == first.indices.len()) {
        for (pixel, over) in below.chunks_exact_mut(4).zip(pixels(layer, palette).chunks_exact(4)) {
            if over[3] > 0 {
                pixel.copy_from_slice(over);
            }
        }
    }
    put(canvas, first, &below);
    // More cells than the picture has room for are blended: single pixels would lose whole columns.
    let blend = if first.pitch < 1.0 { "auto" } else { "pixelated" };
    let _ = canvas.style().set_property("image-rendering", blend);
}

/// RGBA of every cell, row-major; nothing painted is transparent.
fn pixels(cells: &Cells, palette: &Palette) -> Vec<u8> {
    let mut colours = palette.lut(cells.scale).map(|colour| [colour.0, colour.1, colour.2, 255]);
    colours[usize::from(scale::NOTHING)] = [0; 4];
    let mut bytes = vec![0; cells.indices.len() * 4];
    attention_kernel::cells::pixels(&colours, &cells.indices, &mut bytes);
    bytes
}

/// Puts one pixel per cell on a canvas of just that size.
fn put(canvas: &HtmlCanvasElement, cells: &Cells, bytes: &[u8]) {
    let (Ok(width), Ok(height)) = (u32::try_from(cells.columns), u32::try_from(cells.rows)) else { return };
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    if let (Some(context), Ok(image)) = (context(canvas), ImageData::new_with_u8_clamped_array(Clamped(bytes), width)) {
        // Only a detached image could fail here.
        let _ = context.put_image_data(&image, 0.0, 0.0);
    }
}

fn resize(canvas: &HtmlCanvasElement, width: f64, height: f64, ratio: f64) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what a canvas can be")]
    let pixels = |css: f64| (css * ratio).round().clamp(1.0, MOST_PIXELS) as u32;
    let (w, h) = (pixels(width), pixels(height));
    if canvas.width() != w || canvas.height() != h {
        canvas.set_width(w);
        canvas.set_height(h);
        let style = canvas.style();
        // CSSOM, not a style attribute: allowed by a strict policy.
        let _ = style.set_property("width", &format!("{width}px"));
        let _ = style.set_property("height", &format!("{height}px"));
    }
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

thread_local! {
    /// A scratch canvas on which a map stands at one pixel per cell before it is scaled.
    static SCRATCH: RefCell<Option<HtmlCanvasElement>> = const { RefCell::new(None) };
}

fn new_canvas() -> Option<HtmlCanvasElement> {
    environment::document()?.create_element("canvas").ok()?.dyn_into().ok()
}

fn scratch() -> Option<HtmlCanvasElement> {
    SCRATCH.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = new_canvas();
        }
        slot.clone()
    })
}

/// Outlines keep pale cells apart; among more cells than this they would cost more than they show.
const MOST_OUTLINES: usize = 1024;

/// What the context was last told: telling it again costs more than remembering.
#[derive(Default)]
struct Told {
    font: Option<(u64, FontWeight, bool)>,
    anchor: Option<Anchor>,
    fill: Option<Tone>,
    stroke: Option<Tone>,
    alpha: Option<f64>,
}

struct Painter<'a> {
    context: &'a CanvasRenderingContext2d,
    palette: &'a Palette,
    told: RefCell<Told>,
}

impl<'a> Painter<'a> {
    /// On a context whose unit is one CSS px.
    fn new(context: &'a CanvasRenderingContext2d, palette: &'a Palette, ratio: f64) -> Self {
        // The browser can't refuse a scale by a finite ratio.
        let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        Self { context, palette, told: RefCell::default() }
    }

    fn mark(&self, mark: &Mark) {
        match mark {
            Mark::Cells(cells) => self.cells(cells),
            Mark::Rect { rect, radius, fill, stroke } => {
                self.context.begin_path();
                self.outline(*rect, *radius);
                self.fill_and_stroke(fill.as_ref(), stroke.as_ref());
            }
            Mark::Line { from, to, stroke } => {
                self.context.begin_path();
                self.context.move_to(from.x, from.y);
                self.context.line_to(to.x, to.y);
                self.fill_and_stroke(None, Some(stroke));
            }
            Mark::Path { segments, fill, stroke } => {
                self.context.begin_path();
                for segment in segments {
                    self.segment(segment);
                }
                self.fill_and_stroke(fill.as_ref(), stroke.as_ref());
            }
            Mark::Circle { centre, radius, fill } => {
                self.context.begin_path();
                // A radius from a scene is never negative, the only reason to refuse.
                let _ = self.context.arc(centre.x, centre.y, *radius, 0.0, TAU);
                self.fill_and_stroke(Some(fill), None);
            }
            Mark::Text(text) => self.text(text),
            Mark::Hatch { areas, ink, spacing, width } => self.hatch(areas, *ink, *spacing, *width),
        }
    }

    fn cells(&self, cells: &Cells) {
        let Some(canvas) = scratch() else { return };
        put(&canvas, cells, &pixels(cells, self.palette));
        let context = self.context;
        let (columns, rows) = (cells.columns as f64, cells.rows as f64);
        let (width, height) = (columns * cells.pitch, rows * cells.pitch);
        self.opaque();
        context.set_image_smoothing_enabled(false);
        let _ = context.draw_image_with_html_canvas_element_and_dw_and_dh(&canvas, cells.x, cells.y, width, height);
        if cells.gap > 0.0 {
            self.ink(Ink::of(Tone::Background), true);
            for column in 0..=cells.columns {
                let x = cells.x + column as f64 * cells.pitch - cells.gap / 2.0;
                context.fill_rect(x, cells.y - cells.gap / 2.0, cells.gap, height + cells.gap);
            }
            for row in 0..=cells.rows {
                let y = cells.y + row as f64 * cells.pitch - cells.gap / 2.0;
                context.fill_rect(cells.x - cells.gap / 2.0, y, width + cells.gap, cells.gap);
            }
        }
        if let Some(outline) = cells.outline.filter(|_| cells.indices.len() <= MOST_OUTLINES) {
            self.ink(outline, false);
            context.set_line_width(1.0);
            context.begin_path();
            for row in 0..cells.rows {
                for column in 0..cells.columns {
                    let Rect { x, y, width, height } = cells.square(row, column).grown(-0.5);
                    context.rect(x, y, width, height);
                }
            }
            context.stroke();
        }
    }

    fn outline(&self, rect: Rect, radius: f64) {
        if radius > 0.0 {
            // Radii are never negative in a scene, the only reason to refuse.
            let _ = self.context.round_rect_with_f64(rect.x, rect.y, rect.width, rect.height, radius);
        } else {
            self.context.rect(rect.x, rect.y, rect.width, rect.height);
        }
    }

    fn segment(&self, segment: &Segment) {
        let context = self.context;
        match *segment {
            Segment::Move(Point { x, y }) => context.move_to(x, y),
            Segment::Line(Point { x, y }) => context.line_to(x, y),
            Segment::Cubic(a, b, end) => context.bezier_curve_to(a.x, a.y, b.x, b.y, end.x, end.y),
            Segment::Close => context.close_path(),
        }
    }

    fn fill_and_stroke(&self, fill: Option<&Ink>, stroke: Option<&Stroke>) {
        if let Some(&ink) = fill {
            self.ink(ink, true);
            self.context.fill();
        }
        if let Some(stroke) = stroke {
            self.ink(stroke.ink, false);
            self.context.set_line_width(stroke.width);
            self.context.set_line_cap(if stroke.round { "round" } else { "butt" });
            let dash = Array::new();
            if let Some((on, off)) = stroke.dash {
                dash.push(&on.into());
                dash.push(&off.into());
            }
            // An array of finite numbers is always taken.
            let _ = self.context.set_line_dash(&JsValue::from(dash));
            self.context.stroke();
        }
    }

    fn text(&self, text: &Text) {
        let context = self.context;
        self.font(text);
        context.set_text_baseline("alphabetic");
        self.ink(text.ink, true);
        let shift = text.baseline_shift();
        if text.rotate_degrees == 0.0 {
            let _ = context.fill_text(&text.text, text.x, text.y + shift);
        } else {
            context.save();
            // Finite numbers are never refused.
            let _ = context.translate(text.x, text.y);
            let _ = context.rotate(text.rotate_degrees.to_radians());
            let _ = context.fill_text(&text.text, 0.0, shift);
            self.restore();
        }
    }

    fn font(&self, text: &Text) {
        let mut told = self.told.borrow_mut();
        let font = Some((text.size.to_bits(), text.weight, text.italic));
        if told.font != font {
            told.font = font;
            let weight = match text.weight {
                FontWeight::Regular => 400,
                FontWeight::SemiBold => 600,
            };
            let slant = if text.italic { "italic " } else { "" };
            self.context.set_font(&format!("{slant}{weight} {}px {FAMILY}", text.size));
        }
        if told.anchor != Some(text.anchor) {
            told.anchor = Some(text.anchor);
            self.context.set_text_align(match text.anchor {
                Anchor::Start => "left",
                Anchor::Middle => "center",
                Anchor::End => "right",
            });
        }
    }

    /// Diagonal lines over all areas at once, so that they run on from one area to the next.
    fn hatch(&self, areas: &[Rect], ink: Ink, spacing: f64, width: f64) {
        let context = self.context;
        let Some(bounds) = bounds(areas) else { return };
        context.save();
        context.begin_path();
        for area in areas {
            context.rect(area.x, area.y, area.width, area.height);
        }
        context.clip();
        self.ink(ink, false);
        context.set_line_width(width);
        context.begin_path();
        let spacing = spacing.max(1.0);
        // Lines x + y = c for every multiple c of the spacing that meets the bounds.
        let step = spacing * std::f64::consts::SQRT_2;
        let mut c = ((bounds.x + bounds.y) / step).floor() * step;
        while c <= bounds.right() + bounds.bottom() {
            context.move_to(c - bounds.y, bounds.y);
            context.line_to(c - bounds.bottom(), bounds.bottom());
            c += step;
        }
        context.stroke();
        self.restore();
    }

    fn ink(&self, ink: Ink, fill: bool) {
        let mut told = self.told.borrow_mut();
        let alpha = ink.opacity.clamp(0.0, 1.0);
        if told.alpha != Some(alpha) {
            told.alpha = Some(alpha);
            self.context.set_global_alpha(alpha);
        }
        let last = if fill { &mut told.fill } else { &mut told.stroke };
        if *last == Some(ink.tone) {
            return;
        }
        *last = Some(ink.tone);
        let colour = self.palette.colour(ink.tone).to_css();
        if fill {
            self.context.set_fill_style_str(&colour);
        } else {
            self.context.set_stroke_style_str(&colour);
        }
    }

    /// What is drawn without an ink, a picture, is opaque.
    fn opaque(&self) {
        self.told.borrow_mut().alpha = Some(1.0);
        self.context.set_global_alpha(1.0);
    }

    /// Back to the state before `save`, of which nothing is remembered.
    fn restore(&self) {
        self.context.restore();
        self.told.replace(Told::default());
    }
}

fn bounds(areas: &[Rect]) -> Option<Rect> {
    let first = *areas.first()?;
    Some(areas.iter().fold(first, |all, area| {
        let (x, y) = (all.x.min(area.x), all.y.min(area.y));
        Rect::new(x, y, all.right().max(area.right()) - x, all.bottom().max(area.bottom()) - y)
    }))
}

/// The legend of a scale from its lowest to its highest colour, one pixel per entry.
pub fn legend(canvas: &HtmlCanvasElement, name: scale::ScaleName, palette: &Palette) {
    let indices: Vec<u8> = (0..=scale::TOP).collect();
    let cells = Cells {
        x: 0.0,
        y: 0.0,
        rows: 1,
        columns: indices.len(),
        pitch: 1.0,
        gap: 0.0,
        radius: 0.0,
        scale: name,
        indices: indices.into(),
        outline: None,
    };
    put(canvas, &cells, &pixels(&cells, palette));
}
