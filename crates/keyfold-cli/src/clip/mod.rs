//! `keyfold clip`: runtime clips. One file per subcommand.

mod bench;
mod build;
mod info;
mod sample;

use crate::{Outcome, input, limits::LimitArgs};
use anyhow::{Context, Result};
use clap::Subcommand;
use keyfold_core::clip::Clip;
use std::path::Path;

/// Build, sample and benchmark runtime clips (.kfc)
#[derive(clap::Args)]
#[command(after_help = "\
A runtime clip is one animation, quantized for playback: any pose of a few dozen tracks takes less than a microsecond, and every measured point is within the bound.

Examples:
  keyfold clip build walk.glb -o walk.kfc --fps 30 --max-error 0.1mm
  keyfold clip info walk.kfc
  keyfold clip sample walk.kfc --time 0,0.5,1
  keyfold clip bench walk.kfc")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Build(build::Args),
    Sample(sample::Args),
    Info(info::Args),
    Bench(bench::Args),
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    match &args.command {
        Command::Build(args) => build::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Info(args) => info::run(args),
        Command::Bench(args) => bench::run(args),
    }
}

/// The bytes of a clip.
fn bytes(path: &Path, limits: LimitArgs) -> Result<Vec<u8>> {
    Ok(input::ReadArgs { limits, ..input::ReadArgs::default() }.bytes(path)?.0)
}

/// Opens a clip.
fn open<'a>(path: &Path, bytes: &'a [u8], limits: LimitArgs) -> Result<Clip<'a>> {
    Clip::open_within(bytes, limits.memory(bytes.len())).with_context(|| format!("cannot read {}", input::name(path)))
}
