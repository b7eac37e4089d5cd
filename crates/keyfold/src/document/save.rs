//! Writing a document as `.gltf` or `.glb`: every file is written beside its place and renamed into it.
//!
//! What did not change is written as it was read, byte by byte. What goes where is decided in [`super::layout`].

use super::{Document, List, Look, buffers::Bytes, layout::Layout};
#[cfg(feature = "fs")]
use crate::Error;
use crate::Result;
#[cfg(feature = "fs")]
use std::io::Write;
use std::path::{Path, PathBuf};

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

/// A document as it will be written: all is decided, nothing is written yet.
#[derive(Debug)]
pub struct Draft {
    /// The place of the document itself; `None` for a stream.
    pub(super) target: Option<PathBuf>,
    /// The document's own bytes.
    pub(super) pieces: Vec<Bytes>,
    /// Files that have to be written beside it.
    pub(super) files: Vec<(PathBuf, Bytes)>,
    /// Bytes of all buffers that lie in files, written or there.
    pub(super) apart: u64,
}

impl Draft {
    /// How many bytes the file itself will have.
    pub fn length(&self) -> u64 {
        self.pieces().map(|piece| piece.len() as u64).sum()
    }

    /// How many bytes the document will take: its own, and those of buffers that lie in other files.
    pub fn bytes(&self) -> u64 {
        self.length() + self.apart
    }

    /// The bytes of the file itself, piece after piece.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(|piece| &**piece)
    }

    /// The files that have to be written beside it, and their lengths.
    pub fn files(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.files.iter().map(|(path, bytes)| (path.as_path(), bytes.len() as u64))
    }

    /// Writes the files beside it, then the document itself; nothing where it has no place.
    #[cfg(feature = "fs")]
    pub fn write(&self) -> Result<()> {
        let Some(target) = &self.target else { return Ok(()) };
        self.files.iter().try_for_each(|(path, bytes)| write_file(path, bytes))?;
        write_pieces(target, self.pieces())
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
        let draft = self.draft(None)?;
        let mut bytes = Vec::with_capacity(draft.length() as usize);
        draft.pieces().for_each(|piece| bytes.extend_from_slice(piece));
        Ok(bytes)
    }

    /// The document as [`Document::save`] would write it to a path, or for a stream as [`Document::to_bytes`] does: to know its size
    /// first.
    pub fn draft(&self, path: Option<&Path>) -> Result<Draft> {
        let container = path.map_or(self.container(), |path| self.container().for_path(path));
        Layout::new(self, container, path)?.finish()
    }

    /// The buffers that lie in files of their own and are there.
    pub fn buffers_apart(&self) -> Vec<Bytes> {
        let buffers = self.root().get("buffers").and_then(Look::as_array).into_iter().flat_map(List::iter).enumerate();
        let apart =
            buffers.filter(|(_, b)| b.get("uri").and_then(Look::as_str).is_some_and(|u| !u.starts_with("data:")));
        apart.filter_map(|(index, _)| self.buffer(index).ok()).collect()
    }

    /// How many bytes that are.
    pub fn bytes_apart(&self) -> u64 {
        self.buffers_apart().iter().map(|buffer| buffer.len() as u64).sum()
    }
}

/// A path that all spellings of the same place share, links followed, whether it exists or not.
pub fn real_path(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(path), _, _) => path,
        (Err(_), Some(parent), Some(name)) => real_path(parent).join(name),
        _ => path.to_path_buf(),
    }
}

/// Writes a whole file or nothing: beside its place first, then renamed. What is no ordinary file (a pipe, a device) is written to.
#[cfg(feature = "fs")]
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_pieces(path, std::iter::once(bytes))
}

/// The same, of a file that lies in pieces.
#[cfg(feature = "fs")]
fn write_pieces<'a>(path: &Path, mut pieces: impl Iterator<Item = &'a [u8]>) -> Result<()> {
    let io = |e| Error::io(path, e);
    if path.exists() && !path.is_file() {
        let mut file = std::fs::File::create(path).map_err(io)?;
        return pieces.try_for_each(|piece| file.write_all(piece)).map_err(io);
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder).map_err(io)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".keyfold-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(io)?;
    pieces.try_for_each(|piece| file.write_all(piece)).map_err(io)?;
    // Following a link keeps the link: its target is what is replaced.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    file.persist(place).map_err(|e| io(e.error))?;
    Ok(())
}
