//! Writes a document as `.gltf` or `.glb`. What did not change is written as it was read, byte by byte.
//!
//! [`super::layout`] decides what goes into which file; [`super::draft`] reopens the result before it is written.

use super::{Document, JsonRef, List, Pieces, uri};
use crate::Result;
use std::{collections::BTreeSet, path::Path};

/// The two forms of a glTF file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// One binary file.
    Glb,
    /// A JSON text, with buffers in files beside it or in data URIs.
    Gltf {
        /// Whether the text is indented.
        pretty: bool,
    },
}

impl Container {
    /// The form by the file's name: `.glb` is binary, `.gltf` is text, anything else keeps the present form.
    pub fn for_path(self, path: &Path) -> Self {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match (extension.as_str(), self) {
            ("glb", _) => Self::Glb,
            ("gltf", Self::Glb) => Self::Gltf { pretty: true },
            _ => self,
        }
    }
}

impl Document {
    /// Writes the document, and the files that it needs beside it, in the form of the path's name.
    #[cfg(feature = "fs")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.draft(Some(path.as_ref()))?.write()
    }

    /// The document as a single file, in its present form. Bytes without a file of their own go into data URIs.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.draft(None)?.contents().to_vec())
    }

    /// The external files of buffers, as far as they exist. A file that several buffers name is listed once.
    pub fn buffers_apart(&self) -> Vec<&Pieces> {
        let buffers =
            self.root().get("buffers").and_then(JsonRef::as_array).into_iter().flat_map(List::iter).enumerate();
        let named = buffers.filter_map(|(index, b)| Some((index, b.get("uri").and_then(JsonRef::as_str)?)));
        let mut seen = BTreeSet::new();
        let apart =
            named.filter(|(_, uri)| uri::data_of(uri).is_none()).filter(|(_, uri)| seen.insert(uri.to_string()));
        apart.filter_map(|(index, _)| self.buffers.load(self, index).ok()).collect()
    }

    /// The number of bytes of these files.
    pub fn bytes_apart(&self) -> u64 {
        self.buffers_apart().iter().map(|buffer| buffer.len() as u64).sum()
    }
}
