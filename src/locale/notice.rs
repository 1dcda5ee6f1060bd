//! Notices and errors in words: what is wrong, what the page does, and what the person can do.

use super::number::significant;
use super::spoken::engine_why;
use crate::attention::ProblemError;
use crate::engine::choice::{Gpu, Why};
use crate::state::notice::{Given, Notice};
use crate::text::Lang;

/// The sentence of a notice.
#[must_use]
pub fn notice(lang: Lang, notice: &Notice) -> String {
    match lang {
        Lang::Zh => zh(notice),
        Lang::En => en(notice),
    }
}

fn zh(notice: &Notice) -> String {
    match notice {
        Notice::Version { given } => {
            format!("链接的版本是“{}”，本页只认识版本 1，能读懂的部分已照常打开。", given.as_str())
        }
        Notice::LinkTooLong { kept, of } => {
            format!("链接太长（{of} 字节），只读了前 {kept} 字节。长文章请直接粘贴到页面里。")
        }
        Notice::UnknownKeys { first, count } => {
            format!("链接里有 {count} 项本页不认识，已略过：{}。", list(first, "、"))
        }
        Notice::ReservedKeys { keys } => format!("链接里的 {} 属于尚未开放的功能，暂时没有作用。", keys.join("、")),
        Notice::Repeated { key, used } => format!("链接里 {key} 出现了不止一次，只用第一个：{}。", zh_value(used)),
        Notice::Unreadable { key, given, used } => {
            format!("{key} 的值“{}”读不懂，仍用{}。", given.as_str(), zh_value(used))
        }
        Notice::Clamped { key, given, used } => {
            format!("{key} 的值 {} 超出范围，已改为 {}。", given.as_str(), used.as_str())
        }
        Notice::NotYet { key, given, used } => {
            format!("{key} 的“{}”要等以后的版本，现在用的是{}。", given.as_str(), zh_value(used))
        }
        Notice::BrokenEscapes { key } => {
            format!("链接里 {} 的编码不完整，坏掉的字符可能显示为 �。请重新复制一次链接。", key.as_str())
        }
        Notice::WordsLeftOut { kept, of } => {
            format!("自定义的词有 {of} 个，用了 {kept} 个：空的、重复的、超过 64 个字符的不算，最多 256 个。")
        }
        Notice::UnknownFeature { word, feature } => {
            format!("“{}”的特征“{}”不在模型里，已略过。", word.as_str(), feature.as_str())
        }
        Notice::SentenceTooLong { kept, of } => {
            format!("句子太长（{of} 个字符），只保留前 {kept} 个。请把它分成几段来看。")
        }
        Notice::SentenceCut { kept, of } => {
            format!("这段文字有 {of} 个词元，图里只画前 {kept} 个。想看后面的，请删去前面一些。")
        }
        Notice::NothingToRead => "还没有可以计算的词。请输入一句话，比如“猫追老鼠”。".into(),
        Notice::OnlyPadding { pad } => format!("现在只有 {pad} 个填充词元，没有词。请先输入一句话。"),
        Notice::BrokenCharacters { count } => {
            format!("句子里有 {count} 个字符已损坏，用 � 代替。请改正或重新输入这几处。")
        }
        Notice::HeadTwoRepeats { tokens, period } => format!(
            "共有 {tokens} 个词元。头 2（前一词）的位置信号每 {period} 个词元重复一次，远处多出来的条纹来自这个周期，与文字无关。"
        ),
        Notice::SelectionMoved { query, key, used_query, used_key } => format!(
            "句子里没有第 {query} 行、第 {key} 列（从 0 数起）这个格子，改为选中第 {used_query} 行、第 {used_key} 列。"
        ),
        Notice::CellsOutside { count } => format!("有 {count} 个手改的掩码格落在图外，没有使用。"),
        Notice::CellsDropped { count } => {
            format!("词元变了，原先手改的 {count} 个掩码格已清除；需要的话请重新画。")
        }
        Notice::CannotCompute(error) => problem_error(Lang::Zh, error),
        Notice::NoWebGpu | Notice::NoAdapter | Notice::GpuFailed => {
            format!("{}眼前的数是 CPU 算的。", gpu_error(Lang::Zh, notice))
        }
    }
}

fn en(notice: &Notice) -> String {
    match notice {
        Notice::Version { given } => format!(
            "The link is of version \"{}\"; this page knows version 1 and opened what it could read.",
            given.as_str()
        ),
        Notice::LinkTooLong { kept, of } => format!(
            "The link is too long ({of} bytes); only the first {kept} were read. Paste a long text into the page instead."
        ),
        Notice::UnknownKeys { first, count } => {
            format!("{} the page does not know: {}. Ignored.", entries(*count), list(first, ", "))
        }
        Notice::ReservedKeys { keys } => {
            format!("This version has no use yet for {} in the link.", keys.join(", "))
        }
        Notice::Repeated { key, used } => {
            format!("{key} stands in the link more than once; the first one counts: {}.", en_value(used))
        }
        Notice::Unreadable { key, given, used } => {
            format!("\"{}\" is not a value for {key}; the page goes on with {}.", given.as_str(), en_value(used))
        }
        Notice::Clamped { key, given, used } => {
            format!("{key} = {} is out of range and was set to {}.", given.as_str(), used.as_str())
        }
        Notice::NotYet { key, given, used } => format!(
            "\"{}\" for {key} comes in a later version; for now the page uses {}.",
            given.as_str(),
            en_value(used)
        ),
        Notice::BrokenEscapes { key } => format!(
            "The encoding of {} in the link is damaged; broken characters may show as �. Try copying the link again.",
            key.as_str()
        ),
        Notice::WordsLeftOut { kept, of } => format!(
            "{kept} of {of} added words are in use: empty, repeated and overlong ones (more than 64 characters) don't count, and 256 is the limit."
        ),
        Notice::UnknownFeature { word, feature } => {
            format!(
                "The model has no feature \"{}\" to give to \"{}\"; it was left out.",
                feature.as_str(),
                word.as_str()
            )
        }
        Notice::SentenceTooLong { kept, of } => {
            format!("The sentence is too long ({of} characters); the first {kept} were kept. Try it in parts.")
        }
        Notice::SentenceCut { kept, of } => format!(
            "The text has {of} tokens; the first {kept} are drawn. To see later ones, delete some from the beginning."
        ),
        Notice::NothingToRead => {
            "There is no word to compute with yet. Type a sentence, such as \"The cat chased the mouse\".".into()
        }
        Notice::OnlyPadding { pad } => {
            let tokens = if *pad == 1 { "one padding token" } else { "padding tokens" };
            format!("There is nothing here but {tokens}. Type a sentence first.")
        }
        Notice::BrokenCharacters { count: 1 } => {
            "One character of the sentence was damaged and is shown as �. Please retype it.".into()
        }
        Notice::BrokenCharacters { count } => {
            format!("{count} characters of the sentence were damaged and are shown as �. Please retype them.")
        }
        Notice::HeadTwoRepeats { tokens, period } => format!(
            "There are {tokens} tokens, and head 2 (previous token) only tells positions apart modulo {period}: the extra stripes come from that period, not from the text."
        ),
        Notice::SelectionMoved { query, key, used_query, used_key } => format!(
            "The sentence has no cell in row {query}, column {key} (counted from 0); row {used_query}, column {used_key} is selected instead."
        ),
        Notice::CellsOutside { count: 1 } => "One mask cell set by hand lies outside the map and is not used.".into(),
        Notice::CellsOutside { count } => {
            format!("{count} mask cells set by hand lie outside the map and are not used.")
        }
        Notice::CannotCompute(error) => problem_error(Lang::En, error),
        Notice::NoWebGpu | Notice::NoAdapter | Notice::GpuFailed => {
            format!("{} The numbers on show are the CPU's.", gpu_error(Lang::En, notice))
        }
        Notice::CellsDropped { count: 1 } => {
            "The tokens changed, so the mask cell set by hand was cleared; draw it again if you need it.".into()
        }
        Notice::CellsDropped { count } => {
            format!(
                "The tokens changed, so {count} mask cells set by hand were cleared; draw them again if you need them."
            )
        }
    }
}

/// Why WebGPU did not compute although it was chosen; without what was done instead.
#[must_use]
pub fn gpu_error(lang: Lang, notice: &Notice) -> String {
    let gpu = match notice {
        Notice::NoWebGpu => Gpu::NoWebGpu,
        Notice::NoAdapter => Gpu::NoAdapter,
        _ => Gpu::Failed,
    };
    let why = engine_why(lang, Why::Gpu(gpu));
    match lang {
        Lang::Zh => format!("没能用 WebGPU 计算：{why}。可以把引擎改回自动。"),
        Lang::En => format!("WebGPU did not compute: {why}. You can set the engine back to auto."),
    }
}

/// The sentence of an error that kept a problem from being computed.
#[must_use]
pub fn problem_error(lang: Lang, error: &ProblemError) -> String {
    match (lang, error) {
        (Lang::Zh, ProblemError::Shape { what, got, want }) => {
            format!("{what} 的形状是 {}，这里需要 {}。请检查各个矩阵的行数和列数是否对得上。", shape(got), shape(want))
        }
        (Lang::En, ProblemError::Shape { what, got, want }) => format!(
            "{what} has shape {} where {} is needed. Check that the rows and columns of the matrices agree.",
            shape(got),
            shape(want)
        ),
        (Lang::Zh, ProblemError::Empty { what }) => format!("{what} 是空的，没有可以计算的内容。请至少给出一个。"),
        (Lang::En, ProblemError::Empty { what }) => {
            format!("{what} is empty, so there is nothing to compute. Give at least one.")
        }
        (Lang::Zh, ProblemError::NotFinite { what, index }) => {
            format!("{what} 里第 {index} 个数（按行从 0 数起）是 NaN 或无穷大，无法计算。请换成普通的数。")
        }
        (Lang::En, ProblemError::NotFinite { what, index }) => format!(
            "Number {index} of {what} (row by row, from 0) is NaN or infinite, so nothing was computed. Put a finite number there."
        ),
        (Lang::Zh, ProblemError::Temperature { got }) => {
            format!("温度必须是大于 0 的数，而这里是 {}。1 是通常的值。", significant(f64::from(*got), 3))
        }
        (Lang::En, ProblemError::Temperature { got }) => {
            let got = significant(f64::from(*got), 3);
            format!("The temperature must be a number above 0, but it is {got}. 1 is the usual value.")
        }
        (Lang::Zh, ProblemError::Scale { got }) => {
            format!("缩放因子必须是有限的数，而这里是 {}。通常用 1/√d_k。", significant(f64::from(*got), 3))
        }
        (Lang::En, ProblemError::Scale { got }) => {
            let got = significant(f64::from(*got), 3);
            format!("The scaling factor must be a finite number, but it is {got}. 1/√d_k is the usual value.")
        }
    }
}

fn entries(count: usize) -> String {
    if count == 1 { "The link has an entry".into() } else { format!("The link has {count} entries") }
}

fn list(given: &[Given], separator: &str) -> String {
    given.iter().map(Given::as_str).collect::<Vec<_>>().join(separator)
}

fn shape(sizes: &[usize]) -> String {
    format!("[{}]", sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(", "))
}

fn zh_value(value: &Given) -> String {
    if value.as_str().is_empty() { "空值".into() } else { format!("\"{}\"", value.as_str()) }
}

fn en_value(value: &Given) -> String {
    if value.as_str().is_empty() { "none".into() } else { format!("\"{}\"", value.as_str()) }
}
