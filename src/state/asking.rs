//! Which row of a constructed head is worth looking at first, judged by the tokens' features alone.
//!
//! Used to place the selection when a person picks a head or types. It computes no weights: what a head really looks
//! at is in the trace, and nothing here stands in for it.

use super::settings::{Settings, WeightsKind};
use crate::attention::toy::{ROLES, Role};
use crate::text::{Feature, FeatureSet, Token, TokenKind};

const WANTS: FeatureSet = FeatureSet::of(&[Feature::WantAnimal, Feature::WantHuman, Feature::WantThing]);
const SENSES: FeatureSet = FeatureSet::of(&[Feature::SFin, Feature::SNat, Feature::SFood, Feature::STech]);
const NOMINAL: FeatureSet = FeatureSet::of(&[Feature::Noun, Feature::Pron]);

/// What a sense asks for: `s_fin` is settled by `t_fin`, and so on.
const TOPIC_OF_SENSE: [(Feature, Feature); 4] = [
    (Feature::SFin, Feature::TFin),
    (Feature::SNat, Feature::TNat),
    (Feature::SFood, Feature::TFood),
    (Feature::STech, Feature::TTech),
];
/// What a reference asks for.
const CLASS_OF_WANT: [(Feature, Feature); 3] = [
    (Feature::WantAnimal, Feature::Animal),
    (Feature::WantHuman, Feature::Human),
    (Feature::WantThing, Feature::Thing),
];

/// The role of head `head` (from 1); `None` for weights that were not constructed.
#[must_use]
pub fn role_of_head(settings: &Settings, head: usize) -> Option<Role> {
    match settings.weights {
        WeightsKind::Toy => ROLES.get(head.checked_sub(1)?).copied(),
        WeightsKind::Random | WeightsKind::Identity => None,
    }
}

/// Whether `token` is one that heads of this role ask for: verbs for the agent, say. Other tokens rest on `<BOS>`.
#[must_use]
pub fn asks(token: &Token, role: Role) -> bool {
    let has = |feature| token.features.has(feature);
    match role {
        Role::Agent => has(Feature::Verb),
        Role::Patient => has(Feature::Trans),
        Role::Reference => has(Feature::Be) || any(token, WANTS),
        Role::WordSense => any(token, SENSES),
        Role::Uniform | Role::PreviousToken | Role::SameCategory | Role::Sink => is_word(token),
    }
}

/// The most telling query of a head, from 0: the first verb that has someone before it for the agent, the first
/// ambiguous word for word sense, and so on; the first word where nothing asks. `None` without any token.
#[must_use]
pub fn asking_query(tokens: &[Token], role: Role) -> Option<usize> {
    let first = |wanted: &dyn Fn(usize) -> bool| (0..tokens.len()).find(|&at| wanted(at));
    let asking = |at: usize| asks(&tokens[at], role);
    let answered = |at: usize| asking(at) && answering_key(tokens, role, at) != 0;
    let telling = match role {
        Role::Agent | Role::Patient | Role::WordSense => first(&answered),
        // "was" before "she" before "that cat" before "tired": the question that is easiest to ask goes first.
        Role::Reference => [Feature::Be, Feature::Pron, Feature::Det, Feature::Func].into_iter().find_map(|kind| {
            first(&|at| asking(at) && tokens[at].features.has(kind) && !tokens[at].features.has(Feature::Mod))
        }),
        Role::Uniform | Role::PreviousToken | Role::SameCategory | Role::Sink => None,
    };
    telling
        .or_else(|| first(&asking))
        .or_else(|| first(&|at| is_word(&tokens[at])))
        .or_else(|| (!tokens.is_empty()).then_some(0))
}

/// The key that a head of this role is made to find from `query`, from 0: where to put the selection before the
/// weights are known. `<BOS>` (or the first token) where it has nothing to find.
#[must_use]
pub fn answering_key(tokens: &[Token], role: Role, query: usize) -> usize {
    let Some(token) = tokens.get(query) else { return 0 };
    if !asks(token, role) {
        return 0;
    }
    let has = |at: usize, feature| tokens[at].features.has(feature);
    let found = match role {
        Role::Uniform => Some(query),
        Role::PreviousToken => query.checked_sub(1),
        Role::SameCategory => {
            let class = class_of(token);
            (0..tokens.len()).find(|&at| at != query && class.0 != 0 && class_of(&tokens[at]) == class).or(Some(query))
        }
        Role::Agent => (0..query).rev().find(|&at| has(at, Feature::Animate)),
        Role::Patient => (query + 1..tokens.len()).find(|&at| any(&tokens[at], NOMINAL)),
        Role::Reference => {
            let nominal = |at: usize| has(query, Feature::Be) && any(&tokens[at], NOMINAL);
            let wanted = |at: usize| matches_any(token, &tokens[at], &CLASS_OF_WANT);
            let answers = |at: usize| at != query && (nominal(at) || wanted(at));
            let agrees = |at: usize| {
                !(has(query, Feature::WantSg) && has(at, Feature::Pl)
                    || has(query, Feature::WantPl) && has(at, Feature::Sg))
            };
            let candidates = || (0..tokens.len()).filter(|&at| answers(at));
            candidates().find(|&at| agrees(at)).or_else(|| candidates().next())
        }
        Role::WordSense => (0..tokens.len()).find(|&at| matches_any(token, &tokens[at], &TOPIC_OF_SENSE)),
        Role::Sink => None,
    };
    found.unwrap_or(0)
}

/// Whether `asker` has the first of a pair whose second `answer` has.
fn matches_any(asker: &Token, answer: &Token, pairs: &[(Feature, Feature)]) -> bool {
    pairs.iter().any(|&(wanted, found)| asker.features.has(wanted) && answer.features.has(found))
}

/// The class of the same-category head: nouns and pronouns are one, verbs and *be* another.
fn class_of(token: &Token) -> FeatureSet {
    const CLASSES: [FeatureSet; 7] = [
        NOMINAL,
        FeatureSet::of(&[Feature::Verb, Feature::Be]),
        FeatureSet::of(&[Feature::Det]),
        FeatureSet::of(&[Feature::Func]),
        FeatureSet::of(&[Feature::Mod]),
        FeatureSet::of(&[Feature::Punct]),
        FeatureSet::of(&[Feature::Unk]),
    ];
    CLASSES.into_iter().find(|&class| any(token, class)).unwrap_or(FeatureSet::EMPTY)
}

fn any(token: &Token, features: FeatureSet) -> bool {
    token.features.0 & features.0 != 0
}

/// Whether it was cut from the input and not added as a mark.
fn is_word(token: &Token) -> bool {
    !matches!(token.kind, TokenKind::Bos | TokenKind::Pad)
}
