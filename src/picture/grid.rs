//! Where everything of a heat map goes: cell size, labels, margins, and the way back from a point to a cell.
//!
//! Owns geometry only. The largest whole-pixel cell that fits is searched, since each size decides anew whether
//! labels stand or slant and what fits beside the map.

use super::measure::{bold_em, width_em};
use super::scene::Rect;

/// Smallest cell in px; a map that does not fit even so becomes larger than the space it was given.
pub const MIN_CELL: f64 = 3.0;
/// Largest cell in px at type scale 1.
pub const MAX_CELL: f64 = 84.0;
/// Cells from here on have gaps and room for marks inside.
pub const ROOMY_CELL: f64 = 8.0;
/// cos 45° = sin 45°: column labels that do not fit rise to the right at this slope.
const SLANT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// What lies at a point of a heat map. Indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A cell.
    Cell {
        /// Its row.
        query: usize,
        /// Its column.
        key: usize,
    },
    /// The label of a row.
    QueryLabel(usize),
    /// The label of a column.
    KeyLabel(usize),
}

/// The geometry of a finished heat map, for hit tests and overlays. All lengths in CSS px.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Left edge of the cells.
    pub x: f64,
    /// Top edge of the cells.
    pub y: f64,
    /// Side of a cell, gap included; 0 in an empty layout.
    pub cell: f64,
    /// Space between painted squares.
    pub gap: f64,
    /// Number of queries.
    pub rows: usize,
    /// Number of keys.
    pub columns: usize,
    /// Left edge of the row labels.
    pub labels_x: f64,
    /// Top edge of the column labels.
    pub labels_y: f64,
    /// Height at which column labels begin, a little above the cells.
    pub labels_foot_y: f64,
    /// Whether column labels rise to the right at 45°.
    pub slanted: bool,
}

impl Layout {
    /// What lies at a point, if anything: cells (gaps belong to them), row labels, column labels.
    pub fn hit(&self, x: f64, y: f64) -> Option<Target> {
        let column = |x: f64| index_at(x - self.x, self.cell, self.columns);
        let row = index_at(y - self.y, self.cell, self.rows);
        if let Some(query) = row {
            if let Some(key) = column(x) {
                return Some(Target::Cell { query, key });
            }
            return (x >= self.labels_x && x < self.x).then_some(Target::QueryLabel(query));
        }
        if y < self.y && y >= self.labels_y {
            // Along a slanted label, x runs as far to the right as y rises.
            let foot = if self.slanted { x - (self.labels_foot_y - y).max(0.0) } else { x };
            return column(foot).map(Target::KeyLabel);
        }
        None
    }

    /// The painted square of a cell (gap taken off); `None` outside the map.
    pub fn cell_rect(&self, query: usize, key: usize) -> Option<Rect> {
        let at = |start: f64, i: usize| start + i as f64 * self.cell + self.gap / 2.0;
        let side = self.cell - self.gap;
        (query < self.rows && key < self.columns).then(|| Rect::new(at(self.x, key), at(self.y, query), side, side))
    }

    /// Middle of a row.
    pub fn row_middle(&self, query: usize) -> f64 {
        self.y + (query as f64 + 0.5) * self.cell
    }

    /// Middle of a column.
    pub fn column_middle(&self, key: usize) -> f64 {
        self.x + (key as f64 + 0.5) * self.cell
    }

    /// Right edge of the cells.
    pub fn right(&self) -> f64 {
        self.x + self.columns as f64 * self.cell
    }

    /// Bottom edge of the cells.
    pub fn bottom(&self) -> f64 {
        self.y + self.rows as f64 * self.cell
    }
}

/// Which of `count` steps a distance falls on.
fn index_at(distance: f64, step: f64, count: usize) -> Option<usize> {
    if !(distance >= 0.0 && step > 0.0 && distance < step * count as f64) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and count, checked above")]
    let index = (distance / step) as usize;
    Some(index.min(count.saturating_sub(1)))
}

/// What is to be placed.
pub(super) struct Request<'a> {
    pub rows: &'a [&'a str],
    pub columns: &'a [&'a str],
    pub query_title: &'a str,
    pub key_title: &'a str,
    pub sum_title: &'a str,
    pub entropy_title: &'a str,
    pub with_sums: bool,
    pub with_entropy: bool,
    pub width: f64,
    pub max_height: f64,
    pub type_scale: f64,
}

/// Where everything goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub layout: Layout,
    pub width: f64,
    pub height: f64,
    pub title: f64,
    pub number: f64,
    pub row_type: f64,
    pub row_max_em: f64,
    pub row_step: usize,
    pub column_type: f64,
    pub column_max_em: f64,
    pub column_step: usize,
    /// Space between the foot of a column label and the cells.
    pub column_foot: f64,
    /// Middle and width of the column of sums.
    pub sums: Option<(f64, f64)>,
    /// Left edge and width of the column of entropy bars.
    pub bars: Option<(f64, f64)>,
}

/// Labels measured once, in em at the weight of a selected label.
struct Measured {
    row_em: f64,
    column_ems: Vec<f64>,
}

/// The largest map that fits, or the smallest there is; `None` when there is nothing to show or nowhere to show it.
pub(super) fn plan(request: &Request<'_>) -> Option<Plan> {
    let usable = request.width.is_finite() && request.width >= 1.0 && !request.rows.is_empty();
    if !usable || request.columns.is_empty() || request.max_height.is_nan() {
        return None;
    }
    let measured = Measured {
        row_em: request.rows.iter().map(|l| bold_em(l)).fold(0.0, f64::max),
        column_ems: request.columns.iter().map(|l| bold_em(l)).collect(),
    };
    let mut cell = (MAX_CELL * request.type_scale.clamp(1.0, 1.5)).floor();
    loop {
        let plan = plan_with(request, &measured, cell);
        let fits = plan.width <= request.width && plan.height <= request.max_height;
        if fits || cell <= MIN_CELL {
            return Some(plan);
        }
        cell -= 1.0;
    }
}

fn plan_with(request: &Request<'_>, measured: &Measured, cell: f64) -> Plan {
    let scale = request.type_scale;
    let (rows, columns) = (request.rows.len() as f64, request.columns.len() as f64);
    let narrow = request.width < 480.0 * scale;
    let title = if narrow { 11.5 } else { 12.5 } * scale;
    let number = if narrow { 12.0 } else { 14.0 } * scale;
    let label = if narrow { 13.5 } else { 16.0 } * scale;
    let smallest = 10.0 * scale;

    // Rows: labels at the left, smaller in low rows, and only some of them in very low ones.
    let row_type = label.min(smallest.max(0.82 * cell));
    let row_max_em = (0.24 * request.width / row_type).clamp(3.0, 9.0);
    let row_width = measured.row_em.min(row_max_em) * row_type;
    let labels_x = 1.5 * title + 4.0;
    let x = (labels_x + row_width + 0.55 * row_type + 3.0).ceil();

    // Columns: labels above, upright where they fit, else slanted.
    let widest = measured.column_ems.iter().copied().fold(0.0, f64::max);
    let upright = [label, smallest.max(0.82 * label)].into_iter().find(|size| widest * size + 5.0 <= cell);
    let slanted = upright.is_none();
    let column_type = upright.unwrap_or_else(|| (0.94 * label).min(smallest.max(cell / 1.75)));
    let column_max_em = if slanted { (0.22 * request.width / column_type).clamp(3.0, 7.0) } else { f64::INFINITY };
    let column_foot = if slanted { 0.4 * column_type + 3.0 } else { 0.45 * column_type + 2.0 };
    let header = if slanted {
        (widest.min(column_max_em) + 0.5) * column_type * SLANT + column_foot
    } else {
        column_type + column_foot
    };
    let labels_y = 1.2 * title + 7.0;
    let y = (labels_y + header).ceil();
    let (right, bottom) = (x + columns * cell, y + rows * cell);

    // Beside the map: sums and entropy as far as width and cell size allow.
    let roomy = request.width >= 340.0 * scale;
    // On a phone, cells that can hold a number are worth more than a column of ones.
    let tall = cell >= if narrow { 24.0 } else { 13.0 } * scale;
    let with_sums = request.with_sums && tall && request.width >= 250.0 * scale;
    let with_bars = request.with_entropy && roomy;
    // A slanted last label leans over the first title beside the map: keep its edge clear of that title.
    let lean = if slanted {
        column_type * SLANT + (2.0 + 1.1 * title) + 3.0 - cell / 2.0
    } else {
        // An upright label may be wider than its cell by nothing, so only the usual gap is needed.
        0.0
    };
    let mut edge = right + lean.max(if narrow { 8.0 } else { 14.0 });
    let sums = with_sums.then(|| {
        let width = (width_em("0.00") * number).max(width_em(request.sum_title) * title);
        let middle = edge + width / 2.0;
        edge += width + if narrow { 8.0 } else { 14.0 };
        (middle, width)
    });
    let bars = with_bars.then(|| {
        let width = (if narrow { 36.0 } else { 48.0 } * scale).max(width_em(request.entropy_title) * title);
        let left = edge;
        edge += width;
        (left, width)
    });
    let beside = if sums.is_some() || bars.is_some() { edge } else { right };
    let overhang = if slanted {
        let ends = measured
            .column_ems
            .iter()
            .enumerate()
            .map(|(j, em)| x + (j as f64 + 0.5) * cell + (em.min(column_max_em) + 0.5) * column_type * SLANT);
        ends.fold(0.0, f64::max)
    } else {
        0.0
    };
    let key_title_end = labels_x + width_em(request.key_title) * title;
    let query_title_length = width_em(request.query_title) * title;

    Plan {
        layout: Layout {
            x,
            y,
            cell,
            gap: if cell >= 28.0 { 2.0 } else { f64::from(cell >= ROOMY_CELL) },
            rows: request.rows.len(),
            columns: request.columns.len(),
            labels_x,
            labels_y,
            labels_foot_y: y - column_foot,
            slanted,
        },
        width: (beside.max(overhang).max(key_title_end).max(right + 2.0) + 2.0).ceil(),
        height: (bottom + 4.0).max(query_title_length + 8.0).ceil(),
        title,
        number,
        row_type,
        row_max_em,
        row_step: steps_of(1.12 * row_type, cell),
        column_type,
        column_max_em,
        column_step: if slanted { steps_of(1.12 * column_type / SLANT, cell) } else { 1 },
        column_foot,
        sums,
        bars,
    }
}

/// How many cells apart labels of this thickness must be.
fn steps_of(thickness: f64, cell: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive quotient")]
    let steps = (thickness / cell).ceil().clamp(1.0, 1e6) as usize;
    steps
}

/// Which of `count` labels to show so that they are `step` apart: first those `wanted` (the earlier wins), then
/// every `step`-th that keeps its distance.
pub(super) fn thinned(count: usize, step: usize, wanted: &[Option<usize>]) -> Vec<bool> {
    let mut shown = vec![false; count];
    let mut kept: Vec<usize> = Vec::new();
    for i in wanted.iter().copied().flatten().chain((0..count).step_by(step.max(1))) {
        if i < count && kept.iter().all(|&other| other.abs_diff(i) >= step) {
            kept.push(i);
            shown[i] = true;
        }
    }
    shown
}

/// The cells (query, key) of a straight stroke from one cell to another, without the first: a quick pointer is seen only here and
/// there, and what lies between belongs to its stroke.
#[must_use]
pub fn stroke(from: (usize, usize), to: (usize, usize)) -> Vec<(usize, usize)> {
    let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
    let between = |from: usize, to: usize, step: usize| {
        let way = (from.abs_diff(to) * step * 2 + steps) / (2 * steps);
        if to >= from { from + way } else { from - way }
    };
    (1..=steps).map(|step| (between(from.0, to.0, step), between(from.1, to.1, step))).collect()
}
