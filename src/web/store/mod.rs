//! The store: settings in, pictures' numbers out, the address kept true.
//!
//! The only place that holds an engine. Every dispatch computes and publishes one [`Snapshot`] to its subscribers: at once
//! where the CPU computes; where a GPU does, one that waits under the last good picture, and one with the answer. Components
//! read snapshots and dispatch actions, nothing else. Hover is a signal of its own, because it changes no number.

mod computing;
mod examining;
mod listeners;
mod picture;
mod preferences;
mod publishing;
mod waiting;

pub use computing::{compute_aside, compute_chosen, wish};
pub use examining::{Examined, examine};
pub use picture::Picture;

use super::environment;
use super::gpu_client::GpuClient;
use super::history::Address;
use super::segmenter;
use crate::engine::Generation;
use crate::engine::cpu::CpuEngine;
use crate::state::settings::MAX_SENTENCE;
use crate::state::{Action, Notice, PageState, Planner, Settings, View, link, update};
use crate::text::{AddedWord, Lang};
use computing::{Follow, at_once};
use listeners::Listeners;
use preferences::Preferences;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use waiting::Job;

/// Whether a change is one step of undo, or part of a movement that will end in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// A slider is dragged, a word is being typed, a stroke is being drawn.
    Moving,
    /// The change is finished.
    Done,
    /// The change is finished and no step of undo: language and theme, which the page remembers by itself.
    InPlace,
}

/// One computed state of the page, shared by everything that draws it.
#[derive(Debug)]
pub struct Snapshot {
    /// The page's state: what was asked for, and how the page is being used.
    pub page: PageState,
    /// The page's language.
    pub lang: Lang,
    /// Whether the page is dark.
    pub dark: bool,
    /// The computed picture; the last good one where the settings can't be computed.
    pub picture: Rc<Picture>,
    /// Whether `picture` belongs to `settings`.
    pub current: bool,
    /// What there is to say about the settings.
    pub notices: Rc<[Notice]>,
    /// Milliseconds of the last computation, from the settings to its numbers.
    pub elapsed_ms: f64,
    /// Whether an engine is still computing these settings.
    pub waiting: bool,
    /// The largest difference between the GPU's weights and outputs of this picture and the CPU's, once somebody asked.
    pub difference: Option<f64>,
    /// What is pinned, with the selection of `picture`; `None` where nothing is, or it has other sizes than `picture`.
    pub pinned: Option<Rc<Picture>>,
    /// Whether it is part of a movement, of which more is on its way: what is drawn large comes first.
    pub moving: bool,
}

impl Snapshot {
    /// The settings on show.
    pub fn settings(&self) -> &Rc<Settings> {
        &self.page.b
    }
}

/// What of the selection follows the numbers after this action.
const fn follows(action: &Action) -> Follow {
    match action {
        Action::SetSentence(_) | Action::ProposeWords(_) => Follow::Row,
        Action::SetWords(_) | Action::Tokenizer(_) | Action::Weights(_) | Action::Select { key: None, .. } => {
            Follow::Key
        }
        _ => Follow::Nothing,
    }
}

/// What the pointer or the cursor rests on, (query, key); changes no number.
pub type Hover = Option<(usize, usize)>;

/// Keeps a listener subscribed until it is dropped.
pub struct Subscription {
    id: u64,
    store: Weak<Inner>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(inner) = self.store.upgrade() {
            inner.snapshots.forget(self.id);
            inner.hovers.forget(self.id);
        }
    }
}

struct Inner {
    address: Address,
    planner: RefCell<Planner>,
    engine: RefCell<CpuEngine>,
    gpu: GpuClient,
    /// What the GPU is to compute next; only the latest counts.
    job: RefCell<Option<Job>>,
    /// Whether the GPU is at work.
    busy: Cell<bool>,
    generation: Cell<Generation>,
    snapshot: RefCell<Rc<Snapshot>>,
    hover: Cell<Hover>,
    snapshots: Listeners<Rc<Snapshot>>,
    hovers: Listeners<Hover>,
    next_id: Cell<u64>,
    preferences: Cell<Preferences>,
    /// Whether the system asks for a dark page.
    system_dark: Cell<bool>,
    /// Words that came from the segmenter while typing, not from the person.
    proposed: RefCell<Vec<AddedWord>>,
    /// The picture whose pixels stand.
    painted: RefCell<Weak<Picture>>,
    /// Whether the last change was part of a movement.
    moving: Cell<bool>,
    /// What is pinned, and its picture, where it has one.
    pinned: RefCell<(Rc<str>, Option<Rc<Picture>>)>,
}

/// A handle on the store; cloning shares it.
#[derive(Clone)]
pub struct Store(Rc<Inner>);

impl PartialEq for Store {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Store {
    /// Reads the address and computes the first picture. A link that can't be computed shows the landing sentence.
    pub fn open() -> Self {
        let (settings, notices) = link::decode(&environment::fragment());
        let mut planner = Planner::default();
        let mut engine = CpuEngine::new();
        let settings = Rc::new(settings);
        let first = at_once(&mut planner, &mut engine, &settings);
        let (picture, current, mut all, elapsed_ms) = match first {
            Ok((picture, elapsed_ms)) => {
                let said = picture.plan.notices.clone();
                (picture, true, said, elapsed_ms)
            }
            Err(notices) => match at_once(&mut planner, &mut engine, &Rc::new(Settings::default())) {
                Ok((picture, elapsed_ms)) => (picture, false, notices, elapsed_ms),
                Err(_) => unreachable!("the landing sentence has tokens"),
            },
        };
        let given = notices.clone();
        all.splice(0..0, notices);
        let preferences = Preferences::remembered();
        let system_dark = environment::prefers_dark();
        let (lang, dark) = (preferences.language(&settings), preferences.darkness(&settings, system_dark));
        let page = PageState { b: Rc::clone(&settings), ..PageState::default() };
        let (waiting, difference, moving) = (false, None, false);
        let (notices, pinned) = (all.into(), None);
        let snapshot = Rc::new(Snapshot {
            page,
            lang,
            dark,
            picture,
            current,
            notices,
            elapsed_ms,
            waiting,
            difference,
            pinned,
            moving,
        });
        let store = Self(Rc::new(Inner {
            address: Address::new(false),
            planner: RefCell::new(planner),
            engine: RefCell::new(engine),
            gpu: GpuClient::new(),
            job: RefCell::default(),
            busy: Cell::new(false),
            generation: Cell::new(Generation(1)),
            snapshot: RefCell::new(snapshot),
            hover: Cell::new(None),
            snapshots: Listeners::new(),
            hovers: Listeners::new(),
            next_id: Cell::new(0),
            preferences: Cell::new(preferences),
            system_dark: Cell::new(system_dark),
            proposed: RefCell::default(),
            painted: RefCell::default(),
            moving: Cell::new(false),
            pinned: RefCell::new(("".into(), None)),
        }));
        store.show_pinned();
        // The CPU's picture stands until another engine, where one is to compute, has answered.
        store.look_for_more(given);
        store
    }

    /// The latest state.
    pub fn snapshot(&self) -> Rc<Snapshot> {
        Rc::clone(&self.0.snapshot.borrow())
    }

    /// Calls `listener` with every new snapshot.
    pub fn subscribe(&self, listener: impl Fn(Rc<Snapshot>) + 'static) -> Subscription {
        let id = self.next_id();
        self.0.snapshots.add(id, Rc::new(listener));
        Subscription { id, store: Rc::downgrade(&self.0) }
    }

    /// Calls `listener` whenever another cell is hovered.
    pub fn subscribe_hover(&self, listener: impl Fn(Hover) + 'static) -> Subscription {
        let id = self.next_id();
        self.0.hovers.add(id, Rc::new(listener));
        Subscription { id, store: Rc::downgrade(&self.0) }
    }

    /// How many listen to snapshots, and how many to hover.
    pub fn listeners(&self) -> (usize, usize) {
        (self.0.snapshots.count(), self.0.hovers.count())
    }

    /// How many handles on this store there are, this one included.
    pub fn handles(&self) -> usize {
        Rc::strong_count(&self.0)
    }

    fn next_id(&self) -> u64 {
        let id = self.0.next_id.get();
        self.0.next_id.set(id + 1);
        id
    }

    /// What is hovered now.
    pub fn hover(&self) -> Hover {
        self.0.hover.get()
    }

    /// The pointer rests on another cell, or on none.
    pub fn set_hover(&self, hover: Hover) {
        if self.0.hover.replace(hover) != hover {
            self.0.hovers.publish(&hover);
        }
    }

    /// The map was painted from this picture.
    pub fn set_painted(&self, picture: &Rc<Picture>) {
        self.0.painted.replace(Rc::downgrade(picture));
    }

    /// Whether the latest picture was painted; `None` while an engine is still computing it.
    pub fn is_painted(&self) -> Option<bool> {
        let snapshot = self.snapshot();
        let painted =
            || self.0.painted.borrow().upgrade().is_some_and(|painted| Rc::ptr_eq(&painted, &snapshot.picture));
        (!snapshot.waiting).then(painted)
    }

    /// Changes the settings, computes, publishes, and writes the address.
    pub fn dispatch(&self, action: &Action, when: When) {
        let before = self.snapshot();
        let next = update(before.settings(), action);
        self.0.preferences.set(self.0.preferences.get().choosing(action));
        self.show(Rc::new(next), follows(action), when, Vec::new());
    }

    /// Several changes as one step.
    pub fn dispatch_all(&self, actions: &[Action], when: When) {
        let mut next = (**self.snapshot().settings()).clone();
        for action in actions {
            next = update(&next, action);
            self.0.preferences.set(self.0.preferences.get().choosing(action));
        }
        self.show(Rc::new(next), actions.iter().map(follows).max().unwrap_or(Follow::Nothing), when, Vec::new());
    }

    /// Takes settings that were validated elsewhere (a link, the JavaScript API), with what there was to say about them.
    pub fn replace(&self, settings: Settings, notices: Vec<Notice>, when: When) {
        self.show(Rc::new(settings), Follow::Nothing, when, notices);
    }

    /// The browser moved in its history, or the address was edited.
    pub fn address_moved(&self) {
        let fragment = self.0.address.moved();
        if fragment == link::encode(self.snapshot().settings()) {
            return;
        }
        let (settings, notices) = link::decode(&fragment);
        self.0.moving.set(false);
        self.publish(Rc::new(settings), Follow::Nothing, None, notices);
    }

    /// The system switched between light and dark.
    pub fn scheme_changed(&self) {
        self.0.system_dark.set(environment::prefers_dark());
        self.redress();
    }

    /// Forgets what there was to say.
    pub fn dismiss(&self, notice: usize) {
        let before = self.snapshot();
        let left = before.notices.iter().enumerate().filter(|(at, _)| *at != notice).map(|(_, n)| n.clone()).collect();
        let next = Rc::new(Snapshot { notices: left, moving: false, ..copy(&before) });
        self.0.snapshot.replace(Rc::clone(&next));
        self.0.snapshots.publish(&next);
    }

    /// A person types: the sentence changes, and words that only the browser's segmenter knows are taken over.
    pub fn type_sentence(&self, text: &str, when: When) {
        let before = self.snapshot();
        if *before.settings().sentence == *text {
            if when == When::Done {
                self.commit();
            }
            return;
        }
        // What the segmenter saw in an unfinished word is forgotten; what the person said of a word stays.
        let proposed = self.0.proposed.take();
        let kept: Vec<AddedWord> =
            before.settings().words.iter().filter(|word| !proposed.contains(word)).cloned().collect();
        let fresh = segmenter::propose(text, &kept);
        self.0.proposed.replace(fresh.clone());
        let notices = if utf16_length(text) > MAX_SENTENCE {
            vec![Notice::SentenceTooLong { kept: MAX_SENTENCE, of: utf16_length(text) }]
        } else {
            Vec::new()
        };
        let mut next = (**before.settings()).clone();
        for action in [Action::SetWords(kept), Action::SetSentence(text.into()), Action::ProposeWords(fresh)] {
            next = update(&next, &action);
        }
        self.show(Rc::new(next), Follow::Row, when, notices);
    }

    /// What was in motion is finished: one step of undo.
    pub fn commit(&self) {
        self.0.address.commit(link::encode(self.snapshot().settings()));
    }

    fn show(&self, settings: Rc<Settings>, follow: Follow, when: When, notices: Vec<Notice>) {
        self.0.moving.set(when == When::Moving);
        self.publish(settings, follow, Some(when), notices);
        let fragment = link::encode(self.snapshot().settings());
        match when {
            When::Moving => self.0.address.drag(fragment),
            When::Done => self.0.address.commit(fragment),
            When::InPlace => self.0.address.commit_in_place(fragment),
        }
    }

    /// How the page is being used: changes no number and no address.
    pub fn set_view(&self, view: View) {
        let before = self.snapshot();
        let page = PageState { view, ..before.page.clone() };
        let next = Rc::new(Snapshot { page, moving: false, ..copy(&before) });
        self.0.snapshot.replace(Rc::clone(&next));
        self.0.snapshots.publish(&next);
    }
}

fn copy(snapshot: &Snapshot) -> Snapshot {
    Snapshot {
        page: snapshot.page.clone(),
        picture: Rc::clone(&snapshot.picture),
        notices: Rc::clone(&snapshot.notices),
        pinned: snapshot.pinned.clone(),
        ..*snapshot
    }
}

fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}
