//! The large heat map as a drawing and as a grid: what is drawn, how a cell is spoken, what its keys do.

use crate::attention::Stage;
use crate::insight::{entropy, statistics};
use crate::locale::{cell_sentence, number, words};
use crate::picture::{self, HeatMap, HeatMapSpec, MapKind, Titles};
use crate::state::{Action, CellEdit, Contrast, Selection, ShownStage};
use crate::text::Lang;
use crate::web::environment;
use crate::web::store::{Picture, Store, When};
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

/// The ends of the colour scale: 0 and 1 for weights unless contrast is automatic; the largest score about 0 else.
pub fn domain(picture: &Picture) -> (f32, f32) {
    let head = picture.plan.selection.head;
    let stage = stage_of(picture.settings.stage);
    let ends = statistics::extremes(&picture.trace, stage, head);
    #[expect(clippy::cast_possible_truncation, reason = "the extremes of f32 numbers")]
    let (low, high) = ends.map_or((0.0, 1.0), |(low, high)| (low as f32, high as f32));
    match (picture.settings.stage, picture.settings.contrast) {
        (ShownStage::Weights, Contrast::Fixed) => (0.0, 1.0),
        (ShownStage::Weights, Contrast::Auto) => (low, high.max(low + f32::EPSILON)),
        _ => {
            let largest = low.abs().max(high.abs()).max(f32::EPSILON);
            (-largest, largest)
        }
    }
}

/// Draws the shown matrix of the selected head into `width` CSS px.
pub fn draw(picture: &Picture, lang: Lang, width: f64) -> HeatMap {
    let w = words(lang);
    let selection = picture.plan.selection;
    let head = selection.head;
    let shape = picture.trace.shape;
    let Some(values) = picture.trace.rows(stage_of(picture.settings.stage), head, 0..shape.n_q) else {
        return HeatMap::default();
    };
    let labels: Vec<&str> = picture.labels.iter().map(String::as_str).collect();
    let weights = picture.settings.stage == ShownStage::Weights;
    #[expect(clippy::cast_possible_truncation, reason = "numbers near 1, drawn with two decimals")]
    let narrow = |numbers: Vec<f64>| -> Vec<f32> { numbers.into_iter().map(|x| x as f32).collect() };
    let sums =
        if weights { narrow(statistics::row_sums(&picture.trace, head).unwrap_or_default()) } else { Vec::new() };
    let entropies = narrow((0..shape.n_q).filter_map(|q| entropy::normalised(&picture.trace, head, q)).collect());
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
        values,
        kind: if weights { MapKind::Weights } else { MapKind::Scores },
        domain: domain(picture),
        forbidden: &|query, key| forbidden.get(query * shape.n_k + key).copied().unwrap_or(false),
        hand_set: &hand,
        row_sums: &sums,
        row_entropy: weights.then_some(entropies.as_slice()),
        selected: Some((selection.query, selection.key)),
        hovered: None,
        width,
        max_height,
        type_scale: 1.0,
        titles: Titles { query: w.axis_query, key: w.axis_key, sum: "Σ", entropy: w.axis_entropy },
    })
}

/// A cell as a sentence, 追 对 猫：0.99, with `digits` decimals.
pub fn spoken(picture: &Picture, lang: Lang, query: usize, key: usize, digits: usize) -> String {
    let head = picture.plan.selection.head;
    let value = picture.trace.at(stage_of(picture.settings.stage), head, query, key).unwrap_or(f32::NAN);
    let label = |at: usize| picture.labels.get(at).map_or("", String::as_str);
    let permitted = picture.problem.mask.permits(head, query, key);
    cell_sentence(lang, label(query), label(key), &number::fixed(f64::from(value), digits), permitted)
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
