//! Resolving the URIs of a document: which are followed, and where their bytes come from.
//!
//! Files may come from strangers, so URIs stay inside the document's folder unless [`OpenOptions::allow_outside`] is
//! set: no absolute ones, none that climb out (`..`, also percent-encoded), and none through a link that leads out.
//! Only regular files are read: no pipes, no devices.
//!
//! [`OpenOptions::allow_outside`]: super::OpenOptions::allow_outside

use super::{Document, Pieces, uri};
use crate::{Error, Result};
#[cfg(feature = "fs")]
use std::path::Path;

/// Provides the bytes behind the URIs of a document's buffers and images, instead of the file system.
///
/// ```
/// # use std::sync::Arc;
/// use keyfold::{Document, OpenOptions, Result};
/// let json = br#"{ "asset": { "version": "2.0" }, "buffers": [{ "uri": "keys.bin", "byteLength": 4 }] }"#;
/// let files = |uri: &str, _limit: u64| -> Result<Vec<u8>> { Ok(format!("<{uri}>").into_bytes()) };
/// let options = OpenOptions { resolver: Some(Arc::new(files)), ..OpenOptions::default() };
/// let document = Document::from_bytes(json, None, &options)?;
/// assert_eq!(&*document.buffer(0)?, b"<keys.bin>");
/// # Ok::<(), keyfold::Error>(())
/// ```
pub trait Resolver: Send + Sync {
    /// The bytes behind an address, spelled as the document has it, and no more than `limit` of them.
    fn resolve(&self, uri: &str, limit: u64) -> Result<Pieces>;
}

impl<F: Fn(&str, u64) -> Result<Vec<u8>> + Send + Sync> Resolver for F {
    fn resolve(&self, uri: &str, limit: u64) -> Result<Pieces> {
        self(uri, limit).map(Pieces::from)
    }
}

impl std::fmt::Debug for dyn Resolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resolver")
    }
}

impl Document {
    /// The bytes behind a URI of this document; `at` is the URI's place in it.
    pub fn resolve(&self, uri: &str, at: &str) -> Result<Pieces> {
        if let Some(data) = uri::data(uri, at)? {
            return Ok(data.into());
        }
        if uri::leads_out(uri) && !self.options().allow_outside {
            return Err(outside(uri, at));
        }
        let limit = self.limits().file_bytes;
        let bytes = match &self.options().resolver {
            Some(resolver) => resolver.resolve(uri, limit)?,
            None => self.file(uri, at, limit)?.into(),
        };
        match bytes.len() as u64 > limit {
            true => Err(Error::limit(at, format!("has {} bytes; {limit} are allowed", bytes.len()))),
            false => Ok(bytes),
        }
    }

    /// The files that the document's buffers and images name, as far as they can be read.
    pub fn resolved(&self) -> impl Iterator<Item = Pieces> {
        self.addresses().into_iter().filter_map(|(at, uri)| self.resolve(uri, &format!("{at}/uri")).ok())
    }

    #[cfg(not(feature = "fs"))]
    fn file(&self, uri: &str, at: &str, _limit: u64) -> Result<Vec<u8>> {
        Err(Error::refused(at, format!("{uri:?} names a file, and there is no resolver that could read it")))
    }

    #[cfg(feature = "fs")]
    fn file(&self, uri: &str, at: &str, limit: u64) -> Result<Vec<u8>> {
        let path = uri::path(uri, at)?;
        let Some(folder) = self.folder() else {
            return Err(Error::refused(
                at,
                format!("{uri:?} names a file, and the document came from no folder where that could lie"),
            ));
        };
        let file = folder.join(path);
        let metadata = std::fs::metadata(&file).map_err(|e| Error::io(&file, e))?;
        if !metadata.is_file() {
            return Err(Error::refused(at, format!("{uri:?} is not a regular file, and nothing else is read")));
        }
        if !self.options().allow_outside && !is_inside(&folder, &file) {
            return Err(outside(uri, at));
        }
        super::buffers::read_file(&file, limit)
    }
}

fn outside(uri: &str, at: &str) -> Error {
    Error::refused(at, format!("{uri:?} leads out of the document's folder; only allow-outside follows it"))
}

/// Whether a file lies below a folder once links are followed. Where the system cannot tell (WASI), it keeps its
/// programs in folders itself.
#[cfg(feature = "fs")]
fn is_inside(folder: &Path, file: &Path) -> bool {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match (folder.canonicalize(), file.canonicalize()) {
        (Ok(folder), Ok(file)) => file.starts_with(folder),
        (Err(error), _) | (_, Err(error)) => error.kind() == std::io::ErrorKind::Unsupported,
    }
}
