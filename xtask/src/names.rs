//! Calmer names between a program and its glue.
//!
//! wasm-bindgen ends the name of every import with sixteen digits of a hash, which no compression makes shorter: two hundred
//! imports cost nearly four kilobytes of the first picture. Within one program a count keeps names apart as well. The
//! names keep their length, so both files are changed in place.

use std::collections::BTreeMap;

const START: &[u8] = b"__wbg_";
const DIGITS: usize = 16;

/// Renames the imports of a program and of its glue alike. Names that are no such imports stay as they are.
pub fn calm(glue: &mut [u8], program: &mut [u8]) {
    let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut names: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for_each_name(glue, |name| {
        names.entry(name.to_vec()).or_insert_with(|| {
            let base = &name[..name.len() - DIGITS];
            let count = counts.entry(base.to_vec()).or_default();
            *count += 1;
            [base, format!("{count:0DIGITS$}").as_bytes()].concat()
        });
    });
    for file in [glue, program] {
        for_each_name(file, |name| {
            if let Some(calmer) = names.get(name) {
                name.copy_from_slice(calmer);
            }
        });
    }
}

/// Every `__wbg_…_` with sixteen hexadecimal digits, wherever it stands among other bytes.
fn for_each_name(bytes: &mut [u8], mut then: impl FnMut(&mut [u8])) {
    let mut at = 0;
    while at + START.len() < bytes.len() {
        if !bytes[at..].starts_with(START) {
            at += 1;
            continue;
        }
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
        let name = &mut bytes[at..at + length];
        let digits = length.saturating_sub(DIGITS);
        if digits > START.len() && name[digits - 1] == b'_' && name[digits..].iter().all(u8::is_ascii_hexdigit) {
            then(name);
        }
        at += length;
    }
}
