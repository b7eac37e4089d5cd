//! What was finished before: a list beside the outputs, one line per file, written after the file is in its place.
//!
//! An output is up to date only where input bytes, settings, version and the lengths of all files that were written are what they
//! were. A line that a killed run left half-written is no line.

use anyhow::{Context, Result};
use keyfold::{Document, document::Draft};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs::File,
    hash::{DefaultHasher, Hasher},
    io::Write,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The name of the list.
const NAME: &str = ".keyfold-pack.jsonl";

/// The list of finished files of a folder.
pub(super) struct Journal {
    settings: String,
    /// By the place of the output.
    known: BTreeMap<PathBuf, Done>,
    file: Mutex<File>,
}

#[derive(Serialize, Deserialize)]
struct Line {
    output: PathBuf,
    settings: String,
    #[serde(flatten)]
    done: Done,
}

/// What is known of a finished file.
#[derive(Serialize, Deserialize)]
pub(super) struct Done {
    input: Mark,
    /// What the output takes.
    pub(super) bytes: u64,
    /// What had to stay as it was: as wrong now as it was then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left: Vec<String>,
    /// The files that were written, and their lengths.
    files: Vec<(PathBuf, u64)>,
}

impl Done {
    /// Whether all files are still there.
    fn is_whole(&self) -> bool {
        self.files.iter().all(|(path, length)| std::fs::metadata(path).is_ok_and(|file| file.len() == *length))
    }
}

/// What an input's bytes are known by.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    bytes: u64,
    hash: String,
}

impl Journal {
    /// Opens the list of a folder; `fresh` forgets what it says.
    pub(super) fn open(folder: &Path, settings: String, fresh: bool) -> Result<Self> {
        let path = folder.join(NAME);
        let open = || -> std::io::Result<(String, File)> {
            std::fs::create_dir_all(folder)?;
            let text = if fresh { String::new() } else { std::fs::read_to_string(&path).unwrap_or_default() };
            let file = File::options().create(true).append(!fresh).write(true).truncate(fresh).open(&path)?;
            Ok((text, file))
        };
        let (text, mut file) = open().with_context(|| format!("cannot open {}", path.display()))?;
        let lines = text.lines().filter_map(|l| serde_json::from_str::<Line>(l).ok());
        // Another setting's line takes the place of one before it all the same: the output is that one's.
        let latest: BTreeMap<PathBuf, Line> = lines.map(|line| (line.output.clone(), line)).collect();
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
        let mut hasher = DefaultHasher::new();
        hasher.write(source);
        // What is not there now was not there then, or makes another mark.
        document.resolved().for_each(|file| hasher.write(&file));
        let bytes = source.len() as u64 + document.bytes_apart();
        Ok(Mark { bytes, hash: format!("{:016x}", hasher.finish()) })
    }

    /// What is known of an output that is up to date.
    pub(super) fn finished(&self, output: &Path, mark: &Mark) -> Option<&Done> {
        self.known.get(output).filter(|done| done.input == *mark && done.is_whole())
    }

    /// Says that an output is in its place.
    pub(super) fn finish(&self, output: &Path, input: Mark, draft: &Draft, left: &[String]) -> Result<()> {
        let beside = draft.files().map(|(path, length)| (path.to_path_buf(), length));
        let files = std::iter::once((output.to_path_buf(), draft.length())).chain(beside).collect();
        let done = Done { input, bytes: draft.bytes(), left: left.to_vec(), files };
        let line = Line { output: output.into(), settings: self.settings.clone(), done };
        let text = serde_json::to_string(&line)? + "\n";
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        file.write_all(text.as_bytes()).context("cannot write the list of finished files")
    }
}
