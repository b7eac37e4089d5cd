//! `cargo xtask bench validate`: the whole corpus in one run of the program, CPU time against gltf-validator's in one run of node.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use keyfold_oracle::{corpus_files, node_available, root, validator};

const RUNS: usize = 5;

pub(crate) fn run() -> Result<()> {
    let files = corpus_files();
    if files.is_empty() || !node_available() {
        return Ok(());
    }
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--release", "--package", "keyfold-cli"])
        .current_dir(root())
        .status()?;
    ensure!(built.success(), "the program does not build");
    let program = std::env::current_exe()?.with_file_name("keyfold");
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

/// The least CPU time that children take.
fn least(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let before = children()?;
        run()?;
        least = least.min(children()? - before);
    }
    Ok(least)
}

/// Seconds that finished children of this process have used, user and system (proc(5): fields 16 and 17, in hundredths).
fn children() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat").context("there is no /proc here")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok()).context("an odd /proc/self/stat");
    Ok((ticks(13)? + ticks(14)?) / 100.0)
}
