//! What Trunk leaves open in the built page: one style file instead of many, and no inline script, which a strict
//! Content-Security-Policy would block. Runs as Trunk's post-build hook on every build, before the page is put in place.

use crate::process::{Failure, Shop};
use std::fs;
use std::path::{Path, PathBuf};

/// Finishes the page in the folder that Trunk is preparing.
///
/// # Errors
/// When not called by Trunk, when Trunk's output has another form than expected, or on a file error.
pub fn finish_staged(shop: &Shop) -> Result<(), Failure> {
    let staged = std::env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from);
    let staged =
        staged.ok_or_else(|| Failure::new("finish-page is Trunk's post-build hook: use `cargo xtask build`."))?;
    let style = join_styles(&shop.root.join("static"))?;
    let style_name = format!("style-{:016x}.css", fnv1a(style.as_bytes()));
    write(&staged.join(&style_name), &style)?;
    let index = staged.join("index.html");
    let html = move_start_script(&read(&index)?)?;
    write(&index, &link_style(&html, &style_name)?)
}

/// The styles in cascade order: tokens.css, base.css, then the components by name.
fn join_styles(folder: &Path) -> Result<String, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| file_failure(folder, &error))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "css"))
        .collect();
    files.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_os_string();
        let rank = ["tokens.css", "base.css"].iter().position(|first| *first == name).unwrap_or(2);
        (rank, name)
    });
    let mut style = String::new();
    for file in &files {
        style.push_str(&without_comments(&read(file)?));
    }
    Ok(style)
}

/// CSS without its comments and the blank lines they leave; quoted text stays as it is.
pub fn without_comments(css: &str) -> String {
    let mut kept = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let length = match from.as_bytes()[0] {
            b'/' if from.starts_with("/*") => {
                rest = from.find("*/").map_or("", |end| &from[end + 2..]);
                continue;
            }
            b'/' => 1,
            quote => quoted_length(from, quote),
        };
        kept.push_str(&from[..length]);
        rest = &from[length..];
    }
    kept.push_str(rest);
    let lines = kept.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.fold(String::with_capacity(kept.len()), |text, line| text + line + "\n")
}

/// The bytes of a quoted CSS text with both its quotes; to the end where the closing one is missing.
fn quoted_length(text: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Takes Trunk's inline start-up script out and gives its two file names to static/start.js as data attributes.
///
/// # Errors
/// When Trunk's script or the element of start.js is not found in its known form.
pub fn move_start_script(html: &str) -> Result<String, Failure> {
    let odd = |what: &str| Failure::new(format!("Trunk's index.html has {what}: see xtask/src/page.rs."));
    const OPEN: &str = "<script type=\"module\">";
    const CLOSE: &str = "</script>";
    let open = html.find(OPEN).ok_or_else(|| odd("no inline start-up script"))?;
    let close = html[open..].find(CLOSE).ok_or_else(|| odd("an unclosed script"))? + open;
    let script = &html[open + OPEN.len()..close];
    let page = between(script, "from '", "'").ok_or_else(|| odd("no import in its start-up script"))?;
    let wasm = between(script, "module_or_path: '", "'").ok_or_else(|| odd("no wasm file in its start-up script"))?;
    let (before, after) = (html[..open].trim_end(), &html[close + CLOSE.len()..]);
    let start = "<script src=\"./start-";
    if before.matches(start).count() != 1 {
        return Err(odd("no single start-….js element before its start-up script"));
    }
    let with_names = format!("<script data-page=\"{page}\" data-wasm=\"{wasm}\" src=\"./start-");
    Ok(before.replacen(start, &with_names, 1) + after)
}

/// Points the style link of index.html to the hashed file.
///
/// # Errors
/// When the link is not there exactly once.
pub fn link_style(html: &str, style_name: &str) -> Result<String, Failure> {
    const LINK: &str = "href=\"style.css\"";
    if html.matches(LINK).count() != 1 {
        return Err(Failure::new(format!("index.html must have {LINK} exactly once.")));
    }
    Ok(html.replacen(LINK, &format!("href=\"./{style_name}\""), 1))
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(open)?;
    after.split_once(close).map(|(inside, _)| inside)
}

/// FNV-1a, 64 bits: names a file after its content; nothing relies on it being hard to forge.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| file_failure(path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| file_failure(path, &error))
}

fn file_failure(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}.", path.display()))
}
