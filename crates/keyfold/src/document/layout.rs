//! What goes where when a document is written: buffers into the container, into files beside it or into data URIs.
//!
//! Buffers and images that lie in files stay reachable from the new place: those inside the document's folder are copied along under
//! the same name, for those outside of it the path is rewritten. A file that the document was read from is never overwritten
//! by another file's content, and no file is that belongs to some other document.

use super::{Container, Document, Draft, List, Look, Object, buffers::Bytes, glb, json::escape, save::real_path, uri};
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

/// What goes where.
pub(super) struct Layout<'a> {
    document: &'a Document,
    container: Container,
    /// New URIs, or none, of objects by their places.
    uris: Vec<(String, Option<String>)>,
    bin: Option<Bytes>,
    files: Vec<(PathBuf, Bytes)>,
    /// The files that the document at the target had brought there: they may go with it.
    replaced: BTreeSet<PathBuf>,
    /// Bytes of all buffers that lie in files, written or there.
    apart: u64,
    /// Where the document goes; `None` for a stream.
    target: Option<&'a Path>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(document: &'a Document, container: Container, target: Option<&'a Path>) -> Result<Self> {
        if let Some(target) = target
            && document.files().contains(&real_path(target))
        {
            let what = "is a file that the document is read from, and would be overwritten";
            return Err(Error::io(target, std::io::Error::new(std::io::ErrorKind::AlreadyExists, what)));
        }
        let replaced = target.filter(|t| t.exists()).and_then(files_of).unwrap_or_default();
        let (uris, files) = (Vec::new(), Vec::new());
        let mut layout = Self { document, container, uris, bin: None, files, replaced, apart: 0, target };
        // What keeps its name comes first: what needs a new one moves aside.
        let (kept, own): (Vec<usize>, Vec<usize>) =
            (0..document.count("buffers")).partition(|index| !document.buffers.changed(*index));
        for index in kept.into_iter().chain(own) {
            layout.place_buffer(index)?;
        }
        if layout.moves() {
            layout.bring_along(Look::root(document.content.outline()), "")?;
        }
        Ok(layout)
    }

    pub(super) fn finish(self) -> Result<Draft> {
        let pieces = self.pieces()?;
        Ok(Draft { target: self.target.map(Path::to_path_buf), pieces, files: self.files, apart: self.apart })
    }

    /// The JSON text or the GLB itself.
    fn pieces(&self) -> Result<Vec<Bytes>> {
        let came = self.document.source.as_ref().filter(|_| self.container == self.document.container());
        match (self.container, came) {
            (_, Some(source)) if self.uris.is_empty() => Ok(vec![source.clone()]),
            (Container::Gltf { pretty: true }, came) => {
                let json = self.json();
                let text = serde_json::to_vec_pretty(&json)?;
                // Only names of files changed: no reason to grow because it was indented in another way.
                let grows = came.is_some_and(|source| text.len() > source.len());
                Ok(vec![if grows { serde_json::to_vec(&json)? } else { text }.into()])
            }
            (Container::Gltf { pretty: false }, _) => Ok(vec![self.compact()?]),
            (Container::Glb, _) => glb::write(self.compact()?, self.bin.clone(), &self.document.others),
        }
    }

    /// The JSON's text without blanks.
    fn compact(&self) -> Result<Bytes> {
        // What was changed is kept without.
        let is_so = self.uris.is_empty() && self.document.source.is_none();
        Ok(if is_so { self.document.content.text().clone() } else { serde_json::to_vec(&self.json())?.into() })
    }

    /// The JSON with its new URIs.
    fn json(&self) -> Value {
        let mut json = self.document.to_json();
        for (at, uri) in &self.uris {
            if let Some(object) = json.pointer_mut(at).and_then(Value::as_object_mut) {
                set_uri(object, uri.as_deref());
            }
        }
        json
    }

    fn place_buffer(&mut self, index: usize) -> Result<()> {
        let document = self.document;
        let Ok(buffer) = document.element("buffers", index) else { return Ok(()) };
        let uri = buffer.get("uri").and_then(Look::as_str);
        let length = buffer.get("byteLength").and_then(Look::as_index).unwrap_or(0);
        let changed = document.buffers.changed(index);
        let bytes = match document.buffer(index) {
            Ok(bytes) => bytes,
            Err(error @ Error::Refused { .. }) => return Err(error),
            // What cannot be loaded (a fallback that is not there) is left as it is.
            Err(_) => return Ok(()),
        };
        if self.container == Container::Glb && index == 0 {
            let came_so = uri.is_none() && !changed;
            self.bin = if came_so { Some(bytes) } else { bytes.slice(0..length.min(bytes.len())) };
            if buffer.get("uri").is_some() {
                self.uris.push((buffer.at(), None));
            }
            return Ok(());
        }
        match uri {
            Some(text) if text.starts_with("data:") => {
                if changed {
                    self.rename(&buffer, uri::data_uri(&bytes));
                }
                Ok(())
            }
            Some(text) if !changed => self.keep_file(&buffer, text, bytes),
            _ => self.own_file(&buffer, bytes.slice(0..length.min(bytes.len())).unwrap_or(bytes)),
        }
    }

    fn rename(&mut self, object: &Object<'_>, uri: String) {
        self.uris.push((object.at(), Some(uri)));
    }

    /// Bytes that belong to this output alone: a file named for it, or a data URI in a stream.
    fn own_file(&mut self, buffer: &Object<'_>, bytes: Bytes) -> Result<()> {
        let Some(target) = self.target else {
            self.rename(buffer, uri::data_uri(&bytes));
            return Ok(());
        };
        self.apart += bytes.len() as u64;
        let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let part = buffer.get("name").and_then(Look::as_str).filter(|n| n.chars().all(char::is_alphanumeric));
        let stem = part.filter(|n| !n.is_empty()).map_or(stem.clone(), |part| format!("{stem}.{part}"));
        let name = |n: usize| if n == 0 { format!("{stem}.bin") } else { format!("{stem}.{n}.bin") };
        let sources = self.document.files();
        let free = |path: &PathBuf| {
            let taken = self.files.iter().any(|(p, _)| p == path) || sources.contains(&real_path(path));
            !taken && self.claims(path, &bytes)
        };
        let path = (0..).map(|n| target.with_file_name(name(n))).find(free).expect("one number is free");
        let file = path.file_name().map(PathBuf::from).unwrap_or_default();
        self.rename(buffer, uri::from_path(&file));
        self.files.push((path, bytes));
        Ok(())
    }

    /// Whether a file may be written: its place holds these very bytes, nothing, or what goes with the document that is replaced.
    fn claims(&self, path: &Path, bytes: &[u8]) -> bool {
        if let Some((_, planned)) = self.files.iter().find(|(planned, _)| planned == path) {
            return planned[..] == *bytes;
        }
        let real = real_path(path);
        is_free_for(path, bytes) || (self.replaced.contains(&real) && !self.document.files().contains(&real))
    }

    /// A buffer file that did not change: it stays where it is, or comes along.
    fn keep_file(&mut self, buffer: &Object<'_>, text: &str, bytes: Bytes) -> Result<()> {
        let relative = uri::path(text, &buffer.place("uri"))?;
        let target = self.target.filter(|_| self.moves());
        let path = target.map(|target| folder(target).join(&relative));
        match (target, path) {
            (Some(target), _) if uri::leads_out(text) => {
                self.rename(buffer, rebased(self.document, &relative, target));
            }
            (_, Some(path)) if self.claims(&path, &bytes) => self.files.push((path, bytes.clone())),
            (Some(_), _) => return self.own_file(buffer, bytes),
            (None, _) => {}
        }
        self.apart += bytes.len() as u64;
        Ok(())
    }

    /// Whether the document leaves the folder that its URIs start from.
    fn moves(&self) -> bool {
        let from = self.document.buffers.folder.clone().unwrap_or_default();
        self.target.is_some_and(|target| real_path(&folder(target)) != real_path(&from))
    }

    /// Files beside buffers (images, sounds, profiles): whatever has a `uri`, anywhere but in `extras`.
    fn bring_along(&mut self, look: Look<'_>, at: &str) -> Result<()> {
        for (index, element) in look.as_array().into_iter().flat_map(List::iter).enumerate() {
            self.bring_along(element, &format!("{at}/{index}"))?;
        }
        for (key, member) in look.members() {
            match (key, member.as_str()) {
                ("uri", Some(text)) => {
                    let name = self.bring_file(text, &format!("{at}/uri"))?;
                    self.uris.extend(name.map(|name| (at.to_owned(), Some(name))));
                }
                ("extras" | "buffers", _) => {}
                _ => self.bring_along(member, &format!("{at}/{}", escape(key)))?,
            }
        }
        Ok(())
    }

    /// Copies a file along; where that cannot be, its name as seen from the new place.
    fn bring_file(&mut self, text: &str, at: &str) -> Result<Option<String>> {
        if text.starts_with("data:") {
            return Ok(None);
        }
        let (Some(target), Ok(relative)) = (self.target, uri::path(text, at)) else { return Ok(None) };
        // What is elsewhere stays there, and nobody looks at it; an absolute address means the same from everywhere.
        if uri::leads_out(text) {
            return Ok((!relative.has_root()).then(|| rebased(self.document, &relative, target)));
        }
        let bytes = match self.document.resolve(text, at) {
            Ok(bytes) => bytes,
            Err(Error::Io { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let path = folder(target).join(&relative);
        if self.claims(&path, &bytes) {
            self.files.push((path, bytes));
            return Ok(None);
        }
        Ok(Some(rebased(self.document, &relative, target)))
    }
}

/// The files that the document at a path has brought there.
#[cfg(feature = "fs")]
fn files_of(path: &Path) -> Option<BTreeSet<PathBuf>> {
    Document::open(path).ok().map(|document| document.files())
}

#[cfg(not(feature = "fs"))]
fn files_of(_: &Path) -> Option<BTreeSet<PathBuf>> {
    None
}

fn set_uri(object: &mut Map<String, Value>, uri: Option<&str>) {
    match uri {
        Some(uri) if object.contains_key("uri") => object["uri"] = json!(uri),
        Some(uri) => {
            // In front, where exporters have it and a reader of the text looks first.
            let rest = std::mem::take(object);
            *object = Map::from_iter([("uri".to_owned(), json!(uri))]);
            object.extend(rest);
        }
        None => drop(object.shift_remove("uri")),
    }
}

fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Whether a path is not taken, or holds these very bytes already.
fn is_free_for(path: &Path, bytes: &[u8]) -> bool {
    !path.exists() || std::fs::read(path).is_ok_and(|there| there == bytes)
}

/// The URI, seen from the target's folder, of a file that is named relative to the document's.
fn rebased(document: &Document, relative: &Path, target: &Path) -> String {
    let file = real_path(&document.place_of(relative));
    let from = real_path(&folder(target));
    let common = file.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    uri::from_path(&up.chain(file.components().skip(common)).collect::<PathBuf>())
}

impl Document {
    /// The files that the document's buffers and images lie in.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let paths = self.addresses().filter_map(|(at, uri)| uri::path(uri, &at).ok());
        paths.map(|path| real_path(&self.place_of(&path))).collect()
    }

    /// The addresses of files that buffers and images name, with their places.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (String, &str)> {
        let elements = |list: &'static str| {
            let elements = self.root().get(list).and_then(Look::as_array).into_iter().flat_map(List::iter);
            elements.enumerate().map(move |(index, element)| (format!("/{list}/{index}/uri"), element))
        };
        let addresses = ["buffers", "images"].into_iter().flat_map(elements);
        let texts = addresses.filter_map(|(at, object)| Some((at, object.get("uri")?.as_str()?)));
        texts.filter(|(_, uri)| !uri.starts_with("data:"))
    }

    /// A path relative to the document.
    fn place_of(&self, path: &Path) -> PathBuf {
        self.folder().unwrap_or_default().join(path)
    }
}
