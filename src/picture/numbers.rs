//! How numbers are written inside a picture: short, honest, and all of a map in one form. Owns no layout.

use super::measure::width_em;

/// A way to write the numbers of one map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Weights as `0.99`, with `0` for exactly zero and `0.00` for less than can be shown.
    Weight,
    /// Weights as `.99` where it is narrow, and nothing for what would read `.00`.
    ShortWeight,
    /// Signed numbers with this many decimals.
    Signed {
        /// Digits after the point.
        decimals: usize,
        /// Whether positive numbers carry a plus (differences do, scores do not).
        plus: bool,
    },
}

/// A number as text; `None` when this form leaves the cell empty.
pub fn written(value: f32, form: Form) -> Option<String> {
    if value.is_nan() {
        return Some("NaN".to_owned());
    }
    if value.is_infinite() {
        return Some(if value > 0.0 { "∞" } else { "−∞" }.to_owned());
    }
    let value = f64::from(value);
    match form {
        Form::Weight if value == 0.0 => Some("0".to_owned()),
        Form::Weight => Some(minus_sign(&format!("{value:.2}"))),
        Form::ShortWeight => {
            let text = format!("{value:.2}");
            match text.as_str() {
                "0.00" | "-0.00" => None,
                _ => Some(match text.strip_prefix("0.") {
                    Some(decimals) => format!(".{decimals}"),
                    None => minus_sign(&format!("{value:.1}")),
                }),
            }
        }
        Form::Signed { decimals, plus } => {
            let text = format!("{value:.decimals$}");
            // What rounds to zero has no sign to show.
            if text.chars().all(|c| matches!(c, '-' | '0' | '.')) {
                return Some(text.trim_start_matches('-').to_owned());
            }
            Some(if plus && value > 0.0 { format!("+{text}") } else { minus_sign(&text) })
        }
    }
}

/// The form of signed numbers with the most decimals, 2 to 0, in which all finite values stay within `room_em`.
///
/// Only the two ends are written out: digits are of one width, so on either side of zero the farthest is the widest.
pub fn signed_form(values: impl Iterator<Item = f32>, plus: bool, room_em: f64) -> Option<Form> {
    let finite = values.filter(|v| v.is_finite());
    let (lo, hi) = finite.fold((0.0_f32, 0.0_f32), |(lo, hi), v| (lo.min(v), hi.max(v)));
    let width = |v, form| written(v, form).map_or(0.0, |text| width_em(&text));
    (0..=2)
        .rev()
        .map(|decimals| Form::Signed { decimals, plus })
        .find(|&form| width(lo, form).max(width(hi, form)) <= room_em)
}

/// A true minus sign, as wide as a digit, instead of the hyphen.
fn minus_sign(text: &str) -> String {
    text.replacen('-', "−", 1)
}
