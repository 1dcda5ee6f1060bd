//! The one table of the link: each key with how it is written and how it is read.

use super::{cells, feat};
use crate::attention::{Bug, Bugs, Fill};
use crate::state::field::{MASK_SIZE, MaskKind, MaskKinds, Normalisation, PositionKind, ScoreKind, TAU};
use crate::state::notice::{Given, Notice};
use crate::state::settings::{
    Contrast, D_K, EngineChoice, HEADS, MAX_INDEX, MAX_PAD, MAX_SENTENCE, Scale, Settings, ShownStage, TEMPERATURE,
    Tab, Theme, WeightsKind, cut_utf16,
};
use crate::text::{Lang, Tokenizer, decimal};
use std::rc::Rc;

/// Why a value was not simply taken.
#[derive(Debug)]
pub enum Fault {
    /// It means nothing here; the setting stays.
    Unreadable,
    /// It is of the contract, but this version can't do it; the setting stays.
    NotYet,
    /// It was out of range and moved to the nearest end.
    Clamped,
    /// It was taken as far as these notices say.
    Said(Vec<Notice>),
}

/// One key of the link.
pub struct Entry {
    /// The key.
    pub key: &'static str,
    /// Its value in these settings; a value equal to the default settings' is left out of a link.
    pub write: fn(&Settings) -> String,
    /// Puts a value into the settings.
    pub read: fn(&mut Settings, &str) -> Result<(), Fault>,
}

/// Version of the contract, the value of `v`.
pub const VERSION: &str = "1";

/// Keys that the contract reserves for what this version does not have.
pub const RESERVED: [&str; 9] = ["s2", "doc", "present", "embed", "hide", "layer", "lesson", "step", "case"];

const LANGS: [(&str, Option<Lang>); 3] = [("", None), ("zh", Some(Lang::Zh)), ("en", Some(Lang::En))];
const TABS: [(&str, Tab); 6] = [
    ("play", Tab::Play),
    ("lessons", Tab::Lessons),
    ("clinic", Tab::Clinic),
    ("labs", Tab::Labs),
    ("glossary", Tab::Glossary),
    ("about", Tab::About),
];
const TOKENIZERS: [(&str, Tokenizer); 4] =
    [("word", Tokenizer::Word), ("char", Tokenizer::Char), ("space", Tokenizer::Space), ("byte", Tokenizer::Byte)];
const WEIGHTS: [(&str, WeightsKind); 3] =
    [("toy", WeightsKind::Toy), ("random", WeightsKind::Random), ("identity", WeightsKind::Identity)];
const STAGES: [(&str, ShownStage); 4] = [
    ("weights", ShownStage::Weights),
    ("raw", ShownStage::Raw),
    ("scaled", ShownStage::Scaled),
    ("masked", ShownStage::Masked),
];
const SCALES: [(&str, Scale); 3] =
    [("sqrt_dk", Scale::SqrtDk), ("none", Scale::None), ("sqrt_dmodel", Scale::SqrtDModel)];
const POSITIONS: [(&str, PositionKind); 6] = [
    ("on", PositionKind::On),
    ("off", PositionKind::Off),
    ("sinusoidal", PositionKind::Sinusoidal),
    ("learned", PositionKind::Learned),
    ("rope", PositionKind::Rope),
    ("alibi", PositionKind::Alibi),
];
const SCORES: [(&str, ScoreKind); 4] = [
    ("dot", ScoreKind::Dot),
    ("general", ScoreKind::General),
    ("additive", ScoreKind::Additive),
    ("additive_linear", ScoreKind::Linear),
];
const NORMS: [(&str, Normalisation); 6] = [
    ("softmax", Normalisation::Softmax),
    ("no_max", Normalisation::WithoutMaximum),
    ("hard", Normalisation::Hard),
    ("sampled", Normalisation::Sampled),
    ("gumbel", Normalisation::Gumbel),
    ("linear", Normalisation::Linear),
];
const FILLS: [(&str, Fill); 7] = [
    ("exclude", Fill::Exclude),
    ("neg_inf", Fill::MinusInfinity),
    ("replace_neg_1e9", Fill::ReplaceBillion),
    ("add_neg_1e9", Fill::AddBillion),
    ("add_neg_1e4", Fill::AddTenThousand),
    ("zero", Fill::Zero),
    ("multiply_after", Fill::MultiplyAfter),
];
const NUMBERS: [(&str, bool); 2] = [("f32", false), ("f16", true)];
const FLAG: [(&str, bool); 2] = [("1", true), ("0", false)];
const CONTRASTS: [(&str, Contrast); 2] = [("fixed", Contrast::Fixed), ("auto", Contrast::Auto)];
const ENGINES: [(&str, EngineChoice); 3] =
    [("auto", EngineChoice::Auto), ("cpu", EngineChoice::Cpu), ("webgpu", EngineChoice::WebGpu)];
const THEMES: [(&str, Theme); 3] = [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];

/// Every key that this version reads and writes, in the order in which a link lists them.
pub const TABLE: [Entry; 38] = [
    Entry { key: "v", write: |_| VERSION.into(), read: read_version },
    Entry { key: "lang", write: |s| name(&LANGS, s.lang), read: |s, text| choose(&mut s.lang, text, &LANGS, &[]) },
    Entry { key: "tab", write: |s| name(&TABS, s.tab), read: |s, text| choose(&mut s.tab, text, &TABS, &[]) },
    Entry { key: "s", write: |s| s.sentence.to_string(), read: read_sentence },
    Entry {
        key: "tok",
        write: |s| name(&TOKENIZERS, s.tokenizer),
        read: |s, text| choose(&mut s.tokenizer, text, &TOKENIZERS, &[]),
    },
    Entry { key: "feat", write: |s| feat::encode(&s.words), read: read_words },
    Entry {
        key: "w",
        write: |s| name(&WEIGHTS, s.weights),
        read: |s, text| choose(&mut s.weights, text, &WEIGHTS, &["doc", "trained", "imported"]),
    },
    Entry { key: "heads", write: |s| s.heads.to_string(), read: |s, text| whole(&mut s.heads, text, HEADS) },
    Entry { key: "dk", write: |s| s.d_k.to_string(), read: |s, text| whole(&mut s.d_k, text, D_K) },
    Entry { key: "seed", write: |s| s.seed.to_string(), read: |s, text| whole(&mut s.seed, text, (0, u32::MAX)) },
    // Whether head h exists depends on other keys: that is settled when all are read.
    Entry { key: "h", write: |s| s.head.to_string(), read: |s, text| whole(&mut s.head, text, HEADS) },
    Entry { key: "q", write: |s| s.query.to_string(), read: |s, text| whole(&mut s.query, text, (0, MAX_INDEX)) },
    Entry { key: "k", write: |s| s.key.to_string(), read: |s, text| whole(&mut s.key, text, (0, MAX_INDEX)) },
    // f64's Display is the shortest text that reads back as the same number.
    Entry {
        key: "t",
        write: |s| s.temperature.to_string(),
        read: |s, text| real(&mut s.temperature, text, TEMPERATURE),
    },
    Entry { key: "scale", write: |s| name(&SCALES, s.scale), read: |s, text| choose(&mut s.scale, text, &SCALES, &[]) },
    Entry { key: "mask", write: write_mask, read: read_mask },
    Entry { key: "cells", write: |s| cells::encode(&s.cells), read: read_cells },
    Entry {
        key: "prefix",
        write: |s| s.sizes.prefix.to_string(),
        read: |s, text| whole(&mut s.sizes.prefix, text, MASK_SIZE),
    },
    Entry {
        key: "window",
        write: |s| s.sizes.window.to_string(),
        read: |s, text| whole(&mut s.sizes.window, text, MASK_SIZE),
    },
    Entry {
        key: "stride",
        write: |s| s.sizes.stride.to_string(),
        read: |s, text| whole(&mut s.sizes.stride, text, MASK_SIZE),
    },
    Entry {
        key: "block",
        write: |s| s.sizes.block.to_string(),
        read: |s, text| whole(&mut s.sizes.block, text, MASK_SIZE),
    },
    Entry {
        key: "global",
        write: |s| s.sizes.global.to_string(),
        read: |s, text| whole(&mut s.sizes.global, text, MASK_SIZE),
    },
    Entry {
        key: "fill",
        write: |s| name(&FILLS, s.field.fill),
        read: |s, text| choose(&mut s.field.fill, text, &FILLS, &[]),
    },
    Entry {
        key: "pos",
        write: |s| name(&POSITIONS, s.positions),
        read: |s, text| choose(&mut s.positions, text, &POSITIONS, &[]),
    },
    Entry {
        key: "score",
        write: |s| name(&SCORES, s.field.score),
        read: |s, text| choose(&mut s.field.score, text, &SCORES, &[]),
    },
    Entry {
        key: "norm",
        write: |s| name(&NORMS, s.field.normalisation),
        read: |s, text| choose(&mut s.field.normalisation, text, &NORMS, &[]),
    },
    Entry { key: "tau", write: |s| s.field.tau.to_string(), read: |s, text| real(&mut s.field.tau, text, TAU) },
    Entry {
        key: "draw",
        write: |s| s.field.draw.to_string(),
        read: |s, text| whole(&mut s.field.draw, text, (0, u32::MAX)),
    },
    Entry {
        key: "num",
        write: |s| name(&NUMBERS, s.field.half),
        read: |s, text| choose(&mut s.field.half, text, &NUMBERS, &[]),
    },
    Entry {
        key: "bias",
        write: |s| name(&FLAG, s.field.bias),
        read: |s, text| choose(&mut s.field.bias, text, &FLAG, &[]),
    },
    Entry { key: "bug", write: write_bugs, read: read_bugs },
    Entry { key: "bos", write: |s| name(&FLAG, s.bos), read: |s, text| choose(&mut s.bos, text, &FLAG, &[]) },
    Entry { key: "pad", write: |s| s.pad.to_string(), read: |s, text| whole(&mut s.pad, text, (0, MAX_PAD)) },
    Entry { key: "stage", write: |s| name(&STAGES, s.stage), read: |s, text| choose(&mut s.stage, text, &STAGES, &[]) },
    Entry {
        key: "contrast",
        write: |s| name(&CONTRASTS, s.contrast),
        read: |s, text| choose(&mut s.contrast, text, &CONTRASTS, &[]),
    },
    Entry {
        key: "engine",
        write: |s| name(&ENGINES, s.engine),
        read: |s, text| choose(&mut s.engine, text, &ENGINES, &[]),
    },
    Entry { key: "a", write: |s| s.pinned.to_string(), read: read_pinned },
    Entry { key: "theme", write: |s| name(&THEMES, s.theme), read: |s, text| choose(&mut s.theme, text, &THEMES, &[]) },
];

/// The name of `value` in a list that has every value.
fn name<T: PartialEq>(names: &[(&str, T)], value: T) -> String {
    names.iter().find(|(_, known)| *known == value).map_or_else(String::new, |(name, _)| (*name).into())
}

fn choose<T: Copy>(setting: &mut T, text: &str, names: &[(&str, T)], later: &[&str]) -> Result<(), Fault> {
    match names.iter().find(|(name, _)| *name == text) {
        Some(&(_, value)) => {
            *setting = value;
            Ok(())
        }
        None if later.contains(&text) => Err(Fault::NotYet),
        None => Err(Fault::Unreadable),
    }
}

/// Reads a whole number in `range` (both ends included); too large or too small a number is moved to the nearest end.
fn whole<T>(setting: &mut T, text: &str, (low, high): (T, T)) -> Result<(), Fault>
where
    T: Copy + Ord + TryFrom<u64>,
{
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Unreadable);
    }
    // Only digits: the one way left to fail is that the number is too large.
    let size = digits.parse::<u64>().ok().and_then(|size| T::try_from(size).ok());
    let given = match size {
        Some(_) if negative && digits.bytes().any(|digit| digit != b'0') => None,
        _ if negative && size.is_none() => None,
        Some(size) => Some(size),
        None => {
            *setting = high;
            return Err(Fault::Clamped);
        }
    };
    let used = given.map_or(low, |given| given.clamp(low, high));
    *setting = used;
    if given == Some(used) { Ok(()) } else { Err(Fault::Clamped) }
}

fn read_version(_: &mut Settings, text: &str) -> Result<(), Fault> {
    if text == VERSION { Ok(()) } else { Err(Fault::Said(vec![Notice::Version { given: Given::new(text) }])) }
}

fn read_sentence(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    let (kept, units) = cut_utf16(text, MAX_SENTENCE);
    settings.sentence = kept.into();
    if kept.len() == text.len() {
        return Ok(());
    }
    let kept = kept.encode_utf16().count();
    Err(Fault::Said(vec![Notice::SentenceTooLong { kept, of: units }]))
}

fn read_words(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    let (words, notices) = feat::decode(text);
    settings.words = words.into();
    if notices.is_empty() { Ok(()) } else { Err(Fault::Said(notices)) }
}

/// Reads `0.5`, `.5`, `1e1`; not `inf`, `NaN` or a number too large for f64.
fn real(setting: &mut f64, text: &str, (low, high): (f64, f64)) -> Result<(), Fault> {
    let given = decimal(text).ok_or(Fault::Unreadable)?;
    *setting = given.clamp(low, high);
    if (low..=high).contains(&given) { Ok(()) } else { Err(Fault::Clamped) }
}

fn write_mask(settings: &Settings) -> String {
    let further = MaskKind::ALL.iter().filter(|(_, kind)| settings.masks.has(*kind)).map(|(name, _)| *name);
    let first = [("causal", settings.causal), ("padding", settings.padding)];
    let kinds: Vec<&str> = first.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).chain(further).collect();
    if kinds.is_empty() { "none".into() } else { kinds.join("+") }
}

fn read_mask(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    let (mut causal, mut padding, mut masks) = (false, false, MaskKinds::default());
    for name in text.split('+') {
        match (name, MaskKind::ALL.iter().find(|(known, _)| *known == name)) {
            ("causal", _) => causal = true,
            ("padding", _) => padding = true,
            (_, Some(&(_, kind))) => masks = masks.with(kind, true),
            ("none", _) if text == "none" => {}
            _ => return Err(Fault::Unreadable),
        }
    }
    (settings.causal, settings.padding, settings.masks) = (causal, padding, masks);
    Ok(())
}

fn write_bugs(settings: &Settings) -> String {
    let bugs: Vec<&str> = settings.field.bugs.iter().map(Bug::name).collect();
    if bugs.is_empty() { "none".into() } else { bugs.join("+") }
}

fn read_bugs(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    let mut bugs = Bugs::NONE;
    for name in text.split('+').filter(|_| text != "none") {
        bugs = bugs.with(Bug::named(name).ok_or(Fault::Unreadable)?, true);
    }
    settings.field.bugs = bugs;
    Ok(())
}

fn read_pinned(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    if text.is_empty() {
        settings.pinned = "".into();
        return Ok(());
    }
    let (pinned, notices) = super::read_pin(text);
    settings.pinned = pinned;
    if notices.is_empty() { Ok(()) } else { Err(Fault::Said(notices)) }
}

fn read_cells(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    settings.cells = Rc::new(cells::decode(text).ok_or(Fault::Unreadable)?);
    Ok(())
}
