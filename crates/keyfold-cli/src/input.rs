//! Opening what the command line names: a file, or `-` for standard input.

use anyhow::{Context, Result};
use keyfold::{Document, OpenOptions};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// How documents are read, for every command that reads one.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct ReadArgs {
    /// Read as a loader would that does not know this extension (refused if the file requires it)
    #[arg(long, value_name = "NAME")]
    pub(crate) ignore_extension: Vec<String>,
}

impl ReadArgs {
    /// Opens a document and tells how many bytes the file itself has.
    pub(crate) fn open(&self, path: &Path) -> Result<(Document, u64)> {
        let options = OpenOptions { ignore: self.ignore_extension.clone(), ..OpenOptions::default() };
        let open = || -> Result<(Document, u64)> {
            if !is_stream(path) {
                let document = Document::open_with(path, &options)?;
                return Ok((document, std::fs::metadata(path)?.len()));
            }
            let mut bytes = Vec::new();
            std::io::stdin().lock().take(options.limits.file_bytes).read_to_end(&mut bytes)?;
            Ok((Document::from_bytes(&bytes, Some(PathBuf::new()), &options)?, bytes.len() as u64))
        };
        open().with_context(|| format!("cannot read {}", name(path)))
    }
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path for people.
pub(crate) fn name(path: &Path) -> String {
    if is_stream(path) { "standard input".into() } else { path.display().to_string() }
}
