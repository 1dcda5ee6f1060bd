//! Names: heads and their roles, features of words, dimensions of an embedding.

use crate::attention::toy::Role;
use crate::text::{Feature, Lang};

/// The short name of a role, as it stands under a head's small map.
#[must_use]
pub const fn role_name(lang: Lang, role: Role) -> &'static str {
    match (lang, role) {
        (Lang::Zh, Role::Uniform) => "均匀",
        (Lang::Zh, Role::PreviousToken) => "前一词",
        (Lang::Zh, Role::SameCategory) => "同类词",
        (Lang::Zh, Role::Agent) => "施事 · 谁做",
        (Lang::Zh, Role::Patient) => "受事 · 对谁",
        (Lang::Zh, Role::Reference) => "指代与一致",
        (Lang::Zh, Role::WordSense) => "语境",
        (Lang::Zh, Role::Sink) => "汇点",
        (Lang::En, Role::Uniform) => "uniform",
        (Lang::En, Role::PreviousToken) => "previous",
        (Lang::En, Role::SameCategory) => "same class",
        (Lang::En, Role::Agent) => "agent",
        (Lang::En, Role::Patient) => "patient",
        (Lang::En, Role::Reference) => "reference",
        (Lang::En, Role::WordSense) => "word sense",
        (Lang::En, Role::Sink) => "sink",
    }
}

/// What a head was made for, in a sentence.
#[must_use]
pub const fn role_sentence(lang: Lang, role: Role) -> &'static str {
    match (lang, role) {
        (Lang::Zh, Role::Uniform) => "均匀：每个词一样看，等于取平均",
        (Lang::Zh, Role::PreviousToken) => "前一词：每个词看它前面那个词",
        (Lang::Zh, Role::SameCategory) => "同类词：名词看名词，动词看动词",
        (Lang::Zh, Role::Agent) => "施事：动词看向做这件事的词",
        (Lang::Zh, Role::Patient) => "受事：动词看向承受这件事的词",
        (Lang::Zh, Role::Reference) => "指代与一致：代词、量词和 be 动词看向所指的词",
        (Lang::Zh, Role::WordSense) => "语境：多义词看向能定下意思的词",
        (Lang::Zh, Role::Sink) => "汇点：都看 <BOS>，而它几乎不带走什么",
        (Lang::En, Role::Uniform) => "uniform: every word alike, which is an average",
        (Lang::En, Role::PreviousToken) => "previous token: each word looks at the one before it",
        (Lang::En, Role::SameCategory) => "same class: nouns look at nouns, verbs at verbs",
        (Lang::En, Role::Agent) => "agent: a verb looks at who does it",
        (Lang::En, Role::Patient) => "patient: a verb looks at whom it is done to",
        (Lang::En, Role::Reference) => "reference and agreement: pronouns, determiners and be look at what they mean",
        (Lang::En, Role::WordSense) => "word sense: an ambiguous word looks at the word that settles it",
        (Lang::En, Role::Sink) => "sink: everything looks at <BOS>, which hands on almost nothing",
    }
}

/// The name of a role for scripts; the same in every language.
#[must_use]
pub const fn role_code(role: Role) -> &'static str {
    match role {
        Role::Uniform => "uniform",
        Role::PreviousToken => "previous_token",
        Role::SameCategory => "same_category",
        Role::Agent => "agent",
        Role::Patient => "patient",
        Role::Reference => "reference",
        Role::WordSense => "word_sense",
        Role::Sink => "sink",
    }
}

/// A head by its number, from 1.
#[must_use]
pub fn head_name(lang: Lang, head: usize) -> String {
    match lang {
        Lang::Zh => format!("第 {head} 头"),
        Lang::En => format!("Head {head}"),
    }
}

/// A head by its number, as the beginning of a line that goes on with its role.
#[must_use]
pub fn head_title(lang: Lang, head: usize, role: Option<Role>) -> String {
    match role {
        Some(role) => format!("{} · {}", head_name(lang, head), role_sentence(lang, role)),
        None => head_name(lang, head),
    }
}

/// A feature as a person would say it.
#[must_use]
pub const fn feature_name(lang: Lang, feature: Feature) -> &'static str {
    match lang {
        Lang::Zh => match feature {
            Feature::Const => "常数",
            Feature::Bos => "句首",
            Feature::Noun => "名词",
            Feature::Pron => "代词",
            Feature::Verb => "动词",
            Feature::Trans => "及物",
            Feature::Be => "be 动词",
            Feature::Det => "限定词",
            Feature::Func => "虚词",
            Feature::Mod => "修饰语",
            Feature::Punct => "标点",
            Feature::Unk => "生词",
            Feature::Animate => "有生命",
            Feature::Animal => "动物",
            Feature::Human => "人",
            Feature::Thing => "事物",
            Feature::WantAnimal => "找动物",
            Feature::WantHuman => "找人",
            Feature::WantThing => "找事物",
            Feature::Sg => "单数",
            Feature::Pl => "复数",
            Feature::WantSg => "找单数",
            Feature::WantPl => "找复数",
            Feature::TFin => "金融",
            Feature::TNat => "自然",
            Feature::TFood => "食物",
            Feature::TTech => "科技",
            Feature::SFin => "可指金融",
            Feature::SNat => "可指自然",
            Feature::SFood => "可指食物",
            Feature::STech => "可指科技",
        },
        Lang::En => match feature {
            Feature::Const => "constant",
            Feature::Bos => "beginning",
            Feature::Noun => "noun",
            Feature::Pron => "pronoun",
            Feature::Verb => "verb",
            Feature::Trans => "transitive",
            Feature::Be => "be",
            Feature::Det => "determiner",
            Feature::Func => "function word",
            Feature::Mod => "modifier",
            Feature::Punct => "punctuation",
            Feature::Unk => "unknown",
            Feature::Animate => "animate",
            Feature::Animal => "animal",
            Feature::Human => "human",
            Feature::Thing => "thing",
            Feature::WantAnimal => "looks for an animal",
            Feature::WantHuman => "looks for a human",
            Feature::WantThing => "looks for a thing",
            Feature::Sg => "singular",
            Feature::Pl => "plural",
            Feature::WantSg => "looks for a singular",
            Feature::WantPl => "looks for a plural",
            Feature::TFin => "finance",
            Feature::TNat => "nature",
            Feature::TFood => "food",
            Feature::TTech => "technology",
            Feature::SFin => "may be finance",
            Feature::SNat => "may be nature",
            Feature::SFood => "may be food",
            Feature::STech => "may be technology",
        },
    }
}

/// Where position dimensions begin in an embedding, and identity dimensions.
const POSITION: usize = 32;
const IDENTITY: usize = 48;

/// A dimension of x, from 0: a feature, a sine or cosine of the position, or a bit of the word's identity.
#[must_use]
pub fn dimension_name(lang: Lang, index: usize) -> String {
    if let Some(&feature) = Feature::ALL.get(index) {
        return feature_name(lang, feature).to_owned();
    }
    if (POSITION..IDENTITY).contains(&index) {
        let at = index - POSITION;
        let wave = if at.is_multiple_of(2) { "cos" } else { "sin" };
        // Pair m has a period of 4·2^m tokens.
        let period = 4 << (at / 2);
        return match lang {
            Lang::Zh => format!("位置 {wave}，周期 {period}"),
            Lang::En => format!("position {wave}, period {period}"),
        };
    }
    match (lang, index.checked_sub(IDENTITY)) {
        (Lang::Zh, Some(bit)) => format!("词的身份码 {}", bit + 1),
        (Lang::En, Some(bit)) => format!("identity code {}", bit + 1),
        (Lang::Zh, None) => "备用".to_owned(),
        (Lang::En, None) => "spare".to_owned(),
    }
}
