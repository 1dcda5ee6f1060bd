//! How numbers are written for people: true minus signs, no negative zero, infinities as signs.

/// `value` with `digits` decimals.
#[must_use]
pub fn fixed(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".to_owned() } else { "−∞".to_owned() };
    }
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        // −0.00 is 0.00 to a reader.
        Some(digits) if digits.chars().all(|c| matches!(c, '0' | '.')) => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

/// `value` with `digits` decimals, and a plus where it is positive: a difference.
#[must_use]
pub fn signed(value: f64, digits: usize) -> String {
    let plus = if value > 0.0 { "+" } else { "" };
    format!("{plus}{}", fixed(value, digits))
}

/// A number of any size in about `figures` significant figures: `82.71`, `0.0105`, `2.5e−10`.
#[must_use]
pub fn significant(value: f64, figures: usize) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        return fixed(value, 0);
    }
    if (1e-4..1e6).contains(&size) {
        // One more for each power of ten that the number reaches, from a thousandth on.
        let places = [1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5].iter().filter(|&&place| size >= place).count();
        return fixed(value, (figures + 3).saturating_sub(places).min(8));
    }
    let digits = figures.saturating_sub(1);
    format!("{value:.digits$e}").replace('-', "−")
}

/// A weight: two decimals, `0` for exactly nothing, `<0.01` for a trace of weight.
#[must_use]
pub fn weight(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else if value > 0.0 && value < 0.005 {
        "<0.01".to_owned()
    } else {
        fixed(value, 2)
    }
}

/// A share in percent with one decimal.
#[must_use]
pub fn percent(value: f64) -> String {
    format!("{}%", fixed(value * 100.0, 1))
}
