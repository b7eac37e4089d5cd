//! `cargo xtask bench growth`: what crowds of 10 and of 30 actors in one animation take, as whole processes.

mod crowd;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use keyfold::Document;
use keyfold_oracle::{root, shared_dir};

use crate::measure::{RUNS, Usage, program, usage};

/// The actor, in the shared folder.
const ACTOR: &str = "corpus/cesium_man.glb";
const CROWDS: [usize; 2] = [10, 30];
/// The bound is a length: a share of the model's size would grow with the row that the actors stand in.
const JOBS: [&[&str]; 2] = [&["pack", "-q", "--max-error", "0.2mm"], &["clip", "build", "--max-error", "0.2mm"]];

pub(crate) fn run() -> Result<()> {
    let Some(shared) = shared_dir() else { return Ok(()) };
    let (actor, folder) = (Document::open(shared.join(ACTOR))?, root().join("target/bench-growth"));
    fs::create_dir_all(&folder)?;
    let file = |count: usize| folder.join(format!("{count}.glb"));
    CROWDS.into_iter().try_for_each(|count| anyhow::Ok(crowd::crowd(&actor, count)?.save(file(count))?))?;
    let program = program()?;
    println!("goal: 30 actors take at most 3.5 times what 10 take, under 1 GB\n");
    println!("| keyfold | actors | processor seconds, least of {RUNS} | peak MiB | bytes |\n|---|--:|--:|--:|--:|");
    for job in JOBS {
        let mut costs = [[0.0; 3]; 2];
        for (cost, count) in costs.iter_mut().zip(CROWDS) {
            *cost = measured(&program, job, &file(count))?;
            println!("| {} | {count} | {:.2} | {:.0} | {} |", job.join(" "), cost[0], cost[1], cost[2]);
        }
        let [seconds, peak, bytes] = [0, 1, 2].map(|i| costs[1][i] / costs[0][i]);
        println!("| {} | 30 / 10 | {seconds:.2} | {peak:.2} | {bytes:.2} |", job.join(" "));
    }
    Ok(())
}

/// Seconds, MiB and bytes of a job.
fn measured(program: &Path, job: &[&str], file: &Path) -> Result<[f64; 3]> {
    let output = file.with_extension(job[0]);
    let files = [file.as_os_str(), "-o".as_ref(), output.as_os_str()];
    let arguments: Vec<&OsStr> = job.iter().map(AsRef::as_ref).chain(files).collect();
    let runs = (0..RUNS).map(|_| usage(program, &arguments)).collect::<Result<Vec<Usage>>>()?;
    ensure!(runs.iter().all(|run| !run.failed), "keyfold {} fails", job.join(" "));
    let least = |of: fn(&Usage) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min);
    Ok([least(|run| run.seconds), least(|run| run.peak), fs::metadata(&output)?.len() as f64])
}
