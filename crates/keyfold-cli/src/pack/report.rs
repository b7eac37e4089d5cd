//! What came of packing a file, and its part of a page.

use keyfold::pack::FileReport;
use std::{path::Path, time::Duration};

/// One file.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) report: FileReport,
    /// Its part of the page that `--report` asks for.
    pub(super) part: Option<String>,
    /// How long it took.
    pub(super) took: Duration,
}

impl Row {
    /// The input's name without its folder.
    pub(super) fn name(&self) -> String {
        let path = &self.report.input;
        Path::new(path).file_name().map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned())
    }
}
