//! What was finished before: a list beside the outputs or where `--journal` puts it, one line per file, written after the file is in its place.
//!
//! An output is up to date only where input bytes, settings, version and the bytes of all files that were written are what they
//! were. A line that a killed run left half-written is no line.

use crate::files::Job;
use anyhow::{Context, Result};
use blake3::Hasher;
use keyfold::{
    Document,
    document::{Draft, Pieces},
    pack::FileReport,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The name of a folder's list.
const NAME: &str = ".keyfold-pack.jsonl";
/// What every line begins with.
const START: &str = "{\"output\":";

/// A list of finished files.
pub(super) struct Journal {
    settings: String,
    /// By the place of the output.
    known: BTreeMap<String, Done>,
    file: Mutex<File>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    output: String,
    settings: String,
    #[serde(flatten)]
    done: Done,
}

/// What is known of a finished file.
#[derive(Serialize, Deserialize)]
struct Done {
    input: Mark,
    written: Mark,
    /// The files beside it, relative to its folder.
    beside: Vec<(PathBuf, Mark)>,
    report: FileReport,
}

impl Done {
    /// Whether all files are still what was written.
    fn is_whole(&self, output: &Path) -> bool {
        let beside = self.beside.iter().map(|(name, mark)| (output.with_file_name(name), mark));
        std::iter::once((output.to_path_buf(), &self.written)).chain(beside).all(|(path, mark)| mark.is_of(&path))
    }
}

/// What bytes are known by: their number, and a hash (BLAKE3).
#[derive(PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    bytes: u64,
    hash: String,
}

impl Mark {
    fn new(hasher: &Hasher) -> Self {
        Self { bytes: hasher.count(), hash: hasher.finalize().to_hex().to_string() }
    }

    fn of(bytes: &Pieces) -> Self {
        let mut hasher = Hasher::new();
        for piece in bytes.iter() {
            hasher.update(piece);
        }
        Self::new(&hasher)
    }

    fn is_of(&self, path: &Path) -> bool {
        let read = || -> std::io::Result<Self> { Ok(Self::new(Hasher::new().update_reader(File::open(path)?)?)) };
        std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == self.bytes)
            && read().is_ok_and(|mark| mark == *self)
    }
}

/// A path as the list spells it. A name may be no text; then it is spelled so that no other is spelled alike.
fn spelled(path: &Path) -> String {
    path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned)
}

impl Journal {
    /// The place of a folder's list.
    pub(super) fn of(folder: &Path) -> PathBuf {
        folder.join(NAME)
    }

    /// Whether a file can be a list: it is empty, or its first line is one of ours, however it ends.
    pub(super) fn is_one(path: &Path) -> bool {
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(START.len() as u64).read_to_end(&mut start));
        read.is_ok() && START.as_bytes().starts_with(&start)
    }

    /// Opens a list; `fresh` forgets what it says.
    pub(super) fn open(path: &Path, settings: String, fresh: bool) -> Result<Self> {
        let open = || -> std::io::Result<(String, File)> {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            let text = if fresh { String::new() } else { std::fs::read_to_string(path).unwrap_or_default() };
            let file = File::options().create(true).append(!fresh).write(true).truncate(fresh).open(path)?;
            Ok((text, file))
        };
        let (text, mut file) = open().with_context(|| format!("cannot open {}", path.display()))?;
        let lines = text.lines().filter_map(|l| serde_json::from_str::<Line>(l).ok());
        // Another setting's line takes the place of one before it all the same: the output is that one's.
        let latest: BTreeMap<String, Line> = lines.map(|line| (line.output.clone(), line)).collect();
        let ours = latest.into_iter().filter(|(_, line)| line.settings == settings);
        let known = ours.map(|(output, line)| (output, line.done)).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            // The last run was stopped inside a line: what follows must not become part of it.
            file.write_all(b"\n")?;
        }
        Ok(Self { settings, known, file: Mutex::new(file) })
    }

    /// What an input is known by: its bytes, and those of buffers and images beside it.
    pub(super) fn mark(document: &Document) -> Result<Mark> {
        let source = document.source().context("the document is not as it was read")?;
        let mut hasher = Hasher::new();
        // What is not there now was not there then, or makes another mark.
        for file in std::iter::once(source.clone()).chain(document.resolved()) {
            hasher.update(&(file.len() as u64).to_le_bytes());
            for piece in file.iter() {
                hasher.update(piece);
            }
        }
        Ok(Mark::new(&hasher))
    }

    /// What is to be told of an output that is up to date.
    pub(super) fn finished(&self, job: &Job, mark: &Mark) -> Option<&FileReport> {
        let done = self.known.get(&spelled(&job.output))?;
        // What took its original's place is no longer there to be compared; packed again, it would be off by more.
        let same = job.is_in_place() || done.input == *mark;
        (same && done.is_whole(&job.output)).then_some(&done.report)
    }

    /// Says that an output is in its place.
    pub(super) fn finish(&self, output: &Path, input: Mark, draft: &Draft, report: FileReport) -> Result<()> {
        let folder = output.parent().unwrap_or(Path::new(""));
        let relative = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_path_buf();
        let beside = draft.files().map(|(path, bytes)| (relative(path), Mark::of(bytes))).collect();
        let done = Done { input, written: Mark::of(draft.contents()), beside, report };
        let line = Line { output: spelled(output), settings: self.settings.clone(), done };
        let text = serde_json::to_string(&line)? + "\n";
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        file.write_all(text.as_bytes()).context("cannot write the list of finished files")
    }
}
