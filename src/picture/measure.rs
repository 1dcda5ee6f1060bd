//! How wide words are, without a browser: estimates in em, a little on the wide side, so that nothing overlaps.
//!
//! Owns width, shortening and the box of a text mark. Knows no font: classes of characters stand for one.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::scene::{Anchor, Baseline, FontWeight, Point, Text};
use crate::tensor::angle::cos_sin;

/// How much wider semi-bold type is.
const SEMI_BOLD: f64 = 1.06;

/// Width of a label in em (multiples of the type size), regular weight.
pub fn width_em(label: &str) -> f64 {
    // Most labels are plain letters or ideographs, each a grapheme of its own: no need to look for joined ones.
    if label.chars().all(stands_alone) {
        return label.chars().map(char_em).sum();
    }
    label.graphemes(true).map(grapheme_em).sum()
}

/// Whether a character never joins its neighbours into one grapheme.
fn stands_alone(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{4e00}'..='\u{9fff}' | '\u{3001}'..='\u{3029}' | '\u{ff01}'..='\u{ff60}')
}

/// Width of a label in em in semi-bold type: what to reserve for a label that may become selected.
pub fn bold_em(label: &str) -> f64 {
    width_em(label) * SEMI_BOLD
}

/// The label itself when it fits into `max_em`, else its beginning and an ellipsis; never cuts inside a grapheme.
///
/// Empty when not even the ellipsis fits.
pub fn fit(label: &str, max_em: f64) -> Cow<'_, str> {
    if width_em(label) <= max_em {
        return Cow::Borrowed(label);
    }
    let room = max_em - width_em("…");
    // Also the way out for a NaN width.
    if room.is_nan() || room < 0.0 {
        return Cow::Borrowed("");
    }
    let (mut end, mut used) = (0, 0.0);
    for (start, grapheme) in label.grapheme_indices(true) {
        used += grapheme_em(grapheme);
        if used > room {
            break;
        }
        end = start + grapheme.len();
    }
    Cow::Owned(format!("{}…", label[..end].trim_end()))
}

/// A grapheme is as wide as its widest character: combining marks, joiners and variation selectors add nothing.
fn grapheme_em(grapheme: &str) -> f64 {
    // U+FE0F asks for the emoji form of the character before it.
    let emoji = grapheme.contains('\u{fe0f}');
    let widest = grapheme.chars().map(char_em).fold(0.0, f64::max);
    if emoji { widest.max(1.25) } else { widest }
}

fn char_em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' => 0.29,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '{' | '}' | '/' | '\\' | '-' | '`' | '"' => 0.39,
        ' ' | '\u{a0}' => 0.27,
        'm' | 'M' => 0.89,
        'w' | 'W' => 0.85,
        '@' | '%' => 0.93,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' => 0.52,
        '0'..='9' | 'a'..='z' | '_' | '?' | '$' | '#' | '*' => 0.565,
        'A'..='Z' | '+' | '=' | '<' | '>' | '~' | '&' | '^' | '−' | '√' | 'Σ' => 0.66,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' => 0.0,
        // Combining marks, joiners, direction marks, variation selectors, tags.
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}' => 0.0,
        // East Asian blocks, fullwidth forms, and punctuation that Chinese fonts set one em wide.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{20000}'..='\u{3fffd}'
        | '…'
        | '—'
        | '∞'
        | '“'
        | '”'
        | '‘'
        | '’' => 1.0,
        '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}' => 1.25,
        '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{52f}' => 0.62,
        _ => 0.7,
    }
}

/// The corners of the box of a text mark (1 em high), in order around it; turned with the text.
pub fn text_box(text: &Text) -> [Point; 4] {
    let em = match text.weight {
        FontWeight::Regular => width_em(&text.text),
        FontWeight::SemiBold => bold_em(&text.text),
    };
    let width = em * text.size;
    let left = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let top = match text.baseline {
        Baseline::Alphabetic => -0.86 * text.size,
        Baseline::Middle => -0.5 * text.size,
    };
    let (cos, sin) = cos_sin(text.rotate_degrees / 90.0);
    [(left, top), (left + width, top), (left + width, top + text.size), (left, top + text.size)]
        .map(|(x, y)| Point::new(text.x + x * cos - y * sin, text.y + x * sin + y * cos))
}

/// Whether two convex boxes share more than an edge (separating axes).
pub fn boxes_overlap(a: &[Point; 4], b: &[Point; 4]) -> bool {
    let separated_by_edge_of = |shape: &[Point; 4]| {
        (0..4).any(|i| {
            let (from, to) = (shape[i], shape[(i + 1) % 4]);
            let (nx, ny) = (to.y - from.y, from.x - to.x);
            let span = |points: &[Point; 4]| {
                points
                    .iter()
                    .map(|p| p.x * nx + p.y * ny)
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)))
            };
            let ((a_lo, a_hi), (b_lo, b_hi)) = (span(a), span(b));
            // Scaled by the edge, since the normal is not a unit vector.
            let slack = 1e-6 * (nx.abs() + ny.abs());
            a_hi <= b_lo + slack || b_hi <= a_lo + slack
        })
    };
    !(separated_by_edge_of(a) || separated_by_edge_of(b))
}
