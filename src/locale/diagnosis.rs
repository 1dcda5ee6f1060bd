//! A diagnosis in words: what may have gone wrong, and the numbers that speak for it.

use super::field::{bug, fill};
use super::number::fixed;
use crate::attention::Fill;
use crate::insight::diagnosis::{Cause, Guess, Measure};
use crate::text::Lang;

/// What a cause is called.
#[must_use]
pub const fn cause(lang: Lang, cause: Cause) -> &'static str {
    let (zh, en) = match cause {
        Cause::Bug(which) => return bug(lang, which).0,
        Cause::ZeroFill => return fill(lang, Fill::Zero).0,
        Cause::MultipliedAfter => return fill(lang, Fill::MultiplyAfter).0,
        Cause::NoScale => ("没有缩放", "no scale"),
        Cause::ScaleOfModel => ("除以了 √d_model", "scaled by √d_model"),
        Cause::OtherScale => ("缩放不是 1/√d_k", "a scale that is not 1/√d_k"),
        Cause::OtherTemperature => ("温度和声明的不同", "another temperature than declared"),
        Cause::QueryCancels => {
            ("查询被约掉了（加性打分漏了 tanh）", "the query cancels (an additive score without tanh)")
        }
        Cause::FillTakesPart => {
            ("禁止的分数不够低，还在参加", "forbidden scores are not low enough and still take part")
        }
        Cause::MaskIgnored => ("掩码没有用上", "the mask was not applied"),
        Cause::OtherMask => ("用的是另一个掩码", "another mask was applied"),
        Cause::MissingMaximum => ("没有减去最大值，指数溢出", "the maximum was not subtracted and exp overflowed"),
        Cause::ScoresOverflow => ("分数本身溢出了", "the scores themselves overflowed"),
        Cause::MaskedRowsNan => ("整行被禁止的行成了 NaN", "rows that are forbidden as a whole are NaN"),
        Cause::MaskedRowsFilled => ("整行被禁止的行还有权重", "rows that are forbidden as a whole have weights"),
        Cause::NotNormalised => ("行的和不是 1，原因不明", "rows do not add up to 1, for a reason unknown"),
        Cause::OutputNotMixed => ("输出不是 Σ w·v", "the output is not Σ w·v"),
    };
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

const fn measure(lang: Lang, measure: Measure) -> &'static str {
    let (zh, en) = match measure {
        Measure::ForbiddenCells => ("禁止却参加的格子", "forbidden cells that took part"),
        Measure::MissingCells => ("允许却没参加的格子", "permitted cells that took no part"),
        Measure::LeakedWeight => ("漏进禁止格子的权重", "weight in forbidden cells"),
        Measure::Rows => ("涉及的行", "rows concerned"),
        Measure::FirstRow => ("最先的一行", "first of them"),
        Measure::LeastRowSum => ("行和最小", "least row sum"),
        Measure::MostRowSum => ("行和最大", "largest row sum"),
        Measure::LeastColumnSum => ("列和最小", "least column sum"),
        Measure::MostColumnSum => ("列和最大", "largest column sum"),
        Measure::MostLineSum => ("行和、列和最大", "largest row or column sum"),
        Measure::ScaleFactor => ("缩放 × √d_k（应为 1）", "scale × √d_k (1 is right)"),
        Measure::ScoreDeviation => ("分数的标准差", "deviation of the scores"),
        Measure::Softness => ("1 − Σw²", "1 − Σw²"),
        Measure::Temperature => ("实际的温度", "temperature in effect"),
        Measure::LargestScore => ("最大的分数", "largest score"),
        Measure::Interaction => ("查询与键的交互", "interaction of query and key"),
        Measure::KeyPart => ("只随键变的部分", "part of the key alone"),
        Measure::NormalisedEntropy => ("熵 ÷ ln n", "H ÷ ln n"),
        Measure::Misplaced => ("放错位置的数", "numbers out of place"),
        Measure::Error => ("最大的偏差", "largest error"),
    };
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

/// A measure with its number: counts whole, rows from 1 as people count them.
fn evidence(lang: Lang, (what, number): (Measure, f64)) -> String {
    let number = match what {
        Measure::FirstRow => fixed(number + 1.0, 0),
        Measure::ForbiddenCells | Measure::MissingCells | Measure::Rows | Measure::Misplaced => fixed(number, 0),
        _ => fixed(number, 3),
    };
    format!("{} {number}", measure(lang, what))
}

/// The likeliest cause with its evidence, and the next one, as one sentence; or that nothing is wrong.
#[must_use]
pub fn diagnosis(lang: Lang, guesses: &[Guess]) -> String {
    let Some(first) = guesses.first() else {
        return match lang {
            Lang::Zh => "没有发现问题：这些数和声明的算法一致。".into(),
            Lang::En => "Nothing wrong was found: the numbers are what was declared.".into(),
        };
    };
    let numbers: Vec<String> = first
        .numbers
        .iter()
        .filter(|(_, number)| *number != 0.0)
        .take(3)
        .map(|&number| evidence(lang, number))
        .collect();
    let next = guesses.get(1).map(|next| cause(lang, next.cause));
    match lang {
        Lang::Zh => {
            let next = next.map_or_else(String::new, |next| format!("其次可能是：{next}。"));
            format!("最可能是：{}。证据：{}。{next}", cause(lang, first.cause), numbers.join("，"))
        }
        Lang::En => {
            let next = next.map_or_else(String::new, |next| format!(" Or else: {next}."));
            format!("Most likely: {}. Evidence: {}.{next}", cause(lang, first.cause), numbers.join(", "))
        }
    }
}
