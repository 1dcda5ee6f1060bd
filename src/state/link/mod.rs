//! The share link: settings to URL fragment and back, by one [`table`].
//!
//! Owns the format and its limits. Nothing here fails: what can't be read keeps its default and becomes a [`Notice`].

pub mod cells;
pub mod feat;
pub mod percent;
pub mod table;

use super::notice::{Given, Notice};
use super::settings::{Settings, cut_utf8};
use super::update::follow_tokens;
use std::rc::Rc;
use table::{Entry, Fault, RESERVED, TABLE};

/// Longest fragment that is read, in bytes; also the longest single value.
pub const MAX_FRAGMENT: usize = 64 * 1024;
/// Unknown keys named in a notice; the rest are only counted.
const UNKNOWN_NAMED: usize = 4;

/// The fragment of a link, without `#`: `key=value` joined by `&`, keys at their default left out.
#[must_use]
pub fn encode(settings: &Settings) -> String {
    let default = Settings::default();
    let given = TABLE.iter().filter_map(|entry| {
        let value = (entry.write)(settings);
        (value != (entry.write)(&default)).then(|| format!("{}={}", entry.key, percent::encode(&value)))
    });
    given.collect::<Vec<_>>().join("&")
}

/// `settings` as a link to pin: without what belongs to the person and not to the picture, and without what is pinned.
#[must_use]
pub fn pin(settings: &Settings) -> Rc<str> {
    let Settings { lang, tab, engine, theme, contrast, pinned, .. } = Settings::default();
    let link = encode(&Settings { lang, tab, engine, theme, contrast, pinned, ..settings.clone() });
    // The landing state has an empty link, and is something to compare with all the same.
    if link.is_empty() { format!("v={}", table::VERSION).into() } else { link.into() }
}

/// What is pinned in `settings`.
#[must_use]
pub fn pinned(settings: &Settings) -> Option<Settings> {
    (!settings.pinned.is_empty()).then(|| decode(&settings.pinned).0)
}

/// Reads what is to be pinned: the link that stands for it, and what there is to say.
fn read_pin(text: &str) -> (Rc<str>, Vec<Notice>) {
    // A pin in a pin would go on for ever.
    let own: Vec<&str> = text.split('&').filter(|pair| !pair.starts_with("a=")).collect();
    let (settings, notices) = decode(&own.join("&"));
    (pin(&settings), notices)
}

/// Every key with its value, those at their default too, in the order of the table.
#[must_use]
pub fn pairs(settings: &Settings) -> Vec<(&'static str, String)> {
    TABLE.iter().map(|entry| (entry.key, (entry.write)(settings))).collect()
}

/// Reads a fragment, with or without `#`. Keys that are not given have their default.
#[must_use]
pub fn decode(fragment: &str) -> (Settings, Vec<Notice>) {
    let mut reader = Reader::new(Settings::default());
    let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
    let kept = cut_fragment(fragment);
    if kept.len() < fragment.len() {
        reader.notices.push(Notice::LinkTooLong { kept: kept.len(), of: fragment.len() });
    }
    for pair in kept.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (key, _) = percent::decode(key);
        let (value, broken) = percent::decode(value);
        reader.read(&key, &value, broken);
    }
    reader.finish()
}

/// Puts `key → value` pairs (values as in [`pairs`], not percent-encoded) over `base`: what the JavaScript API gives.
///
/// Unlike a link, which says all, pairs are a change: when they change the tokens, what pointed at the old tokens (the
/// selection, cells set by hand) follows or is dropped, unless it is among the pairs.
#[must_use]
pub fn decode_pairs<'a>(base: &Settings, pairs: impl Iterator<Item = (&'a str, String)>) -> (Settings, Vec<Notice>) {
    let mut reader = Reader::new(base.clone());
    for (key, value) in pairs {
        let kept = cut_utf8(&value, MAX_FRAGMENT);
        if kept.len() < value.len() {
            reader.notices.push(Notice::LinkTooLong { kept: kept.len(), of: value.len() });
        }
        reader.read(key, kept, false);
    }
    let given = |key| reader.seen.contains(&key);
    let (query_given, key_given, cells_given) = (given("q"), given("k"), given("cells"));
    let (mut settings, mut notices) = reader.finish();
    let followed = follow_tokens(base, settings.clone());
    if !query_given {
        settings.query = followed.query;
    }
    if !key_given {
        settings.key = followed.key;
    }
    if !cells_given && followed.cells != settings.cells {
        notices.push(Notice::CellsDropped { count: settings.cells.len() });
        settings.cells = Rc::clone(&followed.cells);
    }
    (settings, notices)
}

/// Cuts an enormous fragment. A pair that the cut falls into is dropped, for half a value could be another value;
/// only the sentence is kept, which has its own, smaller limit.
fn cut_fragment(fragment: &str) -> &str {
    let kept = cut_utf8(fragment, MAX_FRAGMENT);
    if kept.len() == fragment.len() || fragment[kept.len()..].starts_with('&') {
        return kept;
    }
    let last = kept.rfind('&').map_or(0, |at| at + 1);
    if !kept[last..].starts_with("s=") {
        return &kept[..last];
    }
    // A percent escape cut in two would look broken, though it is only cut.
    match kept.rfind('%') {
        Some(at) if at + 2 >= kept.len() => &kept[..at],
        _ => kept,
    }
}

struct Reader {
    settings: Settings,
    notices: Vec<Notice>,
    seen: Vec<&'static str>,
    repeated: Vec<&'static str>,
    reserved: Vec<&'static str>,
    unknown: Vec<Given>,
    unknown_count: usize,
}

impl Reader {
    fn new(settings: Settings) -> Self {
        Self {
            settings,
            notices: Vec::new(),
            seen: Vec::new(),
            repeated: Vec::new(),
            reserved: Vec::new(),
            unknown: Vec::new(),
            unknown_count: 0,
        }
    }

    fn read(&mut self, key: &str, value: &str, broken: bool) {
        if let Some(entry) = TABLE.iter().find(|entry| entry.key == key) {
            self.read_entry(entry, value, broken);
        } else if let Some(&reserved) = RESERVED.iter().find(|&&reserved| reserved == key) {
            if !self.reserved.contains(&reserved) {
                self.reserved.push(reserved);
            }
        } else {
            self.unknown_count += 1;
            let named = Given::new(key);
            if self.unknown.len() < UNKNOWN_NAMED && !self.unknown.contains(&named) {
                self.unknown.push(named);
            }
        }
    }

    fn read_entry(&mut self, entry: &Entry, value: &str, broken: bool) {
        let key = entry.key;
        if self.seen.contains(&key) {
            // Once per key: a link may repeat one thousands of times.
            if !self.repeated.contains(&key) {
                self.repeated.push(key);
                let used = self.in_use(entry);
                self.notices.push(Notice::Repeated { key, used });
            }
            return;
        }
        self.seen.push(key);
        if broken {
            self.notices.push(Notice::BrokenEscapes { key: Given::new(key) });
        }
        let Err(fault) = (entry.read)(&mut self.settings, value) else { return };
        let (given, used) = (Given::new(value), self.in_use(entry));
        match fault {
            Fault::Unreadable => self.notices.push(Notice::Unreadable { key, given, used }),
            Fault::NotYet => self.notices.push(Notice::NotYet { key, given, used }),
            Fault::Clamped => self.notices.push(Notice::Clamped { key, given, used }),
            Fault::Said(notices) => self.notices.extend(notices),
        }
    }

    fn in_use(&self, entry: &Entry) -> Given {
        Given::new(&(entry.write)(&self.settings))
    }

    fn finish(mut self) -> (Settings, Vec<Notice>) {
        let heads = self.settings.head_count();
        if self.settings.head > heads {
            let given = Given::new(&self.settings.head.to_string());
            self.settings.head = heads;
            let used = Given::new(&heads.to_string());
            // One notice for one key: the smaller limit is the one to know, and what was given stays what was given.
            match self.notices.iter_mut().find(|notice| matches!(notice, Notice::Clamped { key: "h", .. })) {
                Some(Notice::Clamped { used: said, .. }) => *said = used,
                _ => self.notices.push(Notice::Clamped { key: "h", given, used }),
            }
        }
        if !self.reserved.is_empty() {
            self.notices.push(Notice::ReservedKeys { keys: self.reserved });
        }
        if self.unknown_count > 0 {
            self.notices.push(Notice::UnknownKeys { first: self.unknown, count: self.unknown_count });
        }
        (self.settings, self.notices)
    }
}
