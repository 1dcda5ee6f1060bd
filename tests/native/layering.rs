//! Who may import whom: reads every file of src and fails on an arrow that the architecture forbids.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms that it may import; `web` may import every room, nothing but main.rs may import `web`.
const MAY_IMPORT: [(&str, &[&str]); 10] = [
    ("tensor", &[]),
    ("text", &[]),
    ("attention", &["tensor", "text"]),
    ("engine", &["tensor", "attention"]),
    ("insight", &["tensor", "attention"]),
    ("state", &["attention", "insight", "text"]),
    // The error, notice and reading types of every room but lesson and web, to put them into words.
    ("locale", &["tensor", "text", "attention", "engine", "insight", "state", "picture"]),
    ("lesson", &["state", "attention", "insight", "locale", "text"]),
    ("picture", &["tensor", "attention", "insight"]),
    ("web", &["tensor", "text", "attention", "engine", "insight", "state", "locale", "lesson", "picture"]),
];

/// Crates of the browser: only src/web speaks to it.
const BROWSER_CRATES: [&str; 7] =
    ["web_sys", "js_sys", "yew", "gloo", "wasm_bindgen", "wasm_bindgen_futures", "serde_wasm_bindgen"];

/// Rust text with comments blanked out and, unless `keep_strings`, the contents of strings and characters too.
fn code_of(source: &str, keep_strings: bool) -> String {
    let chars: Vec<char> = source.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut code = String::with_capacity(source.len());
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        if at(i) == '/' && at(i + 1) == '/' {
            while i < chars.len() && at(i) != '\n' {
                i += 1;
            }
        } else if at(i) == '/' && at(i + 1) == '*' {
            let mut depth = 0;
            while i < chars.len() {
                match (at(i), at(i + 1)) {
                    ('/', '*') => (depth, i) = (depth + 1, i + 2),
                    ('*', '/') => (depth, i) = (depth - 1, i + 2),
                    _ => i += 1,
                }
                if depth == 0 {
                    break;
                }
            }
            code.push(' ');
        } else if let Some(end) = raw_string_end(&chars, i).or_else(|| quoted_end(&chars, i)) {
            i = end;
            if keep_strings {
                code.extend(&chars[start..i]);
            } else {
                code.push_str("\"\"");
            }
        } else {
            code.push(at(i));
            i += 1;
        }
    }
    code
}

/// Where the raw string that starts at `i` (`r"…"`, `r#"…"#`) ends.
fn raw_string_end(chars: &[char], i: usize) -> Option<usize> {
    let inside_word = i > 0 && chars[i - 1] != 'b' && is_word(chars[i - 1]);
    if chars[i] != 'r' || inside_word {
        return None;
    }
    let hashes = chars[i + 1..].iter().take_while(|c| **c == '#').count();
    let open = i + 1 + hashes;
    (chars.get(open) == Some(&'"')).then_some(())?;
    let closes = |j: usize| chars[j] == '"' && chars[j + 1..].iter().take_while(|c| **c == '#').count() >= hashes;
    Some((open + 1..chars.len()).find(|j| closes(*j)).map_or(chars.len(), |j| j + 1 + hashes))
}

/// Where the string or character that starts at `i` ends; a lifetime is neither.
fn quoted_end(chars: &[char], i: usize) -> Option<usize> {
    let quote = chars[i];
    let is_char = quote == '\'' && (chars.get(i + 1) == Some(&'\\') || chars.get(i + 2) == Some(&'\''));
    if quote != '"' && !is_char {
        return None;
    }
    let mut j = i + 1;
    while j < chars.len() && chars[j] != quote {
        j += if chars[j] == '\\' { 2 } else { 1 };
    }
    Some((j + 1).min(chars.len()))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words of code and single other characters, without white space: `use`, `crate`, `:`, `:`, `tensor`, `;`.
fn lexemes(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

/// The first names after a path's root: one, or each of a group in braces.
fn names_after<'a>(lexemes: &[&'a str]) -> Vec<&'a str> {
    if lexemes.first() != Some(&"{") {
        return lexemes.first().copied().into_iter().collect();
    }
    let (mut depth, mut names, mut expects) = (0, Vec::new(), false);
    for lexeme in lexemes {
        match *lexeme {
            "{" => (depth, expects) = (depth + 1, depth == 0),
            "}" => depth -= 1,
            "," => expects = depth == 1,
            name if expects => {
                names.push(name);
                expects = false;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names
}

/// The rooms that the text of a file names by a path from the crate's root; `file` is relative to src.
fn rooms_named(file: &Path, source: &str) -> Vec<String> {
    // super:: as often as the file is deep reaches the root: state/mod.rs 1, state/link.rs 2.
    let folders = file.components().count() - 1;
    let depth = if file.ends_with("mod.rs") { folders } else { folders + 1 };
    let code = code_of(source, false);
    let lexemes = lexemes(&code);
    let is_path = |i: usize| lexemes.get(i..i + 2) == Some(&[":", ":"]);
    let mut names = Vec::new();
    let mut i = 0;
    while i < lexemes.len() {
        let mut end = i + 1;
        let mut at_root = matches!(lexemes[i], "crate" | "attention_lab");
        if lexemes[i] == "super" {
            let mut supers = 1;
            while is_path(end) && lexemes.get(end + 2) == Some(&"super") {
                (supers, end) = (supers + 1, end + 3);
            }
            at_root = supers >= depth;
        }
        if at_root && is_path(end) {
            names.extend(names_after(&lexemes[end + 2..]));
        }
        i = end;
    }
    let rooms = MAY_IMPORT.map(|(room, _)| room);
    // A name at the root that is no room, such as `*`, would bring every room in by the back door.
    names.retain(|name| rooms.contains(name) || matches!(*name, "*" | "self"));
    names.into_iter().map(str::to_owned).collect()
}

/// What one file of src does that the architecture forbids; `file` is relative to src.
fn forbidden(file: &Path, source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let place = file.display();
    let room = file.components().next().map(|c| c.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
    let table = MAY_IMPORT.iter().find(|(name, _)| *name == room);
    match table {
        Some((_, allowed)) => {
            for named in rooms_named(file, source) {
                if named != room && !allowed.contains(&named.as_str()) {
                    found.push(format!("{place}: {room} may not import {named}"));
                }
            }
        }
        None if matches!(room.as_str(), "lib.rs" | "main.rs" | "bin") => {}
        None => found.push(format!("{place}: no room in the table")),
    }
    // The programs of src/bin export what web made.
    if !matches!(room.as_str(), "web" | "bin") {
        let code = code_of(source, false);
        for word in lexemes(&code) {
            if BROWSER_CRATES.contains(&word) {
                found.push(format!("{place}: only web may speak to the browser, here {word}"));
            }
        }
    }
    let with_strings = code_of(source, true);
    if room == "web" {
        found.extend(style_attributes(&with_strings).map(|line| format!("{place}: style attribute: {line}")));
    }
    found.extend(foreign_hosts(&with_strings).map(|host| format!("{place}: names a host: {host}")));
    found
}

/// Lines with a `style=` attribute, which the page's Content-Security-Policy would block.
fn style_attributes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| {
        line.match_indices("style=").any(|(at, name)| {
            let inside_word = line[..at].ends_with(|c| is_word(c) || c == '-');
            !inside_word && !line[at + name.len()..].starts_with('=')
        })
    })
}

/// Addresses on other hosts; XML namespaces are names, nothing is fetched from them.
fn foreign_hosts(text: &str) -> impl Iterator<Item = &str> {
    ["http://", "https://"].into_iter().flat_map(move |scheme| {
        text.match_indices(scheme).filter_map(move |(at, _)| {
            let host = text[at..].split(|c: char| c.is_whitespace() || c == '"').next().unwrap_or_default();
            (!host.starts_with("http://www.w3.org/")).then_some(host)
        })
    })
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of src") {
        let path = entry.expect("an entry of src").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn no_room_imports_what_it_may_not() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = rust_files(&src);
    assert!(files.len() > 20, "only {} files were read", files.len());
    let found: Vec<String> = files
        .iter()
        .flat_map(|path| {
            let source = fs::read_to_string(path).expect("a source file");
            forbidden(path.strip_prefix(&src).expect("a path in src"), &source)
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_room_of_the_map_is_in_the_table() {
    let map = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("src/lib.rs");
    let code = code_of(&map, false);
    let mut rooms: Vec<&str> = code.lines().filter_map(|line| line.trim().strip_prefix("pub mod ")).collect();
    rooms.iter_mut().for_each(|room| *room = room.trim_end().trim_end_matches(';'));
    let mut table = MAY_IMPORT.map(|(room, _)| room).to_vec();
    rooms.sort_unstable();
    table.sort_unstable();
    assert_eq!(rooms, table);
}

#[test]
fn index_html_has_no_inline_style_or_script() {
    let html = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("index.html")).expect("index.html");
    assert_eq!(style_attributes(&html).next(), None);
    assert_eq!(foreign_hosts(&html).next(), None);
    assert!(!html.contains("<style"), "a style element");
    for script in html.split("<script").skip(1) {
        let (tag, after) = script.split_once('>').expect("a closed tag");
        assert!(tag.contains(" src=") && after.starts_with("</script>"), "an inline script");
    }
}

#[test]
fn each_forbidden_arrow_is_seen() {
    for (file, source) in [
        ("tensor/mod.rs", "use crate::text::Token;"),
        ("text/mod.rs", "fn f() -> crate :: tensor :: Matrix { todo!() }"),
        ("attention/mask.rs", "use crate::{tensor::{Heads, Matrix}, engine::Engine};"),
        ("engine/cpu/mod.rs", "use crate::insight;"),
        ("insight/mod.rs", "use super::picture::Scene;"),
        ("insight/entropy.rs", "use super::super::engine::cpu::Cpu;"),
        ("state/mod.rs", "pub(crate) use crate::lesson as l;"),
        ("state/mod.rs", "use crate::*;"),
        ("state/mod.rs", "use crate::{self, text};"),
        ("locale/mod.rs", "use\n    crate::\n    web::x;"),
        ("lesson/mod.rs", "use crate::{locale, state::{self, Settings}, picture};"),
        ("picture/mod.rs", "let s = '\"'; let t = crate::locale::X; // \""),
        ("picture/svg.rs", "use attention_lab::state::Settings;"),
        ("engine/cpu/kernel.rs", "use super::super::super::web;"),
        ("state/mod.rs", "use web_sys::Window;"),
        ("picture/mod.rs", "fn f(x: &yew::Html) {}"),
        ("main.rs", "use gloo::events::EventListener;"),
        ("web/app.rs", "html! { <p style=\"color: red\"/> }"),
        ("web/app.rs", "html! { <p style={css}/> }"),
        ("web/app.rs", "element.set_inner_html(\"<p style='x'>\")"),
        ("web/app.rs", "let u = r#\"https://example.org/\"#;"),
        ("lesson/mod.rs", "const U: &str = \"http://example.org\";"),
        ("cellar/mod.rs", ""),
    ] {
        assert_eq!(
            forbidden(Path::new(file), source).len(),
            1,
            "{file}: {source}: {:?}",
            forbidden(Path::new(file), source)
        );
    }
}

#[test]
fn permitted_lines_are_let_through() {
    for (file, source) in [
        ("attention/mod.rs", "use crate::{tensor::Heads, text::Token}; mod mask; use self::mask::Mask;"),
        ("engine/cpu/mod.rs", "use super::Engine; use crate::attention::{Problem, engine_free};"),
        (
            "state/link.rs",
            "use super::settings::Settings; /* crate::web */ // crate::lesson, https://arxiv.org/abs/1706.03762",
        ),
        ("state/link.rs", "/// [`crate::picture::Scene`]\nfn f<'a>(x: &'a str) -> char { '\\'' }"),
        ("text/mod.rs", "const S: &str = \"crate::web yew\"; const R: &str = r#\"use crate::web;\"#;"),
        ("web/app.rs", "use crate::{lesson, picture}; use yew::prelude::*; let style = \"a\"; if style == \"b\" {}"),
        ("picture/svg.rs", "const NS: &str = \"http://www.w3.org/2000/svg\"; out.push_str(\" font-style=x\");"),
        ("main.rs", "fn main() { attention_lab::web::mount(); }"),
        ("lib.rs", "pub mod web;"),
    ] {
        assert_eq!(forbidden(Path::new(file), source), Vec::<String>::new(), "{file}: {source}");
    }
}
