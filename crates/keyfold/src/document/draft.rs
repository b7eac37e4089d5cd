//! A document as it will be written. Everything is decided but nothing written yet, and the document has been
//! reopened from the very bytes and files that will be on disk. There is no draft unless it equals the document in
//! memory, so earlier measurements hold for it.

use super::{
    Document, JsonRef, OpenOptions, Pieces, Resolver,
    layout::Layout,
    path::{behind_links, is_stream},
    uri,
};
#[cfg(feature = "fs")]
use super::{
    file::{Unfinished, write_pieces},
    orphans::remove_orphans,
    path::holds,
};
use crate::{Error, Result};
use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// So many files are open at once, each with its lock.
#[cfg(feature = "fs")]
const OPEN: usize = 64;

/// The name of a document that is only read back.
const NOWHERE: &str = ".keyfold-read-back.glb";

/// A document as it will be written.
#[derive(Debug)]
pub struct Draft {
    /// The place of the document itself; `None` for a stream.
    target: Option<PathBuf>,
    /// The file itself.
    contents: Pieces,
    /// Files beside it.
    files: Vec<(PathBuf, Pieces)>,
    /// Files that nothing refers to once it is in its place.
    orphans: Vec<PathBuf>,
    /// Bytes of all buffers that lie in files, written or there.
    apart: u64,
    /// All that, opened again.
    document: Document,
}

impl Draft {
    /// The bytes that the document will take: its own, and those of buffers in other files.
    pub fn bytes(&self) -> u64 {
        self.contents.len() as u64 + self.apart
    }

    /// The bytes of the file itself.
    pub fn contents(&self) -> &Pieces {
        &self.contents
    }

    /// The files that belong beside it.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &Pieces)> {
        self.files.iter().map(|(path, bytes)| (path.as_path(), bytes))
    }

    /// The document as readers of the files will see it.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Writes the document and the new files beside it, renames them when all are written (files to names that
    /// nothing refers to yet), and removes files that only the replaced document referred to. If this fails or stops
    /// between two of these steps, either the old or the new document is whole. A file that already has its name
    /// stays: another document may refer to it by then.
    #[cfg(feature = "fs")]
    pub fn write(&self) -> Result<()> {
        let Some(target) = &self.target else { return Ok(()) };
        if is_stream(target) && !target.is_dir() {
            return write_pieces(target, self.contents.iter());
        }
        let mut unnamed: Vec<(Unfinished, &Pieces)> = Vec::new();
        let name =
            |files: &mut Vec<(Unfinished, &Pieces)>| files.drain(..).try_for_each(|(file, bytes)| file.add(bytes));
        for (path, bytes) in self.files.iter().filter(|(path, bytes)| !holds(path, bytes)) {
            if unnamed.len() == OPEN {
                name(&mut unnamed)?;
            }
            unnamed.push((Unfinished::new(path, bytes.iter())?, bytes));
        }
        let document = Unfinished::new(target, self.contents.iter())?;
        name(&mut unnamed)?;
        document.replace()?;
        remove_orphans(target, &self.orphans);
        Ok(())
    }
}

impl Document {
    /// The document as [`Document::save`] would write it to a path, or without a path as [`Document::to_bytes`] does.
    pub fn draft(&self, path: Option<&Path>) -> Result<Draft> {
        self.laid_out(path, false)
    }

    /// Like [`draft`](Self::draft), with buffers and images embedded in the file.
    pub fn draft_whole(&self, path: Option<&Path>) -> Result<Draft> {
        self.laid_out(path, true)
    }

    /// The document as whoever reads it from its files will find it, wherever those will lie: opened again from those
    /// of a binary file beside what it is read from, which nobody writes. In a stream, buffers beside a text would
    /// become text themselves.
    pub(crate) fn read_back(&self) -> Result<Self> {
        let place = self.folder().unwrap_or_default().join(NOWHERE);
        Ok(self.draft(Some(&place))?.document)
    }

    fn laid_out(&self, path: Option<&Path>, whole: bool) -> Result<Draft> {
        let container = path.map_or(self.container(), |path| self.container().for_path(path));
        // A pipe has no files beside it; a link's are where it leads.
        let target = path.map(behind_links);
        let place = target.as_deref().filter(|path| !is_stream(path));
        let layout = Layout::new(self, container, place, whole)?;
        let contents = layout.contents()?;
        let Layout { beside, .. } = layout;
        let folder = place.map_or_else(|| self.folder(), |place| Some(place.parent()?.to_path_buf()));
        let files = beside.as_ref().map(|beside| beside.files().to_vec()).unwrap_or_default();
        let planned = Planned { folder: folder.clone(), files, others: self.options().resolver.clone() };
        let options = OpenOptions { resolver: Some(Arc::new(planned)), ..self.options().clone() };
        let document = Self::from_pieces(&contents, folder, &options)?;
        self.check(&document)?;
        let (files, orphans) = beside.map(|beside| beside.finish(&document.files())).unwrap_or_default();
        Ok(Draft { target, contents, files, orphans, apart: document.bytes_apart(), document })
    }

    /// Whether another document says the same, wherever its buffers lie.
    fn check(&self, other: &Self) -> Result<()> {
        let fault = |at: String| {
            Error::malformed(
                at,
                "the file would not say what the document does: a bug in Keyfold, please report it; nothing was written",
            )
        };
        if !same(JsonRef::root(self.content.outline()), JsonRef::root(other.content.outline())) {
            return Err(fault(String::new()));
        }
        for index in 0..self.count("buffers") {
            // What cannot be read now could not be before.
            let (Ok(whole), Ok(meant)) = (self.buffers.load(self, index), self.meant(index)) else { continue };
            if !other.buffers.load_beside(other, index, whole)?.starts_with(&meant) {
                return Err(fault(format!("/buffers/{index}")));
            }
        }
        Ok(())
    }
}

/// Whether two values are the same, but for the addresses in them.
fn same(one: JsonRef<'_>, other: JsonRef<'_>) -> bool {
    match (one.as_array(), other.as_array()) {
        (Some(one), Some(other)) => one.len() == other.len() && one.iter().zip(other.iter()).all(|(a, b)| same(a, b)),
        (None, None) if one.is_object() && other.is_object() => {
            let kept = |(key, _): (&str, JsonRef<'_>)| {
                key == "uri" || one.get(key).zip(other.get(key)).is_some_and(|(a, b)| same(a, b))
            };
            one.members().all(kept) && other.members().all(|(key, _)| key == "uri" || one.get(key).is_some())
        }
        (None, None) => {
            one.is_object() == other.is_object()
                && (one.as_f64(), one.as_str(), one.as_bool()) == (other.as_f64(), other.as_str(), other.as_bool())
        }
        _ => false,
    }
}

/// Answers for the addresses of a document that is not on disk yet.
struct Planned {
    folder: Option<PathBuf>,
    files: Vec<(PathBuf, Pieces)>,
    /// Who answered for what the document is read from.
    others: Option<Arc<dyn Resolver>>,
}

impl Resolver for Planned {
    fn resolve(&self, uri: &str, limit: u64) -> Result<Pieces> {
        let place = uri::path(uri, "").map(|path| self.folder.clone().unwrap_or_default().join(path));
        let planned =
            self.files.iter().find(|(path, _)| place.as_ref().is_ok_and(|place| steps(path).eq(steps(place))));
        match (planned, &self.others) {
            (Some((_, bytes)), _) => Ok(bytes.clone()),
            (None, Some(resolver)) => resolver.resolve(uri, limit),
            #[cfg(feature = "fs")]
            (None, None) => super::buffers::read_file(&place?, limit).map(Pieces::from),
            #[cfg(not(feature = "fs"))]
            (None, None) => {
                Err(Error::refused("", format!("{uri:?} names a file, and there is no resolver that could read it")))
            }
        }
    }
}

/// The steps of a path: `./walk.bin` is the same as `walk.bin`.
fn steps(path: &Path) -> impl Iterator<Item = Component<'_>> {
    path.components().filter(|step| *step != Component::CurDir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn document(json: &Value) -> Document {
        Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
    }

    #[test]
    fn whatever_is_not_the_same_is_found() {
        let json = json!({ "asset": { "version": "2.0" }, "list": [1, -2.5, "text", true, null, {}],
            "buffers": [{ "uri": "data:;base64,AQI=", "byteLength": 2 }] });
        let original = document(&json);
        let changed = |at: &str, value: Value| {
            let mut json = json.clone();
            *json.pointer_mut(at).unwrap() = value;
            original.check(&document(&json))
        };
        assert!(original.check(&document(&json)).is_ok());
        // The same bytes behind another address.
        assert!(changed("/buffers/0/uri", json!("data:,%01%02")).is_ok());
        assert_eq!(changed("/buffers/0/uri", json!("data:;base64,AQM=")).unwrap_err().at(), "/buffers/0");
        assert_eq!(changed("/buffers/0/uri", json!("data:;base64,AQ==")).unwrap_err().at(), "/buffers/0");
        for place in 0..6 {
            assert!(changed(&format!("/list/{place}"), json!("other")).is_err());
        }
        assert!(changed("/list", json!([1, -2.5, "text", true, null])).is_err());
        assert!(changed("/list/5", json!({ "more": 1 })).is_err());
        assert!(changed("/asset", json!({})).is_err());
    }
}
