//! What of a document is computed next: the head that a person looks at first, what is asked for in between, the rest after.
//!
//! Owns the order of the work and what is kept. Has no clock and no thread: who drives it says when to pause, asks in
//! between, and hands its answers on.

use super::{Cell, Document, Head, Overflow, ROWS_AT_ONCE, Scratch, TileData};
use crate::attention::Pattern;
use crate::tensor::pyramid::{Pyramid, Tile};
use attention_kernel::Summary;
use std::ops::Range;

/// Heads whose queries and keys are held: that on show and that computed behind it.
const HEADS_HELD: usize = 2;

/// What may be asked of a session at any moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// This head is on show, from 0; tiles and rows are of it.
    Head(usize),
    /// These tiles are in sight, the most wanted first; others are not wanted any more.
    Tiles(Vec<Tile>),
    /// Another temperature or mask: everything is computed anew.
    Problem {
        /// Above 0.
        temperature: f32,
        /// Who may attend to whom.
        pattern: Pattern,
    },
    /// All weights of a row.
    Row(usize),
    /// What one cell of a level stands for.
    Cell {
        /// The level.
        level: u8,
        /// Row and column of the cell.
        at: (usize, usize),
    },
    /// No further work until [`Ask::Resume`]; what is computed stays.
    Stop,
    /// Further work.
    Resume,
}

/// What a session hands out.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Rows of cells of a head's whole map, as bytes.
    Overview {
        /// Which head.
        head: usize,
        /// Which rows of cells.
        rows: Range<usize>,
        /// Means.
        mean: Vec<u8>,
        /// Maxima.
        max: Vec<u8>,
    },
    /// A tile of the head on show, as bytes.
    Tile {
        /// Which head.
        head: usize,
        /// Which tile.
        tile: Tile,
        /// Means.
        mean: Vec<u8>,
        /// Maxima.
        max: Vec<u8>,
    },
    /// A row of the head on show.
    Row {
        /// Which head.
        head: usize,
        /// Which query.
        query: usize,
        /// All its weights, `[n]`.
        weights: Vec<f32>,
        /// Entropy in nats.
        entropy: f32,
        /// What it carries away, `[d_v]`.
        output: Vec<f32>,
    },
    /// A cell of the head on show.
    Cell {
        /// Which head.
        head: usize,
        /// Its level.
        level: u8,
        /// Its row and column.
        at: (usize, usize),
        /// What it stands for.
        cell: Cell,
    },
    /// A head whose products overflow can't be computed.
    Failed {
        /// Which head.
        head: usize,
    },
}

#[derive(Debug)]
enum Progress {
    Rows(Box<(Vec<Summary>, TileData)>),
    Failed,
}

/// The work on one document.
#[derive(Debug)]
pub struct Session {
    document: Document,
    shown: usize,
    heads: Vec<Option<Progress>>,
    held: Vec<Head>,
    wanted: Vec<Tile>,
    making: Option<TileData>,
    stopped: bool,
    scratch: Scratch,
}

impl Session {
    /// Begins with the map of head `shown`, from 0.
    #[must_use]
    pub fn new(document: Document, shown: usize) -> Self {
        let heads = document.weights.heads;
        Self {
            shown: shown.min(heads.saturating_sub(1)),
            heads: (0..heads).map(|_| None).collect(),
            held: Vec::new(),
            wanted: Vec::new(),
            making: None,
            stopped: false,
            scratch: Scratch::new(document.len()),
            document,
        }
    }

    /// The document.
    #[must_use]
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Rows computed of a head, of n.
    #[must_use]
    pub fn rows_done(&self, head: usize) -> usize {
        match self.heads.get(head) {
            Some(Some(Progress::Rows(rows))) => rows.0.len(),
            _ => 0,
        }
    }

    /// Bytes held for this document: x, weights, q and k, statistics, maps and scratch.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let w = &self.document.weights;
        let floats = self.document.x.len() + w.w_q.len() + w.w_k.len() + w.w_v.len() + w.w_o.len();
        let maps = self.heads.iter().flatten().map(|progress| match progress {
            Progress::Rows(rows) => rows.0.len() * size_of::<Summary>() + 8 * rows.1.mean.len(),
            Progress::Failed => 0,
        });
        let tile = self.making.as_ref().map_or(0, |tile| 8 * tile.mean.len());
        4 * floats
            + maps.sum::<usize>()
            + tile
            + self.held.iter().map(Head::bytes).sum::<usize>()
            + self.scratch.bytes()
    }

    /// Takes in a question. Rows and cells are answered at once, from scratch where need be: they wait for no map.
    pub fn ask(&mut self, ask: Ask) -> Option<Answer> {
        match ask {
            Ask::Head(head) => {
                if head < self.heads.len() && head != self.shown {
                    self.shown = head;
                    self.making = None;
                    self.wanted.clear();
                }
                None
            }
            Ask::Tiles(tiles) => {
                if self.making.as_ref().is_some_and(|made| !tiles.contains(&made.tile)) {
                    self.making = None;
                }
                self.wanted = tiles;
                None
            }
            Ask::Problem { temperature, pattern } => {
                self.document.temperature = temperature;
                self.document.pattern = pattern;
                self.heads.iter_mut().for_each(|head| *head = None);
                self.making = None;
                self.stopped = false;
                None
            }
            Ask::Row(query) => Some(self.row(query)),
            Ask::Cell { level, at } => self.cell(level, at),
            Ask::Stop => {
                self.stopped = true;
                None
            }
            Ask::Resume => {
                self.stopped = false;
                None
            }
        }
    }

    /// Works while `go_on` says so, and returns what came of it; nothing when there is nothing left to do.
    pub fn work(&mut self, mut go_on: impl FnMut() -> bool) -> Option<Answer> {
        while let Some(head) = self.next_head() {
            if let Some(answer) = self.step(head, &mut go_on) {
                return Some(answer);
            }
            if !go_on() {
                break;
            }
        }
        None
    }

    /// Whether there is work that nobody stopped.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.next_head().is_some()
    }

    /// The head to work on: that on show until its map and its tiles are made, then the next without a map.
    fn next_head(&self) -> Option<usize> {
        if self.stopped || self.document.is_empty() {
            return None;
        }
        let unfinished = |head: &usize| match &self.heads[*head] {
            None => true,
            Some(Progress::Rows(rows)) => rows.0.len() < self.document.len(),
            Some(Progress::Failed) => false,
        };
        let failed = matches!(self.heads.get(self.shown), Some(Some(Progress::Failed)));
        let tiles = !failed && (self.making.is_some() || !self.wanted.is_empty());
        if unfinished(&self.shown) || tiles {
            return Some(self.shown);
        }
        (0..self.heads.len()).find(unfinished)
    }

    fn step(&mut self, head: usize, go_on: &mut impl FnMut() -> bool) -> Option<Answer> {
        if self.rows_done(head) < self.document.len() {
            return self.overview(head, go_on);
        }
        if self.making.is_none() {
            let tile = (!self.wanted.is_empty()).then(|| self.wanted.remove(0))?;
            self.making = TileData::new(self.pyramid(), tile);
        }
        let mut making = self.making.take()?;
        let at = self.hold(head);
        let Some(Some(Progress::Rows(rows))) = self.heads.get(head) else { return None };
        loop {
            if making.advance(&self.document, &self.held[at], &rows.0, &mut self.scratch) {
                let (mean, max) = making.codes(0..making.area.rows);
                return Some(Answer::Tile { head, tile: making.tile, mean, max });
            }
            if !go_on() {
                self.making = Some(making);
                return None;
            }
        }
    }

    /// The next rows of a head: statistics and map in one pass.
    fn overview(&mut self, head: usize, go_on: &mut impl FnMut() -> bool) -> Option<Answer> {
        let n = self.document.len();
        let at = self.hold(head);
        if self.heads[head].is_none() {
            let map = TileData::new(self.pyramid(), self.pyramid().whole())?;
            self.heads[head] = Some(Progress::Rows(Box::new((Vec::with_capacity(n), map))));
        }
        let Some(Some(Progress::Rows(rows))) = self.heads.get_mut(head) else { return None };
        let (summaries, map) = &mut **rows;
        while summaries.len() < n {
            let first = summaries.len();
            let mut of_band = [Summary::EMPTY; ROWS_AT_ONCE];
            let of_band = &mut of_band[..ROWS_AT_ONCE.min(n - first)];
            let receive = |query, start, weights: &[f32]| map.add(query, start, weights);
            if let Err(Overflow) = self.held[at].rows(&self.document, first, of_band, &mut self.scratch, receive) {
                self.heads[head] = Some(Progress::Failed);
                return Some(Answer::Failed { head });
            }
            summaries.extend_from_slice(of_band);
            if !go_on() {
                break;
            }
        }
        let done = map.settle();
        if done.is_empty() {
            return None;
        }
        let (mean, max) = map.codes(done.clone());
        Some(Answer::Overview { head, rows: done, mean, max })
    }

    fn row(&mut self, query: usize) -> Answer {
        let head = self.shown;
        if query >= self.document.len() {
            return Answer::Failed { head };
        }
        let at = self.hold(head);
        match self.held[at].row(&self.document, query, &mut self.scratch) {
            Ok((weights, summary)) => {
                let output = self.held[at].output(&self.document, &weights);
                Answer::Row { head, query, weights, entropy: summary.entropy, output }
            }
            Err(Overflow) => Answer::Failed { head },
        }
    }

    fn cell(&mut self, level: u8, at: (usize, usize)) -> Option<Answer> {
        let (head, pyramid) = (self.shown, self.pyramid());
        let cells = pyramid.cells(level);
        if level > pyramid.top() || at.0 >= cells || at.1 >= cells {
            return None;
        }
        let held = self.hold(head);
        match self.held[held].cell(&self.document, level, at, &mut self.scratch) {
            Ok(cell) => Some(Answer::Cell { head, level, at, cell }),
            Err(Overflow) => Some(Answer::Failed { head }),
        }
    }

    fn pyramid(&self) -> Pyramid {
        Pyramid { places: self.document.len() }
    }

    /// Where this head's queries and keys are held; projects it, in place of one that is not on show, where need be.
    fn hold(&mut self, head: usize) -> usize {
        if let Some(at) = self.held.iter().position(|held| held.index == head) {
            return at;
        }
        if self.held.len() >= HEADS_HELD {
            let shown = self.shown;
            self.held.retain(|held| held.index == shown);
        }
        self.held.push(Head::new(&self.document, head));
        self.held.len() - 1
    }
}
