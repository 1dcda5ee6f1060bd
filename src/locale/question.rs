//! The question that a row of a head answers, and the answer, in words.
//!
//! Owns the wording, with the verbs of the lexicon that need their own. Which question fits a row is decided in `lesson`.

use crate::text::Lang;

/// Whether a question asks for someone or for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "names of the two kinds")]
pub enum Sought {
    Someone,
    Something,
}

/// What a row is asked; words as they stand in the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "field names are the documentation")]
pub enum Topic<'a> {
    /// Who does it?
    Agent { verb: &'a str },
    /// Whom or what is it done to?
    Patient { verb: &'a str, sought: Sought },
    /// Who was tired?
    Subject { be: &'a str, predicate: &'a str, sought: Sought },
    /// Whom or what does a word refer to?
    Reference { word: &'a str, sought: Sought },
    /// Whom or what is said to be so?
    Describes { word: &'a str, sought: Sought },
    /// Which word settles what an ambiguous word means?
    Sense { word: &'a str },
    /// Which word gives context to a word that has one sense all the same?
    Context { word: &'a str },
    /// Which word comes before?
    Previous { word: &'a str },
    /// Which words are of the same class?
    Category { word: &'a str },
    /// Where does the attention rest?
    Rest { word: &'a str },
    /// What does a word look at?
    Any { word: &'a str },
}

/// What is found in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "field names are the documentation")]
pub enum Found<'a> {
    /// One word, with its weight.
    Word { word: &'a str, weight: f32 },
    /// Several words with the same weight.
    Tied { words: &'a [&'a str], weight: f32 },
    /// Every word alike.
    Evenly { share: f32 },
    /// Nobody suitable: the row falls back on `<BOS>`.
    NoOne { asker: &'a str, weight: f32 },
    /// The mask hides the word that would have been found.
    Hidden { asker: &'a str, word: &'a str, weight: f32 },
    /// The word has nothing to look for in this head.
    Rests { asker: &'a str, known: bool, weight: f32 },
    /// The mask forbids every key.
    AllForbidden,
}

/// How one verb of the lexicon is asked about: who, and the words before "whom".
struct Verb {
    word: &'static str,
    zh_who: &'static str,
    zh_before_whom: &'static str,
    en_who: &'static str,
    en_before_whom: &'static str,
}

const fn verb(
    word: &'static str,
    zh_who: &'static str,
    zh_before_whom: &'static str,
    en_who: &'static str,
    en_before_whom: &'static str,
) -> Verb {
    Verb { word, zh_who, zh_before_whom, en_who, en_before_whom }
}

/// Chinese verbs: which of them take 在 or 了 is a matter of each, and so is their English.
const CHINESE_VERBS: [Verb; 16] = [
    verb("追", "谁在追？", "追", "Who is chasing?", "Chasing"),
    verb("爱", "谁爱？", "爱", "Who loves?", "Loves"),
    verb("看见", "谁看见了？", "看见了", "Who sees?", "Sees"),
    verb("吃", "谁在吃？", "吃", "Who is eating?", "Eating"),
    verb("咬", "谁在咬？", "咬", "Who is biting?", "Biting"),
    verb("打", "谁在打？", "打", "Who is hitting?", "Hitting"),
    verb("喜欢", "谁喜欢？", "喜欢", "Who likes?", "Likes"),
    verb("找到", "谁找到了？", "找到了", "Who found?", "Found"),
    verb("遗弃", "谁遗弃的？", "遗弃了", "Who abandoned?", "Abandoned"),
    verb("帮助", "谁在帮助？", "帮助", "Who is helping?", "Helping"),
    verb("买", "谁买的？", "买了", "Who bought?", "Bought"),
    verb("发布", "谁发布的？", "发布了", "Who released?", "Released"),
    verb("睡", "谁在睡？", "睡", "Who is sleeping?", "Sleeping"),
    verb("跑", "谁在跑？", "跑", "Who is running?", "Running"),
    verb("笑", "谁在笑？", "笑", "Who is laughing?", "Laughing at"),
    verb("跳", "谁在跳？", "跳", "Who is jumping?", "Jumping over"),
];

/// English verb forms that can follow "who" as they stand.
const ENGLISH_VERBS: [&str; 15] = [
    "chased",
    "loves",
    "saw",
    "ate",
    "bit",
    "likes",
    "found",
    "helped",
    "bought",
    "abandoned",
    "slept",
    "ran",
    "laughed",
    "sleeps",
    "runs",
];

/// Whether this verb of the lexicon is as a rule done to things.
#[must_use]
pub fn is_done_to_things(verb: &str) -> bool {
    ["买", "发布", "吃", "bought", "ate"].contains(&verb)
}

/// The question.
#[must_use]
pub fn question(lang: Lang, topic: &Topic) -> String {
    match lang {
        Lang::Zh => zh_question(topic),
        Lang::En => en_question(topic),
    }
}

fn zh_question(topic: &Topic) -> String {
    let who = |sought| match sought {
        Sought::Someone => "谁",
        Sought::Something => "什么",
    };
    match *topic {
        Topic::Agent { verb } => match chinese(verb) {
            Some(known) => known.zh_who.into(),
            None => format!("“{verb}”是谁做的？"),
        },
        Topic::Patient { verb, sought } => match chinese(verb) {
            Some(known) => format!("{}{}？", known.zh_before_whom, who(sought)),
            None => format!("“{verb}”的对象是{}？", who(sought)),
        },
        Topic::Subject { be, predicate, sought } => format!("“{be} {predicate}”说的是{}？", who(sought)),
        Topic::Reference { word, sought } => format!("“{word}”指{}？", who(sought)),
        Topic::Describes { word, sought } => format!("“{word}”说的是{}？", who(sought)),
        Topic::Sense { word } => format!("“{word}”是哪个意思，看哪个词？"),
        Topic::Context { word } => format!("“{word}”从哪个词读到语境？"),
        Topic::Previous { word } => format!("“{word}”的前一个是什么？"),
        Topic::Category { word } => format!("哪些词和“{word}”同类？"),
        Topic::Rest { word } => format!("“{word}”的注意力停在哪里？"),
        Topic::Any { word } => format!("“{word}”在看谁？"),
    }
}

fn en_question(topic: &Topic) -> String {
    let who = |sought| match sought {
        Sought::Someone => "Who",
        Sought::Something => "What",
    };
    let whom = |sought| match sought {
        Sought::Someone => "whom",
        Sought::Something => "what",
    };
    match *topic {
        Topic::Agent { verb } => match (chinese(verb), english(verb)) {
            (Some(known), _) => known.en_who.into(),
            (None, Some(form)) => format!("Who {form}?"),
            (None, None) => format!("Who is the doer of \"{verb}\"?"),
        },
        Topic::Patient { verb, sought } => match (chinese(verb), english(verb)) {
            (Some(known), _) => format!("{} {}?", known.en_before_whom, whom(sought)),
            (None, Some(form)) => format!("{} {}?", capitalised(&form), whom(sought)),
            (None, None) => format!("{} is \"{verb}\" done to?", capitalised(whom(sought))),
        },
        Topic::Subject { be, predicate, sought } => format!("{} {be} {predicate}?", who(sought)),
        Topic::Reference { word, sought } => format!("{} does \"{word}\" refer to?", who(sought)),
        Topic::Describes { word, sought } => format!("{} is said to be \"{word}\"?", who(sought)),
        Topic::Sense { word } => format!("Which word settles what \"{word}\" means?"),
        Topic::Context { word } => format!("Which word gives \"{word}\" its context?"),
        Topic::Previous { word } => format!("What comes just before \"{word}\"?"),
        Topic::Category { word } => format!("Which words are of the same class as \"{word}\"?"),
        Topic::Rest { word } => format!("Where does the attention of \"{word}\" rest?"),
        Topic::Any { word } => format!("What does \"{word}\" look at?"),
    }
}

/// The label of the button that goes to another question about the same word.
#[must_use]
pub fn swap_label(lang: Lang, question: &str) -> String {
    match lang {
        Lang::Zh => format!("换个问题：{question}"),
        Lang::En => {
            let mut letters = question.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase().to_string()).unwrap_or_default();
            format!("Another question: {first}{}", letters.as_str())
        }
    }
}

/// The answer.
#[must_use]
pub fn answer(lang: Lang, found: &Found) -> String {
    match (lang, *found) {
        (Lang::Zh, Found::Word { word, weight }) => format!("“{word}”，权重 {}", figure(weight)),
        (Lang::En, Found::Word { word, weight }) => format!("\"{word}\", weight {}", figure(weight)),
        (Lang::Zh, Found::Tied { words, weight }) => {
            format!("{}不分高下，各 {}", several(words, "、"), figure(weight))
        }
        (Lang::En, Found::Tied { words, weight }) => {
            format!("{} tie, weight {} each", several(words, ", "), figure(weight))
        }
        (Lang::Zh, Found::Evenly { share }) => format!("平均地看能看到的每个词元，各 {}", figure(share)),
        (Lang::En, Found::Evenly { share }) => {
            format!("every visible token alike, weight {} each", figure(share))
        }
        (Lang::Zh, Found::NoOne { asker, weight }) => {
            format!("没有找到合适的词，“{asker}”停在 <BOS> 上，权重 {}", figure(weight))
        }
        (Lang::En, Found::NoOne { asker, weight }) => {
            format!("nobody suitable: \"{asker}\" rests on <BOS>, weight {}", figure(weight))
        }
        (Lang::Zh, Found::Hidden { asker, word, weight }) => {
            format!("掩码挡住了“{word}”，“{asker}”只好停在 <BOS> 上，权重 {}", figure(weight))
        }
        (Lang::En, Found::Hidden { asker, word, weight }) => {
            format!("the mask hides \"{word}\", so \"{asker}\" rests on <BOS>, weight {}", figure(weight))
        }
        (Lang::Zh, Found::Rests { asker, known: true, weight }) => {
            format!("“{asker}”在这个头里不找别的词，停在 <BOS> 上，权重 {}", figure(weight))
        }
        (Lang::En, Found::Rests { asker, known: true, weight }) => {
            format!("\"{asker}\" looks for nothing in this head and rests on <BOS>, weight {}", figure(weight))
        }
        (Lang::Zh, Found::Rests { asker, known: false, weight }) => {
            format!("这个头不认识“{asker}”，它停在 <BOS> 上，权重 {}", figure(weight))
        }
        (Lang::En, Found::Rests { asker, known: false, weight }) => {
            format!("this head does not know \"{asker}\", which rests on <BOS>, weight {}", figure(weight))
        }
        (Lang::Zh, Found::AllForbidden) => "掩码挡住了所有的键，这一行没有可看的".into(),
        (Lang::En, Found::AllForbidden) => "the mask forbids every key, so this row looks at nothing".into(),
    }
}

/// The first few of several words; a long sentence can tie a hundred.
fn several(words: &[&str], separator: &str) -> String {
    const NAMED: usize = 4;
    let mut quoted: Vec<String> = words.iter().take(NAMED).map(|word| format!("\"{word}\"")).collect();
    if words.len() > NAMED {
        quoted.push("…".into());
    }
    quoted.join(separator)
}

/// Two decimals; a weight that is not quite 1 is not rounded up to it.
#[must_use]
pub fn figure(weight: f32) -> String {
    let text = format!("{:.2}", f64::from(weight));
    if weight < 1.0 && text == "1.00" { "> 0.99".into() } else { text }
}

fn chinese(word: &str) -> Option<&'static Verb> {
    CHINESE_VERBS.iter().find(|known| known.word == word)
}

/// An English verb in a form that can follow "who".
fn english(word: &str) -> Option<String> {
    let word = word.to_ascii_lowercase();
    match word.as_str() {
        "love" => Some("loves".into()),
        _ => ENGLISH_VERBS.contains(&word.as_str()).then_some(word),
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}
