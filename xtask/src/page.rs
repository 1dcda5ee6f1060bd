//! What Trunk leaves open in the built page: one style file instead of many, and no inline script, which a strict
//! Content-Security-Policy would block. Runs as Trunk's post-build hook on every build, before the page is put in place.

use crate::names;
use crate::process::{Failure, Shop};
use crate::relaxed;
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
    let style_file = staged.join(&style_name);
    write(&style_file, &style)?;
    let index = staged.join("index.html");
    let source = read(&shop.root.join("index.html"))?;
    let mut modules = name_modules(&shop.root.join("static"), &staged, &source)?;
    let is_release = std::env::var_os("TRUNK_PROFILE").is_some_and(|profile| profile == "release");
    if is_release {
        modules.extend(relaxed::build(shop, &staged, &source)?);
    }
    let mut html = move_start_script(&read(&index)?, &modules)?;
    if is_release {
        html = without_preloads(&html);
        minify_scripts(shop, &staged, &html)?;
        for (_, glue) in &modules {
            minify(shop, &staged.join(glue), &["--format=esm"])?;
            let own = read_folder(&staged.join(glue.trim_end_matches(".js")))?;
            for file in own.iter().filter(|file| file.extension().is_some_and(|kind| kind == "css" || kind == "js")) {
                minify(shop, file, &[])?;
            }
        }
        let page = between(&html, "data-page=\"./", "\"").unwrap_or_default();
        for glue in modules.iter().map(|(_, glue)| glue.as_str()).chain([page]) {
            calm_names(&staged.join(glue))?;
        }
        minify(shop, &style_file, &[])?;
    }
    write(&index, &link_style(&html, &style_name)?)
}

/// Gives the files of each module a name with a hash, as Trunk does for the page only, and returns (module, glue). Files of
/// its own (static/NAME/) come into a folder beside it, named as its glue is; the hash is of them too.
fn name_modules(files: &Path, staged: &Path, index: &str) -> Result<Vec<(String, String)>, Failure> {
    let mut named = Vec::new();
    for module in modules_of(index) {
        let (glue, wasm) = (staged.join(format!("{module}.js")), staged.join(format!("{module}_bg.wasm")));
        let program = fs::read(&wasm).map_err(|error| file_failure(&wasm, &error))?;
        let own = read_folder(&files.join(&module))?;
        let mut bytes = [read(&glue)?.as_bytes(), &program].concat();
        for file in &own {
            bytes.extend(fs::read(file).map_err(|error| file_failure(file, &error))?);
        }
        let hashed = format!("{module}-{:016x}", fnv1a(&bytes));
        let folder = staged.join(&hashed);
        for file in &own {
            fs::create_dir_all(&folder).map_err(|error| file_failure(&folder, &error))?;
            let to = folder.join(file.file_name().unwrap_or_default());
            fs::copy(file, &to).map_err(|error| file_failure(&to, &error))?;
        }
        for (from, to) in [(glue, format!("{hashed}.js")), (wasm, format!("{hashed}_bg.wasm"))] {
            fs::rename(&from, staged.join(to)).map_err(|error| file_failure(&from, &error))?;
        }
        named.push((module, format!("{hashed}.js")));
    }
    Ok(named)
}

/// The files of a folder by name; none where there is no folder.
fn read_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| file_failure(folder, &error))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    files.sort();
    Ok(files)
}

/// The binaries of index.html, as it is written, that are modules to load later: Trunk calls them workers.
pub fn modules_of(index: &str) -> Vec<String> {
    let links = index.split("<link ").skip(1).filter_map(|rest| rest.split_once('>')).map(|(link, _)| link);
    let modules = links.filter(|link| link.contains("data-type=\"worker\""));
    modules.filter_map(|link| between(link, "data-bin=\"", "\"")).map(str::to_owned).collect()
}

/// Renames the imports in a program's glue and in the program beside it.
fn calm_names(glue: &Path) -> Result<(), Failure> {
    let name = glue.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let program = glue.with_file_name(name + "_bg.wasm");
    let load = |file: &Path| fs::read(file).map_err(|error| file_failure(file, &error));
    let (mut script, mut code) = (load(glue)?, load(&program)?);
    names::calm(&mut script, &mut code);
    for (file, bytes) in [(glue, script), (&program, code)] {
        fs::write(file, bytes).map_err(|error| file_failure(file, &error))?;
    }
    Ok(())
}

/// Makes the page's two scripts small, in place: they are written to be read. (Trunk leaves them as they are.)
fn minify_scripts(shop: &Shop, staged: &Path, html: &str) -> Result<(), Failure> {
    let glue = between(html, "data-page=\"", "\"").unwrap_or_default();
    minify(shop, &staged.join(glue), &["--format=esm"])?;
    let start = between(html, "./start-", ".js").unwrap_or_default();
    minify(shop, &staged.join(format!("start-{start}.js")), &[])
}

/// Makes a script or a style small, in place.
fn minify(shop: &Shop, file: &Path, options: &[&str]) -> Result<(), Failure> {
    let mut esbuild = shop.command("esbuild");
    esbuild.arg(file).args(["--minify", "--log-level=warning", "--allow-overwrite"]).args(options);
    shop.run(esbuild.arg(format!("--outfile={}", file.display())))
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

/// The page without Trunk's preloads: start.js chooses between two programs, and fetches the one at once.
pub fn without_preloads(html: &str) -> String {
    let mut kept = String::with_capacity(html.len());
    for (number, piece) in html.split("<link ").enumerate() {
        let (link, after) = piece.split_once('>').unwrap_or((piece, ""));
        let preloads = ["rel=preload", "rel=\"preload\"", "rel=modulepreload", "rel=\"modulepreload\""];
        if number == 0 {
            kept.push_str(piece);
        } else if preloads.iter().any(|preload| link.contains(preload)) {
            kept.push_str(after);
        } else {
            kept.push_str("<link ");
            kept.push_str(piece);
        }
    }
    kept
}

/// Takes Trunk's inline start-up script out and gives its two file names to static/start.js as data attributes, with the
/// glue of each of `modules`.
/// Reads the page as written and as Trunk minifies it, without quotes.
///
/// # Errors
/// When Trunk's script or the element of start.js is not found in its known form.
pub fn move_start_script(html: &str, modules: &[(String, String)]) -> Result<String, Failure> {
    let odd = |what: &str| Failure::new(format!("Trunk's index.html has {what}: see xtask/src/page.rs."));
    const CLOSE: &str = "</script>";
    let opening = ["<script type=\"module\">", "<script type=module>"].into_iter().find(|open| html.contains(open));
    let (before, rest) =
        opening.and_then(|open| html.split_once(open)).ok_or_else(|| odd("no inline start-up script"))?;
    let (script, after) = rest.split_once(CLOSE).ok_or_else(|| odd("an unclosed script"))?;
    let page = between(script, "from '", "'").ok_or_else(|| odd("no import in its start-up script"))?;
    let wasm = between(script, "module_or_path: '", "'").ok_or_else(|| odd("no wasm file in its start-up script"))?;
    let start = once(before, &["src=\"./start-", "src=./start-"])
        .ok_or_else(|| odd("no single start-….js element before its start-up script"))?;
    let later: String = modules.iter().map(|(module, glue)| format!("data-{module}=\"./{glue}\" ")).collect();
    let with_names = format!("data-page=\"{page}\" data-wasm=\"{wasm}\" {later}{start}");
    Ok(before.trim_end().replacen(start, &with_names, 1) + after)
}

/// Points the style link of index.html to the hashed file.
///
/// # Errors
/// When the link is not there exactly once.
pub fn link_style(html: &str, style_name: &str) -> Result<String, Failure> {
    let link = once(html, &["href=\"style.css\"", "href=style.css"])
        .ok_or_else(|| Failure::new("index.html must link style.css exactly once."))?;
    Ok(html.replacen(link, &format!("href=\"./{style_name}\""), 1))
}

/// The one of `forms` that stands in `text` exactly once, when no other does.
fn once<'a>(text: &str, forms: &[&'a str]) -> Option<&'a str> {
    let all: usize = forms.iter().map(|form| text.matches(form).count()).sum();
    forms.iter().copied().find(|form| all == 1 && text.contains(form))
}

pub fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(open)?;
    after.split_once(close).map(|(inside, _)| inside)
}

/// FNV-1a, 64 bits: names a file after its content; nothing relies on it being hard to forge.
pub fn fnv1a(bytes: &[u8]) -> u64 {
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
