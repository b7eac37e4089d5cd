//! `keyfold clip`: runtime clips. One file per subcommand.

mod bench;
mod build;
mod info;
mod sample;

use crate::{Outcome, input};
use anyhow::{Context, Result};
use clap::Subcommand;
use keyfold_core::clip::Clip;
use std::{io::Read, path::Path};

/// Build, play and measure runtime clips (.kfc)
#[derive(clap::Args)]
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

/// More than any clip has: keeps a wrong file from filling the memory.
const MOST_BYTES: u64 = 1 << 31;

/// The bytes of a clip.
fn bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = |mut from: Box<dyn Read>, bytes: &mut Vec<u8>| from.by_ref().take(MOST_BYTES).read_to_end(bytes);
    let from: std::io::Result<Box<dyn Read>> = match input::is_stream(path) {
        true => Ok(Box::new(std::io::stdin())),
        false => std::fs::File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
    };
    from.and_then(|from| read(from, &mut bytes)).with_context(|| format!("cannot read {}", input::name(path)))?;
    Ok(bytes)
}

/// Opens a clip.
fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Clip<'a>> {
    Clip::open(bytes).with_context(|| format!("cannot read {}", input::name(path)))
}

/// The name of a clip's animation, where it has one.
fn name<'a>(clip: &'a Clip<'_>) -> Option<&'a str> {
    Some(clip.name()).filter(|name| !name.is_empty())
}
