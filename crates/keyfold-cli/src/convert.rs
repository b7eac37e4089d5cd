//! `keyfold convert`: the same document in another form; with no option, a faithful copy.

use crate::{Outcome, input, output};
use anyhow::Result;
use std::path::PathBuf;

/// Change the form of a file; with no option, write a faithful copy
#[derive(clap::Args)]
#[command(after_help = "\
The name of OUT decides between .gltf and .glb. Everything that is not asked for stays as it is: values, order, unknown
members, buffers.

Examples:
  keyfold convert scene.gltf -o scene.glb
  keyfold convert scene.glb -o folder/scene.gltf
  keyfold convert - -o - < in.glb > out.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file, whatever its name; - for standard input
    input: PathBuf,
    /// Where to write; - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    read: input::ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let (document, _) = args.read.open(&args.input)?;
    output::save(&document, &args.output)?;
    Ok(Outcome::Done)
}
