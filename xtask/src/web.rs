//! `cargo xtask web`: builds the npm package in `web/keyfold`, so that `npm pack` there gives it, and the page in `web/app`; and their tests, in
//! Node.js and Chromium.
//!
//! WebAssembly modules are compiled and made smaller by wasm-opt, each once and again only when it has changed; `web/build.mjs` does the rest.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::setup::{self, Missing};
use crate::shell::{cargo, command, output, quiet, root, show, which};
use crate::wasm_target::{self, BARE, WASI};

/// What wasm-opt may use: what every browser since 2021 and Node.js 20 know. With `--all-features` it makes modules that nothing runs.
const FEATURES: [&str; 4] =
    ["--enable-bulk-memory", "--enable-mutable-globals", "--enable-nontrapping-float-to-int", "--enable-sign-ext"];

/// A module of the package.
struct Module {
    /// Its name in `web/keyfold/src/generated`, and what cargo calls it.
    name: &'static str,
    file: &'static str,
    target: &'static str,
    profile: &'static str,
    /// What cargo builds.
    arguments: &'static [&'static str],
    /// What wasm-opt aims at, where it is worth its time: the program comes out no smaller once it is gzipped.
    level: Option<&'static str>,
}

const MODULES: [Module; 4] = [
    STREAM,
    Module {
        name: "decoder",
        file: "keyfold_wasm",
        target: BARE,
        profile: "web-small",
        arguments: &["--package", "keyfold-wasm", "--lib", "--no-default-features", "--features", "decode"],
        level: Some("-Oz"),
    },
    Module {
        name: "clip",
        file: "keyfold_wasm",
        target: BARE,
        profile: "web-program",
        arguments: &["--package", "keyfold-wasm", "--lib", "--no-default-features", "--features", "clip"],
        level: Some("-O3"),
    },
    Module {
        name: "program",
        file: "keyfold",
        target: WASI,
        profile: "web-program",
        arguments: &["--package", "keyfold-cli", "--bin", "keyfold"],
        level: None,
    },
];

/// The decoder of streams alone, for loaders of one's own.
const STREAM: Module = Module {
    name: "stream",
    file: "keyfold_wasm",
    target: BARE,
    profile: "web-small",
    arguments: &["--package", "keyfold-wasm", "--lib", "--no-default-features", "--features", "stream"],
    level: Some("-Oz"),
};

pub(crate) fn run() -> Result<()> {
    prepare()?;
    build()?;
    println!(
        "built: web/keyfold (`npm pack` there makes the package), web/app/dist (the page; the next build of the program takes it along)"
    );
    Ok(())
}

/// Installs what building and testing need; whether it is all there.
pub(crate) fn set_up(missing: &mut Missing) -> bool {
    let prepared = prepare().and_then(|()| which("chromium").map(|_| ()).context("there is no Chromium here"));
    prepared.map_err(|reason| missing.add("npm package", &reason)).is_ok()
}

/// Builds the package and runs its tests beside the program; `full` takes all files.
pub(crate) fn test(full: bool) -> Result<()> {
    build()?;
    show(cargo(&["build", "--quiet", "--package", "keyfold-cli"]))?;
    let mut tests = command("npm", &["test", "--silent"]);
    tests.current_dir(root().join("web")).env("KEYFOLD", root().join("target/debug/keyfold"));
    if full {
        tests.env("KEYFOLD_FULL", "1");
    }
    show(tests)
}

/// The benchmark of the package: sizes, and decoding in Chromium.
pub(crate) const BENCHMARK: &str = "web";

pub(crate) fn bench() -> Result<()> {
    prepare()?;
    build()?;
    show(cargo(&["build", "--quiet", "--release", "--package", "keyfold-cli"]))?;
    let mut bench = command("node", &["bench.mjs"]);
    bench.current_dir(root().join("web"));
    show(bench)
}

/// Builds the decoder of streams alone, and prints what it takes.
pub(crate) fn stream_module() -> Result<()> {
    wasm_target::add(BARE)?;
    STREAM.build()?;
    let bytes = fs::metadata(STREAM.place())?.len();
    let zipped = output(command("gzip", &["-9", "--stdout", &STREAM.place().to_string_lossy()]))?.len();
    println!("the decoder alone as WebAssembly: {bytes} bytes, gzipped {zipped} (limit: 12000)");
    Ok(())
}

/// Compilation targets and npm packages.
fn prepare() -> Result<()> {
    [BARE, WASI].into_iter().try_for_each(wasm_target::add)?;
    setup::npm("web")
}

fn build() -> Result<()> {
    MODULES.iter().try_for_each(Module::build)?;
    let mut rest = command("node", &["build.mjs"]);
    rest.current_dir(root().join("web"));
    show(rest)
}

fn generated() -> PathBuf {
    root().join("web/keyfold/src/generated")
}

impl Module {
    fn place(&self) -> PathBuf {
        generated().join(format!("{}.wasm", self.name))
    }

    /// Compiles the module and puts it in its place, made smaller where wasm-opt is at hand.
    fn build(&self) -> Result<()> {
        let options = ["build", "--quiet", "--target", self.target, "--profile", self.profile];
        let mut build = cargo(&[&options, self.arguments].concat());
        wasm_target::prepare(&mut build, self.target)?;
        show(build)?;
        let compiled = root().join("target").join(self.target).join(self.profile).join(format!("{}.wasm", self.file));
        let place = self.place();
        fs::create_dir_all(generated())?;
        let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
        // A copy of what it was made of says that it is up to date.
        let stamp = root().join("target").join(format!("{}.unoptimized.wasm", self.name));
        if place.is_file() && fs::read(&stamp).is_ok_and(|old| old == bytes) {
            return Ok(());
        }
        match self.level {
            Some(level) if which("wasm-opt").is_some() => {
                let mut optimizer = command("wasm-opt", &[level, "--strip-debug", "--strip-producers"]);
                optimizer.args(FEATURES).arg(&compiled).arg("-o").arg(&place);
                quiet(optimizer)?;
            }
            level => {
                if level.is_some() {
                    println!("wasm-opt is missing (Debian: binaryen): {} is larger than it should be", self.name);
                }
                fs::write(&place, &bytes).with_context(|| format!("cannot write {}", place.display()))?;
            }
        }
        fs::write(&stamp, &bytes).with_context(|| format!("cannot write {}", stamp.display()))
    }
}
