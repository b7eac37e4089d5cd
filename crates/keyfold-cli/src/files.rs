//! Which files a command works on, and where what comes of each of them goes.

use crate::{
    input::{self, is_stream, name},
    output,
};
use anyhow::{Context, Result, bail, ensure};
use keyfold::{document::real_path, pack::matches};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The files, for every command that makes one of each.
#[derive(clap::Args)]
pub(crate) struct FileArgs {
    /// .gltf or .glb files, under any name, or folders with --recursive; - for standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Where to write: a file for one input, a folder for many, - for standard output [default: beside the input, see examples]
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write all files into this folder, keeping the folder structure of --recursive inputs
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,
    /// Overwrite the originals
    #[arg(long, conflicts_with_all = ["output", "out_dir"])]
    in_place: bool,
    /// Take all .gltf, .glb, .vrm and .vrma files in folders and their subfolders
    #[arg(short, long)]
    recursive: bool,
    /// When searching folders, skip files whose path matches; * matches anything
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Number of threads [default: the number of processors]
    #[arg(short, long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
}

impl FileArgs {
    /// The files, each with its place to go to; without any other, that is beside the input, with a `word` in its name.
    pub(crate) fn jobs(&self, word: Option<&str>) -> Result<Vec<Job>> {
        let found = self.found()?;
        ensure!(!found.is_empty(), "no .gltf, .glb, .vrm or .vrma file there");
        let folders = self.inputs.iter().any(|input| input.is_dir());
        self.places().jobs(found, folders, word)
    }

    fn places(&self) -> Places<'_> {
        Places { output: self.output.as_deref(), out_dir: self.out_dir.as_deref(), in_place: self.in_place }
    }

    /// Whether what is made goes to standard output.
    pub(crate) fn to_stdout(&self) -> bool {
        self.output.as_deref().is_some_and(is_stream)
    }

    /// The folder that files go to, where it is one for all `files` of them.
    pub(crate) fn folder(&self, files: usize) -> Option<&Path> {
        self.out_dir.as_deref().or(self.output.as_deref().filter(|_| files > 1))
    }

    /// Does work on as many threads as are asked for, on one of them itself: what it allocates then takes up what searches have left there.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        match self.jobs {
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
                pool.context("cannot start threads")?.install(work)
            }
            None => rayon::scope(|_| work()),
        }
    }

    /// The inputs, and their paths below the folders that were named.
    fn found(&self) -> Result<Vec<Found>> {
        let excluded = |path: &Path| self.exclude.iter().any(|pattern| matches(pattern, &path.to_string_lossy()));
        let mut found = Vec::new();
        for input in &self.inputs {
            if input.is_dir() {
                ensure!(self.recursive, "{} is a folder: give --recursive", input.display());
                let skipped = self.out_dir.as_deref().or(self.output.as_deref()).map(real_path);
                walk(input, input, skipped.as_deref(), &mut BTreeSet::new(), &mut found)?;
                found.retain(|(path, _)| !excluded(path));
            } else {
                found.push(alone(input));
            }
        }
        Ok(found)
    }
}

/// An input, and its path below the folder that was named.
type Found = (PathBuf, PathBuf);

/// An input that was named itself.
pub(crate) fn alone(input: &Path) -> Found {
    (input.to_path_buf(), input.file_name().map(PathBuf::from).unwrap_or_default())
}

/// One file to work on.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) input: PathBuf,
    pub(crate) output: PathBuf,
}

impl Job {
    /// Whether a file takes its original's place.
    pub(crate) fn is_in_place(&self) -> bool {
        self.input == self.output
    }

    /// What the input takes on disk; nothing is known of a stream.
    pub(crate) fn length(&self) -> u64 {
        std::fs::metadata(&self.input).map_or(0, |file| file.len())
    }
}

/// Where files are asked to go.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) output: Option<&'a Path>,
    pub(crate) out_dir: Option<&'a Path>,
    pub(crate) in_place: bool,
}

impl Places<'_> {
    /// Inputs with their places. No two go to the same one, and none to an original's unless that is asked for.
    pub(crate) fn jobs(&self, found: Vec<Found>, folders: bool, word: Option<&str>) -> Result<Vec<Job>> {
        let &Self { output, out_dir, in_place } = self;
        let streams = found.iter().any(|(input, _)| is_stream(input)) || output.is_some_and(is_stream);
        ensure!(
            !streams || found.len() == 1 && output.is_some(),
            "standard input and output (-) take one file, and need -o OUT"
        );
        let named = output.is_some() || out_dir.is_some() || in_place;
        ensure!(named || word.is_some(), "where to write is not said: give -o OUT, --out-dir DIR or --in-place");
        let many = found.len() > 1 || folders;
        let folder = out_dir.or(output.filter(|o| many || names_folder(o)));
        if let Some(file) = output.filter(|o| many && names_file(o)) {
            bail!("{} files cannot go to one file, {}: name a folder", found.len(), file.display());
        }
        let place = |(input, relative): Found| {
            let output = match (folder, output, word) {
                _ if in_place => input.clone(),
                (Some(folder), ..) => folder.join(relative),
                (None, Some(file), _) => file.to_path_buf(),
                (None, None, word) => output::beside(&input, word.unwrap_or_default()),
            };
            Job { input, output }
        };
        let jobs: Vec<Job> = found.into_iter().map(place).collect();
        if in_place {
            let mut seen = BTreeSet::new();
            let twice = jobs.iter().find(|job| !seen.insert(real_path(&job.input)));
            ensure!(twice.is_none(), "{} is named twice", twice.map(|job| name(&job.input)).unwrap_or_default());
        } else {
            input::check_targets(jobs.iter().map(|job| (job.input.as_path(), job.output.as_path())))?;
        }
        Ok(jobs)
    }
}

/// Whether a path is a folder, or says that it will be one by a slash at its end.
fn names_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Whether a path is a file, or looks as if it should become one.
fn names_file(path: &Path) -> bool {
    path.is_file() || (input::is_called(path, &input::DOCUMENTS) && !names_folder(path))
}

/// All files below a folder, but none of those that a run before may have put into `skipped`. A folder that links lead to again is
/// looked at once.
fn walk(
    root: &Path,
    folder: &Path,
    skipped: Option<&Path>,
    seen: &mut BTreeSet<PathBuf>,
    found: &mut Vec<Found>,
) -> Result<()> {
    let place = real_path(folder);
    if (folder != root && skipped == Some(place.as_path())) || !seen.insert(place) {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            walk(root, &path, skipped, seen, found)?;
        } else if input::is_called(&path, &input::DOCUMENTS) && !is_output(&path) {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
            found.push((path, relative));
        }
    }
    Ok(())
}

/// Whether a file's name is one that `pack` or `unpack` gives to what it writes beside its input.
fn is_output(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    [".packed", ".unpacked"].iter().any(|word| stem.ends_with(word))
}
