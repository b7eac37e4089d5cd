//! Runtime clips: bytes against ACL's on the clips that it was measured on, the time of a pose against ozz-animation-rs, and
//! instructions per track.

mod sizes;
mod speed;
mod waves;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use keyfold_core::clip::{Clip, Encoding, Pose, Sampler};
use keyfold_oracle::root;

use waves::Waves;

/// How many tracks the clips have that are timed.
const TRACKS: [usize; 4] = [25, 31, 53, 300];
const ENCODINGS: [Encoding; 2] = [Encoding::Fixed, Encoding::Variable];

pub(crate) fn run() -> Result<()> {
    sizes::run()?;
    speed::run()?;
    if let Err(error) = against_ozz() {
        println!("ozz-animation-rs is not there: {error:#}\n");
    }
    if let Err(error) = instructions() {
        println!("instructions are not counted: {error:#}\n");
    }
    Ok(())
}

/// Writes a clip for another program to play.
fn save(waves: &Waves, encoding: Encoding) -> Result<PathBuf> {
    let folder = root().join("target/bench-clips");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join(format!("{waves} {}.kfc", encoding.name()));
    std::fs::write(&file, waves.clip(encoding)?)?;
    Ok(file)
}

/// The same clips by ozz-animation-rs, in a program of its own that plays both.
fn against_ozz() -> Result<()> {
    println!(
        "Against ozz-animation-rs 0.11, nanoseconds per pose; clips whose name says so move all of a joint's transform\n"
    );
    let mut command = Command::new("cargo");
    command.args(["+1.88.0", "run", "--quiet", "--release", "--locked", "--manifest-path", "bench/ozz/Cargo.toml"]);
    command.args(["--target-dir", "target/ozz", "--"]).env("RUSTC_BOOTSTRAP", "1").env_remove("RUSTUP_TOOLCHAIN");
    for whole in [false, true] {
        for tracks in TRACKS {
            for encoding in ENCODINGS {
                command.arg(save(&Waves { joints: tracks, keys: 100, whole }, encoding)?);
            }
        }
    }
    let status = command.current_dir(root()).status().context("cannot run cargo")?;
    anyhow::ensure!(status.success(), "`rustup toolchain install 1.88.0` first, or see above");
    println!();
    Ok(())
}

/// What this program is asked by itself under callgrind: `clip-poses FILE COUNT` plays so many poses at random times.
pub(crate) const POSES: &str = "clip-poses";

pub(crate) fn poses(file: &str, count: &str) -> Result<()> {
    let bytes = std::fs::read(file)?;
    let clip = Clip::open(&bytes)?;
    let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
    speed::times(&clip, true).take(count.parse()?).for_each(|t| sampler.sample(t, &mut pose));
    Ok(())
}

/// Instructions per track, from callgrind: what a thousand more poses cost.
fn instructions() -> Result<()> {
    println!("Instructions by callgrind, at random times\n\n| clip | per pose | per track |\n|---|--:|--:|");
    for tracks in TRACKS {
        for encoding in ENCODINGS {
            let waves = Waves { joints: tracks, keys: 100, whole: false };
            let file = save(&waves, encoding)?;
            let (few, many) = (executed(&file, 1000)?, executed(&file, 2000)?);
            let each = (many - few) / 1000.0;
            println!("| {waves} {} | {each:.0} | {:.0} |", encoding.name(), each / tracks as f64);
        }
    }
    println!();
    Ok(())
}

/// All instructions of a process that plays so many poses.
fn executed(file: &std::path::Path, count: usize) -> Result<f64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe()?);
    let output = command.arg(POSES).arg(file).arg(count.to_string()).output().context("cannot run valgrind")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let total = said.lines().find_map(|line| line.split_once("Collected : "));
    total.and_then(|(_, n)| n.trim().parse().ok()).with_context(|| format!("valgrind says no total: {said}"))
}
