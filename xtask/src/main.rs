//! `cargo xtask`: set-up, serve, build and test as one small program without dependencies.
//!
//! Owns the order of the steps and what a person reads about them. The tools do the work: cargo, rustup, Trunk, Node.
#![expect(clippy::print_stdout, reason = "a command-line program speaks on standard output")]

mod bench; // speed against the peers, in one page
mod names;
mod page; // what Trunk leaves open: one style file, no inline script
mod process; // running other programs
mod relaxed; // the programs once more, with relaxed SIMD
mod setup; // which tools, what is missing, how it is installed
mod stages; // every check, in order
mod tally; // how many tests a runner says it ran
#[cfg(test)]
mod tests;

use process::{Failure, Shop};
use setup::Needs;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  setup              install what is missing; safe to run again
  serve [--release]  build the page, serve it at http://127.0.0.1:8080 and rebuild on every change
  build              the release page into dist/
  test               every check; the last line counts the tests
  bench [OPTIONS]    measures speed against the peers and writes docs/benchmarks.md; --only=TEXT,… --rounds=N --no-write";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_said() {
                println!("\n{failure}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Failure> {
    let shop = Shop::open();
    match arguments {
        ["setup"] => setup::run(&shop, Needs::All),
        ["serve"] => serve(&shop, false),
        ["serve", "--release"] => serve(&shop, true),
        ["build"] => build(&shop),
        ["test"] => stages::run(&shop),
        ["bench", options @ ..] => bench::run(&shop, options),
        // Trunk's post-build hook; not a command for people, so not in USAGE.
        ["finish-page"] => page::finish_staged(&shop),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        [] => Err(Failure::new(USAGE)),
        other => Err(Failure::new(format!("There is no command `{}`.\n\n{USAGE}", other.join(" ")))),
    }
}

fn serve(shop: &Shop, release: bool) -> Result<(), Failure> {
    setup::run(shop, Needs::Page)?;
    println!("\nThe first build may take a minute. Then open http://127.0.0.1:8080/ (Ctrl-C ends it).\n");
    let mode = if release { &["--release"][..] } else { &[] };
    shop.run(shop.command("trunk").args(["serve", "--offline"]).args(mode))
}

fn build(shop: &Shop) -> Result<(), Failure> {
    setup::run(shop, Needs::Page)?;
    stages::build_release(shop)
}
