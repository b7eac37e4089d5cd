//! `cargo xtask bench validate`: the whole corpus in one run of the program, CPU time against gltf-validator's in one run of node.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use keyfold_oracle::{corpus_files, node_available, validator};

use crate::measure::{RUNS, least, program};

pub(crate) fn run() -> Result<()> {
    let files = corpus_files();
    if files.is_empty() || !node_available() {
        return Ok(());
    }
    let program = program()?;
    let keyfold = |arguments: &[&str]| {
        least(|| {
            let mut command = Command::new(&program);
            command.arg("validate").args(arguments).args(&files).stdout(Stdio::null());
            command.status().map(|_| ()).context("cannot run keyfold")
        })
    };
    let (ours, rules) = (keyfold(&["--json"])?, keyfold(&["--json", "--quiet"])?);
    let theirs = least(|| validator::validate(&files).map(|_| ()))?;
    let start = least(|| validator::validate(&[]).map(|_| ()))?;
    println!("{} files; whole processes, all threads, the least CPU time of {RUNS} runs", files.len());
    println!("gltf-validator in node                   {theirs:>6.2} s   (node's start alone {start:.2} s)");
    println!("keyfold validate --json                  {ours:>6.2} s   ratio {:.3}", ours / theirs);
    println!("keyfold validate --json --quiet          {rules:>6.2} s   ratio {:.3}", rules / theirs);
    Ok(())
}
