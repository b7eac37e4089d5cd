//! `keyfold clip sample`: what a clip plays at given times, in the shape of `keyfold sample`.

use crate::sample::{Form, Rows, Times};
use crate::{Outcome, sample};
use anyhow::Result;
use keyfold_core::clip::{Pose, Sampler};
use std::path::PathBuf;

/// Print the values that a clip plays at given times
#[derive(clap::Args)]
#[command(after_help = "\
Targets that are not listed stay at rest.

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
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let bytes = super::bytes(&args.file)?;
    let clip = super::open(&args.file, &bytes)?;
    let times = args.times.resolve(f64::from(clip.duration()))?;
    let tracks = clip.tracks().iter();
    let mut rows: Vec<Rows> = tracks.map(|t| Rows { target: t.target().to_string(), values: Vec::new() }).collect();
    let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
    for time in &times {
        sampler.sample(*time, &mut pose);
        for (row, track) in rows.iter_mut().zip(clip.tracks()) {
            row.values.push(pose.value(track).iter().map(|v| f64::from(*v)).collect());
        }
    }
    sample::print(&args.form, clip.index(), super::name(&clip), &times, rows)?;
    Ok(Outcome::Done)
}
