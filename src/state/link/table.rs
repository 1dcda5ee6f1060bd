//! The one table of the link: each key with how it is written and how it is read.

use super::{cells, feat};
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
pub const RESERVED: [&str; 11] =
    ["s2", "doc", "present", "embed", "hide", "layer", "lesson", "step", "case", "bug", "a"];

/// The only `fill` of this version: forbidden cells are excluded from the softmax.
const FILL: &str = "exclude";

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
const WEIGHTS: [(&str, WeightsKind); 2] = [("toy", WeightsKind::Toy), ("random", WeightsKind::Random)];
const STAGES: [(&str, ShownStage); 4] = [
    ("weights", ShownStage::Weights),
    ("raw", ShownStage::Raw),
    ("scaled", ShownStage::Scaled),
    ("masked", ShownStage::Masked),
];
const SCALES: [(&str, Scale); 3] =
    [("sqrt_dk", Scale::SqrtDk), ("none", Scale::None), ("sqrt_dmodel", Scale::SqrtDModel)];
const SWITCH: [(&str, bool); 2] = [("on", true), ("off", false)];
const FLAG: [(&str, bool); 2] = [("1", true), ("0", false)];
const CONTRASTS: [(&str, Contrast); 2] = [("fixed", Contrast::Fixed), ("auto", Contrast::Auto)];
const ENGINES: [(&str, EngineChoice); 3] =
    [("auto", EngineChoice::Auto), ("cpu", EngineChoice::Cpu), ("webgpu", EngineChoice::WebGpu)];
const THEMES: [(&str, Theme); 3] = [("auto", Theme::Auto), ("light", Theme::Light), ("dark", Theme::Dark)];

/// Every key that this version reads and writes, in the order in which a link lists them.
pub const TABLE: [Entry; 25] = [
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
    Entry { key: "t", write: |s| s.temperature.to_string(), read: read_temperature },
    Entry { key: "scale", write: |s| name(&SCALES, s.scale), read: |s, text| choose(&mut s.scale, text, &SCALES, &[]) },
    Entry { key: "mask", write: write_mask, read: read_mask },
    Entry { key: "cells", write: |s| cells::encode(&s.cells), read: read_cells },
    Entry { key: "fill", write: |_| FILL.into(), read: read_fill },
    Entry {
        key: "pos",
        write: |s| name(&SWITCH, s.positions),
        read: |s, text| choose(&mut s.positions, text, &SWITCH, &["sinusoidal", "learned", "rope", "alibi"]),
    },
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
fn read_temperature(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    let given = decimal(text).ok_or(Fault::Unreadable)?;
    let (low, high) = TEMPERATURE;
    settings.temperature = given.clamp(low, high);
    if (low..=high).contains(&given) { Ok(()) } else { Err(Fault::Clamped) }
}

fn write_mask(settings: &Settings) -> String {
    match (settings.causal, settings.padding) {
        (false, false) => "none",
        (true, false) => "causal",
        (false, true) => "padding",
        (true, true) => "causal+padding",
    }
    .into()
}

/// What can be read is taken; a kind that is for later or unknown is said once.
fn read_mask(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    let (mut causal, mut padding, mut fault) = (false, false, None);
    for kind in text.split('+') {
        match kind {
            "causal" => causal = true,
            "padding" => padding = true,
            "none" if text == "none" => {}
            "window" | "strided" | "prefix" => fault = fault.or(Some(Fault::NotYet)),
            _ => return Err(Fault::Unreadable),
        }
    }
    settings.causal = causal;
    settings.padding = padding;
    fault.map_or(Ok(()), Err)
}

fn read_cells(settings: &mut Settings, text: &str) -> Result<(), Fault> {
    settings.cells = Rc::new(cells::decode(text).ok_or(Fault::Unreadable)?);
    Ok(())
}

fn read_fill(_: &mut Settings, text: &str) -> Result<(), Fault> {
    match text {
        FILL => Ok(()),
        "neg_inf" | "replace_neg_1e9" | "add_neg_1e9" | "add_neg_1e4" | "zero" | "multiply_after" => Err(Fault::NotYet),
        _ => Err(Fault::Unreadable),
    }
}
