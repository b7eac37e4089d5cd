//! One file to pack: where it comes from, where it goes, and what came of it.

use super::{
    Args, html,
    journal::Journal,
    report::{Candidate, FileReport},
    turns::Turns,
};
use crate::{
    input::{self, is_stream},
    output,
};
use anyhow::{Context, Result, ensure};
use keyfold::{
    Document,
    document::{Draft, real_path},
    pack::{Packed, Settings, glance, pack},
};
use std::{
    collections::BTreeSet,
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
) -> Result<Vec<Job>> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for input in inputs {
        if input.is_dir() {
            ensure!(recursive, "{} is a folder: give --recursive", input.display());
            let skipped = out_dir.or(output).map(real_path);
            walk(input, input, skipped.as_deref(), &mut BTreeSet::new(), &mut found)?;
        } else {
            let name = input.file_name().map(PathBuf::from).unwrap_or_default();
            found.push((input.clone(), name));
        }
    }
    let streams = inputs.iter().any(|i| is_stream(i)) || output.is_some_and(is_stream);
    ensure!(!streams || found.len() == 1 && output.is_some(), "- stands for one file, and needs -o");
    let many = found.len() > 1 || inputs.iter().any(|i| i.is_dir());
    let folder = out_dir.or(output.filter(|o| many || o.is_dir()));
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
}

impl Run<'_> {
    /// Packs one file; a failure becomes part of the report. `drawn`: with its part of a page.
    pub(super) fn pack(&self, index: usize, job: &Job, drawn: bool) -> FileReport {
        let _turn = self.turns.of(index);
        let report = FileReport::new(job);
        let attempt = self.args.read.open(&job.input).and_then(|(document, bytes)| {
            let mut report = report.clone();
            report.bytes.before = bytes + document.bytes_apart();
            let after = self.attempt(index, job, &document, &mut report)?;
            if drawn {
                self.draw(&mut report, &document, after)?;
            }
            Ok(report)
        });
        attempt.unwrap_or_else(|error| report.failed(format!("{error:#}")))
    }

    fn attempt(&self, index: usize, job: &Job, document: &Document, report: &mut FileReport) -> Result<After> {
        let marked = |journal| Journal::mark(document).map(|mark| (journal, mark));
        let mark = self.journal.as_ref().map(marked).transpose()?;
        if let Some(done) = mark.as_ref().and_then(|(journal, mark)| journal.finished(&job.output, mark)) {
            report.done_before(done);
            return Ok(After::There(job.output.clone()));
        }
        let (best, candidates) = self.best(document)?;
        report.candidates = candidates;
        let packed = report.fill(document, best);
        self.turns.wait(index);
        let (draft, copied) = smaller(document, &packed, &job.output, report.bytes.before)?;
        report.bytes.after = draft.bytes();
        if copied {
            report.unchanged();
        }
        if self.args.dry_run {
            report.output = None;
        } else {
            output::write(&draft, &job.output)?;
        }
        if let Some((journal, mark)) = mark {
            journal.finish(&job.output, mark, &draft, &report.left)?;
        }
        Ok(if copied { After::Same } else { After::Packed(Box::new(packed)) })
    }

    /// Every storage that is tried and the smallest of those that are asked for, then a quick look at the others.
    fn best(&self, document: &Document) -> Result<(Best, Vec<Candidate>)> {
        let (mut candidates, mut best) = (Vec::new(), None::<Best>);
        for storage in self.args.tried() {
            let packed = pack(document, &Settings { storage, ..self.settings.clone() })?;
            let candidate = Candidate::new(storage, &packed);
            let asked = self.args.asked().contains(&storage);
            if asked && best.as_ref().is_none_or(|best| candidate.gzip_bytes < best.candidate.gzip_bytes) {
                best = Some(Best { candidate: candidate.clone(), packed });
            }
            candidates.push(candidate);
        }
        let best = best.context("no storage was tried")?;
        if let Some(storage) = self.args.only().filter(|_| self.shows_storages()) {
            let glances = glance(document, &Settings { storage, ..self.settings.clone() }, &best.packed)?;
            candidates.extend(glances.into_iter().map(Candidate::glanced));
        }
        Ok((best, candidates))
    }

    /// Whether anybody is told what each storage takes.
    pub(super) fn shows_storages(&self) -> bool {
        let Args { dry_run, json, report, .. } = self.args;
        self.files == 1 || *dry_run || *json || report.is_some()
    }

    /// Draws a file's part of the page.
    fn draw(&self, report: &mut FileReport, document: &Document, after: After) -> Result<()> {
        let there;
        let after = match &after {
            After::Same => document,
            After::Packed(packed) => packed,
            After::There(path) => {
                there = Document::open(path).with_context(|| format!("cannot read {}", path.display()))?;
                let diff = keyfold::diff(document, &there, self.args.measure.shell)?;
                report.measured(&diff, self.args.max_error.in_scene(diff.model_size));
                &there
            }
        };
        let animations = keyfold::report::report(document, after, self.args.measure.shell)?;
        report.part = Some(html::part(report, &animations, self.files));
        Ok(())
    }
}

/// What is in the output.
enum After {
    /// What was in the input.
    Same,
    Packed(Box<Document>),
    /// What a run before had written to this place.
    There(PathBuf),
}

/// The smallest of the storages that are asked for.
pub(super) struct Best {
    pub(super) candidate: Candidate,
    pub(super) packed: Packed,
}

/// What to write, and whether it is the input as it was. A file never grows.
fn smaller(document: &Document, packed: &Document, output: &Path, before: u64) -> Result<(Draft, bool)> {
    let packed = output::draft(packed, output)?;
    if packed.bytes() < before {
        return Ok((packed, false));
    }
    let same = output::draft(document, output)?;
    // In another container, the same may be longer.
    Ok(if packed.bytes() < same.bytes() { (packed, false) } else { (same, true) })
}
