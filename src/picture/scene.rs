//! The marks of a drawing and their semantic inks. Owns no layout and no colour values (see `colour`).

use std::rc::Rc;

use super::scale::ScaleName;

/// A finished drawing: marks in painting order, all inside `[0, width] × [0, height]` CSS px.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// Width in CSS px.
    pub width: f64,
    /// Height in CSS px.
    pub height: f64,
    /// Marks, the first painted first.
    pub marks: Vec<Mark>,
}

impl Scene {
    /// Whether there is nothing to paint.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }
}

/// A position in CSS px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    /// A position in CSS px.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }
}

/// An axis-parallel rectangle in CSS px.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width, never negative.
    pub width: f64,
    /// Height, never negative.
    pub height: f64,
}

impl Rect {
    /// A rectangle from its left top corner and size.
    pub const fn new(x: f64, y: f64, width: f64, height: f64) -> Self {
        Self { x, y, width, height }
    }

    /// The middle.
    pub fn centre(&self) -> Point {
        Point::new(self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }

    /// Whether a position lies inside (left and top edge included, right and bottom edge not).
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x && x < self.right() && y >= self.y && y < self.bottom()
    }

    /// The rectangle grown by `by` on all four sides (shrunk when negative, to no less than nothing).
    pub fn grown(&self, by: f64) -> Self {
        let by_x = by.max(-self.width / 2.0);
        let by_y = by.max(-self.height / 2.0);
        Self::new(self.x - by_x, self.y - by_y, self.width + 2.0 * by_x, self.height + 2.0 * by_y)
    }
}

/// What a colour stands for; a [`Palette`](super::Palette) knows its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Text.
    Foreground,
    /// Text of second rank (contrast at least 4.5 : 1 on background and soft ground).
    Muted,
    /// Hairlines and tracks.
    Line,
    /// The ground.
    Background,
    /// The ground of a side panel.
    Soft,
    /// The one accent: selection.
    Accent,
    /// Something is wrong: leaked weight, a row that sums to other than 1, NaN.
    Warning,
    /// The ink of weights, and links.
    Blue,
    /// An entry of a colour scale.
    Scale(ScaleName, u8),
    /// Text that can be read (at least 4.5 : 1) on that entry of a colour scale.
    OnScale(ScaleName, u8),
}

/// A tone and how much of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ink {
    /// Which colour.
    pub tone: Tone,
    /// 0 (nothing) to 1 (opaque).
    pub opacity: f64,
}

impl Ink {
    /// An opaque ink.
    pub const fn of(tone: Tone) -> Self {
        Self { tone, opacity: 1.0 }
    }

    /// The same tone with another opacity, 0 to 1.
    pub const fn with_opacity(self, opacity: f64) -> Self {
        Self { tone: self.tone, opacity }
    }
}

impl From<Tone> for Ink {
    fn from(tone: Tone) -> Self {
        Self::of(tone)
    }
}

/// How an outline is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Ink of the line.
    pub ink: Ink,
    /// Width in px.
    pub width: f64,
    /// Lengths of dash and space in px; `None` is a solid line.
    pub dash: Option<(f64, f64)>,
    /// Round instead of flat ends.
    pub round: bool,
}

impl Stroke {
    /// A solid line with flat ends.
    pub fn solid(ink: impl Into<Ink>, width: f64) -> Self {
        Self { ink: ink.into(), width, dash: None, round: false }
    }

    /// The same line with round ends.
    pub fn rounded(self) -> Self {
        Self { round: true, ..self }
    }

    /// The same line, dashed.
    pub fn dashed(self, dash: f64, space: f64) -> Self {
        Self { dash: Some((dash, space)), ..self }
    }
}

/// A grid of coloured squares in one mark, so that a map of any size stays one array and one paint call.
#[derive(Clone, Debug, PartialEq)]
pub struct Cells {
    /// Left edge of the grid.
    pub x: f64,
    /// Top edge of the grid.
    pub y: f64,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Distance from one cell to the next in px, gap included.
    pub pitch: f64,
    /// Space between painted squares in px, half of it on each side of a cell.
    pub gap: f64,
    /// Corner radius of a painted square in px.
    pub radius: f64,
    /// The scale the indices point into.
    pub scale: ScaleName,
    /// `[rows, columns]`, row-major: entry of the scale, or a mark of `scale` such as [`super::scale::NOTHING`].
    pub indices: Rc<[u8]>,
    /// A line of one px inside the edge of every painted square, so that pale cells keep their shape.
    pub outline: Option<Ink>,
}

impl Cells {
    /// The painted square of a cell (gap taken off); indices are not checked.
    pub fn square(&self, row: usize, column: usize) -> Rect {
        let side = (self.pitch - self.gap).max(0.0);
        let at = |start: f64, i: usize| start + i as f64 * self.pitch + self.gap / 2.0;
        Rect::new(at(self.x, column), at(self.y, row), side, side)
    }
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment {
    /// Starts a new piece.
    Move(Point),
    /// A straight line.
    Line(Point),
    /// A cubic Bézier curve: two control points and the end.
    Cubic(Point, Point, Point),
    /// Back to the start of the piece.
    Close,
}

/// Which point of a text lies at its x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// Which height of a text lies at its y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The line the letters stand on.
    Alphabetic,
    /// Half the height of capitals and ideographs. Painters use [`Text::baseline_shift`], so that all agree.
    Middle,
}

/// Weight of type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FontWeight {
    /// 400.
    Regular,
    /// 600.
    SemiBold,
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Anchor point.
    pub x: f64,
    /// Anchor point.
    pub y: f64,
    /// Type size in px.
    pub size: f64,
    /// Which point of the text lies at `x`.
    pub anchor: Anchor,
    /// Which height of the text lies at `y`.
    pub baseline: Baseline,
    /// Weight of type.
    pub weight: FontWeight,
    /// Whether slanted.
    pub italic: bool,
    /// Colour.
    pub ink: Ink,
    /// What it says; as it came in, so a painter escapes it.
    pub text: String,
    /// Turn about the anchor point, clockwise, in degrees.
    pub rotate_degrees: f64,
}

impl Text {
    /// Upright regular text, centred on its point in both directions.
    pub fn centred(text: impl Into<String>, x: f64, y: f64, size: f64, ink: impl Into<Ink>) -> Self {
        Self {
            x,
            y,
            size,
            anchor: Anchor::Middle,
            baseline: Baseline::Middle,
            weight: FontWeight::Regular,
            italic: false,
            ink: ink.into(),
            text: text.into(),
            rotate_degrees: 0.0,
        }
    }

    /// The same text with another anchor.
    pub fn anchored(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    /// The same text, semi-bold if asked.
    pub fn bold(self, bold: bool) -> Self {
        Self { weight: if bold { FontWeight::SemiBold } else { FontWeight::Regular }, ..self }
    }

    /// The same text, turned clockwise about its point.
    pub fn turned(self, rotate_degrees: f64) -> Self {
        Self { rotate_degrees, ..self }
    }

    /// How far below `y` (before turning) the letters stand, in px.
    pub fn baseline_shift(&self) -> f64 {
        match self.baseline {
            Baseline::Alphabetic => 0.0,
            Baseline::Middle => 0.36 * self.size,
        }
    }
}

/// Something to paint.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A grid of coloured squares.
    Cells(Cells),
    /// A rectangle.
    Rect {
        /// Where.
        rect: Rect,
        /// Corner radius in px.
        radius: f64,
        /// Ink of the inside.
        fill: Option<Ink>,
        /// Outline, centred on the edge.
        stroke: Option<Stroke>,
    },
    /// A straight line.
    Line {
        /// One end.
        from: Point,
        /// Other end.
        to: Point,
        /// How.
        stroke: Stroke,
    },
    /// Lines and curves.
    Path {
        /// Steps.
        segments: Vec<Segment>,
        /// Ink of the inside.
        fill: Option<Ink>,
        /// Outline.
        stroke: Option<Stroke>,
    },
    /// A disc.
    Circle {
        /// Middle.
        centre: Point,
        /// Radius in px.
        radius: f64,
        /// Ink of the inside.
        fill: Ink,
    },
    /// A line of text.
    Text(Text),
    /// Diagonal lines over areas; the lines run on from one area to the next.
    Hatch {
        /// Where.
        areas: Vec<Rect>,
        /// Ink of the lines.
        ink: Ink,
        /// Distance of the lines in px.
        spacing: f64,
        /// Width of the lines in px.
        width: f64,
    },
}
