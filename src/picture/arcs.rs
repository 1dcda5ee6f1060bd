//! The sentence in one line, with arcs from the selected query to the keys it looks at.
//!
//! Owns placing of words, shape of arcs and their labels. The height does not depend on the weights, so that nothing
//! jumps while a selection moves or a temperature changes.

use super::measure::{bold_em, boxes_overlap, fit, text_box, width_em};
use super::scene::{Anchor, Baseline, Ink, Mark, Point, Rect, Scene, Segment, Stroke, Text, Tone};

/// Smallest size of a word in px; beyond it the line becomes wider than the view.
const MIN_WORD: f64 = 15.0;
/// Widest a word may become, in em, before it is shortened.
const MAX_WORD_EM: f64 = 12.0;
/// Weights below this have no arc.
const MIN_DRAWN: f32 = 0.005;
/// A line of more words than this is a long sentence.
const MANY_WORDS: usize = 32;
/// Weights below this have no label.
const MIN_LABELLED: f32 = 0.05;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WordKind {
    /// A word of the sentence.
    #[default]
    Word,
    /// A token that stands for no word, such as BOS or PAD: a small dashed pill.
    Mark,
}

/// One word of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Word<'a> {
    /// As written.
    pub label: &'a str,
    /// Word or mark.
    pub kind: WordKind,
    /// Not in the lexicon: dotted underline.
    pub unknown: bool,
}

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct ArcsSpec<'a> {
    /// The sentence.
    pub words: &'a [Word<'a>],
    /// The selected query; `None` (or outside) draws the words alone.
    pub query: Option<usize>,
    /// The selected key.
    pub key: Option<usize>,
    /// The query's row of weights, 0 to 1, one a word; NaN and values not above 0 draw nothing.
    pub weights: &'a [f32],
    /// Width of the view in CSS px.
    pub width: f64,
    /// Largest size of a word in px (34 on the page); clamped to 15 to 120.
    pub base_size: f64,
}

/// The place of one word; the whole of it answers to a finger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slot {
    /// Middle of the word.
    pub x: f64,
    /// Width of the word itself.
    pub width: f64,
    /// Area that belongs to the word, up to half-way to its neighbours.
    pub area: Rect,
}

/// One arc, for hit tests and animation.
#[derive(Clone, Debug, PartialEq)]
pub struct ArcShape {
    /// Query.
    pub from: usize,
    /// Key.
    pub to: usize,
    /// A move and one cubic.
    pub path: [Segment; 2],
    /// In px, proportional to the weight, never less than a hairline.
    pub stroke_width: f64,
    /// 0 to 1.
    pub opacity: f64,
    /// Whether it leads to the selected key.
    pub selected: bool,
    /// Middle of its label, where it has one.
    pub label: Option<Point>,
}

/// The drawn line of words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arcs {
    /// What to paint; its width and height are the drawing's.
    pub scene: Scene,
    /// One a word.
    pub slots: Vec<Slot>,
    /// Arcs in painting order, the selected last.
    pub arcs: Vec<ArcShape>,
    /// Size of the words in px.
    pub word_size: f64,
}

impl Arcs {
    /// The word at a point.
    pub fn hit(&self, x: f64, y: f64) -> Option<usize> {
        self.slots.iter().position(|slot| slot.area.contains(x, y))
    }
}

/// Sizes that follow from the size of the words.
struct Measures {
    /// Size of a word.
    word: f64,
    /// Size of a mark's label.
    mark: f64,
    /// Size of the selected arc's label.
    strong: f64,
    /// Size of the other labels.
    quiet: f64,
    /// Highest an arc can rise.
    rise: f64,
    /// Width of an arc of weight 1.
    stroke: f64,
    /// Where arcs end.
    feet: f64,
    /// The line the words stand on.
    baseline: f64,
    /// Height of everything.
    height: f64,
}

impl Measures {
    fn of(word: f64) -> Self {
        let share = word / 34.0;
        let strong = (0.56 * word).max(13.0);
        let rise = (2.45 * word).clamp(50.0, 96.0 * share.max(1.0));
        let stroke = (9.0 * share).clamp(5.5, 14.0);
        let feet = (rise + stroke / 2.0 + 1.35 * strong + 2.0).ceil();
        let baseline = (feet + 0.22 * word + 4.0 + 0.88 * word).ceil();
        let height = (baseline + 0.42 * word + 6.0).ceil();
        Self {
            word,
            mark: (0.36 * word).max(11.0),
            strong,
            quiet: (0.38 * word).max(11.0),
            rise,
            stroke,
            feet,
            baseline,
            height,
        }
    }

    /// Width of a word whose label is `em` wide in semi-bold type: room for the selected weight, so that nothing
    /// moves when a word is chosen.
    fn width(&self, kind: WordKind, em: f64) -> f64 {
        match kind {
            WordKind::Word => (em * self.word).max(0.3 * self.word),
            WordKind::Mark => em * self.mark + 1.7 * self.mark,
        }
    }
}

/// Draws the line. Without words or width everything is empty.
pub fn arcs(spec: &ArcsSpec<'_>) -> Arcs {
    if spec.words.is_empty() || !(spec.width.is_finite() && spec.width >= 1.0) {
        return Arcs::default();
    }
    let largest = if spec.base_size.is_nan() { 34.0 } else { spec.base_size.clamp(MIN_WORD, 120.0) };
    let gaps = spec.words.len().saturating_sub(1) as f64;
    let mut size = largest;
    let ems: Vec<f64> = spec.words.iter().map(|word| bold_em(&fit(word.label, MAX_WORD_EM))).collect();
    let (measures, widths, total) = loop {
        let measures = Measures::of(size);
        let widths: Vec<f64> = spec.words.iter().zip(&ems).map(|(word, em)| measures.width(word.kind, *em)).collect();
        let total: f64 = widths.iter().sum();
        // A self-loop at the edge and its label need room beyond the first and last word.
        if total + gaps * 0.62 * size + 2.0 * margin(size) <= spec.width || size <= MIN_WORD {
            break (measures, widths, total);
        }
        size = (size - 0.5).max(MIN_WORD);
    };
    let spare = spec.width - 2.0 * margin(size) - total;
    let gap = if gaps > 0.0 { (spare / gaps).clamp(0.62 * size, 3.0 * size) } else { 0.0 };
    let line = total + gaps * gap;
    let width = spec.width.max(line + 2.0 * margin(size)).ceil();
    let slots = slots(&widths, (width - line) / 2.0, gap, width, &measures);

    let mut marks = Vec::new();
    let shapes = match spec.query.filter(|&q| q < slots.len()) {
        Some(query) => shapes(spec, query, &slots, &measures, &mut marks),
        None => Vec::new(),
    };
    for (i, (word, slot)) in spec.words.iter().zip(&slots).enumerate() {
        draw_word(word, slot, spec.query == Some(i), spec.key == Some(i), &measures, &mut marks);
    }
    Arcs { scene: Scene { width, height: measures.height, marks }, slots, arcs: shapes, word_size: size }
}

fn margin(size: f64) -> f64 {
    0.35 * size + 4.0
}

fn slots(widths: &[f64], start: f64, gap: f64, end: f64, measures: &Measures) -> Vec<Slot> {
    let mut left = start;
    let mut slots = Vec::with_capacity(widths.len());
    for &width in widths {
        let area_left = (left - gap / 2.0).max(0.0);
        let area_right = (left + width + gap / 2.0).min(end);
        let top = measures.feet - 2.0;
        let area = Rect::new(area_left, top, area_right - area_left, measures.height - top);
        slots.push(Slot { x: left + width / 2.0, width, area });
        left += width + gap;
    }
    slots
}

/// The arc of one key: where it goes and how high.
fn path(from: f64, to: f64, measures: &Measures) -> ([Segment; 2], Point) {
    let feet = measures.feet;
    if from == to {
        // A loop above the word: leaves at the left, comes down at the right.
        let (half, lean) = (0.3 * measures.word, 0.8 * measures.word);
        let top = (0.62 * measures.rise).min(1.5 * measures.word);
        let control = feet - top / 0.75;
        let (start, end) = (Point::new(from - half, feet), Point::new(from + half, feet));
        let curve = Segment::Cubic(Point::new(start.x - lean, control), Point::new(end.x + lean, control), end);
        return ([Segment::Move(start), curve], Point::new(from, feet - top));
    }
    // Farther is higher, ever less so: nested arcs do not cross, and no distance leaves the drawing.
    let distance = (to - from).abs();
    let top = measures.rise * (1.0 - (-distance / (1.1 * measures.rise)).exp());
    let control = feet - top / 0.75;
    let curve = Segment::Cubic(Point::new(from, control), Point::new(to, control), Point::new(to, feet));
    ([Segment::Move(Point::new(from, feet)), curve], Point::new((from + to) / 2.0, feet - top))
}

/// In a long sentence only weights that stand out have an arc, those of half as much again as an even share: a hundred
/// hairlines would hide the few that say something. The selected arc is always drawn.
fn least_drawn(words: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a number of words")]
    let even = 1.0 / words.max(1) as f32;
    if words > MANY_WORDS { (1.5 * even).max(MIN_DRAWN) } else { MIN_DRAWN }
}

/// Draws all arcs, the faint first, and returns them.
fn shapes(
    spec: &ArcsSpec<'_>,
    query: usize,
    slots: &[Slot],
    measures: &Measures,
    marks: &mut Vec<Mark>,
) -> Vec<ArcShape> {
    let least = least_drawn(slots.len());
    let mut drawn: Vec<(usize, f32)> = Vec::new();
    for (key, &weight) in spec.weights.iter().enumerate().take(slots.len()) {
        // NaN fails the comparison and is left out.
        if weight >= least || (spec.key == Some(key) && weight >= MIN_DRAWN) {
            let rank = |key, weight| (spec.key == Some(key), weight);
            let at = drawn.partition_point(|&(other, less)| rank(other, less) <= rank(key, weight));
            drawn.insert(at, (key, weight));
        }
    }
    let mut crests = Vec::new();
    let mut shapes: Vec<ArcShape> = Vec::new();
    for &(key, weight) in &drawn {
        let share = f64::from(weight.min(1.0));
        let selected = spec.key == Some(key);
        let (path, crest) = path(slots[query].x, slots[key].x, measures);
        let stroke_width = (measures.stroke * share).max(1.2);
        let opacity = if selected { 1.0 } else { 0.3 + 0.6 * share };
        let ink = Ink::of(if selected { Tone::Accent } else { Tone::Blue }).with_opacity(opacity);
        let stroke = Some(Stroke::solid(ink, stroke_width).rounded());
        marks.push(Mark::Path { segments: path.to_vec(), fill: None, stroke });
        if let Segment::Cubic(_, _, end) = path[1] {
            let dot = (stroke_width / 2.0 + 1.5).max(2.6);
            marks.push(Mark::Circle { centre: Point::new(end.x, measures.feet + 1.0), radius: dot, fill: ink });
        }
        crests.push(crest);
        shapes.push(ArcShape { from: query, to: key, path, stroke_width, opacity, selected, label: None });
    }
    label(&drawn, &crests, &mut shapes, measures, marks);
    shapes
}

/// Labels the selected arc, then the others by weight, as long as a label meets neither a label nor an arc.
fn label(
    drawn: &[(usize, f32)],
    crests: &[Point],
    shapes: &mut [ArcShape],
    measures: &Measures,
    marks: &mut Vec<Mark>,
) {
    let mut taken: Vec<[Point; 4]> = Vec::new();
    for i in (0..shapes.len()).rev() {
        let (_, weight) = drawn[i];
        let selected = shapes[i].selected;
        if !selected && weight < MIN_LABELLED {
            continue;
        }
        let (size, tone) = if selected { (measures.strong, Tone::Accent) } else { (measures.quiet, Tone::Muted) };
        let half = shapes[i].stroke_width / 2.0;
        let above = crests[i].y - half - 0.62 * size - 2.0;
        let below = crests[i].y + half + 0.62 * size + 2.0;
        let candidates: &[f64] = if selected { &[above] } else { &[above, below] };
        let text =
            |y: f64| Text::centred(format!("{:.2}", f64::from(weight)), crests[i].x, y, size, tone).bold(selected);
        let free = candidates.iter().copied().find(|&y| {
            let area = text_box(&text(y));
            selected
                || (!taken.iter().any(|other| boxes_overlap(other, &area))
                    && !shapes.iter().enumerate().any(|(j, shape)| {
                        // The arc's own line may touch nothing either: beneath a steep crest there is no room.
                        (j != i || y == below) && passes_through(shape, &area)
                    }))
        });
        if let Some(y) = free {
            let text = text(y);
            taken.push(text_box(&text));
            shapes[i].label = Some(Point::new(text.x, text.y));
            if selected {
                // The label of the selected arc keeps its place; fainter arcs pass behind it.
                let [corner, _, opposite, _] = text_box(&text);
                let patch = Rect::new(corner.x, corner.y, opposite.x - corner.x, opposite.y - corner.y);
                let fill = Some(Tone::Background.into());
                marks.push(Mark::Rect { rect: patch, radius: 2.0, fill, stroke: None });
            }
            marks.push(Mark::Text(text));
        }
    }
}

/// Whether an arc, with its thickness, passes through an upright box.
fn passes_through(shape: &ArcShape, area: &[Point; 4]) -> bool {
    let [Segment::Move(p0), Segment::Cubic(p1, p2, p3)] = shape.path else {
        return false;
    };
    let reach = shape.stroke_width / 2.0 + 1.0;
    (0..=48).any(|step| {
        let t = f64::from(step) / 48.0;
        let u = 1.0 - t;
        let along =
            |a: f64, b: f64, c: f64, d: f64| u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d;
        let (x, y) = (along(p0.x, p1.x, p2.x, p3.x), along(p0.y, p1.y, p2.y, p3.y));
        x > area[0].x - reach && x < area[1].x + reach && y > area[0].y - reach && y < area[2].y + reach
    })
}

fn draw_word(word: &Word<'_>, slot: &Slot, is_query: bool, is_key: bool, measures: &Measures, marks: &mut Vec<Mark>) {
    let chosen = is_query || is_key;
    let label = fit(word.label, MAX_WORD_EM);
    let size = measures.word;
    match word.kind {
        WordKind::Mark => {
            let height = 2.0 * measures.mark;
            let middle = measures.baseline - 0.36 * size;
            let tone = if chosen { Tone::Accent } else { Tone::Muted };
            marks.push(Mark::Rect {
                rect: Rect::new(slot.x - slot.width / 2.0, middle - height / 2.0, slot.width, height).grown(-0.5),
                radius: height / 2.0 - 0.5,
                fill: None,
                stroke: Some(Stroke::solid(tone, 1.0).dashed(3.0, 3.0)),
            });
            marks.push(Mark::Text(Text::centred(&*label, slot.x, middle, measures.mark, tone).bold(is_query)));
        }
        WordKind::Word if label.is_empty() => {}
        WordKind::Word => {
            let tone = if chosen { Tone::Accent } else { Tone::Foreground };
            let text = Text {
                baseline: Baseline::Alphabetic,
                ..Text::centred(&*label, slot.x, measures.baseline, size, tone)
            };
            marks.push(Mark::Text(text.anchored(Anchor::Middle).bold(is_query)));
        }
    }
    let half = (width_em(&label) * size / 2.0).min(slot.width / 2.0);
    let foot = measures.baseline + 0.2 * size;
    if word.unknown {
        let stroke = Stroke::solid(Tone::Muted, 1.6).dashed(0.0, 4.0).rounded();
        marks.push(Mark::Line { from: Point::new(slot.x - half, foot), to: Point::new(slot.x + half, foot), stroke });
    }
    if is_query {
        let bar = half.clamp(0.45 * size, 0.75 * size).min((slot.area.width / 2.0).max(4.0));
        let thick = (0.09 * size).clamp(2.0, 5.0);
        let rect = Rect::new(slot.x - bar, measures.baseline + 0.3 * size, 2.0 * bar, thick);
        marks.push(Mark::Rect { rect, radius: thick / 2.0, fill: Some(Tone::Accent.into()), stroke: None });
    }
}
