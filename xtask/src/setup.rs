//! `cargo xtask setup`: installs what the tests need, where it may.
//!
//! Debian packages come by `apt-get`, npm packages by `npm ci` into `oracle/node_modules` and `web/node_modules`. What cannot be installed is no
//! failure: it is written to `target/missing-peers`, one `PEER<tab>REASON` a line, where the tests that need it find the
//! reason for skipping.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::shell::{command, quiet, root, which};

/// A Debian package that tests need, and how to see whether what it brings is there.
struct Package {
    name: &'static str,
    is_there: fn() -> bool,
}

const DEBIAN: [Package; 6] = [
    Package { name: "binaryen", is_there: || which("wasm-opt").is_some() },
    Package { name: "chromium", is_there: || which("chromium").is_some() },
    Package { name: "g++", is_there: || which("g++").is_some() || which("c++").is_some() },
    Package { name: "libdraco-dev", is_there: || has_header("draco/draco_features.h") },
    Package { name: "nodejs", is_there: || which("node").is_some() },
    Package { name: "npm", is_there: || which("npm").is_some() },
];

fn has_header(name: &str) -> bool {
    ["/usr/include", "/usr/local/include"].iter().any(|folder| Path::new(folder).join(name).is_file())
}

/// The peers that are not there, each with the reason.
pub(crate) struct Missing(Vec<(String, String)>);

impl Missing {
    pub(crate) fn print(&self) {
        if self.0.is_empty() {
            println!("everything that the tests need is installed");
        }
        for (peer, reason) in &self.0 {
            println!("missing: {peer}: {reason}; the tests that need it will be skipped");
        }
    }

    /// One more that is not there.
    pub(crate) fn add(&mut self, peer: &str, reason: &anyhow::Error) {
        self.0.push((peer.to_owned(), format!("{reason:#}")));
    }

    fn remember(&self) -> Result<()> {
        let file = root().join("target/missing-peers");
        let lines: String = self.0.iter().map(|(peer, reason)| format!("{peer}\t{reason}\n")).collect();
        fs::create_dir_all(root().join("target"))?;
        fs::write(&file, lines).with_context(|| format!("cannot write {}", file.display()))
    }
}

pub(crate) fn run() -> Result<Missing> {
    let mut missing = Vec::new();
    if let Err(error) = debian() {
        let reason = format!("{error:#}");
        missing.extend(absent().map(|package| (package.to_owned(), reason.clone())));
    }
    if let Err(error) = npm("oracle") {
        missing.push(("npm packages".to_owned(), format!("{error:#}")));
    }
    let missing = Missing(missing);
    missing.remember()?;
    Ok(missing)
}

fn absent() -> impl Iterator<Item = &'static str> {
    DEBIAN.iter().filter(|package| !(package.is_there)()).map(|package| package.name)
}

fn debian() -> Result<()> {
    let packages: Vec<_> = absent().collect();
    if packages.is_empty() {
        return Ok(());
    }
    install(&packages)
}

/// Installs Debian packages.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    println!("installing Debian packages: {}", packages.join(" "));
    which("apt-get").context("there is no apt-get here")?;
    apt(&["update"])?;
    apt(&[&["install", "-y", "--no-install-recommends"], packages].concat())
}

/// `apt-get`, through `sudo` where there is one that asks no password. Without the right to install, apt-get says so.
fn apt(arguments: &[&str]) -> Result<()> {
    let sudo = which("sudo").is_some() && quiet(command("sudo", &["-n", "true"])).is_ok();
    let mut apt = if sudo { command("sudo", &["-n", "apt-get"]) } else { command("apt-get", &[]) };
    apt.args(["-q"]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    quiet(apt)
}

/// The packages that a folder's `package-lock.json` pins. A copy of the lock among them says that they are all there.
pub(crate) fn npm(folder: &str) -> Result<()> {
    let place = root().join(folder);
    let wanted = fs::read(place.join("package-lock.json"))?;
    let stamp = place.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    which("npm").context("there is no npm here")?;
    println!("installing npm packages into {folder}/node_modules");
    let mut npm = command("npm", &["ci", "--no-audit", "--no-fund"]);
    npm.current_dir(&place);
    quiet(npm)?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}
