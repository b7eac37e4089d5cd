//! Which peers are there, and running those that are JavaScript.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::root;

/// Says something on stderr that is seen although the test passes: what is written there directly is not captured.
pub fn note(text: &str) {
    // Nothing can be done about an stderr that is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Says that a test, or a part of it, was skipped.
pub fn skip(reason: &str) {
    note(&format!("skipped: {reason}"));
}

/// Whether node and the npm packages are there; where they are not, says why the caller is skipped.
pub fn node_available() -> bool {
    let installed = root().join("oracle/node_modules/.installed-lock.json").is_file();
    let runs = || Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    let is_there = installed && runs();
    if !is_there {
        skip(&format!("node or its packages are not there ({}); run `cargo xtask setup`", remembered_reason()));
    }
    is_there
}

/// What setup said when it could not install something.
fn remembered_reason() -> String {
    let remembered = fs::read_to_string(root().join("target/missing-peers")).unwrap_or_default();
    let reasons: Vec<_> = remembered.lines().map(|line| line.replace('\t', ": ")).collect();
    if reasons.is_empty() { "setup has not run".to_owned() } else { reasons.join("; ") }
}

/// Runs a script of `oracle/js`: a JSON document in, one JSON document out.
pub(crate) fn script<I: Serialize, O: DeserializeOwned>(name: &str, input: &I) -> Result<O> {
    let file = Path::new("js").join(name);
    let mut child = Command::new("node")
        .arg("--max-old-space-size=4096")
        .arg(&file)
        .current_dir(root().join("oracle"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start node")?;
    let mut stdin = child.stdin.take().context("node has no stdin")?;
    let request = serde_json::to_vec(input)?;
    // Written beside the reading: a script may answer before it has read everything.
    let writer = thread::spawn(move || stdin.write_all(&request));
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{} failed: {}", file.display(), output.status);
    let written = writer.join().ok().context("the writer to node panicked")?;
    written.with_context(|| format!("{} did not read its input", file.display()))?;
    serde_json::from_slice(&output.stdout).with_context(|| format!("{} did not print JSON", file.display()))
}
