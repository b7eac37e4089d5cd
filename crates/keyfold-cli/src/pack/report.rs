//! What came of packing a file, and its part of a page.

use keyfold::pack::FileReport;
use std::path::Path;

/// One file.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) report: FileReport,
    /// Its part of the page that `--report` asks for.
    pub(super) part: Option<String>,
}

impl Row {
    /// The input's name without its folder.
    pub(super) fn name(&self) -> String {
        file_name(&self.report.input)
    }
}

/// A file's name without its folder.
pub(super) fn file_name(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |n| n.to_string_lossy().into_owned())
}
