//! `keyfold pack`: the smallest files within a bound that holds. One file or many, in parallel, and where many go to a folder, resumable.

mod each;
mod html;
mod job;
mod journal;
mod report;
mod tell;
mod turns;
mod watch;

use crate::{
    Outcome, input,
    measure::MeasureArgs,
    storage::{self, Wanted},
};
use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use each::each;
use job::{Job, Run, jobs};
use journal::Journal;
use keyfold::{Bound, Storage, pack, write::MeshoptVersion};
use std::path::{Path, PathBuf};
use tell::tell;
use turns::Turns;
use watch::Watch;

/// Make animations as small as an error bound allows
#[derive(clap::Args)]
#[command(after_help = "\
What is written is read back and measured: no point of the model is farther off than --max-error, at any time. A file never grows:
where nothing can be saved, the input is copied.

Levels:
  fast      all keys stay; steps, compensation                          --level fast
  default   also fewer keys, with and without compensation              --level default
  max       the same with a longer search for the best steps            --level max

Examples:
  keyfold pack walk.glb                                 writes walk.packed.glb, within 0.01 % of the model's size
  keyfold pack walk.glb -o small.glb --max-error 0.5mm
  keyfold pack assets --recursive --out-dir packed      started again, it goes on where it was stopped")]
pub(crate) struct Args {
    /// .gltf or .glb files, or folders with --recursive; - for standard input
    #[arg(required = true)]
    inputs: Vec<PathBuf>,
    /// Where to write: a file for one input, a folder for many, - for standard output [default: NAME.packed.EXT beside the input]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write all files into this folder, folders inside of --recursive inputs kept
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,
    /// Take all .gltf, .glb, .vrm and .vrma files of folders
    #[arg(short, long)]
    recursive: bool,
    /// Leave out files of folders whose path fits; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Work on this many threads [default: as many as there are processors]
    #[arg(short, long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// How far any point may come to lie from where it was: 0.01% of the model's size, a length (0.1mm, 2cm), or scene units
    #[arg(long, value_name = "E", default_value = "0.01%")]
    max_error: Bound,
    /// The same in a word: high is 0.01%, medium 0.05%, low 0.1% of the model's size
    #[arg(long, value_enum, conflicts_with = "max_error")]
    quality: Option<Quality>,
    #[command(flatten)]
    measure: MeasureArgs,
    /// How the animations are stored
    #[arg(long, value_name = "S", value_parser = storage::wanted(), default_value = "core")]
    storage: Wanted,
    /// With meshopt storage: write the ratified KHR_meshopt_compression, which fewer loaders know
    #[arg(long)]
    khr: bool,
    /// How hard to search
    #[arg(long, value_enum, default_value_t = LevelArg::Default)]
    level: LevelArg,
    /// Pack only this animation: a name, or an index
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,
    /// Leave tracks alone whose target (/nodes/3/rotation) or node name fits; * stands for anything
    #[arg(long, value_name = "PATTERN")]
    keep: Vec<String>,
    /// Keep tracks that only hold the rest pose, for motion that moves other skeletons; .vrma files always keep them
    #[arg(long)]
    keep_rest: bool,
    /// Write nothing; show what every storage would take
    #[arg(long)]
    dry_run: bool,
    /// Also write one page that shows what changed: error over time, curves before and after, bytes per track. With many files, a
    /// table of all, and drawings for the first 40
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Do again what is up to date
    #[arg(long)]
    force: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: input::ReadArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LevelArg {
    Fast,
    Default,
    Max,
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

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    match args.jobs {
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
            pool.context("cannot start threads")?.install(|| run_all(args))
        }
        None => run_all(args),
    }
}

fn run_all(args: &Args) -> Result<Outcome> {
    let streamed = args.output.as_deref().is_some_and(input::is_stream);
    ensure!(!(streamed && args.json), "--json and -o - both want standard output");
    ensure!(!args.khr || args.tried().contains(&Storage::Meshopt), "--khr goes with --storage meshopt or smallest");
    let excluded = |path: &Path| args.exclude.iter().any(|pattern| pack::matches(pattern, &path.to_string_lossy()));
    let jobs = jobs(&args.inputs, args.output.as_deref(), args.out_dir.as_deref(), args.recursive, excluded)?;
    ensure!(!jobs.is_empty(), "no .gltf, .glb, .vrm or .vrma file there");
    if let Some(page) = &args.report {
        let taken = |job: &Job| [&job.input, &job.output].into_iter().any(|path| input::same_file(path, page));
        ensure!(!jobs.iter().any(taken), "--report {} would overwrite a file that is packed", page.display());
        // It may be a buffer or an image of one of many files: whatever it is, it is wanted.
        let ours = !page.is_file() || html::is_page(page);
        ensure!(ours, "--report {} would overwrite a file that is no report", page.display());
    }
    let run = Run {
        args,
        settings: args.settings(),
        journal: args.journal(&jobs)?,
        files: jobs.len(),
        turns: Turns::new(&jobs),
        watch: Watch::new(jobs.len()),
    };
    let pack = |index: usize, job: &Job| run.pack(index, job, args.report.is_some() && index < html::PARTS);
    each(&jobs, pack, |reports| tell(&run, &run.watch.files, reports))?
}

impl Args {
    fn settings(&self) -> pack::Settings {
        pack::Settings {
            bound: self.bound(),
            property_bound: Some(self.measure.property_bound()),
            shell: self.measure.shell,
            level: match self.level {
                LevelArg::Fast => pack::Level::Fast,
                LevelArg::Default => pack::Level::Default,
                LevelArg::Max => pack::Level::Max,
            },
            meshopt: if self.khr { MeshoptVersion::Khr } else { MeshoptVersion::Ext },
            animation: self.animation.clone(),
            keep: self.keep.clone(),
            keep_rest: self.keep_rest,
            ..pack::Settings::default()
        }
    }

    /// How far any point may come to lie from where it was.
    fn bound(&self) -> Bound {
        self.quality.map_or(self.max_error, Quality::bound)
    }

    /// The storages of which the smallest is written.
    fn asked(&self) -> Vec<Storage> {
        self.storage.storages()
    }

    /// The storages that are searched for their smallest form.
    fn tried(&self) -> Vec<Storage> {
        if self.dry_run { Storage::ALL.to_vec() } else { self.asked() }
    }

    /// Whether only one storage is tried, and there is time for a look at the others.
    fn only(&self) -> bool {
        self.tried().len() == 1 && self.level != LevelArg::Fast
    }

    /// The settings for people.
    fn described(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![
            ("Largest error allowed", self.bound().to_string()),
            ("Of other properties", format!("{} of their range", self.measure.property_bound())),
            ("Storage", self.storage.name.to_owned()),
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
            "{} {:?} {} {:?} {} {} {:?} {:?} {:?} {} {:?}",
            env!("CARGO_PKG_VERSION"),
            self.bound(),
            self.measure.property_bound(),
            self.measure.shell,
            self.storage.name,
            self.khr,
            self.level,
            self.animation,
            self.keep,
            self.keep_rest,
            self.read.ignore_extension
        )
    }

    fn journal(&self, jobs: &[Job]) -> Result<Option<Journal>> {
        let folder = self.out_dir.as_deref().or(self.output.as_deref().filter(|_| jobs.len() > 1));
        match folder {
            Some(folder) if !self.dry_run => Journal::open(folder, self.fingerprint(), self.force).map(Some),
            _ => Ok(None),
        }
    }
}
