//! One file to pack: where it comes from, where it goes, and what came of it.

use super::{Args, html, journal::Journal, report::Row, turns::Turns, watch::Watch};
use crate::{
    input::{self, is_stream},
    limits::explained,
    output,
};
use anyhow::{Context, Result, bail, ensure};
use keyfold::{
    Document,
    document::real_path,
    pack::{self, Choice, ErrorReport, FileReport, PackedFile, Settings},
};
use std::{
    collections::BTreeSet,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
};

/// One file to pack.
pub(super) struct Job {
    pub(super) input: PathBuf,
    pub(super) output: PathBuf,
}

const EXTENSIONS: [&str; 4] = ["gltf", "glb", "vrm", "vrma"];

/// The files that the command line names, each with its place to go to. No two go to the same place, and none to an original's.
pub(super) fn jobs(
    inputs: &[PathBuf],
    output: Option<&Path>,
    out_dir: Option<&Path>,
    recursive: bool,
    excluded: impl Fn(&Path) -> bool,
) -> Result<Vec<Job>> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for input in inputs {
        if input.is_dir() {
            ensure!(recursive, "{} is a folder: give --recursive", input.display());
            let skipped = out_dir.or(output).map(real_path);
            walk(input, input, skipped.as_deref(), &mut BTreeSet::new(), &mut found)?;
            found.retain(|(path, _)| !excluded(path));
        } else {
            let name = input.file_name().map(PathBuf::from).unwrap_or_default();
            found.push((input.clone(), name));
        }
    }
    let streams = inputs.iter().any(|i| is_stream(i)) || output.is_some_and(is_stream);
    ensure!(!streams || found.len() == 1 && output.is_some(), "- stands for one file, and needs -o");
    let many = found.len() > 1 || inputs.iter().any(|i| i.is_dir());
    let folder = out_dir.or(output.filter(|o| many || names_folder(o)));
    if let Some(file) = output.filter(|o| many && o.is_file()) {
        bail!("{} files cannot go to one file, {}: name a folder", found.len(), file.display());
    }
    let place = |(input, relative): (PathBuf, PathBuf)| {
        let output = match (folder, output) {
            (Some(folder), _) => folder.join(relative),
            (None, Some(file)) => file.to_path_buf(),
            (None, None) => output::beside(&input, "packed"),
        };
        Job { input, output }
    };
    let jobs: Vec<Job> = found.into_iter().map(place).collect();
    input::check_targets(jobs.iter().map(|job| (job.input.as_path(), job.output.as_path())))?;
    Ok(jobs)
}

/// Whether a path is a folder, or says that it will be one by a slash at its end.
fn names_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// All files below a folder, but none of those that a run before may have put into `skipped`. A folder that links lead to again is
/// looked at once.
fn walk(
    root: &Path,
    folder: &Path,
    skipped: Option<&Path>,
    seen: &mut BTreeSet<PathBuf>,
    found: &mut Vec<(PathBuf, PathBuf)>,
) -> Result<()> {
    let place = real_path(folder);
    if (folder != root && skipped == Some(place.as_path())) || !seen.insert(place) {
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if path.is_dir() {
            walk(root, &path, skipped, seen, found)?;
        } else if EXTENSIONS.contains(&extension.as_str()) && !is_output(&path) {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
            found.push((path, relative));
        }
    }
    Ok(())
}

/// Whether a file's name is one that `pack` gives to what it writes beside its input.
fn is_output(path: &Path) -> bool {
    path.file_stem().is_some_and(|s| s.to_string_lossy().ends_with(".packed"))
}

/// What all jobs of a run share.
pub(super) struct Run<'a> {
    pub(super) args: &'a Args,
    pub(super) settings: Settings,
    pub(super) journal: Option<Journal>,
    /// How many files there are.
    pub(super) files: usize,
    pub(super) turns: Turns,
    pub(super) watch: Watch,
}

impl Run<'_> {
    /// Packs one file; a failure becomes part of the report. `drawn`: with its part of a page.
    pub(super) fn pack(&self, index: usize, job: &Job, drawn: bool) -> Row {
        let _turn = self.turns.of(index);
        let attempt = without_panic(|| {
            let (document, bytes) = self.args.read.open(&job.input)?;
            let (mut report, after) = self.attempt(index, job, &document, bytes + document.bytes_apart())?;
            let part = drawn.then(|| self.draw(&mut report, &document, after)).transpose()?;
            Ok(Row { report, part })
        });
        attempt.unwrap_or_else(|error| {
            let mut report = FileReport::new(input::name(&job.input));
            report.failed = Some(explained(&error));
            Row { report, part: None }
        })
    }

    fn attempt(&self, index: usize, job: &Job, document: &Document, before: u64) -> Result<(FileReport, After)> {
        let marked = |journal| Journal::mark(document).map(|mark| (journal, mark));
        let mark = self.journal.as_ref().map(marked).transpose()?;
        let name = input::name(&job.input);
        if let Some(done) = mark.as_ref().and_then(|(journal, mark)| journal.finished(&job.output, mark)) {
            let report = FileReport { input: name, up_to_date: true, ..done.clone() };
            return Ok((report, After::There(job.output.clone())));
        }
        let chosen = pack::choose(document, &self.settings, &self.choice(), &self.watch)?;
        self.turns.wait(index);
        let place = (!is_stream(&job.output)).then_some(job.output.as_path());
        let packed = chosen.finish(document, before, name, place);
        let PackedFile { draft, document: packed, mut report } =
            packed.with_context(|| format!("cannot write {}", job.output.display()))?;
        if self.args.dry_run {
            report.output = None;
        } else {
            report.output = Some(job.output.display().to_string());
            output::write(&draft, &job.output)?;
        }
        if let Some((journal, mark)) = mark {
            journal.finish(&job.output, mark, &draft, report.clone())?;
        }
        Ok((report, packed.map_or(After::Same, |packed| After::Packed(Box::new(packed)))))
    }

    /// The storages that are packed, and those of them that may be written.
    fn choice(&self) -> Choice {
        let estimate = self.args.only() && self.shows_storages();
        Choice { among: self.args.asked(), beside: self.args.tried(), estimate }
    }

    /// Whether anybody is told what each storage takes.
    pub(super) fn shows_storages(&self) -> bool {
        let Args { dry_run, json, report, .. } = self.args;
        self.files == 1 || *dry_run || *json || report.is_some()
    }

    /// Draws a file's part of the page.
    fn draw(&self, report: &mut FileReport, document: &Document, after: After) -> Result<String> {
        let there;
        let after = match &after {
            After::Same => document,
            After::Packed(packed) => packed,
            After::There(path) => {
                there = self.args.read.open(path)?.0;
                let diff = keyfold::diff(document, &there, self.args.measure.shell)?;
                report.error = Some(ErrorReport::new(&diff, self.args.max_error.in_scene(diff.model_size)));
                &there
            }
        };
        let animations = keyfold::report::report(document, after, self.args.measure.shell)?;
        Ok(html::part(report, &animations, self.files))
    }
}

/// One file never ends a run of many: what panics is a bug that is told like any other failure.
fn without_panic<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let what = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        bail!("a bug in this program, please report it with the file: {what}")
    })
}

/// What is in the output.
enum After {
    /// What was in the input.
    Same,
    Packed(Box<Document>),
    /// What a run before had written to this place.
    There(PathBuf),
}
