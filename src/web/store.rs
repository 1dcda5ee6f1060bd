//! The store: settings in, pictures' numbers out, the address kept true.
//!
//! The only place that holds an engine. Every dispatch computes at once and publishes one [`Snapshot`] to its
//! subscribers; components read snapshots and dispatch actions, nothing else. Hover is a signal of its own, because it
//! changes no number.

use super::environment;
use super::history::Address;
use super::segmenter;
use crate::attention::toy::Role;
use crate::attention::{Problem, Stage, Trace};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, Generation, Want};
use crate::insight::selection::strongest_key;
use crate::state::settings::MAX_SENTENCE;
use crate::state::{Action, Notice, PageState, Plan, Planner, Settings, Theme, View, link, role_of_head, update};
use crate::text::{AddedWord, Lang, Token};
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

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
    /// Main-thread milliseconds of the last computation.
    pub elapsed_ms: f64,
}

impl Snapshot {
    /// The settings on show.
    pub fn settings(&self) -> &Rc<Settings> {
        &self.page.b
    }
}

/// A computed picture: its tokens, its problem, its numbers.
#[derive(Clone, Debug)]
pub struct Picture {
    /// What was computed from.
    pub settings: Rc<Settings>,
    /// Tokens, problem and selection.
    pub plan: Rc<Plan>,
    /// The problem that was computed.
    pub problem: Rc<Problem>,
    /// Every number of it.
    pub trace: Rc<Trace<f32>>,
    /// How tokens are labelled, in order.
    pub labels: Rc<[String]>,
}

impl Picture {
    /// The role of head `head` (from 0), where the weights are constructed.
    pub fn role(&self, head: usize) -> Option<Role> {
        role_of_head(&self.settings, head + 1)
    }

    /// Which cells of a head the mask forbids, `[n_q, n_k]` row-major; empty when it forbids none.
    pub fn forbidden(&self, head: usize) -> Vec<bool> {
        let mask = &self.problem.mask;
        if mask.is_none() {
            return Vec::new();
        }
        let shape = self.trace.shape;
        let mut all = vec![false; shape.n_q * shape.n_k];
        for (query, row) in all.chunks_exact_mut(shape.n_k.max(1)).enumerate() {
            mask.fill_row(head, query, row);
            for cell in row {
                *cell = !*cell;
            }
        }
        all
    }

    /// A hovered cell, where it exists in this picture: the sentence may have become shorter under the pointer.
    pub fn inside(&self, hover: Hover) -> Hover {
        hover.filter(|&(query, key)| query < self.trace.shape.n_q && key < self.trace.shape.n_k)
    }

    /// How token `at` is labelled; empty where there is none.
    pub fn label(&self, at: usize) -> String {
        self.labels.get(at).cloned().unwrap_or_default()
    }

    /// One row of a stage of the selected head; empty where it is not held.
    pub fn row(&self, stage: Stage, query: usize) -> Vec<f32> {
        let row = self.trace.rows(stage, self.plan.selection.head, query..query + 1);
        row.map(|row| row.iter().copied().collect()).unwrap_or_default()
    }

    /// The tokens.
    pub fn tokens(&self) -> &[Token] {
        &self.plan.tokens
    }
}

/// Whether, after this action, the selected key becomes the one that the query really looks at most.
fn follows(action: &Action) -> bool {
    matches!(
        action,
        Action::SetSentence(_)
            | Action::ProposeWords(_)
            | Action::SetWords(_)
            | Action::Tokenizer(_)
            | Action::Weights(_)
            | Action::Select { key: None, .. }
    )
}

/// What the pointer or the cursor rests on, (query, key); changes no number.
pub type Hover = Option<(usize, usize)>;

type Listener<T> = Rc<dyn Fn(T)>;

/// A list of listeners that forget themselves when their subscription is dropped.
struct Listeners<T>(RefCell<Vec<(u64, Listener<T>)>>);

impl<T: Clone> Listeners<T> {
    const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    fn publish(&self, value: &T) {
        // A listener may subscribe or leave while it is called.
        let now: Vec<Listener<T>> = self.0.borrow().iter().map(|(_, listener)| Rc::clone(listener)).collect();
        for listener in now {
            listener(value.clone());
        }
    }
}

/// Keeps a listener subscribed until it is dropped.
pub struct Subscription {
    id: u64,
    store: Weak<Inner>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(inner) = self.store.upgrade() {
            inner.snapshots.0.borrow_mut().retain(|(id, _)| *id != self.id);
            inner.hovers.0.borrow_mut().retain(|(id, _)| *id != self.id);
        }
    }
}

struct Inner {
    address: Address,
    planner: RefCell<Planner>,
    engine: RefCell<CpuEngine>,
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
}

/// A handle on the store; cloning shares it.
#[derive(Clone)]
pub struct Store(Rc<Inner>);

impl PartialEq for Store {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What `localStorage` keeps, besides the link: the language and the theme that a person chose.
const LANG_KEY: &str = "attention-lab.lang";
const THEME_KEY: &str = "attention-lab.theme";

impl Store {
    /// Reads the address and computes the first picture. A link that can't be computed shows the landing sentence.
    pub fn open() -> Self {
        let (settings, notices) = link::decode(&environment::fragment());
        let mut planner = Planner::default();
        let mut engine = CpuEngine::new();
        let settings = Rc::new(settings);
        let first = compute(&mut planner, &mut engine, &settings, &shown(), Generation(0), false);
        let (picture, current, mut all, elapsed_ms) = match first {
            Computed::Picture { picture, elapsed_ms } => {
                let said = picture.plan.notices.clone();
                (picture, true, said, elapsed_ms)
            }
            Computed::Nothing { notices } => {
                let landing = Rc::new(Settings::default());
                match compute(&mut planner, &mut engine, &landing, &shown(), Generation(0), false) {
                    Computed::Picture { picture, elapsed_ms } => (picture, false, notices, elapsed_ms),
                    Computed::Nothing { .. } => unreachable!("the landing sentence has tokens"),
                }
            }
        };
        all.splice(0..0, notices);
        let preferences = Preferences::remembered();
        let system_dark = environment::prefers_dark();
        let (lang, dark) = (preferences.language(&settings), preferences.darkness(&settings, system_dark));
        let page = PageState { b: settings, ..PageState::default() };
        let snapshot = Rc::new(Snapshot { page, lang, dark, picture, current, notices: all.into(), elapsed_ms });
        Self(Rc::new(Inner {
            address: Address::new(false),
            planner: RefCell::new(planner),
            engine: RefCell::new(engine),
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
        }))
    }

    /// The latest state.
    pub fn snapshot(&self) -> Rc<Snapshot> {
        Rc::clone(&self.0.snapshot.borrow())
    }

    /// Calls `listener` with every new snapshot.
    pub fn subscribe(&self, listener: impl Fn(Rc<Snapshot>) + 'static) -> Subscription {
        let id = self.next_id();
        self.0.snapshots.0.borrow_mut().push((id, Rc::new(listener)));
        Subscription { id, store: Rc::downgrade(&self.0) }
    }

    /// Calls `listener` whenever another cell is hovered.
    pub fn subscribe_hover(&self, listener: impl Fn(Hover) + 'static) -> Subscription {
        let id = self.next_id();
        self.0.hovers.0.borrow_mut().push((id, Rc::new(listener)));
        Subscription { id, store: Rc::downgrade(&self.0) }
    }

    /// How many listen to snapshots, and how many to hover.
    pub fn listeners(&self) -> (usize, usize) {
        (self.0.snapshots.0.borrow().len(), self.0.hovers.0.borrow().len())
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

    /// Whether the latest picture was painted.
    pub fn is_painted(&self) -> bool {
        self.0.painted.borrow().upgrade().is_some_and(|painted| Rc::ptr_eq(&painted, &self.snapshot().picture))
    }

    /// Changes the settings, computes, publishes, and writes the address.
    pub fn dispatch(&self, action: &Action, when: When) {
        let before = self.snapshot();
        let next = update(before.settings(), action);
        self.remember_choice(action);
        self.show(Rc::new(next), follows(action), when, Vec::new());
    }

    /// Several changes as one step.
    pub fn dispatch_all(&self, actions: &[Action], when: When) {
        let mut next = (**self.snapshot().settings()).clone();
        for action in actions {
            next = update(&next, action);
            self.remember_choice(action);
        }
        self.show(Rc::new(next), actions.iter().any(follows), when, Vec::new());
    }

    /// Takes settings that were validated elsewhere (a link, the JavaScript API), with what there was to say about them.
    pub fn replace(&self, settings: Settings, notices: Vec<Notice>, when: When) {
        self.show(Rc::new(settings), false, when, notices);
    }

    /// The browser moved in its history, or the address was edited.
    pub fn address_moved(&self) {
        let fragment = self.0.address.moved();
        if fragment == link::encode(self.snapshot().settings()) {
            return;
        }
        let (settings, notices) = link::decode(&fragment);
        self.publish(Rc::new(settings), false, notices);
    }

    /// The system switched between light and dark.
    pub fn scheme_changed(&self) {
        self.0.system_dark.set(environment::prefers_dark());
        self.publish(Rc::clone(self.snapshot().settings()), false, Vec::new());
    }

    /// Forgets what there was to say.
    pub fn dismiss(&self, notice: usize) {
        let before = self.snapshot();
        let left = before.notices.iter().enumerate().filter(|(at, _)| *at != notice).map(|(_, n)| n.clone()).collect();
        let next = Rc::new(Snapshot { notices: left, ..copy(&before) });
        self.0.snapshot.replace(Rc::clone(&next));
        self.0.snapshots.publish(&next);
    }

    /// Computes settings without touching the page.
    ///
    /// # Errors
    /// The notices that say why there is nothing to compute.
    pub fn compute_aside(settings: &Rc<Settings>) -> Result<(Rc<Picture>, f64), Vec<Notice>> {
        let computed = compute(
            &mut Planner::default(),
            &mut CpuEngine::new(),
            settings,
            &Want::everything(),
            Generation(0),
            false,
        );
        match computed {
            Computed::Picture { picture, elapsed_ms } => Ok((picture, elapsed_ms)),
            Computed::Nothing { notices } => Err(notices),
        }
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
        self.show(Rc::new(next), true, when, notices);
    }

    /// What was in motion is finished: one step of undo.
    pub fn commit(&self) {
        self.0.address.commit(link::encode(self.snapshot().settings()));
    }

    fn show(&self, settings: Rc<Settings>, follow: bool, when: When, notices: Vec<Notice>) {
        self.publish(settings, follow, notices);
        let fragment = link::encode(self.snapshot().settings());
        match when {
            When::Moving => self.0.address.drag(fragment),
            When::Done => self.0.address.commit(fragment),
            When::InPlace => self.0.address.commit_in_place(fragment),
        }
    }

    fn publish(&self, settings: Rc<Settings>, follow: bool, mut notices: Vec<Notice>) {
        let before = self.snapshot();
        let generation = Generation(self.0.generation.get().0 + 1);
        self.0.generation.set(generation);
        let computed = compute(
            &mut self.0.planner.borrow_mut(),
            &mut self.0.engine.borrow_mut(),
            &settings,
            &shown(),
            generation,
            follow,
        );
        let (settings, picture, current, elapsed_ms) = match computed {
            Computed::Picture { picture, elapsed_ms } => {
                notices.extend(picture.plan.notices.iter().cloned());
                (Rc::clone(&picture.settings), picture, true, elapsed_ms)
            }
            Computed::Nothing { notices: why } => {
                notices.extend(why);
                (settings, Rc::clone(&before.picture), false, before.elapsed_ms)
            }
        };
        let preferences = self.0.preferences.get();
        let dark = preferences.darkness(&settings, self.0.system_dark.get());
        let lang = preferences.language(&settings);
        let page = PageState { b: settings, ..before.page.clone() };
        let snapshot = Rc::new(Snapshot { page, lang, dark, picture, current, notices: notices.into(), elapsed_ms });
        self.0.snapshot.replace(Rc::clone(&snapshot));
        self.0.snapshots.publish(&snapshot);
    }

    /// How the page is being used: changes no number and no address.
    pub fn set_view(&self, view: View) {
        let before = self.snapshot();
        let page = PageState { view, ..before.page.clone() };
        let next = Rc::new(Snapshot { page, ..copy(&before) });
        self.0.snapshot.replace(Rc::clone(&next));
        self.0.snapshots.publish(&next);
    }

    fn remember_choice(&self, action: &Action) {
        let mut preferences = self.0.preferences.get();
        match action {
            Action::Lang(lang) => {
                preferences.lang = *lang;
                environment::remember(LANG_KEY, lang.map_or("", |lang| if lang == Lang::Zh { "zh" } else { "en" }));
            }
            Action::Theme(theme) => {
                preferences.theme = *theme;
                let name = match theme {
                    Theme::Auto => "auto",
                    Theme::Light => "light",
                    Theme::Dark => "dark",
                };
                environment::remember(THEME_KEY, name);
            }
            _ => {}
        }
        self.0.preferences.set(preferences);
    }
}

/// What a person chose here before, where the link leaves it open.
#[derive(Clone, Copy)]
struct Preferences {
    lang: Option<Lang>,
    theme: Theme,
}

impl Preferences {
    /// Reads them from the browser; where storage is denied, nothing was chosen.
    fn remembered() -> Self {
        let lang = match environment::remembered(LANG_KEY).as_deref() {
            Some("zh") => Some(Lang::Zh),
            Some("en") => Some(Lang::En),
            _ => None,
        };
        let theme = match environment::remembered(THEME_KEY).as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::Auto,
        };
        Self { lang, theme }
    }

    /// The link's language, else the one chosen here before, else the browser's.
    fn language(self, settings: &Settings) -> Lang {
        settings.lang.or(self.lang).unwrap_or_else(environment::browser_lang)
    }

    /// The link's theme, else the one chosen here before, else the system's.
    fn darkness(self, settings: &Settings, system_dark: bool) -> bool {
        let chosen = if settings.theme == Theme::Auto { self.theme } else { settings.theme };
        match chosen {
            Theme::Light => false,
            Theme::Dark => true,
            Theme::Auto => system_dark,
        }
    }
}

fn copy(snapshot: &Snapshot) -> Snapshot {
    Snapshot {
        page: snapshot.page.clone(),
        picture: Rc::clone(&snapshot.picture),
        notices: Rc::clone(&snapshot.notices),
        ..*snapshot
    }
}

fn utf16_length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// What the page shows of a trace: all but the joined heads, which nothing on it reads.
fn shown() -> Want {
    let shown: Vec<Stage> =
        Stage::ALL.into_iter().filter(|stage| !matches!(stage, Stage::Concat | Stage::Output)).collect();
    Want::only(&shown)
}

enum Computed {
    Picture { picture: Rc<Picture>, elapsed_ms: f64 },
    Nothing { notices: Vec<Notice> },
}

fn compute(
    planner: &mut Planner,
    engine: &mut CpuEngine,
    settings: &Rc<Settings>,
    want: &Want,
    generation: Generation,
    follow: bool,
) -> Computed {
    let start = environment::now_ms();
    let mut settings = Rc::clone(settings);
    let mut plan = planner.plan(&settings);
    let Some(problem) = plan.problem.clone() else {
        return Computed::Nothing { notices: plan.notices };
    };
    let mut trace = None;
    let ran = engine.run(&problem, want, generation, &mut |answer| trace = Some(answer.trace));
    let trace = match (ran, trace) {
        (Ok(()), Some(trace)) => trace,
        (Err(error), _) => return Computed::Nothing { notices: vec![Notice::CannotCompute(error)] },
        (Ok(()), None) => return Computed::Nothing { notices: plan.notices },
    };
    let selection = plan.selection;
    // Settings say what is shown: a selection that was moved inside the grid, and a key that follows its query.
    let key = if follow { strongest_key(&trace, selection.head, selection.query) } else { None };
    let key = key.unwrap_or(selection.key);
    if (settings.query, settings.key) != (selection.query, key) {
        settings = Rc::new(Settings { query: selection.query, key, ..(*settings).clone() });
        plan.selection.key = key;
    }
    let elapsed_ms = environment::now_ms() - start;
    let labels = plan.tokens.iter().map(crate::text::display).collect();
    let picture = Picture { settings, plan: Rc::new(plan), problem: Rc::new(problem), trace, labels };
    Computed::Picture { picture: Rc::new(picture), elapsed_ms }
}
