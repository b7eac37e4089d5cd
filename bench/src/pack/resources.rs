//! Processor time and memory of whole programs over the corpus, as GNU time tells them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use keyfold_oracle::{corpus_files, root};

use crate::measure::{Usage, usage};

/// What a program may take for a file, in MiB: six times the file, or this where that is more.
const LEAST_LIMIT: f64 = 64.0;
/// glTF-Transform's `optimize` without what has nothing to do with animations.
const NO_MESHES: [&str; 18] = [
    "--flatten",
    "false",
    "--join",
    "false",
    "--instance",
    "false",
    "--palette",
    "false",
    "--simplify",
    "false",
    "--texture-compress",
    "false",
    "--weld",
    "false",
    "--sparse",
    "false",
    "--prune",
    "false",
];

/// A program and its arguments; `IN` and `OUT` stand for files.
struct Rival {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<&'static str>,
}

/// Prints a row for each program, and the ratios that are goals: over the corpus in all, and of single files, which differ a lot.
pub(super) fn table(folder: &Path) -> Result<()> {
    let files = corpus_files();
    println!(
        "\n| program | processor seconds, {} files | largest peak MiB | files over 6 x their size and 64 MiB | failures |",
        files.len()
    );
    println!("|---|--:|--:|---|---|");
    let mut seconds = Vec::new();
    for rival in rivals()? {
        let (mut times, mut peak, mut over, mut failed) = (Vec::new(), 0.0f64, Vec::new(), Vec::new());
        for file in &files {
            let usage = rival.run(file, &folder.join("out.glb"))?;
            let name = crate::measure::stem(file);
            let limit = (6.0 * fs::metadata(file)?.len() as f64 / 1048576.0).max(LEAST_LIMIT);
            times.push(usage.seconds);
            peak = peak.max(usage.peak);
            over.extend((usage.peak > limit).then(|| format!("{name} {:.0}", usage.peak)));
            failed.extend(usage.failed.then_some(name));
        }
        let over = if over.len() > 8 { format!("{} files", over.len()) } else { over.join(", ") };
        let sum: f64 = times.iter().sum();
        println!("| {} | {sum:.1} | {peak:.0} | {over} | {} |", rival.name, failed.join(", "));
        seconds.push(times);
    }
    let [ours, alone, fast, optimize, _, gltfpack] = &seconds[..] else { return Ok(()) };
    println!("\n| processor time | in all | least of a file | median | worst |\n|---|--:|--:|--:|--:|");
    print_ratios("keyfold / optimize", ours, optimize);
    print_ratios("keyfold -q / optimize", alone, optimize);
    print_ratios("keyfold --level fast / gltfpack", fast, gltfpack);
    Ok(())
}

fn print_ratios(name: &str, ours: &[f64], theirs: &[f64]) {
    let mut ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b.max(0.01)).collect();
    ratios.sort_by(f64::total_cmp);
    let all = ours.iter().sum::<f64>() / theirs.iter().sum::<f64>();
    let (Some(least), Some(worst)) = (ratios.first(), ratios.last()) else { return };
    println!("| {name} | {all:.2} | {least:.2} | {:.2} | {worst:.2} |", ratios[ratios.len() / 2]);
}

fn rivals() -> Result<[Rival; 6]> {
    let (keyfold, peers) = (our_program()?, root().join("oracle/node_modules/.bin"));
    let rival = |name, program: &Path, arguments: &[&'static str]| Rival {
        name,
        program: program.to_path_buf(),
        arguments: arguments.to_vec(),
    };
    let (transform, gltfpack) = (peers.join("gltf-transform"), peers.join("gltfpack"));
    Ok([
        rival("keyfold pack", &keyfold, &["pack", "IN", "-o", "OUT"]),
        rival("the same, no look at other storages", &keyfold, &["pack", "IN", "-o", "OUT", "-q"]),
        rival("keyfold pack --level fast", &keyfold, &["pack", "IN", "-o", "OUT", "--level", "fast"]),
        rival("gltf-transform optimize", &transform, &["optimize", "IN", "OUT"]),
        rival("the same, animations alone", &transform, &[&["optimize", "IN", "OUT"][..], &NO_MESHES].concat()),
        rival("gltfpack (npm) -cz -af 0", &gltfpack, &["-i", "IN", "-o", "OUT", "-cz", "-af", "0"]),
    ])
}

fn our_program() -> Result<PathBuf> {
    let arguments = ["build", "--quiet", "--release", "--package", "keyfold-cli"];
    let built = Command::new(env!("CARGO")).args(arguments).current_dir(root()).status()?;
    ensure!(built.success(), "cannot build the program");
    Ok(root().join("target/release/keyfold"))
}

impl Rival {
    /// A program that fails on a file counts all the same.
    fn run(&self, input: &Path, output: &Path) -> Result<Usage> {
        let filled = self.arguments.iter().map(|argument| match *argument {
            "IN" => input.as_os_str(),
            "OUT" => output.as_os_str(),
            other => other.as_ref(),
        });
        usage(&self.program, &filled.collect::<Vec<_>>())
    }
}
