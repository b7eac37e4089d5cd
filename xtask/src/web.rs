//! `cargo xtask web`: builds the npm package in `web/keyfold`, so that `npm pack` there gives it; and its tests, in Node.js and Chromium.
//!
//! WebAssembly modules are compiled and made smaller by wasm-opt; what TypeScript needs to know of the object model is written out from the
//! registry; `web/build.mjs` does the rest.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::setup::{self, Missing};
use crate::shell::{cargo, command, output, quiet, root, show, which};

/// What wasm-opt may use: what every browser since 2021 and Node.js 20 know. With `--all-features` it makes modules that nothing runs.
const FEATURES: [&str; 4] =
    ["--enable-bulk-memory", "--enable-mutable-globals", "--enable-nontrapping-float-to-int", "--enable-sign-ext"];

/// A module that only decodes; a program with files and streams.
const DECODER: &str = "wasm32-unknown-unknown";
const PROGRAM: &str = "wasm32-wasip1";

pub(crate) fn run() -> Result<()> {
    prepare()?;
    build()?;
    println!("built: web/keyfold (`npm pack` there makes the package)");
    Ok(())
}

/// Installs what building and testing need; whether it is all there.
pub(crate) fn set_up(missing: &mut Missing) -> bool {
    let prepared = prepare().and_then(|()| which("chromium").map(|_| ()).context("there is no Chromium here"));
    prepared.map_err(|reason| missing.add("npm package", &reason)).is_ok()
}

/// Builds the package and runs its tests beside the program.
pub(crate) fn test() -> Result<()> {
    build()?;
    show(cargo(&["build", "--quiet", "--package", "keyfold-cli"]))?;
    let mut tests = command("npm", &["test", "--silent"]);
    tests.current_dir(root().join("web")).env("KEYFOLD", root().join("target/debug/keyfold"));
    show(tests)
}

/// Compilation targets and npm packages.
fn prepare() -> Result<()> {
    for target in [DECODER, PROGRAM].into_iter().filter(|target| !has_target(target)) {
        which("rustup").with_context(|| format!("there is no rustup to add {target}"))?;
        quiet(command("rustup", &["target", "add", target]))?;
        ensure!(has_target(target), "rustup added no {target}");
    }
    setup::npm("web")
}

fn has_target(target: &str) -> bool {
    let folder = output(command("rustc", &["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| PathBuf::from(String::from_utf8_lossy(&folder).trim()).is_dir())
}

fn build() -> Result<()> {
    let generated = root().join("web/keyfold/src/generated");
    fs::create_dir_all(&generated)?;
    wasm(&["--package", "keyfold-wasm", "--lib", "--profile", "web-small", "--target", DECODER])?;
    optimized(DECODER, "web-small", "keyfold_wasm", "-Oz", &generated.join("decoder.wasm"))?;
    wasm(&["--package", "keyfold-cli", "--bin", "keyfold", "--profile", "web-program", "--target", PROGRAM])?;
    optimized(PROGRAM, "web-program", "keyfold", "-O2", &generated.join("program.wasm"))?;
    let vectors = output(cargo(&["run", "--quiet", "--package", "keyfold-wasm", "--example", "vectors"]))?;
    fs::write(generated.join("vectors.ts"), vectors)?;
    let mut rest = command("node", &["build.mjs"]);
    rest.current_dir(root().join("web"));
    show(rest)
}

fn wasm(arguments: &[&str]) -> Result<()> {
    show(cargo(&[&["build", "--quiet"], arguments].concat()))
}

/// Puts a compiled module in its place, made smaller where wasm-opt is at hand.
fn optimized(target: &str, profile: &str, file: &str, level: &str, place: &Path) -> Result<()> {
    let module = root().join("target").join(target).join(profile).join(format!("{file}.wasm"));
    if which("wasm-opt").is_none() {
        println!("wasm-opt is missing (Debian: binaryen): modules are larger than they should be");
        fs::copy(&module, place).with_context(|| format!("cannot copy {}", module.display()))?;
        return Ok(());
    }
    let mut optimizer = command("wasm-opt", &[level, "--strip-debug", "--strip-producers"]);
    optimizer.args(FEATURES).arg(&module).arg("-o").arg(place);
    quiet(optimizer)
}
