//! What of a large square map is in sight: zoom and pan with their limits, tiles, hit test, and where labels stand.
//!
//! Owns places and distances, in tokens and CSS pixels. Owns no number of the map and no text.

use crate::tensor::pyramid::{Pyramid, TILE, Tile};
use std::ops::Range;

/// A square window on a map of n × n tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Number of tokens n.
    pub places: usize,
    /// CSS pixels along the side of the window.
    pub side_px: f64,
    /// The key at the window's left edge, in tokens.
    pub left: f64,
    /// The query at its upper edge, in tokens.
    pub top: f64,
    /// Tokens along its side.
    pub span: f64,
}

/// The fewest tokens along the side: cells large enough for words beside them.
pub const CLOSEST: f64 = 12.0;
/// What one step of a key or of a wheel's notch zooms.
pub const STEP: f64 = 1.25;

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tokens and tiles are few, and what is rounded lies inside the map"
)]
impl Viewport {
    /// All of the map.
    #[must_use]
    pub fn whole(places: usize, side_px: f64) -> Self {
        Self { places, side_px, left: 0.0, top: 0.0, span: (places as f64).max(1.0) }
    }

    /// The nearest viewport inside the limits.
    #[must_use]
    pub fn inside(mut self) -> Self {
        let all = (self.places as f64).max(1.0);
        self.span = if self.span.is_finite() { self.span.clamp(CLOSEST.min(all), all) } else { all };
        let within = |at: f64| if at.is_finite() { at.clamp(0.0, all - self.span) } else { 0.0 };
        (self.left, self.top) = (within(self.left), within(self.top));
        self
    }

    /// Closer by `factor` (farther below 1) with the point at (x, y) CSS pixels of the window staying where it is.
    #[must_use]
    pub fn zoomed(self, factor: f64, x: f64, y: f64) -> Self {
        let all = (self.places as f64).max(1.0);
        let span = (self.span / factor).clamp(CLOSEST.min(all), all);
        let (across, down) = (x / self.side_px.max(1.0), y / self.side_px.max(1.0));
        let (left, top) = (self.left + (self.span - span) * across, self.top + (self.span - span) * down);
        Self { span, left, top, ..self }.inside()
    }

    /// Moved by (x, y) CSS pixels, as a hand moves paper.
    #[must_use]
    pub fn moved(self, x: f64, y: f64) -> Self {
        let tokens = self.span / self.side_px.max(1.0);
        Self { left: self.left - x * tokens, top: self.top - y * tokens, ..self }.inside()
    }

    /// With this query and key in the middle, as far as the limits let it.
    #[must_use]
    pub fn centred(self, query: f64, key: f64) -> Self {
        Self { left: key - self.span / 2.0, top: query - self.span / 2.0, ..self }.inside()
    }

    /// Moved as little as needed for this cell to be in sight.
    #[must_use]
    pub fn showing(self, query: usize, key: usize) -> Self {
        let nearest = |start: f64, place: usize| {
            let place = place as f64;
            if place < start { place } else { start.max(place + 1.0 - self.span) }
        };
        Self { left: nearest(self.left, key), top: nearest(self.top, query), ..self }.inside()
    }

    /// CSS pixels a token.
    #[must_use]
    pub fn scale(self) -> f64 {
        self.side_px / self.span
    }

    /// The query and key under (x, y) CSS pixels of the window; `None` outside the map.
    #[must_use]
    pub fn hit(self, x: f64, y: f64) -> Option<(usize, usize)> {
        let place = |at: f64, start: f64| {
            let inside = at >= 0.0 && at < self.side_px;
            let place = start + at / self.scale();
            (inside && place >= 0.0 && place < self.places as f64).then_some(place as usize)
        };
        Some((place(y, self.top)?, place(x, self.left)?))
    }

    /// The level whose cells are no smaller than a device pixel, so that no cell is left out; may be coarser than the top.
    #[must_use]
    pub fn level(self, pixel_ratio: f64) -> u8 {
        let device = self.scale() * pixel_ratio;
        let mut level = 0;
        while level < 24 && f64::from(1_u32 << level) * device < 0.999 {
            level += 1;
        }
        level
    }

    /// The tiles of a level that are in sight, from the middle outwards.
    #[must_use]
    pub fn tiles(self, level: u8) -> Vec<Tile> {
        let pyramid = Pyramid { places: self.places };
        if level > pyramid.top() || self.places == 0 {
            return Vec::new();
        }
        let side = (TILE * Pyramid::cell_side(level)) as f64;
        let last = pyramid.tiles(level) - 1;
        let of = |start: f64| {
            let first = (start / side) as usize;
            first.min(last)
                ..=(((start + self.span) / side).ceil() as usize).saturating_sub(1).clamp(first.min(last), last)
        };
        let mut tiles: Vec<Tile> = of(self.top)
            .flat_map(|row| of(self.left).map(move |column| Tile { level, row: row as u16, column: column as u16 }))
            .collect();
        let far = |tile: &Tile| {
            let middle = |at: u16, start: f64| ((f64::from(at) + 0.5) * side - start - self.span / 2.0).abs();
            middle(tile.row, self.top) + middle(tile.column, self.left)
        };
        tiles.sort_by(|a, b| far(a).total_cmp(&far(b)));
        tiles
    }

    /// Where places begin and how long they are in the window, in CSS pixels: along the keys, then along the queries.
    #[must_use]
    pub fn rectangle(self, queries: &Range<usize>, keys: &Range<usize>) -> [f64; 4] {
        let scale = self.scale();
        let x = (keys.start as f64 - self.left) * scale;
        let y = (queries.start as f64 - self.top) * scale;
        [x, y, keys.len() as f64 * scale, queries.len() as f64 * scale]
    }

    /// Left, top, width and height of the window as shares of the map, for a small map of all.
    #[must_use]
    pub fn share(self) -> [f64; 4] {
        let all = (self.places as f64).max(1.0);
        [self.left / all, self.top / all, self.span / all, self.span / all]
    }

    /// The tokens that get a label along one side that begins at token `start`, at least `apart_px` from each other: round
    /// steps, so that labels stay with their tokens while the map moves.
    #[must_use]
    pub fn labelled(self, start: f64, apart_px: f64) -> Vec<usize> {
        let mut step = 1;
        while (step as f64) * self.scale() < apart_px && step < self.places.max(1) {
            step = match leading(step) {
                1 => step * 2,
                2 => step / 2 * 5,
                _ => step * 2,
            };
        }
        let first = (start / step as f64).ceil() as usize * step;
        let end = ((start + self.span).ceil() as usize).min(self.places);
        (first..end).step_by(step).collect()
    }
}

/// The first digit of 1, 2, 5, 10, 20, 50, …
const fn leading(mut step: usize) -> usize {
    while step >= 10 {
        step /= 10;
    }
    step
}

/// Of labels (place, length) along a line in the order given, those that overlap none kept before, with `gap` between.
#[must_use]
pub fn thinned(labels: &[(f64, f64)], gap: f64) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for (at, &(place, length)) in labels.iter().enumerate() {
        let free = kept.iter().all(|&other| {
            let (other_place, other_length) = labels[other];
            place + length + gap <= other_place || other_place + other_length + gap <= place
        });
        if free {
            kept.push(at);
        }
    }
    kept
}
