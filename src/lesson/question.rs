//! Which question a row of a head answers, what its answer is, and which other question the same word has.

use crate::attention::toy::{ROLES, Role};
use crate::locale::question::{self as words, Found, Sought, Topic};
use crate::state::{answering_key, asks};
use crate::text::{Feature, Lang, Token, TokenKind};

/// Weights this close count as the same: the page shows two decimals, f32 computes six.
const TIE: f32 = 1e-4;

/// What a row answers. Keys are from 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// One key has the largest weight.
    #[expect(missing_docs, reason = "field names are the documentation")]
    LooksAt { key: usize, weight: f32 },
    /// Several keys share the largest weight.
    #[expect(missing_docs, reason = "field names are the documentation")]
    Tied { keys: Vec<usize>, weight: f32 },
    /// All keys that may be seen have the same weight.
    #[expect(missing_docs, reason = "field names are the documentation")]
    Evenly { share: f32 },
    /// The head looked for someone and fell back on `<BOS>`.
    #[expect(missing_docs, reason = "field names are the documentation")]
    NoOne { weight: f32 },
    /// The head found `<BOS>` because the mask hides the key that it was made to find.
    #[expect(missing_docs, reason = "field names are the documentation")]
    Hidden { key: usize, weight: f32 },
    /// The word asks this head for nothing and rests on `<BOS>`.
    #[expect(missing_docs, reason = "field names are the documentation")]
    Rests { weight: f32 },
    /// The mask forbids every key.
    AllForbidden,
}

/// Another question about the same word, in another head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// The head that answers it, from 1.
    pub head: usize,
    /// The question.
    pub question: String,
    /// What stands on the button.
    pub label: String,
}

/// A question with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The question as a sentence.
    pub question: String,
    /// The answer as data.
    pub answer: Answer,
    /// The answer in words.
    pub answer_text: String,
    /// Agent and patient of the same verb: the other of the two.
    pub swap: Option<Swap>,
}

/// The question that row `query` (from 0) of a head answers, `weights` being its weights, one per token.
///
/// `permits` says whether the mask lets this query see a key. `role` is `None` for weights that were not constructed: of those nobody knows what they ask. `None` when there is
/// no such token or the number of weights is not that of the tokens.
#[must_use]
pub fn question(
    lang: Lang,
    role: Option<Role>,
    tokens: &[Token],
    query: usize,
    weights: &[f32],
    permits: &dyn Fn(usize) -> bool,
) -> Option<Question> {
    let token = tokens.get(query)?;
    if weights.len() != tokens.len() {
        return None;
    }
    let answer = answer(role, tokens, query, weights, permits);
    let looked_at = match &answer {
        Answer::LooksAt { key, .. } => Some(*key),
        Answer::Tied { keys, .. } => keys.first().copied(),
        Answer::Evenly { .. } | Answer::AllForbidden => None,
        Answer::NoOne { .. } | Answer::Hidden { .. } | Answer::Rests { .. } => None,
    };
    let topic = topic(role, tokens, query, sought(token, looked_at.and_then(|key| tokens.get(key))));
    Some(Question {
        question: words::question(lang, &topic),
        answer_text: in_words(lang, &answer, tokens, token),
        answer,
        swap: role.and_then(|role| swap(lang, role, tokens, query)),
    })
}

fn answer(
    role: Option<Role>,
    tokens: &[Token],
    query: usize,
    weights: &[f32],
    permits: &dyn Fn(usize) -> bool,
) -> Answer {
    let token = &tokens[query];
    // f32::max skips a NaN, so one in a row can't become the answer.
    let largest = weights.iter().copied().fold(0.0, f32::max);
    if largest <= 0.0 {
        return Answer::AllForbidden;
    }
    let keys: Vec<usize> = (0..weights.len()).filter(|&key| largest - weights[key] <= TIE).collect();
    let visible = weights.iter().filter(|&&weight| weight > 0.0).count();
    match *keys.as_slice() {
        [key] if fell_back(role, token, &tokens[key]) => match hidden(role, tokens, query, permits) {
            Some(key) => Answer::Hidden { key, weight: largest },
            None => Answer::NoOne { weight: largest },
        },
        [key] if rests(role, token, &tokens[key]) => Answer::Rests { weight: largest },
        [key] => Answer::LooksAt { key, weight: largest },
        _ if keys.len() == visible && (visible > 2 || role == Some(Role::Uniform)) => Answer::Evenly { share: largest },
        _ => Answer::Tied { keys, weight: largest },
    }
}

/// Whether a word that asks a head for something ended on `<BOS>`: the heads' way to say that there is nothing.
fn fell_back(role: Option<Role>, token: &Token, found: &Token) -> bool {
    found.kind == TokenKind::Bos
        && role.is_some_and(|role| {
            matches!(role, Role::Agent | Role::Patient | Role::Reference | Role::WordSense) && asks(token, role)
        })
}

/// Whether a word that asks this head for nothing is parked on `<BOS>`.
fn rests(role: Option<Role>, token: &Token, found: &Token) -> bool {
    found.kind == TokenKind::Bos
        && !matches!(token.kind, TokenKind::Bos | TokenKind::Pad)
        && role.is_some_and(|role| {
            matches!(role, Role::Agent | Role::Patient | Role::Reference | Role::WordSense) && !asks(token, role)
        })
}

/// The key that the head was made to find from here, where the mask hides it.
fn hidden(role: Option<Role>, tokens: &[Token], query: usize, permits: &dyn Fn(usize) -> bool) -> Option<usize> {
    let key = answering_key(tokens, role?, query);
    (key > 0 && !permits(key)).then_some(key)
}

fn topic<'a>(role: Option<Role>, tokens: &'a [Token], query: usize, sought: Sought) -> Topic<'a> {
    let token = &tokens[query];
    let word = &*token.text;
    let Some(role) = role.filter(|&role| asks(token, role)) else { return Topic::Any { word } };
    match role {
        Role::Agent => Topic::Agent { verb: word },
        Role::Patient => Topic::Patient { verb: word, sought },
        Role::Reference => reference(tokens, query, sought),
        // 银行 is no river bank: in Chinese the word has one sense, whatever its features say.
        Role::WordSense if word == "银行" => Topic::Context { word },
        Role::WordSense => Topic::Sense { word },
        Role::PreviousToken => Topic::Previous { word },
        Role::SameCategory => Topic::Category { word },
        Role::Sink => Topic::Rest { word },
        Role::Uniform => Topic::Any { word },
    }
}

fn reference<'a>(tokens: &'a [Token], query: usize, sought: Sought) -> Topic<'a> {
    let token = &tokens[query];
    let word = &*token.text;
    if !token.features.has(Feature::Be) {
        return Topic::Reference { word, sought };
    }
    if token.features.has(Feature::Mod) {
        return Topic::Describes { word, sought };
    }
    // "was tired" is asked as "who was tired?"; with anything between the two, the sentence would not be one.
    match tokens.get(query + 1) {
        Some(next) if next.features.has(Feature::Mod) && next.text.is_ascii() && word.is_ascii() => {
            Topic::Subject { be: word, predicate: &next.text, sought }
        }
        _ => Topic::Reference { word, sought },
    }
}

/// Things are asked for by "what", everyone else by "who"; where nobody was found, what the asking word wishes decides.
fn sought(asker: &Token, found: Option<&Token>) -> Sought {
    let wants = |feature| asker.features.has(feature);
    let thing = match found.map(|token| token.features) {
        Some(noun) if noun.has(Feature::Noun) => !noun.has(Feature::Animate),
        Some(pronoun) if pronoun.has(Feature::Pron) => false,
        _ => {
            words::is_done_to_things(&asker.text)
                || wants(Feature::WantThing) && !wants(Feature::WantAnimal) && !wants(Feature::WantHuman)
        }
    };
    if thing { Sought::Something } else { Sought::Someone }
}

fn swap(lang: Lang, role: Role, tokens: &[Token], query: usize) -> Option<Swap> {
    let other = match role {
        Role::Agent => Role::Patient,
        Role::Patient => Role::Agent,
        _ => return None,
    };
    if !asks(tokens.get(query)?, other) {
        return None;
    }
    let head = ROLES.iter().position(|&known| known == other)? + 1;
    let expected = tokens.get(answering_key(tokens, other, query));
    let question = words::question(lang, &topic(Some(other), tokens, query, sought(&tokens[query], expected)));
    let label = words::swap_label(lang, &question);
    Some(Swap { head, question, label })
}

fn in_words(lang: Lang, answer: &Answer, tokens: &[Token], token: &Token) -> String {
    let word = |key: usize| tokens.get(key).map_or("", |token| &*token.text);
    match answer {
        Answer::LooksAt { key, weight } => words::answer(lang, &Found::Word { word: word(*key), weight: *weight }),
        Answer::Tied { keys, weight } => {
            let tied: Vec<&str> = keys.iter().map(|&key| word(key)).collect();
            words::answer(lang, &Found::Tied { words: &tied, weight: *weight })
        }
        Answer::Evenly { share } => words::answer(lang, &Found::Evenly { share: *share }),
        Answer::NoOne { weight } => words::answer(lang, &Found::NoOne { asker: &token.text, weight: *weight }),
        Answer::Hidden { key, weight } => {
            words::answer(lang, &Found::Hidden { asker: &token.text, word: word(*key), weight: *weight })
        }
        Answer::Rests { weight } => {
            words::answer(lang, &Found::Rests { asker: &token.text, known: token.known, weight: *weight })
        }
        Answer::AllForbidden => words::answer(lang, &Found::AllForbidden),
    }
}
