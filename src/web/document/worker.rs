//! The worker's side: holds the session, works in slices, and listens between them.

use super::protocol::{Said, Tell};
use crate::engine::long::{Answer, Document, Session};
use crate::state::document::{DocumentSettings, Source};
use crate::state::document_plan::{beginning, nearest_word, source};
use crate::text::Token;
use js_sys::{Date, JsString};
use std::cell::RefCell;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

/// The longest that a question waits behind the work, in milliseconds.
const SLICE_MS: f64 = 24.0;

#[derive(Default)]
struct Work {
    /// The latest [`Tell::Open`] or [`Tell::Set`]: answers carry it.
    id: u32,
    text: String,
    tokens: Vec<Token>,
    constructed: bool,
    session: Option<Session>,
    /// A slice of work was asked for and has not come yet.
    due: bool,
    /// When it last said how far it is.
    said_ms: f64,
}

/// The least time between two words about how far it is, in milliseconds.
const CALM_MS: f64 = 150.0;

thread_local! {
    static WORK: RefCell<Work> = RefCell::default();
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn say(said: Said) {
    // Nothing that is sent here is refused: plain arrays of numbers and texts.
    let _ = scope().post_message(&said.encode());
}

/// Listens to the view until the worker is ended. Called once, in a worker.
pub fn serve() {
    let Ok(channel) = MessageChannel::new() else { return say(Said::Broken) };
    // A message to itself comes after those that wait already, and without the delay of timers.
    let (near, far) = (channel.port1(), channel.port2());
    let next_slice = move || {
        let _ = far.post_message(&JsValue::NULL);
    };
    let again = next_slice.clone();
    let slice = Closure::<dyn Fn()>::new(move || {
        if WORK.with_borrow_mut(slice) {
            again();
        }
    });
    near.set_onmessage(Some(slice.as_ref().unchecked_ref()));
    slice.forget();
    let heard = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let Some(tell) = Tell::decode(&event.data()) else { return };
        if WORK.with_borrow_mut(|work| hear(work, tell)) {
            next_slice();
        }
    });
    scope().set_onmessage(Some(heard.as_ref().unchecked_ref()));
    heard.forget();
}

/// Takes in a message. `true` when a slice of work is to follow.
fn hear(work: &mut Work, tell: Tell) -> bool {
    match tell {
        Tell::Open { id, text, settings } => open(work, id, Some(&text), &settings),
        Tell::Set { id, settings, anew: true } => open(work, id, None, &settings),
        Tell::Set { id, settings, anew: false } => {
            work.id = id;
            if let (Some(session), Some(settings)) = (&mut work.session, DocumentSettings::decode(&settings)) {
                session.ask(crate::engine::long::Ask::Head(settings.head - 1));
                let (temperature, pattern) = (narrow(settings.temperature), settings.pattern);
                session.ask(crate::engine::long::Ask::Problem { temperature, pattern });
            }
        }
        Tell::Ask(ask) => {
            if let Some(answer) = work.session.as_mut().and_then(|session| session.ask(ask)) {
                answered(work, answer);
            }
        }
    }
    let busy = work.session.as_ref().is_some_and(Session::is_busy);
    progress(work);
    let ask = busy && !work.due;
    work.due |= busy;
    ask
}

#[expect(clippy::cast_possible_truncation, reason = "a temperature between 0.05 and 20")]
const fn narrow(temperature: f64) -> f32 {
    temperature as f32
}

fn open(work: &mut Work, id: u32, text: Option<&JsString>, settings: &str) {
    let Some(settings) = DocumentSettings::decode(settings) else { return };
    work.id = id;
    work.session = None;
    let cut_by_page = text.is_some_and(|text| text.length() > MOST_READ);
    if let Some(text) = text {
        work.text = text.slice(0, MOST_READ).into();
    }
    let start = beginning(&work.text, settings.tokenizer);
    work.tokens = start.tokens;
    work.constructed = settings.source == Source::Constructed;
    let mut numbers = BTreeMap::new();
    let number = |token: &Token| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(token.identity).or_insert(next)
    };
    let words = work.tokens.iter().map(number).collect();
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let spans = work.tokens.iter().flat_map(|token| [place(token.span.start), place(token.span.end)]).collect();
    let kept = work.text.get(..start.bytes).unwrap_or_default().to_owned();
    say(Said::Opened { id, kept, cut: start.cut || cut_by_page, spans, words });
    let (source, scale) = source(&settings, &work.tokens);
    let document = Document::new(source, scale, narrow(settings.temperature), settings.pattern);
    work.session = document.map(|document| Session::new(document, settings.head - 1));
}

/// The most UTF-16 units of a text that are looked at: no text of words needs more for the tokens that are kept.
const MOST_READ: u32 = 4_000_000;

fn answered(work: &Work, answer: Answer) {
    let nearest = match &answer {
        Answer::Row { output, .. } if work.constructed => nearest_word(&work.tokens, output),
        _ => None,
    };
    say(Said::Answer { id: work.id, answer, nearest });
}

fn progress(work: &Work) {
    let Some(session) = &work.session else { return };
    let rows = |head: usize| u32::try_from(session.rows_done(head)).unwrap_or(u32::MAX);
    say(Said::Progress {
        id: work.id,
        done: (0..session.document().weights.heads).map(rows).collect(),
        busy: session.is_busy(),
        engine: session.bytes(),
        reserved: core::arch::wasm32::memory_size(0) * 65_536,
    });
}

/// One slice of work. `true` when another is to follow.
fn slice(work: &mut Work) -> bool {
    work.due = false;
    let Some(mut session) = work.session.take() else { return false };
    let end = Date::now() + SLICE_MS;
    while session.is_busy() && Date::now() < end {
        if let Some(answer) = session.work(|| Date::now() < end) {
            answered(work, answer);
        }
    }
    work.due = session.is_busy();
    work.session = Some(session);
    if !work.due || Date::now() - work.said_ms >= CALM_MS {
        progress(work);
        work.said_ms = Date::now();
    }
    work.due
}
