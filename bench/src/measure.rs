//! Measuring: processor time as the best of many runs, memory as the peak of what is allocated.

use std::ffi::OsStr;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cpu_time::ProcessTime;
use keyfold_oracle::root;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// What a piece of work costs.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    /// Seconds of the processor, which other programs do not lengthen: the least of all runs.
    pub(crate) seconds: f64,
    /// Bytes allocated at the worst moment, above what was there before.
    pub(crate) peak: usize,
}

/// Runs two rivals in turns for a while, so that whatever slows the machine down slows both.
pub(crate) fn rivals<A, B>(time: Duration, mut ours: impl FnMut() -> A, mut theirs: impl FnMut() -> B) -> [Cost; 2] {
    let mut costs = [once(&mut ours), once(&mut theirs)];
    let started = Instant::now();
    while started.elapsed() < time {
        costs[0] = costs[0].least(once(&mut ours));
        costs[1] = costs[1].least(once(&mut theirs));
    }
    costs
}

/// Runs work for a while.
pub(crate) fn alone<A>(time: Duration, mut work: impl FnMut() -> A) -> Cost {
    let mut cost = once(&mut work);
    let started = Instant::now();
    while started.elapsed() < time {
        cost = cost.least(once(&mut work));
    }
    cost
}

impl Cost {
    fn least(self, other: Cost) -> Cost {
        Cost { seconds: self.seconds.min(other.seconds), peak: self.peak.min(other.peak) }
    }
}

fn once<A>(work: &mut impl FnMut() -> A) -> Cost {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let started = ProcessTime::now();
    let result = black_box(work());
    let seconds = started.elapsed().as_secs_f64();
    let peak = ALLOCATOR.peak_usage().saturating_sub(before);
    drop(result);
    Cost { seconds, peak }
}

/// The program, built with optimisation.
pub(crate) fn program() -> Result<PathBuf> {
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--release", "--package", "keyfold-cli"])
        .current_dir(root())
        .status()?;
    ensure!(built.success(), "the program does not build");
    Ok(std::env::current_exe()?.with_file_name("keyfold"))
}

/// How often programs are run.
pub(crate) const RUNS: usize = 5;

/// The least CPU time that children take.
pub(crate) fn least(mut run: impl FnMut() -> Result<()>) -> Result<f64> {
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

/// What a run of a program took, as GNU time tells it.
pub(crate) struct Usage {
    /// Of the processor, user and system.
    pub(crate) seconds: f64,
    /// MiB.
    pub(crate) peak: f64,
    pub(crate) failed: bool,
}

/// Runs a program.
pub(crate) fn usage(program: &Path, arguments: &[&OsStr]) -> Result<Usage> {
    let run = Command::new("/usr/bin/time").args(["-f", "%U %S %M"]).arg(program).args(arguments).output()?;
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    let last = text.lines().last().context("GNU time says nothing")?;
    let numbers: Vec<f64> = last.split(' ').filter_map(|n| n.parse().ok()).collect();
    ensure!(numbers.len() == 3, "GNU time says {last:?}");
    Ok(Usage { seconds: numbers[0] + numbers[1], peak: numbers[2] / 1024.0, failed: !run.status.success() })
}

/// The geometric mean.
pub(crate) fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// A file's name without its folder and ending.
pub(crate) fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
