//! `keyfold unpack`: every animation as plain core floats.

use crate::{Outcome, input, measure, output};
use anyhow::{Result, ensure};
use keyfold::{Bound, unpack};
use std::path::PathBuf;

/// Undo every storage: plain core floats that any reader understands
#[derive(clap::Args)]
#[command(after_help = "\
Targets that core glTF can name are named in core's way, others by KHR_animation_pointer. Tracks that are plain already stay as
they are.

Examples:
  keyfold unpack packed.glb                    writes packed.unpacked.glb
  keyfold unpack packed.glb -o plain.gltf")]
pub(crate) struct Args {
    /// A .gltf or .glb file, whatever its name; - for standard input
    input: PathBuf,
    /// Where to write; - for standard output [default: NAME.unpacked.EXT beside the input]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// How far rotations may move that core cannot interpolate (CUBICSLERP becomes CUBICSPLINE): 0.01% of the model's size, a length
    /// (0.1mm) or a number of scene units
    #[arg(long, value_name = "E", default_value_t)]
    max_error: Bound,
    #[command(flatten)]
    read: input::ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    ensure!(args.output.is_some() || !input::is_stream(&args.input), "standard input needs -o");
    let (document, _) = args.read.open(&args.input)?;
    let target = args.output.clone().unwrap_or_else(|| output::beside(&args.input, "unpacked"));
    input::check_targets(std::iter::once((args.input.as_path(), target.as_path())))?;
    let (plain, findings) = unpack(&document, args.max_error)?;
    let draft = output::draft(&plain, &target)?;
    let held = measure::held(&document, draft.document(), args.max_error)?;
    output::write(&draft, &target)?;
    Ok(output::findings(&findings).and(held))
}
