//! What the package reads from: a file, or bytes.

use keyfold::{Document, Error, OpenOptions, Result};
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

    /// The file's bytes, and the folder where relative addresses start.
    pub(crate) fn read(&self) -> Result<(Vec<u8>, Option<PathBuf>)> {
        match self {
            Self::Bytes(bytes) => Ok((bytes.to_vec(), None)),
            Self::Path(path) => {
                let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
                Ok((bytes, path.parent().map(PathBuf::from)))
            }
        }
    }

    /// How many bytes the document takes that was opened, with the buffers beside it.
    pub(crate) fn length(&self, document: &Document) -> Result<u64> {
        let own = match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Path(path) => std::fs::metadata(path).map_err(|e| Error::io(path, e))?.len(),
        };
        Ok(own + document.bytes_apart())
    }

    /// Its name in reports.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Bytes(_) => "bytes".to_owned(),
            Self::Path(path) => path.display().to_string(),
        }
    }
}
