//! The SVG painter of the page: a small scene as live elements, in the inks of a palette.

use crate::picture::scene::{Anchor, FontWeight, Ink, Segment, Stroke, Text};
use crate::picture::{Mark, Palette, Scene};
use std::fmt::Write;
use yew::prelude::*;

/// The marks of a scene. Grids of cells and hatching belong on a canvas and are left out.
pub fn marks(scene: &Scene, palette: &Palette) -> Html {
    html! { <>{ for scene.marks.iter().map(|mark| element(mark, palette)) }</> }
}

fn colour(ink: Ink, palette: &Palette) -> (String, String) {
    (palette.colour(ink.tone).to_css(), ink.opacity.to_string())
}

/// Attributes of a fill and a stroke: fill, its opacity, stroke, its opacity, width, dashes, ends.
struct Paint {
    fill: String,
    fill_opacity: Option<String>,
    stroke: Option<String>,
    stroke_opacity: Option<String>,
    stroke_width: Option<String>,
    dash: Option<String>,
    cap: Option<&'static str>,
}

fn paint(fill: Option<Ink>, stroke: Option<&Stroke>, palette: &Palette) -> Paint {
    let (fill, fill_opacity) = match fill.map(|ink| colour(ink, palette)) {
        Some((fill, opacity)) => (fill, Some(opacity)),
        None => ("none".to_owned(), None),
    };
    let (ink, ink_opacity) = stroke.map(|stroke| colour(stroke.ink, palette)).unzip();
    Paint {
        fill,
        fill_opacity,
        stroke: ink,
        stroke_opacity: ink_opacity,
        stroke_width: stroke.map(|stroke| stroke.width.to_string()),
        dash: stroke.and_then(|stroke| stroke.dash).map(|(on, off)| format!("{on} {off}")),
        cap: stroke.filter(|stroke| stroke.round).map(|_| "round"),
    }
}

fn element(mark: &Mark, palette: &Palette) -> Html {
    match mark {
        Mark::Rect { rect, radius, fill, stroke } => {
            let p = paint(*fill, stroke.as_ref(), palette);
            html! {
                <rect x={rect.x.to_string()} y={rect.y.to_string()} width={rect.width.to_string()} height={rect.height.to_string()} rx={radius.to_string()}
                    fill={p.fill} fill-opacity={p.fill_opacity} stroke={p.stroke} stroke-opacity={p.stroke_opacity} stroke-width={p.stroke_width} stroke-dasharray={p.dash} stroke-linecap={p.cap} />
            }
        }
        Mark::Line { from, to, stroke } => {
            let p = paint(None, Some(stroke), palette);
            html! {
                <line x1={from.x.to_string()} y1={from.y.to_string()} x2={to.x.to_string()} y2={to.y.to_string()}
                    stroke={p.stroke} stroke-opacity={p.stroke_opacity} stroke-width={p.stroke_width} stroke-dasharray={p.dash} stroke-linecap={p.cap} />
            }
        }
        Mark::Path { segments, fill, stroke } => {
            let p = paint(*fill, stroke.as_ref(), palette);
            html! {
                <path d={path(segments)} fill={p.fill} fill-opacity={p.fill_opacity} stroke={p.stroke} stroke-opacity={p.stroke_opacity}
                    stroke-width={p.stroke_width} stroke-dasharray={p.dash} stroke-linecap={p.cap} />
            }
        }
        Mark::Circle { centre, radius, fill } => {
            let (fill, opacity) = colour(*fill, palette);
            html! { <circle cx={centre.x.to_string()} cy={centre.y.to_string()} r={radius.to_string()} {fill} fill-opacity={opacity} /> }
        }
        Mark::Text(text) => text_element(text, palette),
        Mark::Cells(_) | Mark::Hatch { .. } => Html::default(),
    }
}

fn text_element(text: &Text, palette: &Palette) -> Html {
    let (fill, opacity) = colour(text.ink, palette);
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let weight = match text.weight {
        FontWeight::Regular => "400",
        FontWeight::SemiBold => "600",
    };
    html! {
        <text x={text.x.to_string()} y={(text.y + text.baseline_shift()).to_string()} font-size={text.size.to_string()} text-anchor={anchor}
            font-weight={weight} {fill} fill-opacity={opacity}>{ text.text.clone() }</text>
    }
}

fn path(segments: &[Segment]) -> String {
    let mut d = String::new();
    for segment in segments {
        // Writing to a string can't fail.
        let _ = match *segment {
            Segment::Move(p) => write!(d, "M{:.2} {:.2}", p.x, p.y),
            Segment::Line(p) => write!(d, "L{:.2} {:.2}", p.x, p.y),
            Segment::Cubic(a, b, p) => {
                write!(d, "C{:.2} {:.2} {:.2} {:.2} {:.2} {:.2}", a.x, a.y, b.x, b.y, p.x, p.y)
            }
            Segment::Close => write!(d, "Z"),
        };
    }
    d
}
