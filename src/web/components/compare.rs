//! The line over the map while something is pinned: what A is, which of A, B and their difference is drawn, what moved.

use super::desk::{Desk, text_of};
use crate::insight::compare;
use crate::locale::number;
use crate::state::{Action, Compare, Settings, View, link};
use crate::web::shared::Shared;
use crate::web::store::Picture;
use yew::prelude::*;

/// Keys that are no difference between two pictures.
const NOT_OF_THE_PICTURE: [&str; 10] = ["v", "lang", "tab", "h", "q", "k", "stage", "contrast", "engine", "theme"];

/// What differs from A to B, as keys of the link: `t 1 → 2`.
fn differences(a: &Settings, b: &Settings) -> Vec<String> {
    let of_picture = |key: &str| key != "a" && !NOT_OF_THE_PICTURE.contains(&key);
    let pairs = link::pairs(a).into_iter().zip(link::pairs(b));
    pairs
        .filter(|((key, one), (_, other))| of_picture(key) && one != other)
        .map(|((key, one), (_, other))| format!("{key} {one} → {other}"))
        .collect()
}

/// The line; nothing while nothing is pinned.
pub fn comparison(desk: &Desk, picture: &Picture, pinned: Option<&Shared<Picture>>, view: View) -> Html {
    let w = desk.words();
    let Some(a) = link::pinned(&picture.settings) else { return Html::default() };
    let choice = |label: &'static str, compare: Compare| {
        let store = desk.store.clone();
        let onclick = Callback::from(move |_: MouseEvent| store.set_view(View { compare, ..view }));
        html! { <button type="button" aria-pressed={text_of(view.compare == compare)} {onclick}>{ label }</button> }
    };
    let differing = differences(&a, &picture.settings);
    html! {
        <div class="compare" role="group" aria-label={w.compare} data-name="compare-line">
            if pinned.is_some() {
                <span class="seg"><span class="seg-row">{ choice("A", Compare::A) }{ choice("B", Compare::B) }{ choice("B − A", Compare::Difference) }</span></span>
            }
            <button type="button" class="link" onclick={desk.act(Action::Swap)} data-name="swap-ab">{ w.swap }</button>
            <button type="button" class="link" onclick={desk.act(Action::Pin(false))} data-name="unpin">{ w.unpin }</button>
            <span class="muted">{ if differing.is_empty() { w.compare_same.to_owned() } else { differing.join(w.list_comma) } }</span>
            { match pinned {
                Some(a) => moved(desk, a, picture),
                None => html! { <p>{ w.compare_sizes }</p> },
            } }
        </div>
    }
}

/// What moved, in numbers.
fn moved(desk: &Desk, a: &Picture, b: &Picture) -> Html {
    let w = desk.words();
    let Some(found) = compare(&a.trace, &b.trace, b.plan.selection.head) else { return Html::default() };
    let rows: Vec<f64> = found.rows.iter().filter_map(|row| row.js).map(|js| js / std::f64::consts::LN_2).collect();
    let flips = found.rows.iter().filter(|row| row.flip.is_some()).count();
    #[expect(clippy::cast_precision_loss, reason = "as many rows as tokens")]
    let mean = rows.iter().sum::<f64>() / rows.len() as f64;
    html! {
        <dl class="figures">
            if let Some((query, key, by)) = found.most() {
                <div><dt>{ w.moved_most }</dt><dd>{ format!("{} → {} {}", b.label(query), b.label(key), number::signed(by, 4)) }</dd></div>
            }
            <div><dt>{ w.flips }</dt><dd>{ format!("{} / {}", flips, found.rows.len()) }</dd></div>
            if mean.is_finite() { <div><dt>{ w.divergence }</dt><dd>{ number::fixed(mean, 3) }</dd></div> }
        </dl>
    }
}
