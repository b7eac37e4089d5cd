//! `cargo xtask bench diff`: corpus and samples against themselves packed. What is found by looking, what is not ruled out, and the processor time of the
//! comparison as a whole process; where the variable KEYFOLD_OTHER names another build of the program, against that.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use keyfold::{
    Document, diff,
    pack::{Level, Options, pack},
};
use keyfold_oracle::{corpus_files, root, sample_files};

use crate::measure::{least, mean, program, stem};

pub(crate) fn run() -> Result<()> {
    let (ours, other) = (program()?, std::env::var_os("KEYFOLD_OTHER"));
    let folder = root().join("target/bench-diff");
    fs::create_dir_all(&folder)?;
    println!("{:<42} {:>12} {:>12} {:>9} {:>8} {:>8}", "", "found", "possible", "ratio", "s", "other");
    let (mut ratios, mut seconds, mut others) = (Vec::new(), 0.0, 0.0);
    for file in corpus_files().into_iter().chain(sample_files()) {
        let document = Document::open(&file)?;
        let packed = pack(&document, &Options { level: Level::Fast, ..Options::default() })?;
        let written = folder.join("packed.glb");
        packed.document.save(&written)?;
        let found = diff(&document, &Document::open(&written)?, None)?;
        let took = time(&ours, &file, &written)?;
        let theirs = other.as_ref().map(|other| time(Path::new(other), &file, &written)).transpose()?;
        let ratio = if found.error > 0.0 { found.possible / found.error } else { 1.0 };
        println!(
            "{:<42} {:>12.4e} {:>12.4e} {ratio:>9.6} {took:>8.2} {:>8}",
            stem(&file),
            found.relative,
            found.possible / found.model_size,
            theirs.map_or("".into(), |s| format!("{s:.2}"))
        );
        ratios.push(ratio);
        seconds += took;
        others += theirs.unwrap_or(0.0);
    }
    ensure!(!ratios.is_empty(), "there is no file");
    let largest = ratios.iter().copied().fold(1.0, f64::max);
    println!("\n{} files; possible / found: {:.6} in the mean, {largest:.6} at most", ratios.len(), mean(&ratios));
    if other.is_some() {
        println!("processor time: {seconds:.2} s, {:.3} of the other program's {others:.2} s", seconds / others);
    }
    Ok(())
}

/// The least processor time of a comparison.
fn time(program: &Path, a: &Path, b: &Path) -> Result<f64> {
    least(|| {
        let mut command = Command::new(program);
        command.arg("diff").args([a, b]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().map(|_| ()).context("cannot run a program")
    })
}
