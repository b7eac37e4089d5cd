//! What the package reads from: a file, or bytes.

use keyfold::{Document, OpenOptions, Result};
use pyo3::{FromPyObject, pybacked::PyBackedBytes};
use std::path::PathBuf;

/// Where a document comes from.
#[derive(FromPyObject)]
pub(crate) enum Source {
    /// The file's bytes; there are no files beside it.
    Bytes(PyBackedBytes),
    /// The file's place.
    Path(PathBuf),
}

impl Source {
    pub(crate) fn open(&self) -> Result<Document> {
        let options = OpenOptions::default();
        match self {
            Self::Bytes(bytes) => Document::from_bytes(bytes.to_vec(), None, &options),
            Self::Path(path) => Document::open_with(path, &options),
        }
    }
}
