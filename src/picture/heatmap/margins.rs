//! The margins of a heat map: titles, labels, row sums and entropy bars.

use super::{Drawing, MapKind, push_text};
use crate::picture::grid::thinned;
use crate::picture::measure::{bold_em, fit, width_em};
use crate::picture::numbers::{Form, written};
use crate::picture::scene::{Anchor, Ink, Mark, Rect, Text, Tone};

impl Drawing<'_, '_> {
    pub(super) fn titles(&self, marks: &mut Vec<Mark>) {
        let (plan, layout, titles) = (self.plan, self.layout, self.spec.titles);
        let half = width_em(titles.key) * plan.title / 2.0;
        let x = ((layout.x + layout.right()) / 2.0).min(plan.width - half).max(layout.labels_x + half);
        push_text(marks, Text::centred(titles.key, x, 0.6 * plan.title + 2.0, plan.title, Tone::Muted));
        let half = width_em(titles.query) * plan.title / 2.0 + 2.0;
        let y = ((layout.y + layout.bottom()) / 2.0).min(plan.height - half).max(half);
        push_text(marks, Text::centred(titles.query, 0.6 * plan.title + 1.0, y, plan.title, Tone::Muted).turned(-90.0));
    }

    pub(super) fn labels(&self, rows: &[&str], columns: &[&str], marks: &mut Vec<Mark>) {
        let (plan, layout) = (self.plan, self.layout);
        let (selected, hovered) = (self.spec.selected, self.spec.hovered);
        let shown = thinned(rows.len(), plan.row_step, &[selected.map(|s| s.0), hovered.map(|h| h.0)]);
        for (i, label) in rows.iter().enumerate().filter(|&(i, _)| shown[i]) {
            let chosen = selected.is_some_and(|s| s.0 == i);
            let tone = match chosen {
                true => Tone::Accent,
                false if self.row_is_closed(i) => Tone::Warning,
                false => Tone::Foreground,
            };
            let x = layout.x - 0.45 * plan.row_type - 3.0;
            // Clamped, since the type may be taller than the only row.
            let y = layout.row_middle(i).min(plan.height - plan.row_type / 2.0);
            let text = fit(label, plan.row_max_em / bold_em("字"));
            push_text(marks, Text::centred(text, x, y, plan.row_type, tone).anchored(Anchor::End).bold(chosen));
        }
        for i in (0..layout.rows).filter(|&i| self.row_is_closed(i)) {
            // A row in which nothing is allowed: a bar at its edge.
            let rect = Rect::new(layout.x - 3.5, layout.y + i as f64 * layout.cell + layout.gap / 2.0, 2.5, {
                layout.cell - layout.gap
            });
            marks.push(Mark::Rect { rect, radius: 0.0, fill: Some(Tone::Warning.into()), stroke: None });
        }
        let shown = thinned(columns.len(), plan.column_step, &[selected.map(|s| s.1), hovered.map(|h| h.1)]);
        for (j, label) in columns.iter().enumerate().filter(|&(j, _)| shown[j]) {
            let chosen = selected.is_some_and(|s| s.1 == j);
            let tone = if chosen { Tone::Accent } else { Tone::Foreground };
            let (x, foot, size) = (layout.column_middle(j), layout.y - plan.column_foot, plan.column_type);
            let text = if layout.slanted {
                let text = fit(label, plan.column_max_em / bold_em("字"));
                Text::centred(text, x, foot, size, tone).anchored(Anchor::Start).turned(-45.0)
            } else {
                Text::centred(*label, x, foot - size / 2.0, size, tone)
            };
            push_text(marks, text.bold(chosen));
        }
    }

    pub(super) fn beside(&self, marks: &mut Vec<Mark>) {
        let (plan, layout, spec) = (self.plan, self.layout, self.spec);
        let title_y = layout.y - 8.0 - 0.5 * plan.title;
        if let Some((x, width)) = plan.sums {
            push_text(marks, Text::centred(spec.titles.sum, x, title_y, plan.title, Tone::Muted));
            let size = plan.number.min(plan.row_type);
            for (i, &sum) in spec.row_sums.iter().enumerate().take(layout.rows) {
                let is_one = (f64::from(sum) - 1.0).abs() < 0.005;
                let off = spec.kind == MapKind::Weights && !is_one;
                let tone = if off { Tone::Warning } else { Tone::Muted };
                let text = if sum.is_finite() {
                    format!("{:.2}", f64::from(sum))
                } else {
                    written(sum, Form::Weight).unwrap_or_default()
                };
                let text = if width_em(&text) * size > width + 8.0 { format!("{:.0e}", f64::from(sum)) } else { text };
                push_text(marks, Text::centred(text, x, layout.row_middle(i), size, tone).bold(off));
            }
        }
        let (Some((left, width)), Some(entropy)) = (plan.bars, spec.row_entropy) else {
            return;
        };
        push_text(marks, Text::centred(spec.titles.entropy, left + width / 2.0, title_y, plan.title, Tone::Muted));
        let height = (0.6 * layout.cell).min(6.0 * plan.title / 12.5);
        let bar = |i: usize, width: f64, ink: Ink| Mark::Rect {
            rect: Rect::new(left, layout.row_middle(i) - height / 2.0, width, height),
            radius: if height >= 4.0 { height / 2.0 } else { 0.0 },
            fill: Some(ink),
            stroke: None,
        };
        for (i, &share) in entropy.iter().enumerate().take(layout.rows) {
            marks.push(bar(i, width, Tone::Line.into()));
            if share.is_finite() {
                // At least a visible sliver, since zero is a value too.
                let filled = (f64::from(share).clamp(0.0, 1.0) * width).max(2.0);
                marks.push(bar(i, filled, Tone::Muted.into()));
            }
        }
    }
}
