//! The mask as text, in the convention of a library: to copy, and to paste one in.

use super::desk::{Desk, text_of};
use super::part::Body;
use crate::attention::mask_text::{Convention, read, write};
use crate::locale::field::{convention, mask_text_error};
use crate::state::{Action, CellEdit};
use crate::web::shared::Shared;
use crate::web::store::{Picture, When};
use crate::web::{environment, tasks};
use web_sys::HtmlTextAreaElement;
use yew::functional::Hook;
use yew::prelude::*;

/// What the part is drawn from.
#[derive(PartialEq)]
pub struct MaskText {
    /// Language and store.
    pub desk: Desk,
    /// What was computed.
    pub picture: Shared<Picture>,
}

impl Body for MaskText {
    const NAME: &'static str = "MaskText";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_mask_text(self)
    }
}

/// The cells that make the mask of `picture` permit exactly these.
fn edits(picture: &Picture, cells: &[bool]) -> Vec<CellEdit> {
    let n_k = picture.trace.shape.n_k;
    let edit = |(at, &permit): (usize, &bool)| {
        let (query, key) = (at / n_k, at % n_k);
        let same = picture.problem.mask.permits_without_cells(0, query, key) == permit;
        let (query, key) = (u32::try_from(query).ok()?, u32::try_from(key).ok()?);
        Some(CellEdit { query, key, permit: (!same).then_some(permit) })
    };
    cells.iter().enumerate().filter_map(edit).collect()
}

#[hook]
fn use_mask_text(props: &MaskText) -> Html {
    let MaskText { desk, picture } = props;
    let w = desk.words();
    let chosen = use_state_eq(|| None::<Convention>);
    let said = use_state_eq(String::new);
    let field = use_node_ref();
    let shape = picture.trace.shape;
    let choose = |which: Convention| {
        let (chosen, said) = (chosen.clone(), said.clone());
        let pressed = *chosen == Some(which);
        let onclick = Callback::from(move |_: MouseEvent| {
            said.set(String::new());
            chosen.set((!pressed).then_some(which));
        });
        html! { <button type="button" aria-pressed={text_of(pressed)} {onclick}>{ convention(desk.lang, which).0 }</button> }
    };
    let text = (*chosen).map(|which| write(&picture.problem.mask, 0, (shape.n_q, shape.n_k), which));
    {
        // Written when the mask or the convention is another one, and not on every rendering: what a person is typing, or what
        // was refused, stays.
        let field = field.clone();
        use_effect_with(text.clone(), move |text| {
            if let (Some(area), Some(text)) = (field.cast::<HtmlTextAreaElement>(), text) {
                area.set_value(text);
            }
        });
    }
    let open = (*chosen).zip(text).map(|(which, text)| {
        let oncopy = {
            let (field, said, text) = (field.clone(), said.clone(), text.clone());
            Callback::from(move |_: MouseEvent| {
                let (field, said, text) = (field.clone(), said.clone(), text.clone());
                tasks::spawn(async move {
                    let copied = environment::copy_text(&text).await;
                    if let (false, Some(area)) = (copied, field.cast::<HtmlTextAreaElement>()) {
                        area.select();
                    }
                    said.set((if copied { w.copied } else { w.copy_by_hand }).to_owned());
                });
            })
        };
        let onuse = {
            let (field, said, desk, picture) = (field.clone(), said.clone(), desk.clone(), picture.clone());
            Callback::from(move |_: MouseEvent| {
                let text = field.cast::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default();
                match read(&text, shape.n_q * shape.n_k, which) {
                    Ok(cells) => {
                        said.set(String::new());
                        desk.store.dispatch(&Action::SetCells(edits(&picture, &cells)), When::Done);
                    }
                    Err(error) => said.set(mask_text_error(desk.lang, &error)),
                }
            })
        };
        html! {
            <>
                <p class="field-note">{ convention(desk.lang, which).1 }</p>
                <textarea ref={field.clone()} class="field mask-text" rows="4" spellcheck="false" aria-label={w.mask_text} data-name="mask-text" />
                <div class="field-line">
                    <button type="button" class="tool" onclick={oncopy} data-name="copy-mask">{ w.copy_code }</button>
                    <button type="button" class="tool" onclick={onuse} data-name="use-mask">{ w.use_mask }</button>
                    <span class="muted" role="status" data-name="mask-said">{ (*said).clone() }</span>
                </div>
            </>
        }
    });
    html! {
        <>
            <div class="seg" role="group" aria-label={w.mask_text} data-name="convention">
                <span class="seg-title" aria-hidden="true">{ w.mask_text }</span>
                <span class="seg-row">{ for Convention::ALL.into_iter().map(choose) }</span>
            </div>
            { open.unwrap_or_default() }
        </>
    }
}
