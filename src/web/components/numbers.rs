//! The matrix as a table, for those who prefer reading.

use super::desk::Desk;
use super::heat_map::stage_of;
use crate::locale::number;
use crate::state::ShownStage;
use crate::web::store::Picture;
use yew::prelude::*;

/// All numbers of the shown matrix of the chosen head.
pub fn numbers(desk: &Desk, picture: &Picture) -> Html {
    let w = desk.words();
    let selection = picture.plan.selection;
    let weights = picture.settings.stage == ShownStage::Weights;
    let stage = stage_of(picture.settings.stage);
    let write = |value: f32| number::fixed(f64::from(value), if weights { 4 } else { 2 });
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
                    { for (0..picture.trace.shape.n_q).map(|query| {
                        let row = picture.row(stage, query);
                        html! {
                            <tr>
                                <th scope="row">{ picture.label(query) }</th>
                                { for row.iter().enumerate().map(|(key, &value)| {
                                    let chosen = (query, key) == (selection.query, selection.key);
                                    html! { <td data-is={chosen.then_some("chosen")}>{ write(value) }</td> }
                                }) }
                                if weights { <td>{ write(row.iter().sum()) }</td> }
                            </tr>
                        }
                    }) }
                </tbody>
            </table>
        </div>
    }
}
