//! Writing a document as `.gltf` or `.glb`. What did not change is written as it was read, byte by byte.
//!
//! What goes where is decided in [`super::layout`]; what comes of that is opened again before it is written ([`super::draft`]).

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
    /// The form that a file's name asks for: `.glb` is binary, `.gltf` is text, anything else stays as it is.
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
    /// Writes the document, and the files that it needs beside it, in the form that the path's name asks for.
    #[cfg(feature = "fs")]
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.draft(Some(path.as_ref()))?.write()
    }

    /// The document as one piece, in the form it came in: bytes that have no file of their own go into data URIs.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Ok(self.draft(None)?.contents().to_vec())
    }

    /// The files that buffers lie in, as far as they are there; one that several buffers name counts once.
    pub fn buffers_apart(&self) -> Vec<&Pieces> {
        let buffers =
            self.root().get("buffers").and_then(JsonRef::as_array).into_iter().flat_map(List::iter).enumerate();
        let named = buffers.filter_map(|(index, b)| Some((index, b.get("uri").and_then(JsonRef::as_str)?)));
        let mut seen = BTreeSet::new();
        let apart =
            named.filter(|(_, uri)| uri::data_of(uri).is_none()).filter(|(_, uri)| seen.insert(uri.to_string()));
        apart.filter_map(|(index, _)| self.buffers.load(self, index).ok()).collect()
    }

    /// How many bytes that are.
    pub fn bytes_apart(&self) -> u64 {
        self.buffers_apart().iter().map(|buffer| buffer.len() as u64).sum()
    }
}
