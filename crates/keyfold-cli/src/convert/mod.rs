//! `keyfold convert`: the same document in another form; with no option, a faithful copy.

mod draco;
mod quantization;
mod rotation;
mod targets;

use crate::{
    Outcome,
    batch::{self, Done},
    files::{FileArgs, Job},
    input, measure,
    output::{self, Remarks},
    storage,
};
use anyhow::{Context, Result, ensure};
use keyfold::{Bound, ConvertOptions, Document, Storage, StorageForm, convert, pack::Sizes};
use targets::TargetArgs;

/// Change the form of a file; without options, write a faithful copy
#[derive(clap::Args)]
#[command(after_help = "\
The name of OUT decides between .gltf and .glb. Everything else stays as it is: values, order, unknown members, buffers.

Examples:
  keyfold convert scene.gltf -o scene.glb
  keyfold convert scene.glb -o folder/scene.gltf
  keyfold convert spline.glb -o linear.glb --rotation linear --max-error 0.1mm
  keyfold convert walk.glb -o small.glb --storage quantization
  keyfold convert walk.glb -o small.glb --storage draco --max-error 0.5mm
  keyfold convert walk.glb -o small.glb --storage meshopt      exact; `pack` makes it smaller
  keyfold convert scene.glb -o plain.glb --targets core
  keyfold convert face.glb -o split.glb --targets pointer --weights split
  keyfold convert assets --recursive --out-dir exact --storage meshopt
  keyfold convert - -o - < in.glb > out.glb")]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Embed buffers and images into the file
    #[arg(long)]
    embed: bool,
    /// How to store animations; core: as plain floats
    #[arg(long, value_name = "S", value_parser = storage::one())]
    storage: Option<Storage>,
    /// Largest distance that a measured point may move: a percentage of the model's size (0.01%), a length (0.1mm) or a number of scene units
    #[arg(long, value_name = "E", default_value_t)]
    max_error: Bound,
    /// Also write plain data for readers that do not know the extension
    #[arg(long)]
    fallback: bool,
    #[command(flatten)]
    rotation: rotation::RotationArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    read: input::ReadArgs,
    /// Bits per value: at most 8 or 16 for quantization; 1 to 30 for draco, then for every track, whatever the error
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=30))]
    bits: Option<u8>,
    #[command(flatten)]
    quantization: quantization::QuantizationArgs,
    #[command(flatten)]
    draco: draco::DracoArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    args.check()?;
    let jobs = args.files.jobs(None)?;
    args.files.on_threads(|| batch::make(&jobs, args.files.to_stdout(), |job| args.convert(job)))
}

impl Args {
    fn convert(&self, job: &Job) -> Result<Done> {
        let (document, before) = self.read.open(&job.input)?;
        self.converted(&document, before, job).with_context(|| input::name(&job.input))
    }

    fn converted(&self, original: &Document, before: u64, job: &Job) -> Result<Done> {
        let (options, mut remarks) = (self.options()?, Remarks::default());
        let converted = convert(original, &options)?;
        remarks.findings(original, &converted.findings);
        converted.rotations.iter().for_each(|report| remarks.note(rotation::summary(report)));
        let draft = output::draft_as(converted.document.as_ref().unwrap_or(original), &job.output, self.embed)?;
        let error = match converted.document.is_some() && options.keeps_values() {
            true => measure::held(original, draft.document(), options.max_error, &mut remarks)?,
            false => None,
        };
        output::write(&draft, &job.output)?;
        Ok(Done { bytes: Sizes { before, after: draft.bytes() }, error, remarks })
    }

    fn options(&self) -> Result<ConvertOptions> {
        let storage = match self.storage {
            Some(Storage::Quantization) => Some(StorageForm::Quantization(self.quantization.options(self.bits)?)),
            Some(Storage::Draco) => Some(StorageForm::Draco(self.draco.options(self.bits, self.fallback))),
            Some(Storage::Stream) => Some(StorageForm::Stream { fallback: self.fallback }),
            other => other.map(StorageForm::from),
        };
        let rotation = self.rotation.wanted(self.fallback);
        Ok(ConvertOptions { rotation, targets: self.targets.wanted(), storage, max_error: self.max_error })
    }

    /// An option that would have no effect is a mistake.
    fn check(&self) -> Result<()> {
        let stores = |storage| self.storage == Some(storage);
        let (quantizes, draco) = (stores(Storage::Quantization), stores(Storage::Draco));
        ensure!(self.bits.is_none() || quantizes || draco, "--bits goes with --storage quantization or draco");
        let falls_back = draco || stores(Storage::Stream) || self.rotation.is_given();
        ensure!(!self.fallback || falls_back, "--fallback goes with --rotation or --storage draco or stream");
        let stray = self.quantization.given().filter(|_| !quantizes);
        ensure!(stray.is_none(), "{} goes with --storage quantization", stray.unwrap_or_default());
        let stray = self.draco.given().filter(|_| !draco);
        ensure!(stray.is_none(), "{} goes with --storage draco", stray.unwrap_or_default());
        Ok(())
    }
}
