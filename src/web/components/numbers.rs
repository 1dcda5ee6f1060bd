//! The matrix as a table, for those who prefer reading.

use super::heat_map::stage_of;
use crate::locale::{number, words};
use crate::state::ShownStage;
use crate::text::Lang;
use crate::web::shared::Shared;
use crate::web::store::Picture;
use yew::prelude::*;

/// Properties of [`Numbers`].
#[derive(Properties, PartialEq)]
pub struct NumbersProps {
    /// The page's language.
    pub lang: Lang,
    /// What was computed.
    pub picture: Shared<Picture>,
}

/// All numbers of the shown matrix of the chosen head.
#[component]
pub fn Numbers(props: &NumbersProps) -> Html {
    let w = words(props.lang);
    let picture = &props.picture;
    let selection = picture.plan.selection;
    let shape = picture.trace.shape;
    let weights = picture.settings.stage == ShownStage::Weights;
    let Some(rows) = picture.trace.rows(stage_of(picture.settings.stage), selection.head, 0..shape.n_q) else {
        return Html::default();
    };
    let write = |value: f32| {
        let value = f64::from(value);
        if weights { number::fixed(value, 4) } else { number::fixed(value, 2) }
    };
    html! {
        <div class="numbers" tabindex="0" role="region" aria-label={w.table}>
            <table>
                <caption class="hidden">{ w.map_label }</caption>
                <thead>
                    <tr>
                        <th scope="col">{ w.table_corner }</th>
                        { for picture.labels.iter().map(|label| html! { <th scope="col">{ label.clone() }</th> }) }
                        if weights { <th scope="col">{ "Σ" }</th> }
                    </tr>
                </thead>
                <tbody>
                    { for rows.rows().into_iter().enumerate().map(|(query, row)| html! {
                        <tr>
                            <th scope="row">{ picture.labels.get(query).cloned() }</th>
                            { for row.iter().enumerate().map(|(key, &value)| {
                                let chosen = (query, key) == (selection.query, selection.key);
                                html! { <td class={chosen.then_some("chosen")}>{ write(value) }</td> }
                            }) }
                            if weights { <td>{ write(row.iter().sum()) }</td> }
                        </tr>
                    }) }
                </tbody>
            </table>
        </div>
    }
}
