//! The large heat map as a drawing and as a grid: what is drawn, how a cell is spoken, what its keys do.

use crate::attention::Stage;
use crate::insight::{self, entropy, statistics};
use crate::locale::{cell_sentence, number, words};
use crate::picture::{self, HeatMap, HeatMapSpec, MapKind, Titles};
use crate::state::{Action, CellEdit, Compare, Contrast, Selection, Settings, ShownStage, View};
use crate::tensor::Matrix;
use crate::text::Lang;
use crate::web::environment;
use crate::web::shared::Shared;
use crate::web::store::{Picture, Store, When};
use std::rc::Rc;
use web_sys::KeyboardEvent;

/// The stage of the trace that a setting draws.
pub fn stage_of(shown: ShownStage) -> Stage {
    match shown {
        ShownStage::Weights => Stage::Weights,
        ShownStage::Raw => Stage::Raw,
        ShownStage::Scaled => Stage::Scaled,
        ShownStage::Masked => Stage::Masked,
    }
}

/// What the large map shows: a picture, or how far it is from another.
pub struct Shown {
    /// The picture in front.
    pub front: Shared<Picture>,
    /// What is taken off it; a picture of the same size.
    pub minus: Option<Shared<Picture>>,
}

impl PartialEq for Shown {
    fn eq(&self, other: &Self) -> bool {
        self.front == other.front && self.minus == other.minus
    }
}

impl Shown {
    /// What `view` shows of what was computed and what is pinned.
    pub fn of(picture: &Rc<Picture>, pinned: Option<&Rc<Picture>>, view: View) -> Self {
        let shared = |picture: &Rc<Picture>| Shared(Rc::clone(picture));
        match (pinned, view.compare) {
            (Some(a), Compare::A) => Self { front: shared(a), minus: None },
            (Some(a), Compare::Difference) => Self { front: shared(picture), minus: Some(shared(a)) },
            _ => Self { front: shared(picture), minus: None },
        }
    }

    /// The numbers, `[n_q, n_k]`.
    pub fn values(&self) -> Option<Matrix<f32>> {
        let picture = &self.front;
        let (stage, head) = (stage_of(picture.settings.stage), picture.plan.selection.head);
        match &self.minus {
            Some(a) => insight::difference(&a.trace, &picture.trace, stage, head),
            None => Some(picture.trace.rows(stage, head, 0..picture.trace.shape.n_q)?.to_owned()),
        }
    }

    /// The ends of the colour scale: 0 and 1 for weights unless contrast is automatic; the largest score about 0 else.
    /// Differences of weights are between −1 and 1.
    pub fn domain(&self) -> (f32, f32) {
        let (picture, head) = (&self.front, self.front.plan.selection.head);
        let Settings { stage, contrast, .. } = *picture.settings;
        let difference = self.minus.is_some();
        let ends = if difference {
            self.values().map(|values| {
                let finite = values.iter().filter(|x| x.is_finite());
                finite.fold((0.0, 0.0), |(low, high): (f64, f64), &x| (low.min(x.into()), high.max(x.into())))
            })
        } else {
            statistics::extremes(&picture.trace, stage_of(stage), head)
        };
        #[expect(clippy::cast_possible_truncation, reason = "the extremes of f32 numbers")]
        let (low, high) = ends.map_or((0.0, 1.0), |(low, high)| (low as f32, high as f32));
        match (stage, contrast) {
            (ShownStage::Weights, Contrast::Fixed) if difference => (-1.0, 1.0),
            (ShownStage::Weights, Contrast::Fixed) => (0.0, 1.0),
            (ShownStage::Weights, Contrast::Auto) if !difference => (low, high.max(low + f32::EPSILON)),
            _ => {
                let largest = low.abs().max(high.abs()).max(f32::EPSILON);
                (-largest, largest)
            }
        }
    }
}

/// Draws the shown matrix of the selected head into `width` CSS px.
pub fn draw(shown: &Shown, lang: Lang, width: f64) -> HeatMap {
    let w = words(lang);
    let picture = &shown.front;
    let selection = picture.plan.selection;
    let head = selection.head;
    let shape = picture.trace.shape;
    let Some(values) = shown.values() else {
        return HeatMap::default();
    };
    let labels: Vec<&str> = picture.labels.iter().map(String::as_str).collect();
    let weights = picture.settings.stage == ShownStage::Weights;
    let plain = weights && shown.minus.is_none();
    #[expect(clippy::cast_possible_truncation, reason = "numbers near 1, drawn with two decimals")]
    let narrow = |numbers: Vec<f64>| -> Vec<f32> { numbers.into_iter().map(|x| x as f32).collect() };
    let sums = if plain { narrow(statistics::row_sums(&picture.trace, head).unwrap_or_default()) } else { Vec::new() };
    let bars = narrow(match &shown.minus {
        Some(a) => {
            let rows = insight::compare(&a.trace, &picture.trace, head).map(|found| found.rows).unwrap_or_default();
            rows.into_iter().map(|row| row.js.map_or(f64::NAN, |js| js / std::f64::consts::LN_2)).collect()
        }
        None => (0..shape.n_q).filter_map(|q| entropy::normalised(&picture.trace, head, q)).collect(),
    });
    let mask = &picture.problem.mask;
    let forbidden = picture.forbidden(head);
    let hand = |query: usize, key: usize| match (u32::try_from(query), u32::try_from(key)) {
        (Ok(i), Ok(j)) => mask.cells.contains_key(&(i, j)),
        _ => false,
    };
    // A short sentence leaves the first screen room for everything else; a longer one gets the height that its
    // numbers need to be read, a very long one as much as its cells need to be told apart.
    let n = shape.n_q as f64;
    let comfortable = (n * 34.0 + 80.0).min(560.0).max(n * 12.0 + 80.0);
    let max_height = (environment::view_height() * 0.42).clamp(300.0, 600.0).max(comfortable.min(1200.0));
    picture::heat_map(&HeatMapSpec {
        query_labels: &labels,
        key_labels: &labels,
        values: values.view(),
        kind: match (&shown.minus, weights) {
            (Some(_), _) => MapKind::Differences,
            (None, true) => MapKind::Weights,
            (None, false) => MapKind::Scores,
        },
        domain: shown.domain(),
        forbidden: &|query, key| forbidden.get(query * shape.n_k + key).copied().unwrap_or(false),
        hand_set: &hand,
        row_sums: &sums,
        row_entropy: weights.then_some(bars.as_slice()),
        selected: Some((selection.query, selection.key)),
        hovered: None,
        width,
        max_height,
        type_scale: 1.0,
        titles: Titles {
            query: w.axis_query,
            key: w.axis_key,
            sum: "Σ",
            entropy: if plain { w.axis_entropy } else { "JS" },
        },
    })
}

/// A cell as a sentence, 追 对 猫：0.99, with `digits` decimals.
pub fn spoken(shown: &Shown, lang: Lang, query: usize, key: usize, digits: usize) -> String {
    let picture = &shown.front;
    let (head, stage) = (picture.plan.selection.head, stage_of(picture.settings.stage));
    let value = |picture: &Picture| picture.trace.at(stage, head, query, key).map_or(f64::NAN, f64::from);
    let label = |at: usize| picture.labels.get(at).map_or("", String::as_str);
    let permitted = picture.problem.mask.permits(head, query, key);
    let number = match &shown.minus {
        Some(a) if value(a) == value(picture) => number::fixed(0.0, digits),
        Some(a) => number::signed(value(picture) - value(a), digits),
        None => number::fixed(value(picture), digits),
    };
    cell_sentence(lang, label(query), label(key), &number, permitted)
}

/// Sets cells to `permit`, or takes the hand-set mark away where the rest of the mask says the same.
pub fn set_cells(store: &Store, picture: &Picture, cells: &[(usize, usize)], permit: bool, when: When) {
    let edit = |&(query, key): &(usize, usize)| {
        let (i, j) = (u32::try_from(query).ok()?, u32::try_from(key).ok()?);
        let same = picture.problem.mask.permits_without_cells(0, query, key) == permit;
        Some(Action::SetCell(CellEdit { query: i, key: j, permit: (!same).then_some(permit) }))
    };
    let edits: Vec<Action> = cells.iter().filter_map(edit).collect();
    if !edits.is_empty() {
        store.dispatch_all(&edits, when);
    }
}

/// Arrow keys move the selection; with the pencil, Space and Enter set the selected cell. What is drawn may be a frame
/// behind: a key that is held down moves on from where the selection is.
pub fn key(store: &Store, event: &KeyboardEvent) {
    let snapshot = store.snapshot();
    let (picture, pencil) = (&*snapshot.picture, snapshot.page.view.pencil);
    if event.alt_key() || event.ctrl_key() || event.meta_key() {
        return;
    }
    let Selection { query, key, .. } = picture.plan.selection;
    let (last_query, last_key) = (picture.trace.shape.n_q - 1, picture.trace.shape.n_k - 1);
    let to = match event.key().as_str() {
        "ArrowUp" => (query.saturating_sub(1), key),
        "ArrowDown" => ((query + 1).min(last_query), key),
        "ArrowLeft" => (query, key.saturating_sub(1)),
        "ArrowRight" => (query, (key + 1).min(last_key)),
        "Home" => (query, 0),
        "End" => (query, last_key),
        "PageUp" => (0, key),
        "PageDown" => (last_query, key),
        " " | "Enter" if pencil => {
            event.prevent_default();
            set_cells(store, picture, &[(query, key)], !picture.problem.mask.permits(0, query, key), When::Done);
            return;
        }
        _ => return,
    };
    event.prevent_default();
    store.dispatch(&Action::Select { head: None, query: Some(to.0), key: Some(to.1) }, When::Moving);
}
