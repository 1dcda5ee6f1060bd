//! The SVG painter of the page: a small scene as live elements, in the inks of a palette.
//!
//! Elements are built by hand and not by `html!`: a dozen attributes each, most of them absent, cost less code so.

use crate::picture::scene::{Anchor, FontWeight, Ink, Segment, Stroke, Text};
use crate::picture::{Mark, Palette, Scene};
use std::fmt::Write;
use yew::prelude::*;
use yew::virtual_dom::{VNode, VTag};

/// The marks of a scene. Grids of cells and hatching belong on a canvas and are left out.
pub fn marks(scene: &Scene, palette: &Palette) -> Html {
    scene.marks.iter().filter_map(|mark| element(mark, palette)).collect()
}

/// An element under construction.
struct Element<'a> {
    tag: VTag,
    palette: &'a Palette,
}

impl Element<'_> {
    fn set(&mut self, name: &'static str, value: impl Into<AttrValue>) {
        self.tag.add_attribute(name, value.into());
    }

    fn numbers(&mut self, numbers: &[(&'static str, f64)]) {
        for &(name, number) in numbers {
            self.set(name, format!("{number:.2}"));
        }
    }

    fn ink(&mut self, names: (&'static str, &'static str), ink: Option<Ink>) {
        match ink {
            None => self.set(names.0, "none"),
            Some(ink) => {
                self.set(names.0, self.palette.colour(ink.tone).to_css());
                self.numbers(&[(names.1, ink.opacity)]);
            }
        }
    }

    fn fill(&mut self, ink: Option<Ink>) {
        self.ink(("fill", "fill-opacity"), ink);
    }

    fn stroke(&mut self, stroke: Option<&Stroke>) {
        let Some(stroke) = stroke else { return };
        self.ink(("stroke", "stroke-opacity"), Some(stroke.ink));
        self.numbers(&[("stroke-width", stroke.width)]);
        if let Some((on, off)) = stroke.dash {
            self.set("stroke-dasharray", format!("{on} {off}"));
        }
        if stroke.round {
            self.set("stroke-linecap", "round");
        }
    }
}

fn element(mark: &Mark, palette: &Palette) -> Option<VNode> {
    let name = match mark {
        Mark::Rect { .. } => "rect",
        Mark::Line { .. } => "line",
        Mark::Path { .. } => "path",
        Mark::Circle { .. } => "circle",
        Mark::Text(_) => "text",
        Mark::Cells(_) | Mark::Hatch { .. } => return None,
    };
    let mut e = Element { tag: VTag::new(name), palette };
    match mark {
        Mark::Rect { rect, radius, fill, stroke } => {
            e.numbers(&[("x", rect.x), ("y", rect.y), ("width", rect.width), ("height", rect.height), ("rx", *radius)]);
            e.fill(*fill);
            e.stroke(stroke.as_ref());
        }
        Mark::Line { from, to, stroke } => {
            e.numbers(&[("x1", from.x), ("y1", from.y), ("x2", to.x), ("y2", to.y)]);
            e.stroke(Some(stroke));
        }
        Mark::Path { segments, fill, stroke } => {
            e.set("d", path(segments));
            e.fill(*fill);
            e.stroke(stroke.as_ref());
        }
        Mark::Circle { centre, radius, fill } => {
            e.numbers(&[("cx", centre.x), ("cy", centre.y), ("r", *radius)]);
            e.fill(Some(*fill));
        }
        Mark::Text(text) => write_text(&mut e, text),
        Mark::Cells(_) | Mark::Hatch { .. } => {}
    }
    Some(e.tag.into())
}

fn write_text(e: &mut Element<'_>, text: &Text) {
    e.numbers(&[("x", text.x), ("y", text.y + text.baseline_shift()), ("font-size", text.size)]);
    let anchor = match text.anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let weight = match text.weight {
        FontWeight::Regular => "400",
        FontWeight::SemiBold => "600",
    };
    e.set("text-anchor", anchor);
    e.set("font-weight", weight);
    e.fill(Some(text.ink));
    e.tag.add_child(text.text.clone().into());
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
