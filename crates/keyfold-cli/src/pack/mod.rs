//! `keyfold pack`: the smallest files within a bound that holds. One file or many, in parallel, and where many go to a folder, resumable.

mod html;
mod job;
mod journal;
mod kept;
mod report;
mod tell;
mod watch;

use crate::{
    Outcome, batch,
    files::{FileArgs, Job},
    input,
    measure::MeasureArgs,
    storage::{self, Wanted},
    turns::Turns,
};
use anyhow::{Result, bail, ensure};
use clap::ValueEnum;
use job::Run;
use journal::Journal;
use kept::Kept;
use keyfold::{Bound, Document, Storage, pack, write::MeshoptVersion};
use std::{ffi::OsString, path::PathBuf, time::Duration};
use tell::tell;
use watch::Watch;

/// Make animations as small as an error bound allows
#[derive(clap::Args)]
#[command(after_help = "\
pack reads back and measures what it writes, at three points of every node that moves: one on each of its axes, as far out as the farthest vertex that the node \
carries. At no time is any of them farther off than --max-error. Vertices in other places around a node may be. A file never grows: where nothing can be \
saved, the input is copied.

pack minimizes the bytes of the animations and their JSON after gzip, or the bytes as they are with --optimize raw. In each storage, the file is no \
larger on disk than what convert makes of it, whatever that costs after gzip.

For a single file, pack also reports what the other storages would take. 'About' marks an estimate; --dry-run packs to every storage and measures; \
-q leaves estimates out.

Examples:
  keyfold pack walk.glb                                 writes walk.packed.glb, within 0.01 %
  keyfold pack walk.glb -o small.glb --max-error 0.5mm
  keyfold pack walk.glb --storage meshopt --quality medium
  keyfold pack walk.glb --dry-run                       compares all storages, writes nothing
  keyfold pack assets --recursive --out-dir packed      run again, it continues where it stopped
  keyfold pack assets --recursive --in-place --journal done.jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Largest distance that a measured point may move: a percentage of the model's size (0.01%), a length (0.1mm, 2cm) or a number of scene units
    #[arg(long, value_name = "E", default_value = "0.01%")]
    max_error: Bound,
    /// --max-error as a word: high is 0.01%, medium 0.05%, low 0.1% of the model's size
    #[arg(long, value_enum, conflicts_with = "max_error")]
    quality: Option<Quality>,
    #[command(flatten)]
    measure: MeasureArgs,
    /// How to store animations [default: core, which plays in every viewer, or their present storage if that is smaller]
    #[arg(long, value_name = "S", value_parser = storage::wanted())]
    storage: Option<Wanted>,
    /// Which bytes of the animations and their JSON to minimize: after gzip, as most servers send them, or raw, for hosts that do not compress .glb files
    #[arg(long, value_enum, default_value_t = OptimizeArg::Gzip)]
    optimize: OptimizeArg,
    /// With meshopt storage: write the ratified KHR_meshopt_compression, which fewer loaders know
    #[arg(long)]
    khr: bool,
    /// How hard to search
    #[arg(long, value_enum, default_value_t = LevelArg::Default)]
    level: LevelArg,
    /// Pack only this animation: a name, or an index
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// Leave tracks alone whose target (/nodes/3/rotation) or node name matches; * matches anything
    #[arg(long, value_name = "PATTERN")]
    keep: Vec<String>,
    /// Keep tracks that only hold the rest pose, for motion made for other skeletons; .vrma files always keep them
    #[arg(long)]
    keep_rest: bool,
    /// Write nothing; show the sizes of every storage
    #[arg(long)]
    dry_run: bool,
    /// Also write a page that shows what changed: error over time, curves before and after, bytes per track. With many files, a
    /// table of all, and drawings of the first 40
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Pack files again that are up to date
    #[arg(long)]
    force: bool,
    /// The list of finished files, from which another run continues [default: in the folder of --out-dir]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Time limit per file: a file that exceeds it gets as much time again at --level fast, and is then left as it was and named in the report
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelArg {
    /// Coarser values, mostly at all keys: quick, for trying things out
    Fast,
    /// Also with fewer keys, whichever is smallest
    Default,
    /// Like default with a longer search: a little smaller, several times slower
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OptimizeArg {
    Gzip,
    Raw,
}

/// How good a file should look, for who does not want to think in lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Quality {
    High,
    Medium,
    Low,
}

impl Quality {
    fn bound(self) -> Bound {
        Bound::Relative(match self {
            Self::High => 1e-4,
            Self::Medium => 5e-4,
            Self::Low => 1e-3,
        })
    }
}

/// Packs what `args` ask for; `line` is the command line that they come from.
pub(crate) fn run(args: &Args, line: &[OsString]) -> Result<Outcome> {
    args.files.on_threads(|| run_all(args, line))
}

fn run_all(args: &Args, line: &[OsString]) -> Result<Outcome> {
    ensure!(!(args.files.to_stdout() && args.json), "--json and -o - both want standard output");
    let khr = args.dry_run || args.storage.is_some_and(|wanted| wanted.storages().contains(&Storage::Meshopt));
    ensure!(!args.khr || khr, "--khr goes with --storage meshopt or smallest");
    let jobs = args.files.jobs(Some("packed"))?;
    args.check_pages(&jobs)?;
    let run = Run {
        args,
        line,
        options: args.options(),
        journal: args.journal(&jobs)?,
        files: jobs.len(),
        turns: Turns::new(&jobs),
        watch: Watch::new(jobs.len()),
        kept: Kept::new(&args.keep),
    };
    let pack = |index: usize, job: &Job| run.pack(index, job, args.report.is_some() && index < html::PARTS);
    batch::each(&jobs, run.turns.order(), pack, |reports| tell(&run, &run.watch.files, reports))?
}

impl Args {
    /// Neither the page nor the list may take the place of anything that is packed.
    fn check_pages(&self, jobs: &[Job]) -> Result<()> {
        for (option, page) in [("--report", &self.report), ("--journal", &self.journal)] {
            let Some(page) = page else { continue };
            let taken = |job: &Job| [&job.input, &job.output].into_iter().any(|path| input::same_file(path, page));
            ensure!(!jobs.iter().any(taken), "{option} {} would overwrite a file that is packed", page.display());
        }
        // It may be a buffer or an image of one of many files: whatever it is, it is wanted.
        if let Some(page) = self.report.as_ref().filter(|page| !html::may_be_page(page)) {
            bail!("--report {} would overwrite a file that is no report", page.display());
        }
        if let Some(list) = self.journal.as_ref().filter(|list| list.is_file() && !Journal::is_one(list)) {
            bail!("--journal {} would be added to a file that is no journal", list.display());
        }
        Ok(())
    }

    fn options(&self) -> pack::Options {
        pack::Options {
            max_error: self.bound(),
            max_property_error: self.measure.property_bound(),
            probe_radius: self.measure.shell,
            level: match self.level {
                LevelArg::Fast => pack::Level::Fast,
                LevelArg::Default => pack::Level::Default,
                LevelArg::Max => pack::Level::Max,
            },
            optimize: match self.optimize {
                OptimizeArg::Gzip => pack::Optimize::Gzip,
                OptimizeArg::Raw => pack::Optimize::Raw,
            },
            meshopt: if self.khr { MeshoptVersion::Khr } else { MeshoptVersion::Ext },
            animation: self.animation.clone(),
            keep: self.keep.clone(),
            keep_rest: self.keep_rest,
            ..pack::Options::default()
        }
    }

    /// How far a measured point may come to lie from where it was.
    fn bound(&self) -> Bound {
        self.quality.map_or(self.max_error, Quality::bound)
    }

    /// The storages of which the smallest is written.
    fn asked(&self, document: &Document) -> Result<Vec<Storage>> {
        match self.storage {
            Some(wanted) => Ok(wanted.storages()),
            None => Ok(pack::Choice::usual(document)?.among),
        }
    }

    /// The options for people.
    fn described(&self, line: &[OsString]) -> Vec<(&'static str, String)> {
        let mut rows = vec![
            (
                "Command",
                std::iter::once("keyfold".into()).chain(line.iter().skip(1).map(quoted)).collect::<Vec<_>>().join(" "),
            ),
            ("Version", env!("CARGO_PKG_VERSION").to_owned()),
            ("Largest error allowed", self.bound().to_string()),
            ("Of other properties", format!("{} of their range", self.measure.property_bound().0)),
            ("Storage", self.storage.map_or("core, or what it was", |wanted| wanted.name).to_owned()),
            ("Minimised", format!("{:?} bytes", self.optimize).to_lowercase()),
            ("Level", format!("{:?}", self.level).to_lowercase()),
        ];
        rows.extend(self.measure.shell.map(|shell| ("Shell", shell.to_string())));
        rows.extend(self.animation.clone().map(|animation| ("Only the animation", animation)));
        rows.extend((!self.keep.is_empty()).then(|| ("Tracks left alone", self.keep.join(", "))));
        rows
    }

    /// Everything that decides what comes out, as text.
    fn fingerprint(&self) -> String {
        format!(
            "{} {:?} {} {:?} {:?} {} {:?} {:?} {:?} {} {:?} {:?} {:?}",
            env!("CARGO_PKG_VERSION"),
            self.bound(),
            self.measure.property_bound().0,
            self.measure.shell,
            self.storage.map(|wanted| wanted.name),
            self.khr,
            self.level,
            self.animation,
            self.keep,
            self.keep_rest,
            self.read.ignore_extension,
            self.optimize,
            self.timeout
        )
    }

    fn journal(&self, jobs: &[Job]) -> Result<Option<Journal>> {
        let place = self.journal.clone().or_else(|| self.files.folder(jobs.len()).map(Journal::of));
        match place {
            Some(place) if !self.dry_run => Journal::open(&place, self.fingerprint(), self.force).map(Some),
            _ => Ok(None),
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "it should be a positive number of seconds".into())
}

/// An argument as a shell takes it.
fn quoted(argument: &OsString) -> String {
    let text = argument.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=%,:+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
