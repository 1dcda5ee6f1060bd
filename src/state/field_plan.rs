//! From settings to a method and a rule for the mask.

use super::field::{Field, MaskKind, Normalisation, PositionKind, ScoreKind};
use super::settings::Settings;
use crate::attention::method::Biases;
use crate::attention::{D_MODEL, Method, Position, Precision, Rule, Score, Shape, Weighting};
use crate::text::{Token, TokenKind};
use std::rc::Rc;

/// All that a method depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MethodSettings {
    field: Field,
    positions: PositionKind,
    seed: u32,
    heads: usize,
    d_k: usize,
}

/// The last method, kept while its settings stay.
#[derive(Debug, Default)]
pub(super) struct Methods(Option<(MethodSettings, Option<Rc<Method>>)>);

impl Methods {
    /// The method of `settings`; `None` for the standard way.
    pub(super) fn method(&mut self, settings: &Settings, heads: usize, d_k: usize) -> Option<Rc<Method>> {
        let Settings { field, positions, seed, .. } = *settings;
        let wanted = MethodSettings { field, positions, seed, heads, d_k };
        if let Some((known, method)) = &self.0
            && *known == wanted
        {
            return method.clone();
        }
        let method = Some(Rc::new(method(&wanted))).filter(|method| !method.is_standard());
        self.0 = Some((wanted, method.clone()));
        method
    }
}

fn method(wanted: &MethodSettings) -> Method {
    let MethodSettings { field, positions, seed, heads, d_k } = *wanted;
    let (draw, shape) = (field.draw, Shape { heads, n_q: 0, n_k: 0, d_k, d_v: d_k, d_model: D_MODEL });
    Method {
        score: match field.score {
            ScoreKind::Dot => Score::Dot,
            ScoreKind::General => Score::general(seed, heads, d_k),
            ScoreKind::Additive => Score::additive(seed, heads, d_k, true),
            ScoreKind::Linear => Score::additive(seed, heads, d_k, false),
        },
        position: match positions {
            PositionKind::Rope => Position::Rotary { base: 1e4 },
            PositionKind::Alibi => Position::Alibi,
            _ => Position::None,
        },
        weighting: match field.normalisation {
            Normalisation::Softmax => Weighting::Softmax,
            Normalisation::WithoutMaximum => Weighting::WithoutMaximum,
            Normalisation::Hard => Weighting::Hard,
            Normalisation::Sampled => Weighting::Sampled { seed: draw },
            #[expect(clippy::cast_possible_truncation, reason = "0.01 to 10; engines compute in f32")]
            Normalisation::Gumbel => Weighting::Gumbel { tau: field.tau as f32, seed: draw },
            Normalisation::Linear => Weighting::Linear,
        },
        fill: field.fill,
        precision: if field.half { Precision::Half } else { Precision::Single },
        biases: field.bias.then(|| Rc::new(Biases::random(seed, &shape))),
        bugs: field.bugs,
    }
}

/// Causal, visible keys and a rule: the parts of a mask that are no single cells.
type Parts = (bool, Option<Rc<[bool]>>, Option<Rc<Rule>>);

/// The mask of `settings`; `keys` is the padding mask, where there is something to hide.
pub(super) fn rule(settings: &Settings, tokens: &[Token], keys: Option<Rc<[bool]>>) -> Parts {
    let (masks, sizes, causal) = (settings.masks, settings.sizes, settings.causal);
    let mut rules = Vec::new();
    for (_, kind) in MaskKind::ALL.into_iter().filter(|(_, kind)| masks.has(*kind)) {
        rules.push(match kind {
            MaskKind::Queries => Rule::Queries(tokens.iter().map(|token| token.kind != TokenKind::Pad).collect()),
            MaskKind::Prefix => Rule::Prefix(sizes.prefix),
            MaskKind::Window => Rule::Window(sizes.window),
            MaskKind::Strided => Rule::Strided(sizes.stride),
            MaskKind::Block => Rule::Block(sizes.block),
            MaskKind::Global => Rule::Global { tokens: sizes.global, window: sizes.window },
            MaskKind::Documents => Rule::Documents(documents(tokens)),
            MaskKind::Any | MaskKind::Not => continue,
        });
    }
    let (any, not) = (masks.has(MaskKind::Any), masks.has(MaskKind::Not));
    if !any && !not {
        // The parts that every engine knows by itself stay their own.
        return (causal, keys, (!rules.is_empty()).then(|| Rc::new(Rule::All(rules.into()))));
    }
    rules.extend(causal.then_some(Rule::Causal));
    rules.extend(keys.map(Rule::Keys));
    // Nothing chosen forbids nothing, however it is combined.
    let all = if any && !rules.is_empty() { Rule::Any(rules.into()) } else { Rule::All(rules.into()) };
    (false, None, Some(Rc::new(if not { Rule::Not(Rc::new(all)) } else { all })))
}

/// The number of the document that each token is of. A document ends with its sentence: after `。！？.!?` and what
/// closes behind them. `<BOS>` belongs to the first, `<PAD>` to none.
fn documents(tokens: &[Token]) -> Rc<[u32]> {
    const ENDS: &[char] = &['。', '！', '？', '.', '!', '?', '…'];
    const CLOSES: &[char] = &['”', '’', '」', '』', '）', ')', '"', '\''];
    let (mut document, mut ended) = (0, false);
    let number = |token: &Token| {
        if token.kind == TokenKind::Pad {
            return u32::MAX;
        }
        let ends = token.text.chars().all(|c| ENDS.contains(&c));
        if ended && !ends && !token.text.chars().all(|c| CLOSES.contains(&c)) {
            (document, ended) = (document + 1, false);
        }
        ended |= ends;
        document
    };
    tokens.iter().map(number).collect()
}
