//! `cargo xtask web`: builds the npm package in `web/keyfold`, so that `npm pack` there gives it; and its tests, in Node.js and Chromium.
//!
//! WebAssembly modules are compiled and made smaller by wasm-opt; what TypeScript needs to know of the object model is written out from the
//! registry; `web/build.mjs` does the rest.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::setup::{self, Missing};
use crate::shell::{cargo, command, output, quiet, root, show, which};

/// What wasm-opt may use: what every browser since 2021 and Node.js 20 know. With `--all-features` it makes modules that nothing runs.
const FEATURES: [&str; 4] =
    ["--enable-bulk-memory", "--enable-mutable-globals", "--enable-nontrapping-float-to-int", "--enable-sign-ext"];

const TARGETS: [&str; 1] = ["wasm32-unknown-unknown"];

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
    for target in TARGETS.into_iter().filter(|target| !has_target(target)) {
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
    let decoder = wasm("web-small", "keyfold-wasm", "keyfold_wasm")?;
    fs::copy(&decoder, generated.join("decoder.wasm")).with_context(|| format!("cannot copy {}", decoder.display()))?;
    let vectors = output(cargo(&["run", "--quiet", "--package", "keyfold-wasm", "--example", "vectors"]))?;
    fs::write(generated.join("vectors.ts"), vectors)?;
    let mut rest = command("node", &["build.mjs"]);
    rest.current_dir(root().join("web"));
    show(rest)
}

/// Compiles a crate and makes it smaller; the module's path.
fn wasm(profile: &str, package: &str, file: &str) -> Result<PathBuf> {
    let [target] = TARGETS;
    show(cargo(&["build", "--quiet", "--package", package, "--lib", "--profile", profile, "--target", target]))?;
    let folder = root().join("target").join(target).join(profile);
    let (module, smaller) = (folder.join(format!("{file}.wasm")), folder.join(format!("{file}.small.wasm")));
    if which("wasm-opt").is_none() {
        println!("wasm-opt is missing (Debian: binaryen): modules are larger than they should be");
        return Ok(module);
    }
    let mut optimizer = command("wasm-opt", &["-Oz", "--strip-debug", "--strip-producers"]);
    optimizer.args(FEATURES).arg(&module).arg("-o").arg(&smaller);
    quiet(optimizer)?;
    Ok(smaller)
}
