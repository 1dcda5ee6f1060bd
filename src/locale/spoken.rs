//! Sentences with numbers in them: a cell, a word, a reading, why an engine.

use super::number::{fixed, weight};
use super::words::words;
use crate::engine::choice::{Gpu, Why};
use crate::insight::Reading;
use crate::text::Lang;

/// A cell of the map with its number: 追 对 猫：0.99.
#[must_use]
pub fn cell_sentence(lang: Lang, query: &str, key: &str, number: &str, permitted: bool) -> String {
    let forbidden = match (permitted, lang) {
        (true, _) => "",
        (false, Lang::Zh) => "（掩码禁止）",
        (false, Lang::En) => " (forbidden by the mask)",
    };
    match lang {
        Lang::Zh => format!("{query} 对 {key}：{number}{forbidden}"),
        Lang::En => format!("{query} to {key}: {number}{forbidden}"),
    }
}

/// A word of the line as a button is spoken: its name, and whether the lexicon knows it.
#[must_use]
pub fn word_spoken(lang: Lang, label: &str, known: bool) -> String {
    let unknown = match (known, lang) {
        (true, _) => "",
        (false, Lang::Zh) => "，不在词典里",
        (false, Lang::En) => ", not in the lexicon",
    };
    format!("{label}{unknown}")
}

/// Why this engine computed.
#[must_use]
pub const fn engine_why(lang: Lang, why: Why) -> &'static str {
    let reasons = &words(lang).engine_why;
    match why {
        Why::Chosen => reasons[0],
        Why::TooSmall => reasons[1],
        Why::Gpu(Gpu::Unknown | Gpu::Untimed) => reasons[2],
        Why::Gpu(Gpu::NoWebGpu) => reasons[3],
        Why::Gpu(Gpu::NoAdapter) => reasons[4],
        Why::Gpu(Gpu::Software) => reasons[5],
        Why::Gpu(Gpu::Slower) => reasons[6],
        Why::Gpu(Gpu::Faster) => reasons[7],
        Why::Gpu(Gpu::Lost) => reasons[8],
        Why::Gpu(Gpu::Failed) => reasons[9],
        Why::Method => reasons[10],
    }
}

/// What a trace shows, in a sentence. `labels` are the queries' labels.
#[must_use]
pub fn reading(lang: Lang, reading: &Reading, labels: &[String]) -> String {
    match (lang, reading) {
        (Lang::Zh, Reading::FullyMaskedRows { rows }) => {
            format!("{} 没有任何可以看的键：整行权重是 0，输出也是 0。", some_labels(rows, labels, "、"))
        }
        (Lang::En, Reading::FullyMaskedRows { rows }) => format!(
            "{} may look at no key at all: every weight of the row is 0, and so is its output.",
            some_labels(rows, labels, ", ")
        ),
        (Lang::Zh, Reading::WeightLeak { weight: leaked, cells, .. }) => {
            format!("有 {} 的权重漏进了 {cells} 个禁止的格子。", weight(*leaked))
        }
        (Lang::En, Reading::WeightLeak { weight: leaked, cells, .. }) => {
            format!("A weight of {} leaked into {cells} forbidden cells.", weight(*leaked))
        }
        (Lang::Zh, Reading::Uniform { normalised, .. }) => {
            format!("这个头对能看的词一视同仁（熵是上限的 {}%）：输出就是各个值的平均。", fixed(normalised * 100.0, 0))
        }
        (Lang::En, Reading::Uniform { normalised, .. }) => format!(
            "This head looks at every word alike (entropy {}% of its maximum): its output is the average of the values.",
            fixed(normalised * 100.0, 0)
        ),
        (Lang::Zh, Reading::Saturated { deviation, times, .. }) => format!(
            "分数比除以 √d_k 时大了 {} 倍（标准差 {}），softmax 几乎只剩一个 1：这就是需要缩放的原因。",
            fixed(*times, 1),
            fixed(*deviation, 1)
        ),
        (Lang::En, Reading::Saturated { deviation, times, .. }) => format!(
            "Scores are {} times as large as with √d_k (deviation {}), and softmax keeps almost a single 1: this is why scores are scaled.",
            fixed(*times, 1),
            fixed(*deviation, 1)
        ),
        (Lang::Zh, Reading::IdenticalRows { .. }) => "每一行都一样：不管谁在问，答案相同，查询没有起作用。".to_owned(),
        (Lang::En, Reading::IdenticalRows { .. }) => {
            "All rows are the same: whoever asks, the answer does not change, so the query plays no part.".to_owned()
        }
        (Lang::Zh, Reading::IdleMask { .. }) => {
            "掩码在这个头里几乎不改变什么：它挡住的格子，不挡也分不到千分之五的权重。".to_owned()
        }
        (Lang::En, Reading::IdleMask { .. }) => {
            "The mask changes next to nothing in this head: the cells it forbids would get less than 0.005 of a row without it.".to_owned()
        }
    }
}

/// The first few labels of many.
fn some_labels(rows: &[usize], labels: &[String], comma: &str) -> String {
    const SHOWN: usize = 6;
    let named: Vec<&str> = rows.iter().take(SHOWN).map(|&row| labels.get(row).map_or("?", String::as_str)).collect();
    let more = if rows.len() > SHOWN { "…" } else { "" };
    format!("{}{more}", named.join(comma))
}
