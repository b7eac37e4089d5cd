//! `keyfold convert`: the same document in another form; with no option, a faithful copy.

mod draco;
mod quantization;
mod rotation;

use crate::{Outcome, input, output, targets::TargetArgs};
use anyhow::Result;
use keyfold::{
    Bound, Diff, Document, Finding, Severity, Storage, unpack,
    write::{MeshoptVersion, write_meshopt},
};
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
    /// How animations are stored: core (plain floats), quantization, draco or meshopt
    #[arg(long, value_name = "S", value_parser = storage)]
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

fn storage(name: &str) -> Result<Storage, String> {
    let names = Storage::ALL.map(Storage::name).join(", ");
    Storage::ALL.into_iter().find(|s| s.name() == name).ok_or_else(|| format!("the storages are {names}"))
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let (document, _) = args.read.open(&args.input)?;
    let (document, rotated) = rotation::apply(document, &args.rotation, args.max_error, args.fallback)?;
    let (document, addressed) = args.targets.apply(document)?;
    let (document, stored) = store(args, document)?;
    output::save(&document, &args.output)?;
    let all_done = [rotated, addressed, stored].iter().all(|outcome| *outcome == Outcome::Done);
    Ok(if all_done { Outcome::Done } else { Outcome::Wrong })
}

fn store(args: &Args, document: Document) -> Result<(Document, Outcome)> {
    match args.storage {
        None => Ok((document, Outcome::Done)),
        Some(Storage::Quantization) => quantization::store(&document, &args.quantization, args.bits, args.max_error),
        Some(Storage::Draco) => draco::store(&document, args),
        Some(Storage::Core) => {
            let (document, findings) = unpack(&document, args.max_error)?;
            Ok((document, said(&findings)))
        }
        Some(Storage::Meshopt) => {
            let (document, findings) = write_meshopt(&document, MeshoptVersion::default())?;
            Ok((document, said(&findings)))
        }
    }
}

/// Says what was found on the way, and whether anything was left out.
fn said(findings: &[Finding]) -> Outcome {
    output::findings(findings);
    if findings.iter().any(Finding::leaves_out) { Outcome::Wrong } else { Outcome::Done }
}

/// Says how far a converted document lies from the original.
fn tell(diff: &Diff, findings: &[Finding], within: bool, max_error: Bound) -> Outcome {
    output::findings(findings);
    diff.unmatched.iter().for_each(|what| output::error(what));
    output::note(&format!("the largest error is {:.6}% of the model's size", diff.relative * 100.0));
    if !within {
        output::error(&format!("that is more than {max_error}"));
    }
    let left_out = findings.iter().any(|f| f.severity == Severity::Error);
    if within && !left_out { Outcome::Done } else { Outcome::Wrong }
}
