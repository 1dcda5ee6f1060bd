//! The painter that writes SVG: for export, for print and for the committed pictures that tests compare.
//!
//! Only elements and attributes every viewer knows: no images, no `style`, no script; the same scene always gives the
//! same bytes. Owns no layout.

use std::fmt::Write as _;

use super::colour::Palette;
use super::scale::NOTHING;
use super::scene::{Anchor, Cells, FontWeight, Ink, Mark, Point, Rect, Scene, Segment, Stroke, Text, Tone};

/// System fonts, those with Chinese first.
const FONTS: &str = "PingFang SC, Noto Sans CJK SC, Noto Sans SC, Microsoft YaHei, system-ui, sans-serif";

/// A scene as an SVG document in the colours of a palette, on the palette's ground.
pub fn to_svg(scene: &Scene, palette: &Palette) -> String {
    let (width, height) = (number(scene.width), number(scene.height));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONTS}\">\n"
    );
    let ground = palette.colour(Tone::Background).to_css();
    line(&mut out, format_args!("<rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>"));
    for mark in &scene.marks {
        paint(&mut out, mark, palette);
    }
    out.push_str("</svg>\n");
    out
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{text}");
}

fn paint(out: &mut String, mark: &Mark, palette: &Palette) {
    match mark {
        Mark::Cells(cells) => paint_cells(out, cells, palette),
        Mark::Rect { rect, radius, fill, stroke } => {
            let rounded = if *radius > 0.0 { format!(" rx=\"{}\"", number(*radius)) } else { String::new() };
            let ink = inks(*fill, *stroke, palette);
            line(out, format_args!("<rect {}{rounded}{ink}/>", sides(rect)));
        }
        Mark::Line { from, to, stroke } => line(
            out,
            format_args!(
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>",
                number(from.x),
                number(from.y),
                number(to.x),
                number(to.y),
                outline(*stroke, palette)
            ),
        ),
        Mark::Path { segments, fill, stroke } => {
            let ink = inks(*fill, *stroke, palette);
            line(out, format_args!("<path d=\"{}\"{ink}/>", path(segments)));
        }
        Mark::Circle { centre, radius, fill } => {
            let (x, y) = (number(centre.x), number(centre.y));
            let ink = inks(Some(*fill), None, palette);
            line(out, format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\"{ink}/>", number(*radius)));
        }
        Mark::Text(text) => paint_text(out, text, palette),
        Mark::Hatch { areas, ink, spacing, width } => paint_hatch(out, areas, *ink, *spacing, *width, palette),
    }
}

/// One path for each colour; where squares touch, a run of equal ones in a row is one rectangle.
fn paint_cells(out: &mut String, cells: &Cells, palette: &Palette) {
    let mut pieces: Vec<String> = vec![String::new(); 256];
    let mut outlines = String::new();
    for (row, indices) in cells.indices.chunks_exact(cells.columns.max(1)).take(cells.rows).enumerate() {
        let mut column = 0;
        while column < indices.len() {
            let start = column;
            let index = indices[start];
            column += 1;
            while cells.gap == 0.0 && indices.get(column) == Some(&index) {
                column += 1;
            }
            if index == NOTHING {
                continue;
            }
            let first = cells.square(row, start);
            let square = Rect { width: first.width + (column - 1 - start) as f64 * cells.pitch, ..first };
            pieces[usize::from(index)].push_str(&rounded(&square, cells.radius));
            if cells.outline.is_some() {
                outlines.push_str(&rounded(&square.grown(-0.5), (cells.radius - 0.5).max(0.0)));
            }
        }
    }
    let crisp = if cells.gap == 0.0 { " shape-rendering=\"crispEdges\"" } else { "" };
    for (index, path) in (0..=u8::MAX).zip(&pieces).filter(|(_, path)| !path.is_empty()) {
        let colour = palette.colour(Tone::Scale(cells.scale, index)).to_css();
        line(out, format_args!("<path d=\"{path}\" fill=\"{colour}\"{crisp}/>"));
    }
    if let Some(ink) = cells.outline.filter(|_| !outlines.is_empty()) {
        let ink = inks(None, Some(Stroke::solid(ink, 1.0)), palette);
        line(out, format_args!("<path d=\"{outlines}\"{ink}/>"));
    }
}

/// A rectangle as a piece of path data.
fn rounded(rect: &Rect, radius: f64) -> String {
    let r = radius.min(rect.width / 2.0).min(rect.height / 2.0).max(0.0);
    let (x, y, w, h) = (rect.x, rect.y, rect.width, rect.height);
    if r == 0.0 {
        return format!("M{} {}h{}v{}h{}z", number(x), number(y), number(w), number(h), number(-w));
    }
    let (across, down, r_text) = (number(w - 2.0 * r), number(h - 2.0 * r), number(r));
    let arc = |dx: f64, dy: f64| format!("a{r_text} {r_text} 0 0 1 {} {}", number(dx), number(dy));
    format!(
        "M{} {}h{across}{}v{down}{}h{}{}v{}{}z",
        number(x + r),
        number(y),
        arc(r, r),
        arc(-r, r),
        number(-(w - 2.0 * r)),
        arc(-r, -r),
        number(-(h - 2.0 * r)),
        arc(r, -r)
    )
}

fn paint_hatch(out: &mut String, areas: &[Rect], ink: Ink, spacing: f64, width: f64, palette: &Palette) {
    if areas.is_empty() || spacing.is_nan() || spacing <= 0.0 {
        return;
    }
    // Named after what it looks like: equal names in one page mean equal patterns.
    let colour = palette.colour(ink.tone).to_css();
    let percent = (ink.opacity * 100.0).round();
    let id = format!("hatch-{}-{}-{}-{percent}", &colour[1..], number(spacing), number(width)).replace('.', "_");
    let (step, middle) = (number(spacing), number(spacing / 2.0));
    line(
        out,
        format_args!(
            "<defs><pattern id=\"{id}\" width=\"{step}\" height=\"{step}\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><line x1=\"{middle}\" y1=\"0\" x2=\"{middle}\" y2=\"{step}\"{}/>\
             </pattern></defs>",
            outline(Stroke::solid(ink, width), palette)
        ),
    );
    let data: String = areas.iter().map(|area| rounded(area, 0.0)).collect();
    line(out, format_args!("<path d=\"{data}\" fill=\"url(#{id})\"/>"));
}

fn paint_text(out: &mut String, text: &Text, palette: &Palette) {
    let mut more = String::new();
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => more.push_str(" text-anchor=\"middle\""),
        Anchor::End => more.push_str(" text-anchor=\"end\""),
    }
    if text.weight == FontWeight::SemiBold {
        more.push_str(" font-weight=\"600\"");
    }
    if text.italic {
        more.push_str(" font-style=\"italic\"");
    }
    more.push_str(&inks(Some(text.ink), None, palette));
    let (x, y) = (number(text.x), number(text.y));
    if text.rotate_degrees != 0.0 {
        more.push_str(&format!(" transform=\"rotate({} {x} {y})\"", number(text.rotate_degrees)));
    }
    let (foot, size) = (number(text.y + text.baseline_shift()), number(text.size));
    line(out, format_args!("<text x=\"{x}\" y=\"{foot}\" font-size=\"{size}\"{more}>{}</text>", escaped(&text.text)));
}

/// Fill and stroke attributes, with a leading space.
fn inks(fill: Option<Ink>, stroke: Option<Stroke>, palette: &Palette) -> String {
    let mut out = match fill {
        None => " fill=\"none\"".to_owned(),
        Some(ink) => {
            let opacity = opacity("fill", ink.opacity);
            format!(" fill=\"{}\"{opacity}", palette.colour(ink.tone).to_css())
        }
    };
    if let Some(stroke) = stroke {
        out.push_str(&outline(stroke, palette));
    }
    out
}

fn outline(stroke: Stroke, palette: &Palette) -> String {
    let colour = palette.colour(stroke.ink.tone).to_css();
    let mut out = format!(" stroke=\"{colour}\" stroke-width=\"{}\"", number(stroke.width));
    out.push_str(&opacity("stroke", stroke.ink.opacity));
    if let Some((dash, space)) = stroke.dash {
        out.push_str(&format!(" stroke-dasharray=\"{} {}\"", number(dash), number(space)));
    }
    if stroke.round {
        out.push_str(" stroke-linecap=\"round\"");
    }
    out
}

fn opacity(of: &str, value: f64) -> String {
    if value >= 1.0 { String::new() } else { format!(" {of}-opacity=\"{}\"", number(value.max(0.0))) }
}

fn sides(rect: &Rect) -> String {
    let (x, y) = (number(rect.x), number(rect.y));
    format!("x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\"", number(rect.width), number(rect.height))
}

fn path(segments: &[Segment]) -> String {
    let point = |p: &Point| format!("{} {}", number(p.x), number(p.y));
    segments
        .iter()
        .map(|segment| match segment {
            Segment::Move(to) => format!("M{}", point(to)),
            Segment::Line(to) => format!("L{}", point(to)),
            Segment::Cubic(a, b, to) => format!("C{} {} {}", point(a), point(b), point(to)),
            Segment::Close => "z".to_owned(),
        })
        .collect()
}

/// At most two decimals, no trailing zeros, no minus zero; 0 for what is not finite, which no scene contains.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML allows it: markup escaped, characters XML forbids replaced, so a document always parses.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
