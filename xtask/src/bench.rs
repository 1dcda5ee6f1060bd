//! The benchmark: what it needs is built or installed, then one page measures everyone (benches/bench.mjs).
//!
//! Owns the building of the peers and of the stand-alone kernel modules. No part of the tests.

use crate::process::{Failure, Shop};
use crate::setup::{self, Needs};
use crate::stages;
use std::fs;
use std::path::{Path, PathBuf};

const WASM: &str = "wasm32-unknown-unknown";

/// Builds everything and runs the benchmark, which writes docs/benchmarks.md.
///
/// # Errors
/// When the page or a kernel module can't be built, or the benchmark fails. A peer that can't be built is left out, and the
/// table says so.
pub fn run(shop: &Shop, options: &[&str]) -> Result<(), Failure> {
    setup::run(shop, Needs::All)?;
    setup::npm_packages(shop, &shop.root.join("benches"), "the peers written in JavaScript")?;
    stages::build_release(shop)?;
    let built = shop.root.join("target/bench");
    kernel_modules(shop, &built.join("kernel"))?;
    for peer in ["candle", "gemm", "ndarray"] {
        if let Err(failure) = build_peer(shop, peer, &built) {
            println!("{peer} is left out: {failure}");
        }
    }
    let mut node = shop.command("node");
    node.arg("benches/bench.mjs").args(options);
    shop.run(stages::with_browser(shop, &mut node))
}

/// Builds the kernel as a module of its own into `folder`: `simd128.wasm`, and `relaxed.wasm` with relaxed SIMD.
///
/// # Errors
/// When cargo or wasm-opt fails.
pub fn kernel_modules(shop: &Shop, folder: &Path) -> Result<(), Failure> {
    // Flags on the command line are added to those of .cargo/config.toml.
    for (name, features) in [("simd128", "+simd128"), ("relaxed", "+simd128,+relaxed-simd")] {
        let flags = format!("target.{WASM}.rustflags=[\"-Ctarget-feature={features}\"]");
        let target = folder.join(format!("{name}-target"));
        let mut cargo = shop.command("cargo");
        cargo.args(["build", "--quiet", "--release", "--package", "attention-kernel-module", "--target", WASM]);
        shop.run(cargo.args(["--config", &flags, "--target-dir"]).arg(&target))?;
        let wasm = compiled(&target, "attention_kernel_module");
        let mut optimise = shop.command("wasm-opt");
        optimise.arg(wasm).args(["-O3", "--all-features", "--strip-debug", "--strip-producers", "-o"]);
        shop.run(optimise.arg(folder.join(format!("{name}.wasm"))))?;
    }
    Ok(())
}

fn build_peer(shop: &Shop, peer: &str, built: &Path) -> Result<(), Failure> {
    let target = built.join("peers-target");
    let mut cargo = shop.command("cargo");
    cargo.current_dir(shop.root.join("benches/peers"));
    cargo.args(["build", "--quiet", "--locked", "--release", "--target", WASM, "--features", peer]);
    // A dependency's own switch for the browser; in this crate only.
    cargo.args(["--config", "target.wasm32-unknown-unknown.rustflags=['--cfg=getrandom_backend=\"wasm_js\"']"]);
    shop.run(cargo.arg("--target-dir").arg(&target))?;
    let to = built.join("peers");
    let copied = fs::create_dir_all(&to)
        .and_then(|()| fs::copy(compiled(&target, "attention_lab_peers"), to.join(format!("{peer}.wasm"))));
    copied.map(|_| ()).map_err(|error| Failure::new(format!("{}: {error}.", to.display())))
}

fn compiled(target: &Path, name: &str) -> PathBuf {
    target.join(WASM).join("release").join(format!("{name}.wasm"))
}
