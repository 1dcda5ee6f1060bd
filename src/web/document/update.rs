//! What happens to the view: texts come, settings change, the worker answers.

use super::client::Client;
use super::protocol::{Said, Tell};
use super::reader::{CellRead, HeldTile, Map, Msg, Reader, RowRead, Text, Trouble, Work};
use super::{parts, set_page_aside};
use crate::engine::long::{Answer, Ask, strongest};
use crate::picture::viewport::Viewport;
use crate::state::document::{DocumentSettings, NAMES};
use crate::tensor::pyramid::Pyramid;
use crate::text::Lang;
use crate::web::{environment, tasks};
use yew::prelude::*;

/// Tiles that are kept besides those in sight.
const TILES_KEPT: usize = 40;
/// Keys of a row that are read out.
const STRONGEST: usize = 8;

impl Reader {
    /// Takes in a message; whether the view is drawn again.
    pub fn happen(&mut self, ctx: &Context<Self>, message: Msg) -> bool {
        match message {
            Msg::AddressMoved => self.follow_address(ctx),
            Msg::Dressed => {
                (self.lang, self.theme) = parts::dress();
                // The page wrote its own address when it changed its language: what it says of language and theme stays.
                if self.open {
                    self.settings.kept = parts::kept_keys();
                    self.write_address();
                }
            }
            Msg::Resized => {
                self.measure();
                self.ask_tiles();
            }
            Msg::Given(text) => self.take_text(ctx, text),
            Msg::Named(name) => {
                let settings =
                    DocumentSettings { name: name.to_owned(), cell: None, view: None, ..self.settings.clone() };
                self.settings = settings;
                self.load(ctx);
                self.write_address();
            }
            Msg::Loaded(name, text) => {
                // A text that was asked for earlier than another one comes too late.
                if name != self.settings.name || !self.open {
                    return false;
                }
                match text {
                    Some(text) => self.begin(ctx, text),
                    None => self.trouble = Some(Trouble::NotLoaded),
                }
            }
            Msg::Said(said) => return self.hear(said),
            Msg::Set(settings) => {
                self.set(*settings);
                self.write_address();
            }
            Msg::Look(view) => {
                if view == self.view {
                    return false;
                }
                self.view = view;
                let whole = view.span >= Viewport::whole(view.places, 1.0).span;
                let rounded = |x: f64| parts::whole_number(x.round());
                self.settings.view = (!whole).then(|| [view.left, view.top, view.span].map(rounded));
                self.ask_tiles();
                self.write_address();
            }
            Msg::Over(at) => {
                let over = at.and_then(|(x, y)| self.view.hit(x, y));
                if over == self.over {
                    return false;
                }
                self.over = over;
                self.ask_cell();
            }
            Msg::Choose(query, key) => {
                let last = self.text.len().saturating_sub(1);
                let (query, key) = (query.min(last), key.min(last));
                let same_row = self.row.as_ref().is_some_and(|row| row.query == query);
                self.settings.cell = Some((query, key));
                self.view = self.view.showing(query, key);
                if !same_row {
                    self.ask(Ask::Row(query));
                }
                self.ask_tiles();
                self.ask_cell();
                self.write_address();
            }
            Msg::Work(go_on) => {
                self.work.stopped = !go_on;
                self.work.started_ms = environment::now_ms();
                self.ask(if go_on { Ask::Resume } else { Ask::Stop });
            }
            Msg::Copy => {
                let address = format!("{}#{}", environment::address(), self.settings.encode());
                let link = ctx.link().clone();
                tasks::spawn(async move { link.send_message(Msg::Copied(environment::copy_text(&address).await)) });
                return false;
            }
            Msg::Copied(well) => self.said = if well { self.words().copied } else { self.words().copy_failed },
            Msg::Leave => {
                self.leave();
            }
        }
        true
    }

    /// Does what the address asks for, or closes when it asks for no long text.
    pub fn follow_address(&mut self, ctx: &Context<Self>) {
        let Some(settings) = DocumentSettings::decode(&environment::fragment()) else { return self.close() };
        let same_text = self.open && self.text.len() > 0 && settings.name == self.settings.name;
        self.show();
        if same_text {
            if settings != self.settings {
                self.set(settings);
            }
            return;
        }
        let unknown = !settings.is_known();
        self.settings = settings;
        if unknown || self.settings.name.is_empty() {
            self.settings.name = NAMES[usize::from(self.lang == Lang::En)].to_owned();
            self.write_address();
        }
        self.load(ctx);
        if unknown {
            self.trouble = Some(Trouble::UnknownName);
        }
    }

    /// A text of the person's own takes the place of what is on show.
    pub fn take_text(&mut self, ctx: &Context<Self>, text: String) {
        let was_aside = !self.open || !environment::fragment().split('&').any(|pair| pair.starts_with("doc="));
        self.show();
        self.settings = DocumentSettings { name: String::new(), cell: None, view: None, ..self.settings.clone() };
        self.settings.kept = parts::kept_keys();
        if was_aside {
            // One step of the browser's own *back* leads to the page again.
            parts::write_address(&self.settings.encode(), false);
        } else {
            self.write_address();
        }
        self.begin(ctx, text);
    }

    fn show(&mut self) {
        self.open = true;
        set_page_aside(true);
    }

    fn close(&mut self) {
        self.open = false;
        self.client = None;
        self.forget();
        self.text = Text::default();
        set_page_aside(false);
    }

    fn leave(&mut self) {
        let kept = DocumentSettings { kept: self.settings.kept.clone(), ..DocumentSettings::default() }.encode();
        let rest = kept.split_once('&').map_or("", |(_, rest)| rest).to_owned();
        self.close();
        parts::leave(&rest);
    }

    /// Loads the bundled text of the settings.
    fn load(&mut self, ctx: &Context<Self>) {
        self.id += 1;
        self.forget();
        self.text = Text::default();
        self.trouble = Some(Trouble::Loading);
        self.ask(Ask::Stop);
        let (link, name) = (ctx.link().clone(), self.settings.name.clone());
        let url = format!("{}{name}.txt", self.base);
        tasks::spawn(async move {
            let text = parts::fetch_text(&url).await;
            link.send_message(Msg::Loaded(name, text));
        });
    }

    /// Sends a text to the worker.
    fn begin(&mut self, ctx: &Context<Self>, text: String) {
        if self.client.is_none() {
            self.client = Client::start(&ctx.props().worker, &ctx.link().callback(Msg::Said));
        }
        self.id += 1;
        self.forget();
        self.text = Text::default();
        self.given = text.chars().count();
        if self.trouble != Some(Trouble::UnknownName) {
            self.trouble = Some(Trouble::Loading);
        }
        let open = Tell::Open { id: self.id, text: text.into(), settings: self.told() };
        match &self.client {
            Some(client) => client.tell(open),
            None => self.trouble = Some(Trouble::Broken),
        }
    }

    /// The settings for the worker: those of a link.
    fn told(&self) -> String {
        self.settings.encode()
    }

    fn tell(&self, tell: Tell) {
        if let Some(client) = &self.client {
            client.tell(tell);
        }
    }

    fn ask(&self, ask: Ask) {
        self.tell(Tell::Ask(ask));
    }

    /// Nothing of earlier settings is on show any more.
    fn forget(&mut self) {
        self.maps = vec![Map::default(); self.settings.head_count()];
        self.tiles.clear();
        self.asked.clear();
        self.surfaces.borrow_mut().clear();
        (self.row, self.cell, self.asking) = (None, None, (false, None));
        self.said = "";
        self.work = Work { started_ms: environment::now_ms(), bytes: self.work.bytes, ..Work::default() };
    }

    /// Other settings of the same text.
    fn set(&mut self, settings: DocumentSettings) {
        let before = std::mem::replace(&mut self.settings, settings);
        let now = &self.settings;
        let weights = |s: &DocumentSettings| (s.tokenizer, s.source, s.heads, s.d_k, s.seed);
        let problem = |s: &DocumentSettings| (s.temperature, s.pattern);
        if weights(now) != weights(&before) {
            self.settings.head = self.settings.head.min(self.settings.head_count());
            self.tell_set(true);
        } else if problem(now) != problem(&before) {
            self.tell_set(false);
        } else if now.head != before.head {
            self.ask(Ask::Head(self.head()));
            (self.row, self.cell, self.asking) = (None, None, (false, None));
            self.asked.clear();
        }
        if self.settings.view != before.view {
            self.view = self.view_of_settings();
        }
        self.ask_tiles();
        self.ask_row_and_cell();
    }

    fn tell_set(&mut self, anew: bool) {
        self.id += 1;
        self.forget();
        self.tell(Tell::Set { id: self.id, settings: self.told(), anew });
    }

    fn ask_row_and_cell(&mut self) {
        if let Some((query, _)) = self.settings.cell {
            self.ask(Ask::Row(query));
            self.ask_cell();
        }
    }

    fn view_of_settings(&self) -> Viewport {
        let whole = Viewport::whole(self.text.len(), self.view.side_px);
        #[expect(clippy::cast_precision_loss, reason = "tokens are few")]
        let view = self.settings.view.map(|[left, top, span]| {
            Viewport { left: left as f64, top: top as f64, span: span as f64, ..whole }.inside()
        });
        view.unwrap_or(whole)
    }

    /// Asks for the tiles in sight that are not there, when they are others than those asked for last.
    pub fn ask_tiles(&mut self) {
        let level = self.view.level(environment::pixel_ratio());
        let head = self.head();
        let mut tiles = if level < self.pyramid().top() { self.view.tiles(level) } else { Vec::new() };
        tiles.retain(|tile| !self.tiles.iter().any(|held| held.head == head && held.tile == *tile));
        if tiles != self.asked {
            self.ask(Ask::Tiles(tiles.clone()));
            self.asked = tiles;
        }
    }

    /// Asks for the cell under the pointer, or else the chosen one; one question at a time, the latest next.
    pub fn ask_cell(&mut self) {
        let Some((query, key)) = self.over.or(self.settings.cell).filter(|_| self.text.len() > 0) else {
            self.cell = None;
            return;
        };
        let level = self.view.level(environment::pixel_ratio()).min(self.pyramid().top());
        let side = Pyramid::cell_side(level);
        let place = (level, (query / side, key / side));
        if self.asking.0 {
            self.asking.1 = Some(place);
        } else if self.cell.is_none_or(|cell| cell.place != place) {
            self.asking = (true, None);
            self.ask(Ask::Cell { level, at: place.1 });
        }
    }

    fn hear(&mut self, said: Said) -> bool {
        match said {
            Said::Broken => {
                self.client = None;
                self.trouble = Some(Trouble::Broken);
            }
            Said::Opened { id, kept, cut, spans, words } if id == self.id => {
                let cut = cut.then(|| (kept.chars().count(), self.given));
                self.text = Text { kept, spans, words, cut };
                let trouble = self.trouble.filter(|trouble| *trouble == Trouble::UnknownName);
                self.trouble = if self.text.len() == 0 { Some(Trouble::Nothing) } else { trouble };
                let last = self.text.len().saturating_sub(1);
                self.settings.cell = self.settings.cell.map(|(query, key)| (query.min(last), key.min(last)));
                self.work.started_ms = environment::now_ms();
                self.measure();
                self.view = self.view_of_settings();
                self.ask_tiles();
                self.ask_row_and_cell();
            }
            Said::Progress { id, done, busy, engine, reserved } if id == self.id => {
                self.work.done = done;
                self.work.busy = busy;
                self.work.bytes = (engine, reserved);
            }
            Said::Answer { id, answer, nearest } if id == self.id => return self.take(answer, nearest),
            _ => return false,
        }
        true
    }

    /// Takes in an answer; whether the view is drawn again.
    fn take(&mut self, answer: Answer, nearest: Option<(usize, f32)>) -> bool {
        match answer {
            Answer::Overview { head, rows, mean, max } => {
                if let Some(map) = self.maps.get_mut(head)
                    && map.rows == rows.start
                {
                    map.rows = rows.end;
                    map.codes[0].extend(mean);
                    map.codes[1].extend(max);
                    let pyramid = Pyramid { places: self.text.len() };
                    let complete = map.rows == pyramid.cells(pyramid.top());
                    return self.surfaces.borrow_mut().changed(head, complete);
                }
                return false;
            }
            Answer::Tile { head, tile, mean, max } => {
                self.asked.retain(|other| *other != tile);
                self.tiles.push(HeldTile { head, tile, codes: [mean, max] });
                let over = self.tiles.len().saturating_sub(TILES_KEPT);
                for old in self.tiles.drain(..over) {
                    self.surfaces.borrow_mut().drop_tile(old.head, old.tile);
                }
            }
            Answer::Row { head, query, weights, entropy, .. } => {
                let wanted = self.settings.cell.is_some_and(|(chosen, _)| chosen == query);
                if head == self.head() && wanted {
                    let strongest = strongest(&weights, STRONGEST);
                    self.row = Some(RowRead { query, strongest, entropy, nearest });
                }
            }
            Answer::Cell { head, level, at, cell } => {
                let next = self.asking.1.take();
                self.asking.0 = false;
                if head == self.head() {
                    self.cell = Some(CellRead { place: (level, at), cell });
                }
                if next.is_some() || head != self.head() {
                    self.ask_cell();
                }
            }
            Answer::Failed { head } => {
                self.asking = (false, None);
                if let Some(map) = self.maps.get_mut(head) {
                    map.failed = true;
                }
            }
        }
        true
    }

    /// The address follows after a moment.
    fn write_address(&self) {
        let fragment = self.settings.encode();
        parts::write_address_soon(&fragment);
    }

    /// Fits the map into its place; whether its size changed.
    pub fn measure(&mut self) -> bool {
        let side = parts::side_of(&self.frame);
        let changed = (side - self.view.side_px).abs() > 0.5;
        if changed {
            self.view.side_px = side;
        }
        changed
    }
}
