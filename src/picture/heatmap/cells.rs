//! The inside of a heat map: colours, hatching, leaks, marks and numbers of its cells.

use std::rc::Rc;

use super::{Drawing, MapKind};
use crate::picture::measure::width_em;
use crate::picture::numbers::{Form, signed_form, written};
use crate::picture::scale::{NOTHING, ScaleName, index};
use crate::picture::scene::{Cells, Ink, Mark, Point, Rect, Segment, Stroke, Text, Tone};

/// Cells from here on, in px, have outlines of their own.
const OUTLINED_CELL: f64 = 12.0;
/// Entries of the sequential scale on which muted text can still be read.
const FAINT_UP_TO: u8 = 3;

impl Drawing<'_, '_> {
    pub(super) fn cells(&self, marks: &mut Vec<Mark>) {
        let layout = self.layout;
        let outlined = layout.cell >= OUTLINED_CELL;
        let radius = if layout.cell >= 28.0 { 2.0 } else { f64::from(layout.cell >= 16.0) };
        let indices: Rc<[u8]> = self.indices().into();
        if !outlined {
            // Without outlines the map needs an edge of its own, or its pale cells melt into the page.
            let edge = Rect::new(layout.x, layout.y, layout.right() - layout.x, layout.bottom() - layout.y).grown(0.5);
            let stroke = Some(Stroke::solid(Tone::Line, 1.0));
            marks.push(Mark::Rect { rect: edge, radius: 0.0, fill: None, stroke });
        }
        let grid = Cells {
            x: layout.x,
            y: layout.y,
            rows: layout.rows,
            columns: layout.columns,
            pitch: layout.cell,
            gap: layout.gap,
            radius,
            scale: self.scale(),
            indices,
            outline: outlined.then(|| Ink::of(Tone::Foreground).with_opacity(0.07)),
        };
        marks.push(Mark::Cells(grid.clone()));
        self.hatch(marks);
        if self.positions().any(|(i, j)| self.leak(i, j).is_some()) {
            let leaks = self.positions().map(|(i, j)| self.leak(i, j).map_or(NOTHING, |v| index(v, 0.0, 1.0)));
            // The rim of hatching left around it says: weight inside a forbidden cell.
            let rim = if layout.cell >= 28.0 {
                12.0
            } else if layout.cell >= 12.0 {
                3.0
            } else {
                0.0
            };
            let (gap, scale) = (layout.gap + rim, ScaleName::Leak);
            marks.push(Mark::Cells(Cells { gap, scale, indices: leaks.collect(), outline: None, ..grid }));
        }
        self.crosses(marks);
        self.corners(marks);
    }

    /// Hatching over forbidden cells: one area a cell where cells have room, else one area a run.
    fn hatch(&self, marks: &mut Vec<Mark>) {
        let layout = self.layout;
        if layout.cell < 4.0 {
            return;
        }
        let mut areas = Vec::new();
        for i in 0..layout.rows {
            let mut j = 0;
            while j < layout.columns {
                let start = j;
                while j < layout.columns && self.closed[[i, j]] && (j == start || layout.cell < 16.0) {
                    j += 1;
                }
                if let Some(from) = layout.cell_rect(i, start).filter(|_| j > start) {
                    let width = (j - start) as f64 * layout.cell - layout.gap;
                    areas.push(Rect::new(from.x, from.y, width, from.height));
                } else {
                    j += 1;
                }
            }
        }
        if !areas.is_empty() {
            let (spacing, width) = match layout.cell {
                cell if cell >= 28.0 => (7.0, 1.0),
                cell if cell >= 8.0 => (5.0, 0.9),
                _ => (4.0, 0.8),
            };
            marks.push(Mark::Hatch { areas, ink: Ink::of(Tone::Muted).with_opacity(0.5), spacing, width });
        }
    }

    /// A cross over every NaN too small to be named, so that colour is not its only sign.
    fn crosses(&self, marks: &mut Vec<Mark>) {
        if self.layout.cell < 6.0 || self.form().is_some() {
            return;
        }
        let nan = self.positions().filter(|&(i, j)| self.spec.values[[i, j]].is_nan());
        let segments: Vec<Segment> = nan
            .filter_map(|(i, j)| self.layout.cell_rect(i, j))
            .flat_map(|r| {
                let (left, top, right, bottom) = (r.x, r.y, r.right(), r.bottom());
                let (from, to) = (Point::new(left, top), Point::new(right, bottom));
                let (from_right, to_left) = (Point::new(right, top), Point::new(left, bottom));
                [Segment::Move(from), Segment::Line(to), Segment::Move(from_right), Segment::Line(to_left)]
            })
            .collect();
        if !segments.is_empty() {
            let ink = Ink::of(Tone::Background).with_opacity(0.55);
            marks.push(Mark::Path { segments, fill: None, stroke: Some(Stroke::solid(ink, 1.0)) });
        }
    }

    /// A small triangle in the right top corner of every cell set by hand.
    fn corners(&self, marks: &mut Vec<Mark>) {
        let side = (0.22 * self.layout.cell).clamp(2.0, 11.0);
        let set = self.positions().filter(|&(i, j)| (self.spec.hand_set)(i, j));
        let segments: Vec<Segment> = set
            .filter_map(|(i, j)| self.layout.cell_rect(i, j))
            .flat_map(|r| {
                let corner = Point::new(r.right(), r.y);
                let (left, below) = (Point::new(corner.x - side, r.y), Point::new(corner.x, r.y + side));
                [Segment::Move(left), Segment::Line(corner), Segment::Line(below), Segment::Close]
            })
            .collect();
        if !segments.is_empty() {
            // The edge in the ground colour keeps the triangle visible on every entry of the scale.
            let stroke = (side > 4.0).then(|| Stroke::solid(Tone::Background, 1.0));
            marks.push(Mark::Path { segments, fill: Some(Tone::Foreground.into()), stroke });
        }
    }

    /// The form of this map's numbers and their size, if there is room for them.
    fn form(&self) -> Option<(Form, f64)> {
        let (cell, number) = (self.layout.cell, self.plan.number);
        match self.spec.kind {
            MapKind::Weights => {
                let small = 0.8 * number;
                if cell >= width_em("0.00") * number + 14.0 {
                    Some((Form::Weight, number))
                } else if cell >= width_em(".00") * small + 6.0 {
                    Some((Form::ShortWeight, small))
                } else {
                    None
                }
            }
            kind => [number, 0.8 * number].into_iter().find_map(|size| {
                let plus = kind == MapKind::Differences;
                let form = signed_form(self.spec.values.iter().copied(), plus, (cell - 7.0) / size)?;
                (cell >= 1.6 * size).then_some((form, size))
            }),
        }
    }

    pub(super) fn numbers(&self, marks: &mut Vec<Mark>) {
        let Some((form, size)) = self.form() else {
            return;
        };
        for (i, j) in self.positions() {
            let value = self.spec.values[[i, j]];
            let leak = self.leak(i, j);
            let closed = self.closed[[i, j]];
            // Hatching already says of a forbidden weight that it is zero.
            if closed && leak.is_none() && value == 0.0 && self.spec.kind == MapKind::Weights {
                continue;
            }
            // A leak is never too small to be named, as long as there is room.
            let text = match leak {
                Some(weight) if weight < 0.005 && form == Form::ShortWeight => None,
                _ => written(value, form),
            };
            let Some(text) = text.filter(|text| width_em(text) * size + 3.0 <= self.layout.cell) else {
                continue;
            };
            let ground = self.index(i, j);
            let tone = match leak {
                Some(weight) => Tone::OnScale(ScaleName::Leak, index(weight, 0.0, 1.0)),
                None if self.spec.kind == MapKind::Weights && value < 0.005 && ground <= FAINT_UP_TO => Tone::Muted,
                None => Tone::OnScale(self.scale(), ground),
            };
            let at = (self.layout.column_middle(j), self.layout.row_middle(i));
            if closed && leak.is_none() {
                // The number of a forbidden cell stands on a patch, clear of the hatching.
                let (width, height) = (width_em(&text) * size + 4.0, size + 2.0);
                let rect = Rect::new(at.0 - width / 2.0, at.1 - height / 2.0, width, height);
                let fill = Some(Tone::Scale(self.scale(), ground).into());
                marks.push(Mark::Rect { rect, radius: 2.0, fill, stroke: None });
            }
            marks.push(Mark::Text(Text::centred(text, at.0, at.1, size, tone).bold(leak.is_some())));
        }
    }
}
