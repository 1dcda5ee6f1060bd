//! What stands around the map: the choice of texts, the controls, what is read out, why, and how far the work is.

use super::parts::head_name;
use super::reader::{Msg, Reader, Trouble};
use crate::attention::{Pattern, Sparse};
use crate::locale::document::{construction, from_mask, from_text};
use crate::locale::document_spoken as spoken;
use crate::state::document::{DocumentSettings, NAMES, Pooling, STRIDE, Source, WINDOW};
use crate::tensor::pyramid::log2_of;
use crate::text::decimal;
use crate::web::environment;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// Name, texts, the way back.
pub fn head_line(reader: &Reader, ctx: &Context<Reader>) -> Html {
    let w = reader.words();
    let link = ctx.link();
    let onfile = {
        let link = link.clone();
        Callback::from(move |event: Event| {
            let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
            let Some(file) = input.and_then(|input| input.files()).and_then(|files| files.get(0)) else { return };
            let link = link.clone();
            crate::web::tasks::spawn(async move {
                let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
                if let Some(text) = text {
                    link.send_message(Msg::Given(text));
                }
            });
        })
    };
    let own = reader.settings.name.is_empty();
    html! {
        <div class="document-head">
            <button type="button" class="tool" data-name="back" onclick={link.callback(|_: MouseEvent| Msg::Leave)}>{ "← " }{ w.back }</button>
            <h1>{ w.title }</h1>
            <div class="seg" role="radiogroup" aria-label={w.texts}>
                { for NAMES.into_iter().zip(w.names).map(|(name, title)| {
                    let onclick = link.callback(move |_: MouseEvent| Msg::Named(name));
                    html! { <button type="button" role="radio" aria-checked={truth(reader.settings.name == name)} {onclick} data-text={name}>{ title }</button> }
                }) }
                if own { <button type="button" role="radio" aria-checked="true">{ w.own }</button> }
            </div>
            <label class="tool document-file">{ w.open_file }
                <input type="file" accept="text/*,.txt,.md" class="spoken-only" ref={reader.file.clone()} onchange={onfile} />
            </label>
            <button type="button" class="tool" data-name="copy-link" disabled={own} onclick={link.callback(|_: MouseEvent| Msg::Copy)}>{ w.copy_link }</button>
            <span class="document-note" role="status">
                { if own { w.not_in_link } else { w.drop_here } }{ " " }{ reader.said }
            </span>
        </div>
    }
}

const fn truth(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

/// A row of choices, of which one is pressed.
fn choices(
    ctx: &Context<Reader>,
    name: &'static str,
    title: &'static str,
    of: Vec<(&'static str, bool, DocumentSettings)>,
) -> Html {
    html! {
        <div class="document-choice"><span>{ title }</span>
            <div class="seg" role="radiogroup" aria-label={title} data-name={name}>
                { for of.into_iter().map(|(label, pressed, settings)| {
                    let onclick = ctx.link().callback(move |_: MouseEvent| Msg::Set(Box::new(settings.clone())));
                    html! { <button type="button" role="radio" aria-checked={truth(pressed)} {onclick}>{ label }</button> }
                }) }
            </div>
        </div>
    }
}

/// Weights, mask, temperature, and what a cell shows.
pub fn controls(reader: &Reader, ctx: &Context<Reader>) -> Html {
    let w = reader.words();
    let s = &reader.settings;
    let source = |label, source| {
        let next = DocumentSettings { source, head: 1, ..s.clone() };
        (label, s.source == source, next)
    };
    let sparse = |label, sparse: Sparse| {
        let pattern = Pattern { sparse, ..s.pattern };
        let same = std::mem::discriminant(&s.pattern.sparse) == std::mem::discriminant(&sparse);
        (label, same, DocumentSettings { pattern, ..s.clone() })
    };
    let pooling = |label, pooling| (label, s.pooling == pooling, DocumentSettings { pooling, ..s.clone() });
    let causal = Pattern { causal: !s.pattern.causal, ..s.pattern };
    let causal = DocumentSettings { pattern: causal, ..s.clone() };
    let oncausal = ctx.link().callback(move |_: MouseEvent| Msg::Set(Box::new(causal.clone())));
    let before = s.clone();
    let ontemperature = ctx.link().batch_callback(move |event: Event| {
        let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok())?;
        let temperature = decimal(&input.value()).and_then(crate::state::settings::clamp_temperature)?;
        Some(Msg::Set(Box::new(DocumentSettings { temperature, ..before.clone() })))
    });
    let badge = if s.source == Source::Constructed { w.badge_constructed } else { w.badge_random };
    html! {
        <div class="document-controls">
            { choices(ctx, "weights", w.weights, vec![source(w.constructed, Source::Constructed), source(w.random, Source::Random)]) }
            <span class="badge">{ badge }</span>
            { choices(ctx, "sparse", w.mask, vec![
                sparse(w.full, Sparse::Full), sparse(w.window, Sparse::Window(WINDOW)), sparse(w.strided, Sparse::Strided(STRIDE)),
            ]) }
            <button type="button" class="tool" aria-pressed={truth(s.pattern.causal)} onclick={oncausal} data-name="causal">{ w.causal }</button>
            <label class="document-choice"><span>{ w.temperature }</span>
                <input class="field" type="number" min="0.05" max="20" step="any" value={s.temperature.to_string()} onchange={ontemperature} data-name="temperature" />
            </label>
            { choices(ctx, "pool", w.each_cell, vec![pooling(w.max, Pooling::Max), pooling(w.mean, Pooling::Mean)]) }
        </div>
    }
}

/// The cell under the pointer, and the chosen row with its strongest keys in words.
pub fn read_out(reader: &Reader, ctx: &Context<Reader>) -> Html {
    let w = reader.words();
    let (lang, text) = (reader.lang, &reader.text);
    let named = |at: usize| (text.word(at), at + 1);
    let one = |query: usize, key: usize, value: f32| {
        spoken::one_weight(lang, named(query), named(key), value, reader.settings.pattern.permits(query, key))
    };
    let cell = reader.cell.filter(|_| text.len() > 0).map(|read| {
        let (level, (row, column)) = read.place;
        let pyramid = reader.pyramid();
        let (queries, keys) = (pyramid.of_cell(level, row), pyramid.of_cell(level, column));
        let exact = one(read.cell.at.0, read.cell.at.1, read.cell.max);
        let data = [read.cell.at.0.to_string(), read.cell.at.1.to_string(), format!("{:e}", read.cell.max)];
        html! {
            <p data-name="cell" data-query={data[0].clone()} data-key={data[1].clone()} data-weight={data[2].clone()}>
                if queries.len() * keys.len() > 1 {
                    { spoken::many_weights(lang, queries.len(), keys.len(), read.cell.mean, read.cell.max) }{ " " }
                }
                <b>{ exact }</b>
            </p>
        }
    });
    let row = reader.row.as_ref().map(|row| {
        let (before, word, after) = text.around(row.query, 8);
        html! {
            <>
                <p class="document-context" dir="auto">{ "…" }{ before }<mark>{ word }</mark>{ after }{ "…" }</p>
                <p>{ spoken::row_sentence(lang, word, row.query + 1, row.entropy) }</p>
                <ol class="document-keys" data-name="strongest">
                    { for row.strongest.iter().map(|strongest| {
                        let (before, word, after) = text.around(strongest.key, 3);
                        let (query, key) = (row.query, strongest.key);
                        let onclick = ctx.link().callback(move |_: MouseEvent| Msg::Choose(query, key));
                        let equal = text.words.get(key) == text.words.get(query);
                        let tag = if key == query { w.itself } else if equal { w.same_word } else { "" };
                        html! {
                            <li data-key={key.to_string()} data-weight={format!("{:e}", strongest.weight)}>
                                <button type="button" {onclick}>
                                    <span class="document-context" dir="auto">{ before }<mark>{ word }</mark>{ after }</span>
                                    <small>{ spoken::grouped(key + 1) }{ " " }{ tag }</small>
                                    <em>{ spoken::weight(strongest.weight) }</em>
                                </button>
                            </li>
                        }
                    }) }
                </ol>
                if let Some((at, cosine)) = row.nearest { <p>{ spoken::carries(lang, text.word(at), cosine) }</p> }
            </>
        }
    });
    html! {
        <section class="document-read">
            <div role="status" aria-live="polite">
                <h2>{ w.under_pointer }</h2>
                { cell.unwrap_or_else(|| html! { <p>{ w.no_pointer }</p> }) }
            </div>
            <h2>{ w.row }</h2>
            { row.unwrap_or_else(|| html! { <p>{ w.row_hint }</p> }) }
        </section>
    }
}

/// What of the pattern is the construction's, the mask's and the text's.
pub fn why(reader: &Reader) -> Html {
    let w = reader.words();
    let role = reader.role(reader.head());
    let chosen = reader.settings.cell.map(|(query, _)| (reader.text.word(query), reader.text.count(query)));
    let pooled = if reader.settings.pooling == Pooling::Max { w.max_note } else { w.mean_note };
    html! {
        <section class="document-why" data-name="why">
            <h2>{ w.why }{ ": " }{ head_name(reader, reader.head()) }</h2>
            <dl>
                <dt>{ w.by_construction }</dt><dd>{ construction(reader.lang, role) }</dd>
                <dt>{ w.by_mask }</dt><dd>{ from_mask(reader.lang, reader.settings.pattern) }</dd>
                <dt>{ w.by_text }</dt><dd>{ from_text(reader.lang, role, chosen) }</dd>
            </dl>
            <p class="document-note">{ pooled }</p>
        </section>
    }
}

/// How far the work is, what it needs, and the way to stop it.
pub fn work(reader: &Reader, ctx: &Context<Reader>) -> Html {
    let w = reader.words();
    let (n, heads) = (reader.text.len(), reader.maps.len());
    let done: Vec<usize> = reader.work.done.iter().map(|&done| usize::try_from(done).unwrap_or_default()).collect();
    let all: usize = done.iter().sum();
    let running = if done.get(reader.head()).is_some_and(|&done| done < n) {
        reader.head()
    } else {
        done.iter().position(|&done| done < n).unwrap_or_else(|| reader.head())
    };
    let finished = n > 0 && all == n * heads;
    let percent = done.get(running).map_or(0, |&done| 100 * done / n.max(1));
    let spent = (environment::now_ms() - reader.work.started_ms) / 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "numbers of rows")]
    let left = (all > 0 && spent > 0.3).then(|| spent * (n * heads - all) as f64 / all as f64);
    let trouble = reader.trouble.map(|trouble| match trouble {
        Trouble::Loading => w.loading,
        Trouble::NotLoaded => w.not_loaded,
        Trouble::Nothing => w.nothing,
        Trouble::UnknownName => w.unknown_name,
        Trouble::Broken => w.broken,
    });
    let failed = reader.maps.get(reader.head()).is_some_and(|map| map.failed);
    let state = if reader.work.stopped && !finished {
        w.stopped.to_owned()
    } else if finished {
        w.done.to_owned()
    } else {
        spoken::progress(reader.lang, running + 1, heads, percent, left)
    };
    let stopped = reader.work.stopped;
    let onclick = ctx.link().callback(move |_: MouseEvent| Msg::Work(stopped));
    let tiles: usize = reader.tiles.iter().map(|tile| tile.codes[0].len() + tile.codes[1].len()).sum();
    let ends = reader.ends(reader.head());
    let end = |log2: f32| spoken::rounded((log2 * std::f32::consts::LN_2).exp());
    let codes = reader.maps.get(reader.head()).is_some_and(|map| map.rows > 0);
    html! {
        <section class="document-work" data-name="work" data-finished={truth(finished)}>
            if let Some(trouble) = trouble { <p class="warning" role="alert">{ trouble }</p> }
            if failed { <p class="warning" role="alert">{ w.overflow }</p> }
            if n > 0 {
                <p data-name="size" class={reader.text.cut.map(|_| "warning")}>{ spoken::size(reader.lang, n, reader.text.cut) }</p>
                <div class="document-progress">
                    <progress max={(n * heads).to_string()} value={all.to_string()} aria-label={state.clone()} />
                    <span>{ state }</span>
                    if !finished {
                        <button type="button" class="tool" {onclick} data-name="stop">{ if stopped { w.resume } else { w.stop } }</button>
                    }
                </div>
                <p class="document-note" data-name="memory">{ spoken::memory(reader.lang, reader.work.bytes.0, reader.work.bytes.1, tiles) }</p>
                if codes {
                    <p class="document-note">{ w.log_scale }{ ": " }{ end(ends.low) }{ " … " }{ end(ends.high.min(log2_of(255))) }
                        if !reader.settings.pattern.is_full() { { " · " }<i class="document-forbidden" aria-hidden="true" />{ w.forbidden } }
                    </p>
                }
            }
        </section>
    }
}
