//! What was finished before: a list beside the outputs, one line per file, written after the file is in its place.
//!
//! An output is up to date only where input bytes, settings, version and the output's own length are what they were. A line that a
//! killed run left half-written is no line.

use anyhow::{Context, Result};
use keyfold::Document;
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
    known: BTreeMap<PathBuf, Line>,
    file: Mutex<File>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Line {
    output: PathBuf,
    input: Mark,
    settings: String,
    bytes: u64,
}

/// What an input's bytes are known by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
        let known = lines.map(|line| (line.output.clone(), line)).collect();
        if !text.is_empty() && !text.ends_with('\n') {
            // The last run was stopped inside a line: what follows must not become part of it.
            file.write_all(b"\n")?;
        }
        Ok(Self { settings, known, file: Mutex::new(file) })
    }

    /// What an input is known by: its bytes, and those of buffers beside it.
    pub(super) fn mark(&self, input: &Path, document: &Document) -> Result<Mark> {
        let bytes = std::fs::read(input).with_context(|| format!("cannot read {}", input.display()))?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        let mut length = bytes.len() as u64;
        if document.container() != keyfold::document::Container::Glb {
            for index in 0..document.count("buffers") {
                let buffer = document.buffer(index)?;
                hasher.write(&buffer);
                length += buffer.len() as u64;
            }
        }
        Ok(Mark { bytes: length, hash: format!("{:016x}", hasher.finish()) })
    }

    /// The length of an output that is up to date.
    pub(super) fn finished(&self, output: &Path, mark: &Mark) -> Option<u64> {
        let line = self.known.get(output)?;
        let exists = std::fs::metadata(output).is_ok_and(|m| m.len() <= line.bytes && m.len() > 0);
        (line.input == *mark && line.settings == self.settings && exists).then_some(line.bytes)
    }

    /// Says that an output is in its place.
    pub(super) fn finish(&self, output: &Path, mark: &Mark, bytes: u64) -> Result<()> {
        let line = Line { output: output.into(), input: mark.clone(), settings: self.settings.clone(), bytes };
        let text = serde_json::to_string(&line)? + "\n";
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        file.write_all(text.as_bytes()).context("cannot write the list of finished files")
    }
}
