//! `update`: the one way from settings and an action to the next settings. Pure; equal settings when nothing changes.

use super::action::{Action, CellEdit};
use super::asking::{answering_key, asking_query, asks, role_of_head};
use super::link::{self, cells::MAX_SIDE};
use super::plan::cut;
use super::settings::{D_K, HEADS, MAX_INDEX, MAX_PAD, MAX_SENTENCE, Settings, clamp_temperature, cut_utf16};
use super::words::{MAX_WORDS, tidy};
use crate::text::fold::folded;
use crate::text::{AddedWord, Token, TokenKind};
use std::rc::Rc;

/// The settings after `action`.
#[must_use]
pub fn update(settings: &Settings, action: &Action) -> Settings {
    let mut next = settings.clone();
    match action {
        Action::SetSentence(sentence) => {
            let (kept, _) = cut_utf16(sentence, MAX_SENTENCE);
            next.sentence = if kept.len() == sentence.len() { Rc::clone(sentence) } else { kept.into() };
        }
        Action::ProposeWords(words) => next.words = propose(&next, words),
        Action::SetWords(words) => next.words = same_or_new(&next.words, tidy(words.iter().cloned())),
        Action::Tokenizer(tokenizer) => next.tokenizer = *tokenizer,
        Action::Weights(weights) => next.weights = *weights,
        Action::Heads(heads) => next.heads = (*heads).clamp(HEADS.0, HEADS.1),
        Action::HeadWidth(d_k) => next.d_k = (*d_k).clamp(D_K.0, D_K.1),
        Action::Seed(seed) => next.seed = *seed,
        Action::Select { head, query, key } => select(&mut next, *head, *query, *key),
        Action::Temperature(given) => {
            if let Some(temperature) = clamp_temperature(*given) {
                next.temperature = temperature;
            }
        }
        Action::Scale(scale) => next.scale = *scale,
        Action::Causal(on) => next.causal = *on,
        Action::Padding(on) => next.padding = *on,
        Action::SetCell(edit) => set_cells(&mut next, std::slice::from_ref(edit)),
        Action::SetCells(edits) => set_cells(&mut next, edits),
        Action::ClearCells => next.cells = Rc::default(),
        Action::Mask(kind, on) => next.masks = next.masks.with(*kind, *on),
        Action::Sizes(sizes) => next.sizes = sizes.clamped(),
        Action::Positions(kind) => next.positions = *kind,
        Action::Field(field) => next.field = field.clamped(),
        Action::Bos(on) => next.bos = *on,
        Action::Pad(pad) => next.pad = (*pad).min(MAX_PAD),
        Action::Stage(stage) => next.stage = *stage,
        Action::Contrast(contrast) => next.contrast = *contrast,
        Action::Engine(engine) => next.engine = *engine,
        Action::Theme(theme) => next.theme = *theme,
        Action::Lang(lang) => next.lang = *lang,
        Action::Tab(tab) => next.tab = *tab,
        Action::Pin(on) => next.pinned = if *on { link::pin(settings) } else { "".into() },
        Action::Swap => {
            if let Some(pinned) = link::pinned(settings) {
                let (lang, tab, engine, theme, contrast) =
                    (next.lang, next.tab, next.engine, next.theme, next.contrast);
                return Settings { lang, tab, engine, theme, contrast, pinned: link::pin(settings), ..pinned }
                    .clamped();
            }
        }
        Action::Preset(preset) => {
            let Settings { lang, tab, engine, theme, contrast, .. } = next;
            return Settings { lang, tab, engine, theme, contrast, ..preset.as_ref().clone() }.clamped();
        }
        Action::Replace(other) => return other.as_ref().clone().clamped(),
    }
    next.head = next.head.clamp(1, next.head_count());
    follow_tokens(settings, next)
}

/// Lets the selection and the cells set by hand of `after` follow a change of the tokens since `before`.
///
/// Another sentence: the selection goes to the telling row of the head (random weights have none: it stays where it
/// is). The same sentence, cut in another way: it stays on the same words. Cells are dropped as soon as the tokens
/// stand in other places, for their indices would then lie.
pub(super) fn follow_tokens(before: &Settings, mut after: Settings) -> Settings {
    let same_input = before.sentence == after.sentence;
    let same_cut = before.tokenizer == after.tokenizer
        && before.words == after.words
        && (before.bos, before.pad) == (after.bos, after.pad);
    if same_input && same_cut {
        return after;
    }
    let (old, new) = (cut(before).tokens, cut(&after).tokens);
    let same_places = same_input
        && old.len() == new.len()
        && old.iter().zip(&*new).all(|(old, new)| old.kind == new.kind && old.span == new.span);
    if same_places {
        return after;
    }
    if !after.cells.is_empty() {
        after.cells = Rc::default();
    }
    if same_input {
        after.query = moved(&old, &new, after.query);
        after.key = moved(&old, &new, after.key);
    } else {
        ask(&mut after, &new);
    }
    after
}

/// Where the token at `index` of `old` stands in `new`: the same mark, or the token over the same place of the input.
fn moved(old: &[Token], new: &[Token], index: usize) -> usize {
    let Some(token) = old.get(index) else { return index };
    let found = match token.kind {
        TokenKind::Bos => new.first().filter(|first| first.kind == TokenKind::Bos).map(|_| 0),
        TokenKind::Pad => {
            let nth = old[..index].iter().filter(|token| token.kind == TokenKind::Pad).count();
            let pads = || new.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Pad);
            pads().nth(nth).or_else(|| pads().next_back()).map(|(at, _)| at)
        }
        _ => new.iter().position(|new| new.span.contains(&token.span.start)),
    };
    found.unwrap_or_else(|| index.min(new.len().saturating_sub(1)))
}

/// Moves the selection to the telling row of the selected head, and to the key that it should find.
fn ask(settings: &mut Settings, tokens: &[Token]) {
    let Some(role) = role_of_head(settings, settings.head) else { return };
    if let Some(query) = asking_query(tokens, role) {
        settings.query = query;
        settings.key = answering_key(tokens, role, query);
    }
}

fn select(settings: &mut Settings, head: Option<usize>, query: Option<usize>, key: Option<usize>) {
    if let Some(head) = head {
        let head = head.clamp(1, settings.head_count());
        let changed = settings.head != head;
        settings.head = head;
        if changed && query.is_none() && key.is_none() {
            let tokens = cut(settings).tokens;
            // A row that asks the new head something stays: from "who chases" to "whom" of the same verb.
            match (role_of_head(settings, head), tokens.get(settings.query)) {
                (Some(role), Some(token)) if asks(token, role) => {
                    settings.key = answering_key(&tokens, role, settings.query);
                }
                _ => ask(settings, &tokens),
            }
        }
    }
    if let Some(query) = query {
        settings.query = query.min(MAX_INDEX);
    }
    if let Some(key) = key {
        settings.key = key.min(MAX_INDEX);
    }
}

fn set_cells(settings: &mut Settings, edits: &[CellEdit]) {
    let current = |edit: &CellEdit| settings.cells.get(&(edit.query, edit.key));
    let inside = |edit: &&CellEdit| edit.query < MAX_SIDE && edit.key < MAX_SIDE;
    if edits.iter().filter(inside).all(|edit| current(edit) == edit.permit) {
        return;
    }
    let mut cells = settings.cells.as_ref().clone();
    for edit in edits.iter().filter(inside) {
        match edit.permit {
            Some(permit) => cells.insert((edit.query, edit.key), permit),
            None => cells.remove(&(edit.query, edit.key)),
        }
    }
    settings.cells = Rc::new(cells);
}

/// Adds proposed words behind the person's own. A proposal is never more than "this is one word": proposals that the
/// sentence no longer holds are forgotten, so that a link does not carry everything that was ever typed.
fn propose(settings: &Settings, proposed: &[AddedWord]) -> Rc<[AddedWord]> {
    let sentence = folded(&settings.sentence);
    let in_use =
        |word: &AddedWord| word.split || !word.features.is_empty() || sentence.contains(folded(&word.text).as_str());
    let kept: Vec<_> = settings.words.iter().filter(|word| in_use(word)).cloned().collect();
    let room = MAX_WORDS.saturating_sub(kept.len());
    let fresh = proposed.iter().filter(|word| !settings.words.iter().any(|known| known.text == word.text)).take(room);
    let fresh = fresh.cloned().collect::<Vec<_>>();
    same_or_new(&settings.words, tidy(kept.into_iter().chain(fresh)))
}

/// The same `Rc` when the words are the same, so that nothing downstream starts anew.
fn same_or_new(words: &Rc<[AddedWord]>, next: Vec<AddedWord>) -> Rc<[AddedWord]> {
    if next.as_slice() == &**words { Rc::clone(words) } else { next.into() }
}
