//! `keyfold convert`: the same document in another form; with no option, a faithful copy.

mod draco;
mod quantization;
mod rotation;
mod targets;

use crate::{Outcome, input, output, storage};
use anyhow::{Result, ensure};
use keyfold::{
    Bound, Diff, Document, Finding, Storage, unpack,
    write::{MeshoptVersion, write_meshopt, write_stream},
};
use std::path::PathBuf;
use targets::TargetArgs;

/// Change the form of a file; with no option, write a faithful copy
#[derive(clap::Args)]
#[command(after_help = "\
The name of OUT decides between .gltf and .glb. Everything that is not asked for stays as it is: values, order, unknown
members, buffers.

Examples:
  keyfold convert scene.gltf -o scene.glb
  keyfold convert scene.glb -o folder/scene.gltf
  keyfold convert spline.glb -o linear.glb --rotation linear --max-error 0.1mm
  keyfold convert walk.glb -o small.glb --storage quantization
  keyfold convert walk.glb -o small.glb --storage draco --max-error 0.5mm
  keyfold convert walk.glb -o small.glb --storage meshopt          exact; `pack --storage meshopt` is smaller
  keyfold convert scene.glb -o plain.glb --targets core
  keyfold convert face.glb -o split.glb --targets pointer --weights split
  keyfold convert - -o - < in.glb > out.glb")]
pub(crate) struct Args {
    /// A .gltf or .glb file, whatever its name; - for standard input
    input: PathBuf,
    /// Where to write; - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// How animations are stored; core: as plain floats
    #[arg(long, value_name = "S", value_parser = storage::one())]
    storage: Option<Storage>,
    /// How far anything may move: 0.01% of the model's size, a length (0.1mm) or a number of scene units
    #[arg(long, value_name = "E", default_value_t)]
    max_error: Bound,
    /// Write what readers understand that do not know the form, beside it
    #[arg(long)]
    fallback: bool,
    #[command(flatten)]
    rotation: rotation::RotationArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    read: input::ReadArgs,
    /// Bits of a value: 8 or 16 at most for quantization, 1 to 30 for draco (then for every track, whatever that costs)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=30))]
    bits: Option<u8>,
    #[command(flatten)]
    quantization: quantization::QuantizationArgs,
    #[command(flatten)]
    draco: draco::DracoArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    args.check()?;
    input::check_targets(std::iter::once((args.input.as_path(), args.output.as_path())))?;
    let (document, _) = args.read.open(&args.input)?;
    let (document, rotated) = rotation::apply(document, &args.rotation, args.max_error, args.fallback)?;
    let (document, addressed) = args.targets.apply(document)?;
    let (document, stored) = store(args, document)?;
    output::save(&document, &args.output)?;
    Ok(rotated.and(addressed).and(stored))
}

impl Args {
    /// An option that would have no effect is a mistake.
    fn check(&self) -> Result<()> {
        let stores = |storage| self.storage == Some(storage);
        let (quantizes, draco) = (stores(Storage::Quantization), stores(Storage::Draco));
        ensure!(self.bits.is_none() || quantizes || draco, "--bits goes with --storage quantization or draco");
        let falls_back = draco || stores(Storage::Stream) || self.rotation.changes();
        ensure!(!self.fallback || falls_back, "--fallback goes with --rotation or --storage draco or stream");
        let stray = self.quantization.given().filter(|_| !quantizes);
        ensure!(stray.is_none(), "{} goes with --storage quantization", stray.unwrap_or_default());
        let stray = self.draco.given().filter(|_| !draco);
        ensure!(stray.is_none(), "{} goes with --storage draco", stray.unwrap_or_default());
        Ok(())
    }
}

fn store(args: &Args, document: Document) -> Result<(Document, Outcome)> {
    let (document, findings) = match args.storage {
        None => return Ok((document, Outcome::Done)),
        Some(Storage::Quantization) => {
            return quantization::store(&document, &args.quantization, args.bits, args.max_error);
        }
        Some(Storage::Draco) => return draco::store(&document, args),
        Some(Storage::Core) => unpack(&document, args.max_error)?,
        Some(Storage::Meshopt) => write_meshopt(&document, MeshoptVersion::default())?,
        Some(Storage::Stream) => write_stream(&document, args.fallback)?,
    };
    Ok((document, output::findings(&findings)))
}

/// Says how far a converted document lies from the original.
fn tell(diff: &Diff, findings: &[Finding], within: bool, max_error: Bound) -> Outcome {
    let whole = output::findings(findings);
    diff.unmatched.iter().for_each(|what| output::error(&what.to_string()));
    output::note(&format!("the largest error is {:.6}% of the model's size", diff.relative * 100.0));
    if !within {
        output::error(&format!("that is more than {max_error}"));
    }
    whole.and(Outcome::wrong_if(!within))
}
