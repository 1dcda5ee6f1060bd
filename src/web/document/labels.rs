//! The words and numbers beside the map: thinned so that none overlaps another, the chosen ones first.

use super::paint::{ABOVE, LEFT, set_fill, tone_css};
use super::reader::Reader;
use crate::locale::document_spoken::grouped;
use crate::picture::Tone;
use crate::picture::measure::width_em;
use crate::picture::viewport::thinned;
use wasm_bindgen::JsValue;
use web_sys::CanvasRenderingContext2d;

const SIZE: f64 = 12.0;
/// Part of a ruler that a label's estimated width may take: fonts are wider than the estimate by up to a sixth.
const ROOM: f64 = 0.84;
const FONT: &str = "12px system-ui, sans-serif";
const FONT_STRONG: &str = "600 12px system-ui, sans-serif";

/// One label: its token, its middle along the ruler, its text.
struct Label {
    at: usize,
    middle: f64,
    text: String,
}

/// Paints both rulers.
pub fn paint(reader: &Reader, context: &CanvasRenderingContext2d) {
    if reader.text.len() == 0 {
        return;
    }
    let view = reader.view;
    let chosen = reader.over.or(reader.settings.cell);
    context.set_text_baseline("middle");
    context.set_text_align("right");
    let rows = labels(reader, view.top, chosen.map(|(query, _)| query), 15.0, ROOM * (LEFT - 8.0));
    for at in thinned(&rows.iter().map(|label| (label.middle - SIZE / 2.0, SIZE)).collect::<Vec<_>>(), 2.0) {
        ink(reader, context, chosen.is_some_and(|(query, _)| query == rows[at].at));
        let _ = context.fill_text(&rows[at].text, LEFT - 6.0, ABOVE + rows[at].middle);
    }
    // Upright where every label fits into its place, turned where not.
    let columns = labels(reader, view.left, chosen.map(|(_, key)| key), 15.0, ROOM * (1.1 * ABOVE - 8.0));
    let upright = |label: &Label| width_em(&label.text) * SIZE;
    let level = view.scale() >= SIZE && columns.iter().all(|label| upright(label) <= view.scale().max(SIZE + 2.0));
    let place = |label: &Label| {
        let width = if level { upright(label) } else { SIZE * 1.2 };
        (label.middle - width / 2.0, width)
    };
    context.set_text_align(if level { "center" } else { "left" });
    for at in thinned(&columns.iter().map(place).collect::<Vec<_>>(), 2.0) {
        let label = &columns[at];
        ink(reader, context, chosen.is_some_and(|(_, key)| key == label.at));
        context.save();
        let _ = context.translate(LEFT + label.middle, ABOVE - if level { 10.0 } else { 6.0 });
        if !level {
            let _ = context.rotate(-std::f64::consts::FRAC_PI_3);
        }
        let _ = context.fill_text(&label.text, 0.0, 0.0);
        context.restore();
    }
}

fn ink(reader: &Reader, context: &CanvasRenderingContext2d, chosen: bool) {
    context.set_font(if chosen { FONT_STRONG } else { FONT });
    let tone = if chosen { Tone::Accent } else { Tone::Muted };
    set_fill(context, &JsValue::from_str(&tone_css(reader.theme, tone)));
}

/// The labels along a ruler that begins at token `start`, the chosen one first: words, and far out their numbers too.
fn labels(reader: &Reader, start: f64, chosen: Option<usize>, apart: f64, room: f64) -> Vec<Label> {
    let view = reader.view;
    let places = view.labelled(start, apart);
    let every = places.get(1).zip(places.first()).is_none_or(|(second, first)| second - first == 1);
    let places = if every { places } else { view.labelled(start, 44.0) };
    #[expect(clippy::cast_precision_loss, reason = "tokens are few")]
    let middle = |at: usize| (at as f64 + 0.5 - start) * view.scale();
    let seen = |at: &usize| middle(*at) >= 0.0 && middle(*at) <= view.side_px;
    let label = |at: usize| {
        let word = reader.text.word(at);
        let text = if every { word.to_owned() } else { format!("{} {word}", grouped(at + 1)) };
        Label { at, middle: middle(at), text: shortened(&text, room) }
    };
    chosen
        .into_iter()
        .filter(seen)
        .chain(places.into_iter().filter(|at| Some(*at) != chosen))
        .filter(seen)
        .map(label)
        .collect()
}

/// A text that fits into `room` CSS pixels, with an ellipsis where it was cut.
fn shortened(text: &str, room: f64) -> String {
    if width_em(text) * SIZE <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if (width_em(&kept) + 1.0) * SIZE > room {
            break;
        }
    }
    kept.push('…');
    kept
}
