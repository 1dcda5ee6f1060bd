//! What was wrong with a script's arrays, in words: what is wrong and what to do.

use crate::state::InputError;
use crate::text::Lang;

/// The sentence of an input error.
#[must_use]
pub fn input_error(lang: Lang, error: &InputError) -> String {
    match lang {
        Lang::Zh => zh(error),
        Lang::En => en(error),
    }
}

fn zh(error: &InputError) -> String {
    match error {
        InputError::NotAnObject => "attention() 要一个对象：{q, k, v, …}。".to_owned(),
        InputError::Missing { name } => format!("缺少 {name}：它应是 {{shape, data}}。"),
        InputError::NoShape { name } => format!("{name}.shape 应是由非负整数组成的数组。"),
        InputError::Rank { name, got, want } => format!("{name} 的形状是 {got:?}，应为 {want}。"),
        InputError::NotFloat32 { name } => format!("{name}.data 应是 Float32Array。"),
        InputError::MaskData => "mask.data 应是 Uint8Array（1 表示允许）或 Float32Array（加到分数上）。".to_owned(),
        InputError::Length { name, got, shape } => format!("{name}.data 有 {got} 个数，与形状 {shape:?} 不符。"),
        InputError::TooLarge { name, most } => format!("{name} 太大：最多 {most} 个数，请减少头数或长度。"),
        InputError::NotANumber { name, given } => format!("{name} 应是数，收到的是“{given}”。"),
        InputError::Engine { given } => format!("没有名为“{given}”的计算引擎：可用 auto、cpu 或 webgpu。"),
        InputError::Want { given } => format!("want 里的“{given}”无法给出：可用 weights、output、scores、entropy。"),
    }
}

fn en(error: &InputError) -> String {
    match error {
        InputError::NotAnObject => "attention() takes an object: {q, k, v, …}.".to_owned(),
        InputError::Missing { name } => format!("{name} is missing: it must be {{shape, data}}."),
        InputError::NoShape { name } => format!("{name}.shape must be an array of whole numbers."),
        InputError::Rank { name, got, want } => format!("{name} has shape {got:?} and must be {want}."),
        InputError::NotFloat32 { name } => format!("{name}.data must be a Float32Array."),
        InputError::MaskData => {
            "mask.data must be a Uint8Array (1 = may attend) or a Float32Array (added to the scores).".to_owned()
        }
        InputError::Length { name, got, shape } => {
            format!("{name}.data has {got} numbers, which is not shape {shape:?}.")
        }
        InputError::TooLarge { name, most } => {
            format!("{name} is too large: at most {most} numbers; use fewer heads or a shorter sequence.")
        }
        InputError::NotANumber { name, given } => format!("{name} must be a number, and \"{given}\" is none."),
        InputError::Engine { given } => format!("There is no engine \"{given}\": use auto, cpu or webgpu."),
        InputError::Want { given } => {
            format!("\"{given}\" can't be returned: want may list weights, output, scores and entropy.")
        }
    }
}
