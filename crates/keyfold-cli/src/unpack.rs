//! `keyfold unpack`: every animation as plain core floats.

use crate::{
    Outcome,
    batch::{self, Done},
    files::{FileArgs, Job},
    input, measure,
    output::{self, Remarks},
};
use anyhow::{Context, Result};
use keyfold::{Bound, Document, pack::Sizes, unpack};

/// Undo every storage: write plain core floats that any reader understands
#[derive(clap::Args)]
#[command(after_help = "\
Targets that core glTF can express use core's form, others KHR_animation_pointer. Tracks that are plain already stay as they are.

Examples:
  keyfold unpack packed.glb                    writes packed.unpacked.glb
  keyfold unpack packed.glb -o plain.gltf
  keyfold unpack assets --recursive --out-dir plain")]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Embed buffers and images into the file
    #[arg(long)]
    embed: bool,
    /// Largest distance that points may move where core cannot interpolate as the file does (CUBICSLERP becomes CUBICSPLINE): a percentage of
    /// the model's size (0.01%), a length (0.1mm) or a number of scene units
    #[arg(long, value_name = "E", default_value_t)]
    max_error: Bound,
    #[command(flatten)]
    read: input::ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let jobs = args.files.jobs(Some("unpacked"))?;
    args.files.on_threads(|| batch::make(&jobs, args.files.to_stdout(), |job| args.unpack(job)))
}

impl Args {
    fn unpack(&self, job: &Job) -> Result<Done> {
        let (document, before) = self.read.open(&job.input)?;
        self.unpacked(&document, before, job).with_context(|| input::name(&job.input))
    }

    fn unpacked(&self, document: &Document, before: u64, job: &Job) -> Result<Done> {
        let mut remarks = Remarks::default();
        let keyfold::Changed { document: plain, findings, .. } = unpack(document, self.max_error)?;
        remarks.findings(document, &findings);
        let draft = output::draft_as(&plain, &job.output, self.embed)?;
        let error = measure::held(document, draft.document(), self.max_error, &mut remarks)?;
        output::write(&draft, &job.output)?;
        Ok(Done { bytes: Sizes { before, after: draft.bytes() }, error, remarks })
    }
}
