//! The heat map: rows are queries, columns are keys, and the axes always say so.
//!
//! Owns what is drawn and in which ink; where it goes is `grid`'s, how a number is written `numbers`'s. It hides
//! nothing: a forbidden cell is hatched, and weight found in one lies on top in the warning ink.

mod cells;
mod margins;

use ndarray::{Array2, ArrayView2};

use super::grid::{Layout, Plan, ROOMY_CELL, Request, plan};
use super::scale::{FORBIDDEN, ScaleName, diverging_index, index, indices};
use super::scene::{Mark, Scene, Stroke, Text, Tone};

/// What the numbers of a map are; decides scale and spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapKind {
    /// Attention weights, 0 or more: sequential scale, and weight in a forbidden cell is a leak.
    Weights,
    /// Scores of any sign: diverging scale about zero.
    Scores,
    /// Differences of two maps: like scores, and positive numbers carry a plus.
    Differences,
}

/// The words at the axes and columns, in the language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Titles<'a> {
    /// Of the rows, such as `查询 query`.
    pub query: &'a str,
    /// Of the columns, such as `键 key`.
    pub key: &'a str,
    /// Over the row sums, such as `Σ`.
    pub sum: &'a str,
    /// Over the entropy bars, such as `熵 / ln n`.
    pub entropy: &'a str,
}

/// What to draw.
pub struct HeatMapSpec<'a> {
    /// One label a row; missing ones are empty, surplus ones ignored.
    pub query_labels: &'a [&'a str],
    /// One label a column; likewise.
    pub key_labels: &'a [&'a str],
    /// `[queries, keys]`.
    pub values: ArrayView2<'a, f32>,
    /// What the values are.
    pub kind: MapKind,
    /// Values at the ends of the colour scale, usually `(0, 1)` for weights.
    pub domain: (f32, f32),
    /// Whether the mask forbids a cell (query, key).
    pub forbidden: &'a dyn Fn(usize, usize) -> bool,
    /// Whether a person set this cell of the mask by hand.
    pub hand_set: &'a dyn Fn(usize, usize) -> bool,
    /// Sum of each row of weights; empty leaves the column out.
    pub row_sums: &'a [f32],
    /// Entropy of each row over its maximum, 0 to 1; `None` leaves the bars out.
    pub row_entropy: Option<&'a [f32]>,
    /// The selected cell (query, key).
    pub selected: Option<(usize, usize)>,
    /// The cell under the pointer.
    pub hovered: Option<(usize, usize)>,
    /// Space to fill, in CSS px. The map is wider only when cells of 3 px do not fit.
    pub width: f64,
    /// Height to stay within, in CSS px, likewise; infinite for any height.
    pub max_height: f64,
    /// Size of type, 1 on a screen at arm's length; 1.5 to 2 on a projector. Clamped to 0.5 to 4.
    pub type_scale: f64,
    /// Words at the axes.
    pub titles: Titles<'a>,
}

/// A drawn heat map and the way back from its points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// What to paint.
    pub scene: Scene,
    /// Where the cells are.
    pub layout: Layout,
}

/// Draws a heat map. Without rows, columns or width the scene is empty.
pub fn heat_map(spec: &HeatMapSpec<'_>) -> HeatMap {
    let (n_queries, n_keys) = spec.values.dim();
    let label = |labels: &[&'_ str], i: usize| labels.get(i).copied().map(str::to_owned).unwrap_or_default();
    let rows: Vec<String> = (0..n_queries).map(|i| label(spec.query_labels, i)).collect();
    let columns: Vec<String> = (0..n_keys).map(|j| label(spec.key_labels, j)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let request = Request {
        rows: &rows,
        columns: &columns,
        query_title: spec.titles.query,
        key_title: spec.titles.key,
        sum_title: spec.titles.sum,
        entropy_title: spec.titles.entropy,
        with_sums: !spec.row_sums.is_empty(),
        with_entropy: spec.row_entropy.is_some_and(|e| !e.is_empty()),
        width: spec.width,
        max_height: spec.max_height,
        type_scale: if spec.type_scale.is_nan() { 1.0 } else { spec.type_scale.clamp(0.5, 4.0) },
    };
    let Some(plan) = plan(&request) else {
        return HeatMap::default();
    };
    let closed = Array2::from_shape_fn(spec.values.dim(), |(i, j)| (spec.forbidden)(i, j));
    let drawing = Drawing { spec, plan: &plan, layout: &plan.layout, closed };
    let mut marks = Vec::new();
    drawing.cells(&mut marks);
    drawing.numbers(&mut marks);
    drawing.titles(&mut marks);
    drawing.labels(&rows, &columns, &mut marks);
    drawing.beside(&mut marks);
    if let Some((query, key)) = spec.hovered.filter(|&h| Some(h) != spec.selected) {
        marks.extend(hover_frame(&plan.layout, query, key));
    }
    if let Some((query, key)) = spec.selected {
        marks.extend(selection_frame(&plan.layout, query, key));
    }
    HeatMap { scene: Scene { width: plan.width, height: plan.height, marks }, layout: plan.layout }
}

/// The frame of the cell under the pointer, for painting over a finished map; nothing outside the map.
pub fn hover_frame(layout: &Layout, query: usize, key: usize) -> Vec<Mark> {
    frame(layout, query, key, 1.5)
}

/// The frame of the selected cell; nothing outside the map.
pub fn selection_frame(layout: &Layout, query: usize, key: usize) -> Vec<Mark> {
    frame(layout, query, key, 2.5)
}

fn frame(layout: &Layout, query: usize, key: usize, width: f64) -> Vec<Mark> {
    let Some(square) = layout.cell_rect(query, key) else {
        return Vec::new();
    };
    // Around small cells the frame lies outside, so that the colour inside stays visible.
    let width = if layout.cell < ROOMY_CELL { width.min(1.5) } else { width };
    let edge = square.grown(width / 2.0 - if layout.cell < ROOMY_CELL { 0.0 } else { 0.5 });
    let radius = if layout.cell >= 16.0 { 3.0 } else { 0.0 };
    let outline = |rect, radius, stroke| Mark::Rect { rect, radius, fill: None, stroke: Some(stroke) };
    let mut marks = Vec::new();
    if layout.cell >= 16.0 {
        // A thin line of ground inside keeps the accent apart from a dark cell.
        let inner = edge.grown(-width / 2.0 - 0.5);
        marks.push(outline(inner, 1.5, Stroke::solid(Tone::Background, 1.0)));
    }
    marks.push(outline(edge, radius, Stroke::solid(Tone::Accent, width)));
    marks
}

/// A map being drawn.
struct Drawing<'a, 'b> {
    spec: &'a HeatMapSpec<'b>,
    plan: &'a Plan,
    layout: &'a Layout,
    /// Whether the mask forbids a cell, `[queries, keys]`; asked once.
    closed: Array2<bool>,
}

impl Drawing<'_, '_> {
    fn positions(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (rows, columns) = (self.layout.rows, self.layout.columns);
        (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)))
    }

    fn scale(&self) -> ScaleName {
        match self.spec.kind {
            MapKind::Weights => ScaleName::Sequential,
            MapKind::Scores | MapKind::Differences => ScaleName::Diverging,
        }
    }

    /// The weight that stands where none may be.
    fn leak(&self, i: usize, j: usize) -> Option<f32> {
        let value = self.spec.values[[i, j]];
        (self.spec.kind == MapKind::Weights && value > 0.0 && self.closed[[i, j]]).then_some(value)
    }

    /// The colour of every cell, row-major.
    fn indices(&self) -> Vec<u8> {
        let (lo, hi) = self.spec.domain;
        let values = self.spec.values.as_standard_layout();
        let values = values.as_slice().unwrap_or_default();
        let mut colours = match self.spec.kind {
            MapKind::Weights => indices(values, lo, hi),
            MapKind::Scores | MapKind::Differences => values.iter().map(|v| diverging_index(*v, lo, hi)).collect(),
        };
        for ((closed, value), colour) in self.closed.iter().zip(values).zip(&mut colours) {
            if *closed && !value.is_nan() {
                *colour = FORBIDDEN;
            }
        }
        colours
    }

    fn index(&self, i: usize, j: usize) -> u8 {
        let (lo, hi) = self.spec.domain;
        let value = self.spec.values[[i, j]];
        match self.spec.kind {
            _ if self.closed[[i, j]] && !value.is_nan() => FORBIDDEN,
            MapKind::Weights => index(value, lo, hi),
            MapKind::Scores | MapKind::Differences => diverging_index(value, lo, hi),
        }
    }

    fn row_is_closed(&self, i: usize) -> bool {
        self.closed.row(i).iter().all(|&closed| closed)
    }
}

fn push_text(marks: &mut Vec<Mark>, text: Text) {
    if !text.text.is_empty() {
        marks.push(Mark::Text(text));
    }
}
