//! Sentences of the view on a long text that have data in them.

use super::number;
use crate::text::Lang;

/// A count with its thousands apart.
#[must_use]
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A weight as exactly as its f32 is.
#[must_use]
pub fn weight(value: f32) -> String {
    number::significant(f64::from(value), 6)
}

/// The end of a colour scale.
#[must_use]
pub fn rounded(value: f32) -> String {
    number::significant(f64::from(value), 2)
}

/// How large the text is, and what was left out of it.
#[must_use]
pub fn size(lang: Lang, tokens: usize, cut: Option<(usize, usize)>) -> String {
    let n = grouped(tokens);
    match (lang, cut) {
        (Lang::Zh, None) => format!("{n} 个词，图有 {} 格", grouped(tokens * tokens)),
        (Lang::En, None) => format!("{n} words, {} weights a head", grouped(tokens * tokens)),
        (Lang::Zh, Some((kept, of))) => {
            format!("只算前 {n} 个词：全文 {} 个字符，算了前 {} 个，后面的略去了", grouped(of), grouped(kept))
        }
        (Lang::En, Some((kept, of))) => format!(
            "Only the first {n} words are computed: the first {} of {} characters, the rest was left out",
            grouped(kept),
            grouped(of)
        ),
    }
}

/// How far the work is: head (from 1) of `heads`, percent of it, seconds left for all of it once they can be told.
#[must_use]
pub fn progress(lang: Lang, head: usize, heads: usize, percent: usize, seconds: Option<f64>) -> String {
    let left = |unit: &str, about: &str| {
        seconds.map_or(String::new(), |seconds| {
            format!("{about}{}{unit}", if seconds < 9.5 { format!("{seconds:.1}") } else { format!("{seconds:.0}") })
        })
    };
    match lang {
        Lang::Zh => format!("第 {head} 头（共 {heads}）{percent}%{}", left(" 秒", "，还要约 ")),
        Lang::En => format!("head {head} of {heads}, {percent} %{}", left(" s left", ", about ")),
    }
}

/// Memory of the computation and of the pictures, in bytes.
#[must_use]
pub fn memory(lang: Lang, engine: usize, reserved: usize, tiles: usize) -> String {
    let mega = |bytes: usize| {
        let tenths = bytes / 100_000;
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match lang {
        Lang::Zh => format!(
            "计算占用 {} MB（x、q、k、每行统计、汇总图；模块共占 {} MB），图块 {} MB",
            mega(engine),
            mega(reserved),
            mega(tiles)
        ),
        Lang::En => format!(
            "{} MB for x, q, k, row statistics and pooled maps ({} MB reserved by the module), {} MB of tiles",
            mega(engine),
            mega(reserved),
            mega(tiles)
        ),
    }
}

/// One exact weight: the words with their places (from 1).
#[must_use]
pub fn one_weight(lang: Lang, query: (&str, usize), key: (&str, usize), value: f32, permitted: bool) -> String {
    let (q, k) = (grouped(query.1), grouped(key.1));
    let w = weight(value);
    match (lang, permitted) {
        (Lang::Zh, true) => format!("“{}”（第 {q} 个）看“{}”（第 {k} 个）：{w}", query.0, key.0),
        (Lang::En, true) => format!("“{}” (word {q}) looks at “{}” (word {k}): {w}", query.0, key.0),
        (Lang::Zh, false) => format!("“{}”（第 {q} 个）不许看“{}”（第 {k} 个）：0", query.0, key.0),
        (Lang::En, false) => format!("“{}” (word {q}) may not see “{}” (word {k}): 0", query.0, key.0),
    }
}

/// What a cell stands for: how many weights along its side, mean and largest.
#[must_use]
pub fn many_weights(lang: Lang, queries: usize, keys: usize, mean: f32, max: f32) -> String {
    let (mean, max) = (weight(mean), weight(max));
    match lang {
        Lang::Zh => format!("这一格是 {queries} × {keys} 个权重：最大 {max}，平均 {mean}。最大的是："),
        Lang::En => {
            format!("This cell stands for {queries} × {keys} weights: maximum {max}, mean {mean}. The largest:")
        }
    }
}

/// What a row does, in one sentence, for eyes and ears: the word, its place, effective number of keys.
#[must_use]
pub fn row_sentence(lang: Lang, word: &str, place: usize, entropy: f32) -> String {
    let spread = number::significant(f64::from(entropy).exp(), 3);
    match lang {
        Lang::Zh => format!("“{word}”（第 {} 个词）的目光相当于平分给 {spread} 个词，最多的是：", grouped(place)),
        Lang::En => format!("“{word}” (word {}) looks as if evenly at {spread} words, most of all at:", grouped(place)),
    }
}

/// The word that a row's output is nearest to.
#[must_use]
pub fn carries(lang: Lang, word: &str, cosine: f32) -> String {
    match lang {
        Lang::Zh => format!("它带走的（权重 × 值）最像“{word}”，余弦 {cosine:.3}。"),
        Lang::En => format!("What it carries away (weights × values) is most like “{word}”, cosine {cosine:.3}."),
    }
}

/// The summary that a screen reader gets of the map.
#[must_use]
pub fn summary(lang: Lang, head: &str, tokens: usize, first: (usize, usize), last: (usize, usize)) -> String {
    let [q0, q1, k0, k1] = [first.0 + 1, last.0, first.1 + 1, last.1].map(grouped);
    let n = grouped(tokens);
    match lang {
        Lang::Zh => format!("头“{head}”的权重图，{n} 行 {n} 列；现在看到第 {q0} 到 {q1} 行，第 {k0} 到 {k1} 列。"),
        Lang::En => {
            format!(
                "Map of weights of head “{head}”, {n} rows and columns; in sight rows {q0} to {q1}, columns {k0} to {k1}."
            )
        }
    }
}
