//! `keyfold clip sample`: what a clip plays at given times, in the shape of `keyfold sample`.

use crate::sample::{Form, Times};
use crate::{Outcome, limits::LimitArgs, sample};
use anyhow::{Result, ensure};
use keyfold::Samples;
use std::path::PathBuf;

/// Print the values that a clip plays at given times
#[derive(clap::Args)]
#[command(after_help = "\
Targets that are not listed stay in the rest pose.

Examples:
  keyfold clip sample walk.kfc --time 0,0.5,1
  keyfold clip sample walk.kfc --fps 30 --json")]
pub(crate) struct Args {
    /// A .kfc file; - for standard input
    file: PathBuf,
    #[command(flatten)]
    times: Times,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let bytes = super::bytes(&args.file, args.limits)?;
    let clip = super::open(&args.file, &bytes, args.limits)?;
    let times = args.times.resolve(f64::from(clip.duration()))?;
    let widths = clip.tracks().iter().map(|track| track.width());
    let (wanted, limits) = (sample::Cost::new(times.len(), widths), args.limits.limits());
    let within = wanted.work <= limits.work.of(bytes.len() as u64) && wanted.memory <= args.limits.memory(bytes.len());
    ensure!(within, "{} times take more than the limits (--max-memory and --max-work raise them)", times.len());
    sample::print(&args.form, &Samples::of_clip(&clip, times), str::to_owned)?;
    Ok(Outcome::Done)
}
