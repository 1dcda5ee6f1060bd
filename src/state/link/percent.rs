//! Percent-encoding (RFC 3986, section 2.1), in which nothing can fail: what is broken is kept or replaced, and said.

use std::fmt::Write as _;

/// Encodes every byte that is not *unreserved* (letters, digits, `-`, `.`, `_`, `~`).
#[must_use]
pub fn encode(text: &str) -> String {
    encode_where(text, |byte| !(byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)))
}

/// Encodes only the ASCII bytes for which `special` holds.
pub fn encode_only(text: &str, special: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if u8::try_from(c).is_ok_and(|byte| special.contains(&byte)) {
            push_escape(&mut out, c as u8);
        } else {
            out.push(c);
        }
    }
    out
}

fn encode_where(text: &str, escaped: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if escaped(byte) {
            push_escape(&mut out, byte);
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

fn push_escape(out: &mut String, byte: u8) {
    // Writing to a String can't fail.
    let _ = write!(out, "%{byte:02X}");
}

/// Decodes; the flag says whether anything was broken. A `%` without two hexadecimal digits stays as it is, bytes that
/// are not UTF-8 become U+FFFD. `+` is a plus: this is a fragment, not a form.
#[must_use]
pub fn decode(text: &str) -> (String, bool) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut broken = false;
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
        } else if let [high, low, after @ ..] = after
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push(high << 4 | low);
            rest = after;
        } else {
            bytes.push(first);
            broken = true;
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => (text, broken),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

const fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}
