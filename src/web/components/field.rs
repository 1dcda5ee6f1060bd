//! The panel of mechanisms, masks and mistakes, and the line that says what of them is on.

use super::controls::Wrong;
use super::desk::{Choice, Desk, text_of};
use super::diagnosis::Diagnosis;
use super::mask_text::MaskText;
use super::more::{Number, number};
use super::part::part;
use crate::attention::{Bug, Bugs, Fill};
use crate::locale::field::{self as said, Said};
use crate::state::field::{MaskKind, Normalisation, PositionKind, ScoreKind};
use crate::state::{Action, Field, Settings, Sizes};
use crate::web::shared::Shared;
use crate::web::store::Picture;
use yew::prelude::*;

/// A row of choices of which one holds, and under it the sentence of that one.
fn one_of<T: Copy + PartialEq>(
    desk: &Desk,
    (title, name): (&'static str, &'static str),
    all: &[T],
    chosen: T,
    say: impl Fn(T) -> Said,
    act: impl Fn(T) -> Action,
) -> Html {
    let choices = all.iter().map(|&kind| Choice::new(say(kind).0, act(kind), kind == chosen)).collect();
    html! { <>{ desk.row(title, name, choices) }{ note(&[say(chosen)]) }</> }
}

/// The sentences of what is chosen.
fn note(chosen: &[Said]) -> Html {
    html! { { for chosen.iter().filter(|(_, note)| !note.is_empty()).map(|(name, note)| html! {
        <p class="field-note"><b>{ *name }</b>{ " " }{ *note }</p>
    }) } }
}

const SCORES: [ScoreKind; 4] = [ScoreKind::Dot, ScoreKind::General, ScoreKind::Additive, ScoreKind::Linear];
const NORMS: [Normalisation; 6] = [
    Normalisation::Softmax,
    Normalisation::WithoutMaximum,
    Normalisation::Hard,
    Normalisation::Sampled,
    Normalisation::Gumbel,
    Normalisation::Linear,
];
const POSITIONS: [PositionKind; 6] = [
    PositionKind::On,
    PositionKind::Off,
    PositionKind::Sinusoidal,
    PositionKind::Learned,
    PositionKind::Rope,
    PositionKind::Alibi,
];

/// The panel: one of its three parts at a time, so that the map stays near.
pub fn field(
    desk: &Desk,
    s: &Settings,
    picture: &Shared<Picture>,
    section: &UseStateHandle<usize>,
    wrong: &Wrong,
) -> Html {
    let w = desk.words();
    html! {
        <div class="panel fade lab" id="field-controls">
            <div class="lab-parts" role="group" aria-label={w.lab_more}>
                { for [w.mechanism, w.mask_lab, w.break_it].into_iter().enumerate().map(|(at, title)| {
                    let section = section.clone();
                    let shown = *section == at;
                    html! {
                        <button type="button" class="tool" aria-pressed={text_of(shown)} data-part={at.to_string()}
                            onclick={Callback::from(move |_: MouseEvent| section.set(at))}>{ title }</button>
                    }
                }) }
            </div>
            { match **section {
                0 => mechanisms(desk, s),
                1 => masks(desk, s, picture, wrong),
                _ => mistakes(desk, s, picture),
            } }
        </div>
    }
}

fn mechanisms(desk: &Desk, s: &Settings) -> Html {
    let (w, lang, field) = (desk.words(), desk.lang, s.field);
    let draws = matches!(field.normalisation, Normalisation::Sampled | Normalisation::Gumbel);
    html! {
        <section aria-label={w.mechanism}>
            { one_of(desk, (w.score_function, "score"), &SCORES, field.score, |k| said::score(lang, k),
                |score| Action::Field(Field { score, ..field })) }
            { one_of(desk, (w.normalisation, "norm"), &NORMS, field.normalisation, |k| said::normalisation(lang, k),
                |normalisation| Action::Field(Field { normalisation, ..field })) }
            if draws {
                <div class="field-line">
                    if field.normalisation == Normalisation::Gumbel {
                        { desk.row("τ", "tau", [0.1, 0.5, 1.0, 5.0].into_iter().zip(["0.1", "0.5", "1", "5"]).map(|(tau, name)|
                            Choice::new(name, Action::Field(Field { tau, ..field }), (field.tau - tau).abs() < 1e-9)).collect()) }
                    }
                    <button type="button" class="tool" onclick={desk.act(Action::Field(Field { draw: field.draw.wrapping_add(1), ..field }))} data-name="draw">
                        { w.draw_again }
                    </button>
                </div>
            }
            { one_of(desk, (w.positions, "pos-kind"), &POSITIONS, s.positions, |k| said::position(lang, k), Action::Positions) }
            <div class="field-line">
                { desk.row(w.numbers, "num", vec![
                    Choice::new("f32", Action::Field(Field { half: false, ..field }), !field.half),
                    Choice::new("f16", Action::Field(Field { half: true, ..field }), field.half),
                ]) }
                { desk.row(w.bias, "bias", vec![
                    Choice::new(w.without, Action::Field(Field { bias: false, ..field }), !field.bias),
                    Choice::new(w.with, Action::Field(Field { bias: true, ..field }), field.bias),
                ]) }
            </div>
            if field.half { <p class="field-note">{ w.half_note }</p> }
            if field.score != ScoreKind::Dot && field.normalisation == Normalisation::Linear { <p class="field-note">{ w.linear_note }</p> }
        </section>
    }
}

fn masks(desk: &Desk, s: &Settings, picture: &Shared<Picture>, wrong: &Wrong) -> Html {
    let (w, lang, field, sizes) = (desk.words(), desk.lang, s.field, s.sizes);
    let on = |kind| s.masks.has(kind);
    let choice = |kind| Choice::new(said::mask(lang, kind).0, Action::Mask(kind, !on(kind)), on(kind));
    let kinds = MaskKind::ALL.map(|(_, kind)| kind);
    let (combining, shapes): (Vec<_>, Vec<_>) =
        kinds.into_iter().partition(|kind| matches!(kind, MaskKind::Any | MaskKind::Not));
    let mut first = vec![
        Choice::new(w.mask_causal, Action::Causal(!s.causal), s.causal),
        Choice::new(w.mask_padding, Action::Padding(!s.padding), s.padding),
    ];
    first.extend(shapes.iter().map(|&kind| choice(kind)));
    let chosen: Vec<Said> = kinds.into_iter().filter(|&kind| on(kind)).map(|kind| said::mask(lang, kind)).collect();
    // Fields share one way to say that a number is refused; each writes its own size.
    let store = desk.store.clone();
    let size = move |id: &'static str, title, value, set: fn(&mut Sizes, usize)| {
        let store = store.clone();
        number(
            desk,
            wrong,
            Number {
                id,
                title,
                least: 1,
                most: 128,
                value,
                error: w.size_error,
                action: Box::new(move |n| {
                    let mut sizes = store.snapshot().settings().sizes;
                    set(&mut sizes, n as usize);
                    Action::Sizes(sizes)
                }),
            },
        )
    };
    html! {
        <section aria-label={w.mask_lab}>
            { desk.row(w.mask, "masks", first) }
            { desk.row(w.combine, "combine", combining.into_iter().map(choice).collect()) }
            <div class="field-line">
                if on(MaskKind::Prefix) { { size("prefix", w.size_prefix, sizes.prefix, |s, n| s.prefix = n) } }
                if on(MaskKind::Window) || on(MaskKind::Global) { { size("window", w.size_window, sizes.window, |s, n| s.window = n) } }
                if on(MaskKind::Strided) { { size("stride", w.size_stride, sizes.stride, |s, n| s.stride = n) } }
                if on(MaskKind::Block) { { size("block", w.size_block, sizes.block, |s, n| s.block = n) } }
                if on(MaskKind::Global) { { size("global", w.size_global, sizes.global, |s, n| s.global = n) } }
            </div>
            { note(&chosen) }
            { one_of(desk, (w.fill, "fill"), &Fill::ALL, field.fill, |k| said::fill(lang, k), |fill| Action::Field(Field { fill, ..field })) }
            { part(MaskText { desk: desk.clone(), picture: picture.clone() }) }
        </section>
    }
}

fn mistakes(desk: &Desk, s: &Settings, picture: &Shared<Picture>) -> Html {
    let (w, lang, field) = (desk.words(), desk.lang, s.field);
    let bugs = field.bugs;
    let flip = |bug| Action::Field(Field { bugs: bugs.with(bug, !bugs.has(bug)), ..field });
    let choices = Bug::ALL.map(|bug| Choice::new(said::bug(lang, bug).0, flip(bug), bugs.has(bug)));
    let chosen: Vec<Said> = bugs.iter().map(|bug| said::bug(lang, bug)).collect();
    html! {
        <section aria-label={w.break_it}>
            { desk.row(w.bugs, "bugs", choices.into()) }
            { note(&chosen) }
            { part(Diagnosis { desk: desk.clone(), picture: picture.clone() }) }
        </section>
    }
}

/// What is broken on purpose, and the way to mend it: never silent.
pub fn broken(desk: &Desk, s: &Settings) -> Html {
    let (w, lang, field) = (desk.words(), desk.lang, s.field);
    let mut names: Vec<&str> = field.bugs.iter().map(|bug| said::bug(lang, bug).0).collect();
    let wrong_fill = matches!(field.fill, Fill::Zero | Fill::MultiplyAfter);
    let wrong_score = field.score == ScoreKind::Linear;
    if wrong_fill {
        names.push(said::fill(lang, field.fill).0);
    }
    if wrong_score {
        names.push(said::score(lang, field.score).0);
    }
    if names.is_empty() {
        return Html::default();
    }
    // A fill or a score that is no mistake stays.
    let mended = Field {
        bugs: Bugs::NONE,
        fill: if wrong_fill { Fill::Exclude } else { field.fill },
        score: if wrong_score { ScoreKind::Dot } else { field.score },
        ..field
    };
    html! {
        <p class="broken" role="status" data-name="broken">
            <b>{ w.broken }</b>{ names.join(w.list_comma) }
            <button type="button" class="link" onclick={desk.act(Action::Field(mended))} data-name="mend">{ w.mend }</button>
        </p>
    }
}
