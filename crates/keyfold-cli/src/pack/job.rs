//! One file to pack: where it comes from, where it goes, and what came of it.

use super::{
    Args, StorageArg, html,
    journal::Journal,
    report::{Candidate, FileReport},
};
use crate::{
    input::{self, ReadArgs, is_stream},
    output,
    unpack::beside,
};
use anyhow::{Context, Result, ensure};
use keyfold::{
    Document, Storage,
    document::Draft,
    pack::{Level, Packed, Settings, pack},
};
use std::path::{Path, PathBuf};

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
            walk(input, input, &mut found)?;
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
            (None, None) => beside(&input, "packed"),
        };
        Job { input, output }
    };
    let jobs: Vec<Job> = found.into_iter().map(place).collect();
    input::check_targets(jobs.iter().map(|job| (job.input.as_path(), job.output.as_path())))?;
    Ok(jobs)
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<(PathBuf, PathBuf)>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries.map(|e| Ok(e?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if path.is_dir() {
            walk(root, &path, found)?;
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

/// Packs one file; a failure becomes part of the report. `drawn`: with its part of a page about so many files.
pub(super) fn run(
    job: &Job,
    args: &Args,
    settings: &Settings,
    journal: Option<&Journal>,
    drawn: Option<usize>,
) -> FileReport {
    let report = FileReport::new(job);
    let attempt = ReadArgs::default().open(&job.input).and_then(|(document, bytes)| {
        let mut report = report.clone();
        report.bytes.before = bytes + document.bytes_apart();
        let (mut report, after) = attempt(job, args, settings, journal, &document, report)?;
        if let Some(files) = drawn {
            draw(&mut report, args, &document, after, files)?;
        }
        Ok(report)
    });
    attempt.unwrap_or_else(|error| report.failed(format!("{error:#}")))
}

/// What is in the output.
enum After {
    /// What was in the input.
    Same,
    Packed(Box<Document>),
    /// What a run before had written to this place.
    There(PathBuf),
}

fn attempt(
    job: &Job,
    args: &Args,
    settings: &Settings,
    journal: Option<&Journal>,
    document: &Document,
    mut report: FileReport,
) -> Result<(FileReport, After)> {
    let mark = journal.map(|j| j.mark(document)).transpose()?;
    if let (Some(journal), Some(mark)) = (journal, &mark)
        && let Some(done) = journal.finished(&job.output, mark)
    {
        report.up_to_date = true;
        report.bytes.after = done.bytes;
        report.left = done.left.clone();
        return Ok((report, After::There(job.output.clone())));
    }
    let (best, candidates) = best(document, args, settings)?;
    report.candidates = candidates;
    let (storage, packed) = best;
    report.fill(document, storage, &packed);
    let (draft, copied) = smaller(document, &packed.document, &job.output, report.bytes.before)?;
    report.bytes.after = draft.bytes();
    if args.dry_run {
        report.output = None;
    } else {
        output::write(&draft, &job.output)?;
    }
    if copied {
        report.unchanged(document);
    }
    if let (Some(journal), Some(mark)) = (journal, mark) {
        journal.finish(&job.output, mark, &draft, &report.left)?;
    }
    Ok((report, if copied { After::Same } else { After::Packed(Box::new(packed.document)) }))
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

/// Draws a file's part of the page.
fn draw(report: &mut FileReport, args: &Args, document: &Document, after: After, files: usize) -> Result<()> {
    let there;
    let after = match &after {
        After::Same => document,
        After::Packed(packed) => packed,
        After::There(path) => {
            there = Document::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            let diff = keyfold::diff(document, &there, args.shell)?;
            report.measured(&diff, args.max_error.in_scene(diff.model_size));
            &there
        }
    };
    let animations = keyfold::report::report(document, after, args.shell)?;
    report.part = Some(html::part(report, &animations, files));
    Ok(())
}

/// Every storage that is asked for and the smallest of them, then a quick look at the others.
fn best(document: &Document, args: &Args, settings: &Settings) -> Result<((Storage, Packed), Vec<Candidate>)> {
    let (mut candidates, mut best) = (Vec::new(), None::<(usize, Storage, Packed)>);
    for storage in args.storages() {
        let packed = pack(document, &Settings { storage, ..settings.clone() })?;
        let candidate = Candidate::new(storage, &packed, false);
        let chosen = !args.dry_run || args.storage == StorageArg::Smallest || storage == Storage::Core;
        if chosen && best.as_ref().is_none_or(|(bytes, ..)| candidate.gzip_bytes < *bytes) {
            best = Some((candidate.gzip_bytes, storage, packed));
        }
        candidates.push(candidate);
    }
    for storage in args.glanced() {
        let packed = pack(document, &Settings { storage, level: Level::Fast, ..settings.clone() })?;
        candidates.push(Candidate::new(storage, &packed, true));
    }
    let (_, storage, packed) = best.context("no storage was tried")?;
    Ok(((storage, packed), candidates))
}
