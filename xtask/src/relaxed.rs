//! The programs once more with relaxed SIMD, whose fused multiply-add shortens the hot loops, for browsers that have it:
//! start.js asks, and loads one or the other. Release pages only.
//!
//! Owns which programs there are twice and how the second one is built; Trunk builds the first and has no word for this.

use crate::page::{between, fnv1a};
use crate::process::{Failure, Shop};
use std::fs;
use std::path::{Path, PathBuf};

const WASM: &str = "wasm32-unknown-unknown";

/// Those that compute on the CPU.
const PROGRAMS: [&str; 3] = ["page", "document", "lab"];

/// Builds the programs into `staged` and returns (relaxed-NAME, glue) of each. `index` is index.html as it is written, which
/// says how each is optimised.
///
/// # Errors
/// When a tool fails, or on a file error.
pub fn build(shop: &Shop, staged: &Path, index: &str) -> Result<Vec<(String, String)>, Failure> {
    let target = shop.root.join("target/relaxed");
    let mut cargo = shop.command("cargo");
    cargo.args(["build", "--quiet", "--release", "--offline", "--package", "attention-lab", "--target", WASM]);
    for program in PROGRAMS {
        cargo.args(["--bin", program]);
    }
    // Flags on the command line are added to those of .cargo/config.toml.
    let flags = format!("target.{WASM}.rustflags=[\"-Ctarget-feature=+relaxed-simd\"]");
    shop.run(cargo.args(["--config", &flags, "--target-dir"]).arg(&target))?;
    let bound = target.join("bound");
    PROGRAMS.iter().map(|program| one(shop, staged, index, &target, &bound, program)).collect()
}

fn one(
    shop: &Shop,
    staged: &Path,
    index: &str,
    target: &Path,
    bound: &Path,
    program: &str,
) -> Result<(String, String), Failure> {
    let mut bindgen = shop.command("wasm-bindgen");
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", program, "--out-dir"]).arg(bound);
    shop.run(bindgen.arg(target.join(WASM).join("release").join(format!("{program}.wasm"))))?;
    let (glue, wasm) = (bound.join(format!("{program}.js")), bound.join(format!("{program}_bg.wasm")));
    let (level, options) = optimisation(index, program)
        .ok_or_else(|| Failure::new(format!("index.html does not say how {program} is optimised.")))?;
    let mut optimise = shop.command("wasm-opt");
    optimise.arg(&wasm).arg(format!("-O{level}")).args(options).args(["--enable-relaxed-simd", "-o"]);
    shop.run(optimise.arg(&wasm))?;
    let read = |file: &PathBuf| fs::read(file).map_err(|error| Failure::new(format!("{}: {error}.", file.display())));
    let hash = fnv1a(&[read(&glue)?, read(&wasm)?].concat());
    let name = format!("relaxed-{program}-{hash:016x}");
    for (from, to) in [(glue, format!("{name}.js")), (wasm, format!("{name}_bg.wasm"))] {
        let to = staged.join(to);
        fs::copy(&from, &to).map_err(|error| Failure::new(format!("{}: {error}.", to.display())))?;
    }
    Ok((format!("relaxed-{program}"), format!("{name}.js")))
}

/// wasm-opt's level and further options for a binary of index.html.
pub fn optimisation<'a>(index: &'a str, program: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let name = format!("data-bin=\"{program}\"");
    let link = index.split("<link ").find(|rest| rest.split('>').next().is_some_and(|link| link.contains(&name)))?;
    let link = link.split('>').next()?;
    let options = between(link, "data-wasm-opt-params=\"", "\"").unwrap_or_default();
    Some((between(link, "data-wasm-opt=\"", "\"")?, options.split_whitespace().collect()))
}
