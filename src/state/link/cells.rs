//! The `cells` value: cells set by hand, as run lengths in base64url.
//!
//! Bytes: a varint (LEB128) with the width of the grid, then runs over the grid in row-major order, each a varint of
//! `length << 2 | state` with state 0 untouched, 1 forbidden, 2 permitted. An untouched end is left out. The width is
//! the smallest that holds every cell set, so that equal cells always give the same text.

pub use crate::attention::Cells;

/// Largest grid a link may set cells of, in rows and in columns; bounds what decoding can allocate.
pub const MAX_SIDE: u32 = 512;

/// Encodes cells; empty for none. Cells at or beyond [`MAX_SIDE`] are left out.
#[must_use]
pub fn encode(cells: &Cells) -> String {
    let inside = || cells.iter().filter(|&((query, key), _)| query < MAX_SIDE && key < MAX_SIDE);
    let Some(width) = inside().map(|((_, key), _)| key + 1).max() else { return String::new() };
    let mut bytes = Vec::new();
    push_varint(&mut bytes, width);
    let mut at = 0; // first cell not yet written
    let mut run: Option<(u32, u32, bool)> = None; // (start, end, state) of the run being grown
    for ((query, key), permit) in inside() {
        let cell = query * width + key;
        match &mut run {
            Some((_, end, state)) if *end == cell && *state == permit => *end += 1,
            _ => {
                flush(&mut bytes, &mut at, run);
                run = Some((cell, cell + 1, permit));
            }
        }
    }
    flush(&mut bytes, &mut at, run);
    to_base64url(&bytes)
}

fn flush(bytes: &mut Vec<u8>, at: &mut u32, run: Option<(u32, u32, bool)>) {
    let Some((start, end, permit)) = run else { return };
    if start > *at {
        push_varint(bytes, (start - *at) << 2);
    }
    push_varint(bytes, (end - start) << 2 | if permit { 2 } else { 1 });
    *at = end;
}

/// Decodes cells; `None` when the text is not such a value or leaves a grid of [`MAX_SIDE`] rows and columns.
#[must_use]
pub fn decode(text: &str) -> Option<Cells> {
    let mut cells = Cells::new();
    if text.is_empty() {
        return Some(cells);
    }
    let bytes = from_base64url(text)?;
    let mut rest = bytes.as_slice();
    let width = take_varint(&mut rest)?;
    if width == 0 || width > MAX_SIDE {
        return None;
    }
    let end_of_grid = width * MAX_SIDE;
    let mut at = 0_u32;
    while !rest.is_empty() {
        let run = take_varint(&mut rest)?;
        let (length, state) = (run >> 2, run & 3);
        let end = at.checked_add(length).filter(|&end| length > 0 && end <= end_of_grid)?;
        match state {
            0 => {}
            1 | 2 => (at..end).for_each(|cell| cells.insert((cell / width, cell % width), state == 2)),
            _ => return None,
        }
        at = end;
    }
    Some(cells)
}

fn push_varint(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push((value & 0x7F) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push((value & 0x7F) as u8);
}

/// The next varint; `None` when the bytes end within it or it does not fit 28 bits (the largest run needs 20).
fn take_varint(rest: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u32;
    for shift in [0, 7, 14, 21] {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64url (RFC 4648, section 5) without padding.
fn to_base64url(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..=chunk.len() {
            out.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
        }
    }
    out
}

/// `None` for a foreign digit, an impossible length, or left-over bits that are not zero.
fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for &digit in text.as_bytes() {
        let value = DIGITS.iter().position(|&known| known == digit)?;
        bits = bits << 6 | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held & 0xFF) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (held < 6 && bits == 0).then_some(bytes)
}
