//! The standard library of WebAssembly targets: rustup's or, where rustup is not to be had, built from Debian's source by Debian's compiler.
//!
//! A standard library can only be built by the compiler of its own version, hence both are Debian's.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::setup;
use crate::shell::{command, output, quiet, root, which};

/// Modules without an outside; programs with files and streams.
pub(crate) const BARE: &str = "wasm32-unknown-unknown";
pub(crate) const WASI: &str = "wasm32-wasip1";

/// A compiler, its source, a linker that is young enough for it, what stands for the operating system, and a compiler for what that lacks.
const PACKAGES: [&str; 5] = ["clang-19", "lld-19", "rust-web-src", "rustc-web", "wasi-libc"];
const COMPILER: &str = "/usr/bin/rustc";
const SOURCE: &str = "/usr/lib/rustlib/src/rust/library";
const LINKER: &str = "wasm-ld-19";
const SYSTEM: &str = "/usr/lib/wasm32-wasi";
const C_COMPILER: &str = "clang-19";
/// What the standard library needs and Debian's libc lacks.
const MISSING: &str = "xtask/src/wasm_target/missing.c";

/// Sees to it that a target can be compiled for.
pub(crate) fn add(target: &str) -> Result<()> {
    if is_installed(target) {
        return Ok(());
    }
    from_rustup(target).or_else(|reason| {
        println!("{reason:#}: its standard library is built from Debian's source");
        if !has_source() {
            setup::install(&PACKAGES)?;
        }
        ensure!(has_source(), "Debian's packages brought no source of the standard library");
        Ok(())
    })
}

/// Tells a build of cargo's where the target's standard library comes from.
pub(crate) fn prepare(build: &mut Command, target: &str) -> Result<()> {
    if is_installed(target) {
        return Ok(());
    }
    let name = target.to_uppercase().replace('-', "_");
    build.args(["-Z", "build-std=std,panic_abort"]).env("RUSTC", COMPILER).env("RUSTC_BOOTSTRAP", "1");
    build.env(format!("CARGO_TARGET_{name}_LINKER"), LINKER);
    // In this form a flag may have spaces, as the project's folder may.
    build.env("CARGO_ENCODED_RUSTFLAGS", flags(target)?.join("\u{1f}"));
    Ok(())
}

fn flags(target: &str) -> Result<Vec<String>> {
    let linker = "-Clinker-flavor=wasm-ld".to_owned();
    if target != WASI {
        return Ok(vec![linker]);
    }
    let missing = root().join("target/wasi-missing.o");
    let mut compile = command(C_COMPILER, &["--target=wasm32-wasi", "-O2", "-c", MISSING, "-o"]);
    compile.arg(&missing);
    quiet(compile)?;
    Ok(vec![
        linker,
        "-Clink-self-contained=no".to_owned(),
        format!("-L{SYSTEM}"),
        format!("-Clink-arg={SYSTEM}/crt1-command.o"),
        format!("-Clink-arg={}", missing.display()),
        "-Clink-arg=-lc".to_owned(),
    ])
}

fn from_rustup(target: &str) -> Result<()> {
    which("rustup").with_context(|| format!("there is no rustup to add {target}"))?;
    quiet(command("rustup", &["target", "add", target]))?;
    ensure!(is_installed(target), "rustup added no {target}");
    Ok(())
}

fn is_installed(target: &str) -> bool {
    let folder = output(command("rustc", &["--print", "target-libdir", "--target", target]));
    folder.is_ok_and(|folder| PathBuf::from(String::from_utf8_lossy(&folder).trim()).is_dir())
}

fn has_source() -> bool {
    Path::new(SOURCE).is_dir()
        && Path::new(COMPILER).is_file()
        && which(LINKER).is_some()
        && which(C_COMPILER).is_some()
}
