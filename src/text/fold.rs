//! Lower case for telling words apart, in the alphabets that have it.
//!
//! The standard library's tables for every script ever written are 12 kB; these ranges cover Latin, Greek, Cyrillic,
//! Armenian and full-width letters. Letters of other scripts (Georgian, Cherokee, Deseret, …), and those of some African
//! languages and phonetic alphabets, stay as they are.

/// How the capitals of a range become small letters.
#[derive(Clone, Copy)]
enum Rule {
    /// By adding this.
    Add(i32),
    /// Capital and small letter take turns; capitals are even.
    Even,
    /// The same; capitals are odd.
    Odd,
}
use Rule::{Add, Even, Odd};

/// First and last of each range, in order.
const RANGES: [(u32, u32, Rule); 40] = [
    (0x41, 0x5A, Add(32)),
    (0xC0, 0xD6, Add(32)),
    (0xD8, 0xDE, Add(32)),
    (0x100, 0x12F, Even),
    (0x132, 0x137, Even),
    (0x139, 0x148, Odd),
    (0x14A, 0x177, Even),
    (0x178, 0x178, Add(-121)),
    (0x179, 0x17E, Odd),
    (0x1A0, 0x1A5, Even),
    (0x1AF, 0x1AF, Odd),
    (0x1CD, 0x1DC, Odd),
    (0x1DE, 0x1EF, Even),
    (0x1F8, 0x21F, Even),
    (0x222, 0x233, Even),
    (0x246, 0x24F, Even),
    (0x370, 0x373, Even),
    (0x386, 0x386, Add(38)),
    (0x388, 0x38A, Add(37)),
    (0x38C, 0x38C, Add(64)),
    (0x38E, 0x38F, Add(63)),
    (0x391, 0x3A1, Add(32)),
    (0x3A3, 0x3AB, Add(32)),
    (0x3D8, 0x3EF, Even),
    (0x400, 0x40F, Add(80)),
    (0x410, 0x42F, Add(32)),
    (0x460, 0x481, Even),
    (0x48A, 0x4BF, Even),
    (0x4C0, 0x4C0, Add(15)),
    (0x4C1, 0x4CE, Odd),
    (0x4D0, 0x52F, Even),
    (0x531, 0x556, Add(48)),
    (0x1E00, 0x1E95, Even),
    (0x1EA0, 0x1EFF, Even),
    (0x2160, 0x216F, Add(16)),
    (0x24B6, 0x24CF, Add(26)),
    (0xA640, 0xA66D, Even),
    (0xA680, 0xA69B, Even),
    (0xA722, 0xA72F, Even),
    (0xFF21, 0xFF3A, Add(32)),
];

/// The small letter of a capital; any other character as it is. The final sigma counts as a sigma, so that a part of a
/// text folds as it does within the whole.
#[must_use]
pub fn fold(c: char) -> char {
    let code = c as u32;
    let small = match RANGES.iter().find(|&&(_, last, _)| code <= last) {
        Some(&(first, _, rule)) if code >= first => match rule {
            Add(distance) => code.wrapping_add_signed(distance),
            Even => code | 1,
            Odd => code + (code & 1),
        },
        _ => code,
    };
    match small {
        0x3C2 => 'σ',
        _ => char::from_u32(small).unwrap_or(c),
    }
}

/// A text, folded.
#[must_use]
pub fn folded(text: &str) -> String {
    text.chars().map(fold).collect()
}
