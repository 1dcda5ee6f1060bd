//! The view's one component: what it holds, what may happen to it, and how its parts stand.

use super::client::Client;
use super::paint::Surfaces;
use super::protocol::Said;
use super::{panel, parts};
use crate::attention::document::{ROLES, Role};
use crate::engine::long::Strongest;
use crate::locale::document::{DocumentWords, document_words};
use crate::picture::Theme;
use crate::picture::viewport::Viewport;
use crate::state::document::{DocumentSettings, Source};
use crate::tensor::pyramid::{Pyramid, Tile};
use crate::text::Lang;
use crate::web::environment;
use gloo::events::EventListener;
use std::cell::RefCell;
use yew::prelude::*;

/// Properties of [`Reader`].
#[derive(Properties, PartialEq)]
pub struct ReaderProps {
    /// The folder of the module's files, with a slash.
    pub base: String,
    /// The worker's script.
    pub worker: String,
    /// A text of the person's own to begin with.
    pub text: Option<String>,
}

/// What may happen.
pub enum Msg {
    /// The address changed.
    AddressMoved,
    /// The page's language or theme changed.
    Dressed,
    /// The window changed its size.
    Resized,
    /// A text of the person's own.
    Given(String),
    /// A bundled text is to be read.
    Named(&'static str),
    /// A bundled text came, or did not.
    Loaded(String, Option<String>),
    /// The worker spoke.
    Said(Said),
    /// Other settings.
    Set(Box<DocumentSettings>),
    /// Another window on the map.
    Look(Viewport),
    /// The pointer is over these pixels of the map, or over none.
    Over(Option<(f64, f64)>),
    /// A cell is chosen.
    Choose(usize, usize),
    /// Stop or go on.
    Work(bool),
    /// Copy the link; and whether that went well.
    Copy,
    Copied(bool),
    /// Back to the page.
    Leave,
}

/// The text on show, as far as it is computed.
#[derive(Default)]
pub struct Text {
    /// The text that the tokens stand in.
    pub kept: String,
    /// Start and end of each token in bytes.
    pub spans: Vec<u32>,
    /// The number of each token's word.
    pub words: Vec<u32>,
    /// Characters kept and in all, where something was left out.
    pub cut: Option<(usize, usize)>,
}

impl Text {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The spelling of a token; empty where there is none.
    pub fn word(&self, at: usize) -> &str {
        let span = |at: usize| self.spans.get(at).and_then(|&at| usize::try_from(at).ok());
        let range = span(2 * at).zip(span(2 * at + 1));
        range.and_then(|(start, end)| self.kept.get(start..end)).unwrap_or_default()
    }

    /// What stands before, at and after a token: at most `most` tokens on either side.
    pub fn around(&self, at: usize, most: usize) -> (&str, &str, &str) {
        let start = |at: usize| self.spans.get(2 * at).map_or(self.kept.len(), |&at| at as usize);
        let end = |at: usize| self.spans.get(2 * at + 1).map_or(self.kept.len(), |&at| at as usize);
        let last = self.len().saturating_sub(1);
        let (from, to) = (start(at.saturating_sub(most)), end((at + most).min(last)));
        let part = |from: usize, to: usize| self.kept.get(from..to).unwrap_or_default();
        (part(from, start(at)), part(start(at), end(at)), part(end(at), to))
    }

    /// How often the word of a token stands in the text.
    pub fn count(&self, at: usize) -> usize {
        self.words.get(at).map_or(0, |word| self.words.iter().filter(|other| *other == word).count())
    }
}

/// The whole map of one head, as far as it is computed.
#[derive(Default, Clone)]
pub struct Map {
    /// Rows of cells that are there.
    pub rows: usize,
    /// Means, then maxima, as codes.
    pub codes: [Vec<u8>; 2],
    /// The head can't be computed.
    pub failed: bool,
}

/// A tile that came.
pub struct HeldTile {
    /// Of which head.
    pub head: usize,
    /// Which.
    pub tile: Tile,
    /// Means, then maxima, as codes.
    pub codes: [Vec<u8>; 2],
}

/// A row that was read out.
pub struct RowRead {
    /// The query.
    pub query: usize,
    /// Its largest weights.
    pub strongest: Vec<Strongest>,
    /// Entropy in nats.
    pub entropy: f32,
    /// The token that its output is nearest to.
    pub nearest: Option<(usize, f32)>,
}

/// A cell of the map: level, row and column.
pub type Place = (u8, (usize, usize));

/// A cell that was read out.
#[derive(Clone, Copy)]
pub struct CellRead {
    /// Which cell.
    pub place: Place,
    /// Mean, maximum and the maximum's query and key.
    pub cell: crate::engine::long::Cell,
}

/// How far the work is.
#[derive(Default)]
pub struct Work {
    /// When it began, in milliseconds of the page's clock.
    pub started_ms: f64,
    /// Rows done of each head.
    pub done: Vec<u32>,
    /// Whether something is under way.
    pub busy: bool,
    /// A person stopped it.
    pub stopped: bool,
    /// Bytes in use and reserved.
    pub bytes: (usize, usize),
}

/// What there is to say instead of, or above, the map.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Loading,
    NotLoaded,
    Nothing,
    UnknownName,
    Broken,
}

/// The view.
pub struct Reader {
    pub base: String,
    pub open: bool,
    pub settings: DocumentSettings,
    pub lang: Lang,
    pub theme: Theme,
    pub client: Option<Client>,
    /// The latest that was told to the worker; answers to earlier ones are not drawn.
    pub id: u32,
    pub text: Text,
    /// Characters of the text that was given.
    pub given: usize,
    pub maps: Vec<Map>,
    pub tiles: Vec<HeldTile>,
    pub asked: Vec<Tile>,
    pub view: Viewport,
    pub over: Option<(usize, usize)>,
    pub cell: Option<CellRead>,
    /// The cell that was asked for, and the one to ask for after it.
    pub asking: (bool, Option<Place>),
    pub row: Option<RowRead>,
    pub work: Work,
    pub trouble: Option<Trouble>,
    pub said: &'static str,
    pub surfaces: RefCell<Surfaces>,
    pub canvas: NodeRef,
    pub small: NodeRef,
    pub frame: NodeRef,
    pub thumbs: Vec<NodeRef>,
    pub file: NodeRef,
    pub pointers: RefCell<parts::Pointers>,
    _listeners: Vec<EventListener>,
    _observer: Option<parts::Watcher>,
}

impl Reader {
    /// The texts of its language.
    pub const fn words(&self) -> &'static DocumentWords {
        document_words(self.lang)
    }

    /// The head on show, from 0.
    pub const fn head(&self) -> usize {
        self.settings.head - 1
    }

    /// What a constructed head does.
    pub fn role(&self, head: usize) -> Option<Role> {
        (self.settings.source == Source::Constructed).then(|| ROLES.get(head).copied()).flatten()
    }

    /// The levels of the map.
    pub fn pyramid(&self) -> Pyramid {
        Pyramid { places: self.text.len() }
    }
}

impl Component for Reader {
    type Message = Msg;
    type Properties = ReaderProps;

    fn create(ctx: &Context<Self>) -> Self {
        let link = ctx.link();
        let mut listeners = Vec::new();
        if let Some(window) = environment::window() {
            let on = |name: &'static str, message: fn() -> Msg| {
                let link = link.clone();
                EventListener::new(&window, name, move |_| link.send_message(message()))
            };
            listeners.push(on("resize", || Msg::Resized));
            listeners.push(on("hashchange", || Msg::AddressMoved));
            listeners.push(on("popstate", || Msg::AddressMoved));
        }
        let (lang, theme) = parts::dress();
        let mut reader = Self {
            base: ctx.props().base.clone(),
            open: true,
            settings: DocumentSettings::default(),
            lang,
            theme,
            client: None,
            id: 0,
            text: Text::default(),
            given: 0,
            maps: Vec::new(),
            tiles: Vec::new(),
            asked: Vec::new(),
            view: Viewport::whole(0, 480.0),
            over: None,
            cell: None,
            asking: (false, None),
            row: None,
            work: Work::default(),
            trouble: Some(Trouble::Loading),
            said: "",
            surfaces: RefCell::default(),
            canvas: NodeRef::default(),
            small: NodeRef::default(),
            frame: NodeRef::default(),
            thumbs: (0..16).map(|_| NodeRef::default()).collect(),
            file: NodeRef::default(),
            pointers: RefCell::default(),
            _listeners: listeners,
            _observer: parts::watch_dress(link.callback(|()| Msg::Dressed)),
        };
        match ctx.props().text.clone() {
            Some(text) => reader.take_text(ctx, text),
            None => reader.follow_address(ctx),
        }
        reader
    }

    fn update(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        self.happen(ctx, message)
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        if !self.open {
            return Html::default();
        }
        html! {
            <main class="document" aria-label={self.words().title}>
                { panel::head_line(self, ctx) }
                { panel::controls(self, ctx) }
                <div class="document-body">
                    <div class="document-map">{ parts::map(self, ctx) }</div>
                    <aside class="document-side">
                        { parts::heads(self, ctx) }
                        { panel::read_out(self, ctx) }
                        { panel::why(self) }
                        { panel::work(self, ctx) }
                    </aside>
                </div>
            </main>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, first: bool) {
        if first && self.measure() {
            self.ask_tiles();
        }
        self.paint();
    }
}
