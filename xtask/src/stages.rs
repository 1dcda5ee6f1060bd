//! Every check, in order, stopping at the first failure; the quick ones come first.

use crate::process::{Failure, Shop};
use crate::setup::{self, Needs};
use crate::tally::Tally;
use std::process::Command;
use std::time::Instant;

const WASM: &str = "wasm32-unknown-unknown";

/// Does the stage report tests, and so must run at least one?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    Tests,
    Nothing,
}

/// Runs every stage and ends with the line that counts the tests.
///
/// # Errors
/// At the first stage that fails, after its name, the times and the counts so far were printed.
pub fn run(shop: &Shop) -> Result<(), Failure> {
    let mut report = Report::default();
    let outcome = run_stages(shop, &mut report);
    report.print(outcome.as_ref().err());
    outcome.map_err(|_| Failure::said())
}

fn run_stages(shop: &Shop, report: &mut Report) -> Result<(), Failure> {
    use Counts::{Nothing, Tests};
    let cargo = |arguments: &[&str]| {
        let mut command = shop.command("cargo");
        command.args(arguments);
        command
    };
    report.time("set-up", || setup::run(shop, Needs::All))?;
    report.stage(shop, "format", Nothing, &mut cargo(&["fmt", "--all", "--check"]))?;
    report.stage(shop, "spelling", Nothing, &mut shop.command("typos"))?;
    // Advisories need a database from the network: not a check that must give the same answer everywhere.
    let deny = ["deny", "--log-level", "error", "check", "licenses", "bans", "sources"];
    report.stage(shop, "dependencies", Nothing, &mut cargo(&deny))?;
    let lints = ["--", "-D", "warnings"];
    let host = [&["clippy", "--locked", "--workspace", "--all-targets"][..], &lints].concat();
    report.stage(shop, "lints, host", Nothing, &mut cargo(&host))?;
    let wasm = ["clippy", "--package", "attention-lab", "--target", WASM, "--lib", "--bins", "--test", "browser"];
    report.stage(shop, "lints, wasm", Nothing, &mut cargo(&[&wasm[..], &lints].concat()))?;
    let module = ["clippy", "--package", "attention-kernel-module", "--target", WASM, "--lib"];
    report.stage(shop, "lints, kernel module", Nothing, &mut cargo(&[&module[..], &lints].concat()))?;
    report.stage(shop, "native tests", Tests, &mut cargo(&["test", "--workspace"]))?;
    let mut browser = cargo(&["test", "--package", "attention-lab", "--target", WASM, "--test", "browser"]);
    report.stage(shop, "browser tests", Tests, with_browser(shop, &mut browser))?;
    report.time("release page", || build_release(shop))?;
    let mut e2e = shop.command("node");
    // One file after the other: two cores serve one Chromium well and two badly.
    e2e.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]).args(e2e_files(shop)?);
    report.stage(shop, "end to end", Tests, with_browser(shop, &mut e2e))
}

/// Builds dist/ and prints what its files weigh.
///
/// The standard library is compiled with the page, for size and without the texts of panics and of `Debug`, which no visitor reads:
/// a tenth of the program. Cargo calls this unstable, so it is asked for here and only here: every other build
/// (`trunk serve`, `trunk build`, all tests but end-to-end) is plain stable Rust. Without the library's source the page is built
/// plainly, and is larger.
///
/// # Errors
/// When Trunk, or the table of sizes, fails.
pub fn build_release(shop: &Shop) -> Result<(), Failure> {
    let mut trunk = shop.command("trunk");
    trunk.args(["build", "--release", "--offline", "--minify"]);
    if setup::std_source(shop).is_some() {
        trunk.envs([
            ("RUSTC_BOOTSTRAP", "1"),
            ("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort"),
            ("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size"),
            ("CARGO_UNSTABLE_PANIC_IMMEDIATE_ABORT", "true"),
            ("CARGO_PROFILE_RELEASE_PANIC", "immediate-abort"),
            ("CARGO_UNSTABLE_PROFILE_RUSTFLAGS", "true"),
            ("CARGO_PROFILE_RELEASE_RUSTFLAGS", "-Zlocation-detail=none -Zfmt-debug=none"),
        ]);
    } else {
        println!("The standard library's source (rust-src) is not here: the page will be a tenth larger.");
    }
    shop.run(&mut trunk)?;
    shop.run(shop.command("node").args(["tests/e2e/sizes.mjs", "dist"]))
}

/// Tells a command which browser and driver to use.
pub fn with_browser<'a>(shop: &Shop, command: &'a mut Command) -> &'a mut Command {
    if let Some(driver) = setup::chromedriver(shop) {
        command.env("CHROMEDRIVER", driver);
    }
    if let Some(chromium) = setup::chromium(shop) {
        command.env("CHROMIUM", chromium);
    }
    command
}

/// Node 20 takes test files by name only, no patterns.
fn e2e_files(shop: &Shop) -> Result<Vec<String>, Failure> {
    let folder = std::fs::read_dir(shop.e2e()).map_err(|error| Failure::new(format!("tests/e2e: {error}.")))?;
    let names = folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> =
        names.filter(|name| name.ends_with(".test.mjs")).map(|name| format!("tests/e2e/{name}")).collect();
    files.sort();
    Ok(files)
}

#[derive(Default)]
struct Report {
    tally: Tally,
    times: Vec<(&'static str, f64)>,
}

impl Report {
    fn time(&mut self, name: &'static str, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        println!("\n── {name}");
        let start = Instant::now();
        let outcome = work();
        self.times.push((name, start.elapsed().as_secs_f64()));
        outcome
    }

    fn stage(&mut self, shop: &Shop, name: &'static str, counts: Counts, command: &mut Command) -> Result<(), Failure> {
        let mut tally = Tally::default();
        let outcome = self.time(name, || shop.run_listening(command, |line| tally.listen(line)));
        if counts == Counts::Tests {
            self.tally.add(tally);
        }
        outcome?;
        if counts == Counts::Tests && tally.passed == 0 {
            return Err(Failure::new("It ran no test, and a stage without a test proves nothing."));
        }
        Ok(())
    }

    fn print(&self, failure: Option<&Failure>) {
        println!();
        for (name, seconds) in &self.times {
            println!("{seconds:>8.1} s  {name}");
        }
        let total: f64 = self.times.iter().map(|(_, seconds)| seconds).sum();
        println!("{total:>8.1} s  in all\n");
        let mut tally = self.tally;
        if let (Some(failure), Some((stage, _))) = (failure, self.times.last()) {
            println!("FAILED at the stage \"{stage}\": {failure}\n");
            // A check that counts no tests still failed: the closing line must not read as a success.
            tally.failed = tally.failed.max(1);
        }
        println!("{}", tally.closing_line());
    }
}
