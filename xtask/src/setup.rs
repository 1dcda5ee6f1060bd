//! The tools: which are needed and why, which are missing, and how each is installed.
//!
//! What a person already has is used if it fits and is never replaced: another version goes into target/tools.

use crate::process::{Failure, Shop};
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

const WASM_TARGET: &str = "wasm32-unknown-unknown";
const TRUNK: &str = "0.21.14"; // 0.22 asks for a newer Rust
const CARGO_DENY: &str = "0.20.2";
const TYPOS: &str = "1.52.0";
const NODE: u32 = 20;

/// What a command needs: who only looks at the page needs no browser of the tests and no checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Building and serving the page.
    Page,
    /// Everything, tests included.
    All,
}

/// Installs what is missing and says what, why and how long it took.
///
/// # Errors
/// At the first tool that is missing and can't be installed, with a sentence that says what to install.
pub fn run(shop: &Shop, needs: Needs) -> Result<(), Failure> {
    let start = Instant::now();
    let mut installed = 0;
    let wasm_bindgen = locked_version(&read(&shop.root.join("Cargo.lock"))?, "wasm-bindgen")?;
    installed += rust_parts(shop)?;
    crates(shop)?;
    installed += cargo_tool(shop, &Tool::new("wasm-bindgen-cli", "wasm-bindgen", &wasm_bindgen, "JavaScript glue"))?;
    installed += cargo_tool(shop, &Tool::new("trunk", "trunk", TRUNK, "builds and serves the page"))?;
    installed += node_packages(shop)?;
    if needs == Needs::All {
        installed += browser(shop)?;
        installed +=
            cargo_tool(shop, &Tool::new("cargo-deny", "cargo-deny", CARGO_DENY, "licences and sources of crates"))?;
        installed += typos(shop)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    match installed {
        0 => println!("Set up: nothing was missing ({seconds:.1} s)."),
        _ => println!("Set up: {installed} installed ({seconds:.0} s)."),
    }
    Ok(())
}

/// The version of a package in the text of Cargo.lock.
///
/// # Errors
/// When the package is not in it.
pub fn locked_version(lock: &str, package: &str) -> Result<String, Failure> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = \"")?.strip_suffix('"'));
    version.map(str::to_owned).ok_or_else(|| Failure::new(format!("Cargo.lock has no package {package}.")))
}

/// The browser that the tests drive: `CHROMIUM`, or the first of the usual names.
pub fn chromium(shop: &Shop) -> Option<PathBuf> {
    const USUAL: [&str; 4] = [
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "C:/Program Files/Google/Chrome/Application/chrome.exe",
        "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    ];
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    named
        .or_else(|| ["chromium", "chromium-browser", "google-chrome"].iter().find_map(|name| shop.find(name)))
        .or_else(|| USUAL.iter().map(PathBuf::from).find(|path| path.is_file()))
}

/// The browser's WebDriver: `CHROMEDRIVER`, or the one on the search path.
pub fn chromedriver(shop: &Shop) -> Option<PathBuf> {
    std::env::var_os("CHROMEDRIVER").map(PathBuf::from).or_else(|| shop.find("chromedriver"))
}

/// A program that comes as a crate.
struct Tool<'a> {
    package: &'a str,
    program: &'a str,
    version: &'a str,
    why: &'a str,
}

impl<'a> Tool<'a> {
    fn new(package: &'a str, program: &'a str, version: &'a str, why: &'a str) -> Self {
        Self { package, program, version, why }
    }

    /// The version on the search path, if any.
    fn present(&self, shop: &Shop) -> Option<String> {
        shop.ask(self.program, &["--version"])?.split_whitespace().nth(1).map(str::to_owned)
    }
}

/// The folder of the standard library's source, where it is installed: the release page is built smaller from it.
pub fn std_source(shop: &Shop) -> Option<PathBuf> {
    let sysroot = shop.ask("rustc", &["--print", "sysroot"]).unwrap_or_default();
    let library = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library");
    library.join("Cargo.lock").is_file().then_some(library)
}

/// Brings the sources of all locked crates, the page's and the standard library's: Trunk builds offline, so that
/// nothing is looked for elsewhere while it does. With all of them here this asks nothing of any network.
fn crates(shop: &Shop) -> Result<(), Failure> {
    let fetch = ["fetch", "--locked", "--quiet"];
    shop.run(shop.command("cargo").args(fetch))?;
    if let Some(library) = std_source(shop) {
        let mut cargo = shop.command("cargo");
        // The library's manifests use what only the compiler's own build may.
        cargo.args(fetch).arg("--manifest-path").arg(library.join("Cargo.toml")).env("RUSTC_BOOTSTRAP", "1");
        shop.run(&mut cargo)?;
    }
    Ok(())
}

fn rust_parts(shop: &Shop) -> Result<u32, Failure> {
    let sysroot = shop.ask("rustc", &["--print", "sysroot"]).unwrap_or_default();
    let parts = [
        ("target", WASM_TARGET, Path::new(sysroot.trim()).join("lib/rustlib").join(WASM_TARGET).is_dir()),
        ("component", "clippy", shop.ask("cargo", &["clippy", "--version"]).is_some()),
        ("component", "rustfmt", shop.ask("cargo", &["fmt", "--version"]).is_some()),
        ("component", "rust-src", std_source(shop).is_some()),
    ];
    let mut installed = 0;
    for (kind, name, _) in parts.iter().filter(|(_, _, present)| !present) {
        install(name, "part of the Rust toolchain", || shop.run(shop.command("rustup").args([kind, "add", name])))
            .map_err(|why| {
                Failure::new(format!("{why} Please add Rust's {kind} {name} (`rustup {kind} add {name}`)."))
            })?;
        installed += 1;
    }
    Ok(installed)
}

fn cargo_tool(shop: &Shop, tool: &Tool<'_>) -> Result<u32, Failure> {
    let present = tool.present(shop);
    if present.as_deref() == Some(tool.version) {
        return Ok(0);
    }
    let what = format!("{} {}", tool.package, tool.version);
    let mut command = shop.command("cargo");
    // A debug build of the tool: 2.5 minutes instead of 10 for Trunk, and what it does here is as quick.
    command.args(["install", tool.package, "--version", tool.version, "--locked", "--debug"]);
    command.env_remove("CARGO_TARGET_DIR");
    if !std::io::stderr().is_terminal() {
        command.arg("--quiet"); // a log wants no line per crate; a person sees cargo's progress bar
    }
    let why = match present {
        Some(other) => {
            command.arg("--force").arg("--root").arg(shop.tools());
            format!("{}; you have {other}, which stays as it is", tool.why)
        }
        None => tool.why.to_owned(),
    };
    install(&what, &format!("{why}; 1 to 3 minutes"), || shop.run(&mut command))
        .map_err(|failure| Failure::new(format!("{failure} Please install {what} yourself and have it on PATH.")))?;
    if tool.present(shop).as_deref() == Some(tool.version) {
        return Ok(1);
    }
    Err(Failure::new(format!("{what} was installed but is not found: please put cargo's bin folder on PATH.")))
}

fn node_packages(shop: &Shop) -> Result<u32, Failure> {
    let version = shop.ask("node", &["--version"]).unwrap_or_default();
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < NODE) || shop.find("npm").is_none() {
        return Err(Failure::new(format!("Please install Node.js {NODE} or newer with npm.")));
    }
    npm_packages(shop, &shop.e2e(), "wasm-opt, Playwright, axe")
}

/// Installs the npm packages that a folder's lock file names.
///
/// # Errors
/// When npm fails or a file can't be read or written.
pub fn npm_packages(shop: &Shop, folder: &Path, why: &str) -> Result<u32, Failure> {
    // npm ci empties node_modules first, so a copy of the lock file inside is the proof of a finished install.
    let lock = read(&folder.join("package-lock.json"))?;
    let proof = folder.join("node_modules/.installed-package-lock.json");
    if fs::read_to_string(&proof).is_ok_and(|installed| installed == lock) {
        return Ok(0);
    }
    let name = folder.strip_prefix(&shop.root).unwrap_or(folder).display();
    install(&format!("npm packages of {name}"), why, || {
        let mut npm = shop.command("npm");
        npm.current_dir(folder);
        shop.run(npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]))
    })?;
    fs::write(&proof, lock).map_err(|error| Failure::new(format!("{}: {error}.", proof.display())))?;
    Ok(1)
}

fn browser(shop: &Shop) -> Result<u32, Failure> {
    let debian = debian_as_root(shop);
    let fonts = Path::new("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc");
    let mut missing = Vec::new();
    if chromium(shop).is_none() {
        missing.push("chromium");
    }
    if chromedriver(shop).is_none() {
        missing.push("chromium-driver");
    }
    // Elsewhere a system without Chinese glyphs is the person's own choice: the tests read text, not glyphs.
    if debian && !fonts.is_file() {
        missing.push("fonts-noto-cjk");
    }
    if missing.is_empty() {
        return Ok(0);
    }
    if !debian {
        return Err(Failure::new(
            "Please install Chromium or Chrome and the ChromeDriver of the same version, and have them on PATH or name \
             them in the variables CHROMIUM and CHROMEDRIVER.",
        ));
    }
    install(&missing.join(", "), "the browser that the tests drive, and Chinese glyphs", || {
        let apt = |arguments: &[&str]| {
            let mut command = shop.command("apt-get");
            command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
            command
        };
        shop.run(&mut apt(&["update", "-qq"]))?;
        let options = ["install", "-y", "-qq", "--no-install-recommends"];
        shop.run(&mut apt(&[&options[..], &missing].concat()))
    })?;
    Ok(1)
}

fn debian_as_root(shop: &Shop) -> bool {
    shop.find("apt-get").is_some() && shop.ask("id", &["-u"]).is_some_and(|id| id.trim() == "0")
}

/// PyPI has typos as a built program (2 s); where there is no pip, cargo compiles it.
fn typos(shop: &Shop) -> Result<u32, Failure> {
    let tool = Tool::new("typos-cli", "typos", TYPOS, "spelling");
    if tool.present(shop).as_deref() == Some(TYPOS) {
        return Ok(0);
    }
    if shop.ask("python3", &["-m", "pip", "--version"]).is_some() {
        let mut pip = shop.command("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"]);
        pip.args(["--upgrade", "--no-deps", "--target"]).arg(shop.tools()).arg(format!("typos=={TYPOS}"));
        let outcome = install(&format!("typos {TYPOS}"), "spelling", || shop.run(&mut pip));
        if outcome.is_ok() && tool.present(shop).as_deref() == Some(TYPOS) {
            return Ok(1);
        }
    }
    cargo_tool(shop, &tool)
}

/// Says what is being installed and why, does it, and says how long it took.
fn install(what: &str, why: &str, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    println!("Installing {what} ({why}) …");
    let start = Instant::now();
    work()?;
    println!("           … done in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::new(format!("{}: {error}.", path.display())))
}
