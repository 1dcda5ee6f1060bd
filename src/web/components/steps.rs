//! The steps of one number's story: for each its formula, its value, and what is behind it.

use super::desk::{root, table, table_row, text_of};
use super::part::{Body, part};
use crate::attention::{Source, Stage};
use crate::insight::explain::{self, Without};
use crate::insight::{Product, Side, Story, decode};
use crate::locale::number::{fixed, percent, significant};
use crate::locale::{dimension_name, words};
use crate::state::Scale;
use crate::text::Lang;
use crate::web::store::Picture;
use yew::functional::Hook;
use yew::prelude::*;

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Projection,
    Dot,
    Scale,
    Temperature,
    Mask,
    Max,
    Exp,
    Sum,
    Weight,
    Output,
}

impl Step {
    /// All steps in order.
    pub const ALL: [Self; 10] = [
        Self::Projection,
        Self::Dot,
        Self::Scale,
        Self::Temperature,
        Self::Mask,
        Self::Max,
        Self::Exp,
        Self::Sum,
        Self::Weight,
        Self::Output,
    ];
}

/// Up to this width the terms of a dot product have bars, and buttons that lead to their projection.
const RICH: usize = 16;

/// What the steps are told from.
pub struct Context<'a> {
    /// The page's language.
    pub lang: Lang,
    /// What was computed.
    pub picture: &'a Picture,
    /// The story of the selected number.
    pub story: &'a Story,
    /// Which vector the projection shows.
    pub side: Side,
    /// Which of its dimensions, from 0.
    pub dimension: usize,
    /// Another dimension was chosen, from 0.
    pub ondimension: Callback<usize>,
    /// Another vector was chosen.
    pub onside: Callback<Side>,
}

impl Context<'_> {
    fn label(&self, at: usize) -> &str {
        self.picture.labels.get(at).map_or("", String::as_str)
    }

    /// The query's label.
    pub fn query(&self) -> &str {
        self.label(self.story.query)
    }

    /// The key's label.
    pub fn key(&self) -> &str {
        self.label(self.story.key)
    }

    fn symbol(&self, side: Side) -> Html {
        let (name, label) = match side {
            Side::Query => ("q", self.query()),
            Side::Key => ("k", self.key()),
            Side::Value => ("v", self.key()),
        };
        html! { <>{ name }<sub>{ label }</sub></> }
    }

    /// Whether the number of this step is not what the standard way makes of the step before. Told from the numbers
    /// alone; with the standard method they always agree.
    fn departs(&self, step: Step) -> bool {
        let s = self.story;
        let same = |one: f64, other: f64| {
            one == other || ((one - other).abs() <= 1e-3 * (1.0 + other.abs()) && other.is_finite())
        };
        if self.picture.problem.departure().is_none() {
            return false;
        }
        let projected = || {
            let terms = s.terms(&self.picture.problem, self.side, self.dimension).unwrap_or_default();
            same(terms.iter().map(|term| term.product).sum(), self.projected())
        };
        !match step {
            Step::Projection => projected(),
            Step::Dot => same(s.products.iter().map(|p| p.product).sum(), s.raw),
            Step::Scale => same(s.raw * s.scale, s.scaled),
            Step::Temperature => same(s.scaled / s.temperature, s.tempered),
            Step::Mask if s.permitted => same(s.tempered + s.bias, s.masked),
            Step::Mask => s.masked == f64::NEG_INFINITY,
            Step::Max | Step::Exp | Step::Sum | Step::Weight => {
                let weight = if s.sum > 0.0 { s.exp / s.sum } else { 0.0 };
                same(s.row_max, self.largest()) && same(weight, s.weight)
            }
            Step::Output => s.contribution.iter().zip(&s.output).all(|(_, o)| o.is_finite()),
        }
    }

    /// The largest score of the row that the steps speak of.
    fn largest(&self) -> f64 {
        self.picture.row(Stage::Masked, self.story.query).into_iter().map(f64::from).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The dimension on show of q, k or v.
    fn projected(&self) -> f64 {
        let (stage, token) = match self.side {
            Side::Query => (Stage::Q, self.story.query),
            Side::Key => (Stage::K, self.story.key),
            Side::Value => (Stage::V, self.story.key),
        };
        self.picture.trace.at(stage, self.story.head, token, self.dimension).map_or(f64::NAN, f64::from)
    }

    /// The formula, with this number's values in it.
    pub fn formula(&self, step: Step) -> Html {
        let (s, w) = (self.story, words(self.lang));
        if self.departs(step) {
            return w.departs.into();
        }
        match step {
            Step::Projection => html! { <>{ "x → q, k, v" }</> },
            Step::Dot => html! { <>{ self.symbol(Side::Query) }{ " · " }{ self.symbol(Side::Key) }</> },
            Step::Scale => match self.picture.settings.scale {
                Scale::None => html! { { w.scale_none } },
                Scale::SqrtDk => {
                    html! { <>{ "÷ " }{ root("k") }{ format!(" = ÷ {}", significant(1.0 / s.scale, 3)) }</> }
                }
                Scale::SqrtDModel => {
                    html! { <>{ "÷ " }{ root("model") }{ format!(" = ÷ {}", significant(1.0 / s.scale, 3)) }</> }
                }
            },
            Step::Temperature => html! { { format!("÷ T = ÷ {}", significant(s.temperature, 3)) } },
            Step::Mask => html! { { if s.permitted { w.permitted } else { w.forbidden } } },
            Step::Max => match s.exponent {
                // A negative number after a minus stands in brackets.
                Some(_) if s.row_max < 0.0 => format!("{} − ({})", fixed(s.masked, 3), fixed(s.row_max, 3)).into(),
                Some(_) => format!("{} − {}", fixed(s.masked, 3), fixed(s.row_max, 3)).into(),
                None => "–".into(),
            },
            Step::Exp => match s.exponent {
                Some(exponent) => html! { <>{ "e" }<sup>{ fixed(exponent, 3) }</sup></> },
                None => html! { { "–" } },
            },
            Step::Sum => html! { <>{ "Σ e" }<sup>{ "s − max" }</sup></> },
            Step::Weight => html! { { format!("{} ÷ {}", significant(s.exp, 4), significant(s.sum, 5)) } },
            Step::Output => html! { <>{ format!("{} · ", fixed(s.weight, 3)) }{ self.symbol(Side::Value) }</> },
        }
    }

    /// The number that comes out of the step.
    pub fn value(&self, step: Step) -> String {
        let (s, w) = (self.story, words(self.lang));
        if matches!(step, Step::Max | Step::Exp | Step::Sum) && self.departs(step) {
            return "–".into();
        }
        match step {
            Step::Projection => format!("{} {}", s.products.len(), w.dimensions_unit),
            Step::Dot => fixed(s.raw, 2),
            Step::Scale => fixed(s.scaled, 2),
            Step::Temperature => fixed(s.tempered, 2),
            Step::Mask => fixed(s.masked, 2),
            Step::Max => s.exponent.map_or_else(|| "–".to_owned(), |exponent| fixed(exponent, 3)),
            Step::Exp => significant(s.exp, 4),
            Step::Sum => significant(s.sum, 5),
            Step::Weight => fixed(s.weight, 4),
            Step::Output => {
                s.share.map_or_else(|| "–".to_owned(), |share| format!("{}{}", w.share_before, percent(share)))
            }
        }
    }

    /// What is behind the step: a sentence, and the numbers it is made of.
    pub fn body(&self, step: Step) -> Html {
        let w = words(self.lang);
        if self.departs(step) {
            return html! { <p>{ w.step_departs }</p> };
        }
        let at = Step::ALL.iter().position(|&other| other == step).unwrap_or(0);
        let sentence =
            if step == Step::Mask && !self.story.permitted { w.step_mask_forbidden } else { w.step_sentences[at] };
        html! {
            <>
                <p>{ sentence }</p>
                { match step {
                    Step::Projection => self.projection(),
                    Step::Dot => self.products(),
                    Step::Sum => self.row(),
                    Step::Output => self.output(),
                    _ => Html::default(),
                } }
            </>
        }
    }

    /// One dimension of q, k or v as the sum over the dimensions of x that take part.
    fn projection(&self) -> Html {
        let w = words(self.lang);
        let sides = [(Side::Query, "q"), (Side::Key, "k"), (Side::Value, "v")];
        let result = self.projected();
        let terms = self.story.terms(&self.picture.problem, self.side, self.dimension).unwrap_or_default();
        let width = self.story.products.len();
        let mut rows: Vec<Html> = terms
            .iter()
            .map(|term| {
                let name = dimension_name(self.lang, term.index);
                table_row(false, vec![name.into(), cell(term.x, 3), cell(term.w, 3), cell(term.product, 3)])
            })
            .collect();
        rows.push(table_row(true, vec!["Σ".into(), Html::default(), Html::default(), cell(result, 3)]));
        let chosen = self.ondimension.clone();
        let onchange = move |event: Event| {
            if let Some(dimension) = select_value(&event) {
                chosen.emit(dimension);
            }
        };
        html! {
            <>
                <div class="chip-group">
                    { for sides.into_iter().map(|(side, name)| {
                        let onclick = self.onside.reform(move |_: MouseEvent| side);
                        html! { <button type="button" class="chip" aria-pressed={text_of(side == self.side)} {onclick}>{ name }</button> }
                    }) }
                    <label class="muted">{ w.dimension }{ " " }
                        <select class="field" {onchange}>
                            { for (0..width).map(|d| html! { <option value={d.to_string()} selected={d == self.dimension}>{ d + 1 }</option> }) }
                        </select>
                    </label>
                </div>
                { table(w.steps[0], vec![w.term.into(), "x".into(), "W".into(), "x×W".into()], rows) }
            </>
        }
    }

    /// The terms of q·k, which stay as they are while temperature, scale or mask change.
    fn products(&self) -> Html {
        let products = self.story.products.clone();
        part(Products { lang: self.lang, products, ondimension: self.ondimension.clone() })
    }

    /// Every key of the row: score, exponential, weight.
    fn row(&self) -> Html {
        let w = words(self.lang);
        let query = self.story.query;
        let (scores, weights) = (self.picture.row(Stage::Masked, query), self.picture.row(Stage::Weights, query));
        let rows = scores.iter().zip(&weights).enumerate().map(|(key, (&score, &weight))| {
            let score = f64::from(score);
            let exp = if score == f64::NEG_INFINITY { 0.0 } else { (score - self.story.row_max).exp() };
            let cells =
                vec![self.label(key).into(), cell(score, 2), significant(exp, 3).into(), cell(weight.into(), 4)];
            table_row(key == self.story.key, cells)
        });
        let exp = html! { <>{ "e" }<sup>{ "s−max" }</sup></> };
        table(w.steps[7], vec![w.key_word.into(), w.score.into(), exp, w.weight.into()], rows.collect())
    }

    /// The words whose values are most like the output, best first; words that tie are all named.
    fn most_like(&self) -> String {
        const NAMED: usize = 3;
        let candidates = decode(&self.picture.trace, self.story.head, self.story.query).unwrap_or_default();
        let named = candidates.iter().filter(|c| c.rank < NAMED).take(2 * NAMED);
        let list: Vec<String> = named.map(|c| format!("{} {}", self.label(c.key), fixed(c.cosine, 2))).collect();
        let w = words(self.lang);
        format!("{}{}", w.most_like, list.join(w.list_comma))
    }

    /// The value, what the weight lets through, and the whole output.
    fn output(&self) -> Html {
        let s = self.story;
        let w = words(self.lang);
        let rows = s.value.iter().zip(&s.contribution).zip(&s.output).enumerate();
        let rows =
            rows.map(|(d, ((v, c), o))| table_row(false, vec![(d + 1).into(), cell(*v, 3), cell(*c, 3), cell(*o, 3)]));
        let titles = vec![w.dimension.into(), "v".into(), "w·v".into(), "o = Σ w·v".into()];
        html! { <><p>{ self.most_like() }</p>{ self.left_out() }{ self.handed() }{ table(w.steps[9], titles, rows.collect()) }</> }
    }

    /// How far the query's output moves when the edge, the key or the head is left out, as a share of its length.
    fn left_out(&self) -> Html {
        let (s, w, picture) = (self.story, words(self.lang), self.picture);
        let Source::Embedded { weights, .. } = &picture.problem.source else { return Html::default() };
        let moved = |what| {
            let all = explain::without(&picture.trace, Some(&weights.w_o), what)?;
            all.get(s.query).filter(|moved| moved.of > 0.0).map(|moved| percent(moved.by / moved.of))
        };
        let (head, query, key) = (s.head, s.query, s.key);
        let rows = [
            (w.without_edge, Without::Edge { head, query, key }),
            (w.without_key, Without::Key(key)),
            (w.without_head, Without::Head(head)),
        ];
        html! {
            <>
                <p>{ w.left_out }</p>
                <dl class="figures">
                    { for rows.into_iter().map(|(name, what)| html! {
                        <div><dt>{ name }</dt><dd>{ moved(what).unwrap_or_else(|| "–".to_owned()) }</dd></div>
                    }) }
                </dl>
            </>
        }
    }

    /// Weight beside weight × ‖v‖: a large weight on a short value hands over little.
    fn handed(&self) -> Html {
        let (s, w) = (self.story, words(self.lang));
        let handed = explain::handed(&self.picture.trace, s.head, s.query).unwrap_or_default();
        let rows = handed.iter().enumerate().map(|(key, handed)| {
            let numbers = [handed.weight, handed.length, handed.product].map(|x| cell(x, 3));
            table_row(key == s.key, std::iter::once(self.label(key).into()).chain(numbers).collect())
        });
        table(w.steps[9], vec![w.key_word.into(), "w".into(), "‖v‖".into(), "w·‖v‖".into()], rows.collect())
    }
}

/// What the table of a dot product is drawn from.
#[derive(PartialEq)]
struct Products {
    lang: Lang,
    products: Vec<Product>,
    /// A dimension was chosen, from 0.
    ondimension: Callback<usize>,
}

impl Body for Products {
    const NAME: &'static str = "Products";

    fn draw(&self) -> impl Hook<Output = Html> {
        use_products(self)
    }
}

#[hook]
fn use_products(props: &Products) -> Html {
    let w = words(props.lang);
    let largest = props.products.iter().map(|p| p.product.abs()).fold(f64::MIN_POSITIVE, f64::max);
    // Wide heads get plain numbers: a hundred bars and buttons would be more than can be read.
    let rich = props.products.len() <= RICH;
    let rows = props.products.iter().enumerate().map(|(d, p)| {
        let (first, product) = if rich {
            let onclick = props.ondimension.reform(move |_: MouseEvent| d);
            let name = format!("{} {}", w.dimension_from_x, d + 1);
            let button =
                html! { <button type="button" title={name.clone()} aria-label={name} {onclick}>{ d + 1 }</button> };
            (button, html! { <>{ bar(p.product / largest) }{ " " }{ fixed(p.product, 2) }</> })
        } else {
            ((d + 1).into(), cell(p.product, 2))
        };
        table_row(false, vec![first, cell(p.q, 2), cell(p.k, 2), product])
    });
    table(w.steps[1], vec![w.dimension.into(), "q".into(), "k".into(), "q×k".into()], rows.collect())
}

/// A number as the content of a table's cell.
fn cell(value: f64, digits: usize) -> Html {
    fixed(value, digits).into()
}

fn select_value(event: &Event) -> Option<usize> {
    event.target_dyn_into::<web_sys::HtmlSelectElement>()?.value().parse().ok()
}

/// A bar from the middle, where 0 is: to the right as far as `share` of its half, to the left where it is negative.
fn bar(share: f64) -> Html {
    let width = (share.abs() * 35.0).clamp(0.0, 35.0);
    let x = if share < 0.0 { 36.0 - width } else { 36.0 }.to_string();
    html! {
        <svg class="bar" viewBox="0 0 72 8" aria-hidden="true">
            <rect data-is={(share < 0.0).then_some("negative")} {x} y="0" width={width.to_string()} height="8" />
            <path d="M36 0v8" />
        </svg>
    }
}
