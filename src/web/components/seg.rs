//! A row of choices of which one holds.

use yew::prelude::*;

/// One choice.
#[derive(Clone, PartialEq)]
pub struct Choice<T: Clone + PartialEq> {
    /// What choosing it means.
    pub value: T,
    /// How it is called.
    pub label: Html,
    /// Spoken name, where the label alone would not do.
    pub spoken: Option<AttrValue>,
}

impl<T: Clone + PartialEq> Choice<T> {
    /// A choice with a plain name.
    pub fn new(value: T, label: &'static str) -> Self {
        Self { value, label: html! { { label } }, spoken: None }
    }
}

/// Properties of [`Seg`].
#[derive(Properties, PartialEq)]
pub struct SegProps<T: Clone + PartialEq + 'static> {
    /// What the choice is about.
    pub title: AttrValue,
    /// Name for tests and style.
    pub name: &'static str,
    /// The choices in order.
    pub choices: Vec<Choice<T>>,
    /// Which of them hold (one, except for masks).
    pub chosen: Vec<T>,
    /// A choice was made.
    pub onchoose: Callback<T>,
}

/// Buttons side by side; those that hold are pressed.
#[component]
pub fn Seg<T: Clone + PartialEq + 'static>(props: &SegProps<T>) -> Html {
    html! {
        <div class="seg" role="group" aria-label={props.title.clone()} data-name={props.name}>
            <span class="seg-title" aria-hidden="true">{ props.title.clone() }</span>
            <span class="seg-row">
                { for props.choices.iter().map(|choice| {
                    let value = choice.value.clone();
                    let onclick = props.onchoose.reform(move |_: MouseEvent| value.clone());
                    let pressed = props.chosen.contains(&choice.value).to_string();
                    html! {
                        <button type="button" aria-pressed={pressed} aria-label={choice.spoken.clone()} {onclick}>
                            { choice.label.clone() }
                        </button>
                    }
                }) }
            </span>
        </div>
    }
}
