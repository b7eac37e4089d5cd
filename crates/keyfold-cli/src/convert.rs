//! `keyfold convert`: the same document in another form; with no option, a faithful copy.

mod rotation;

use crate::{Outcome, input, output};
use anyhow::Result;
use keyfold::Bound;
use std::path::PathBuf;

/// Change the form of a file; with no option, write a faithful copy
#[derive(clap::Args)]
#[command(after_help = "\
The name of OUT decides between .gltf and .glb. Everything that is not asked for stays as it is: values, order, unknown
members, buffers.

Examples:
  keyfold convert scene.gltf -o scene.glb
  keyfold convert scene.glb -o folder/scene.gltf
  keyfold convert spline.glb -o linear.glb --rotation linear --max-error 0.1mm
  keyfold convert - -o - < in.glb > out.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file, whatever its name; - for standard input
    input: PathBuf,
    /// Where to write; - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// How far anything may move: 0.01% of the model's size, a length (0.1mm) or a number of scene units
    #[arg(long, value_name = "E", default_value_t)]
    max_error: Bound,
    /// Write what readers understand that do not know the form, beside it
    #[arg(long)]
    fallback: bool,
    #[command(flatten)]
    rotation: rotation::RotationArgs,
    #[command(flatten)]
    read: input::ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let (document, _) = args.read.open(&args.input)?;
    let (document, outcome) = rotation::apply(document, &args.rotation, args.max_error, args.fallback)?;
    output::save(&document, &args.output)?;
    Ok(outcome)
}
