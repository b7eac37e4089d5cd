//! Writing a document as `.gltf` or `.glb`: every file is written beside its place and renamed into it.
//!
//! Buffers and images that lie in files stay reachable from the new place: those inside the document's folder are copied along under
//! the same name, for those outside of it the path is rewritten. A file that the document was read from is never overwritten
//! by another file's content, and no file is that belongs to some other document.

use super::{Document, buffers::Bytes, glb, uri};
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    io::Write,
    path::{Component, Path, PathBuf},
};

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
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let layout = Layout::new(self, self.container().for_path(path), Some(path))?;
        for (path, bytes) in &layout.files {
            write_file(path, bytes)?;
        }
        write_file(path, &layout.document(self)?)
    }

    /// The document as one piece, in the form it came in: bytes that have no file of their own go into data URIs.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        Layout::new(self, self.container(), None)?.document(self)
    }
}

/// What goes where.
struct Layout<'a> {
    container: Container,
    json: Value,
    bin: Option<Bytes>,
    files: Vec<(PathBuf, Bytes)>,
    /// Where the document goes; `None` for a stream.
    target: Option<&'a Path>,
}

impl<'a> Layout<'a> {
    fn new(document: &Document, container: Container, target: Option<&'a Path>) -> Result<Self> {
        if let Some(target) = target
            && files_of(document).contains(&real_path(target))
        {
            let what = "is a file that the document is read from, and would be overwritten";
            return Err(Error::io(target, std::io::Error::new(std::io::ErrorKind::AlreadyExists, what)));
        }
        let mut layout = Self { container, json: document.json().clone(), bin: None, files: Vec::new(), target };
        for index in 0..document.count("buffers") {
            layout.place_buffer(document, index)?;
        }
        if layout.moves(document) {
            let mut json = std::mem::take(&mut layout.json);
            layout.bring_along(document, &mut json)?;
            layout.json = json;
        }
        Ok(layout)
    }

    /// The JSON text or the GLB itself.
    fn document(&self, document: &Document) -> Result<Vec<u8>> {
        match self.container {
            Container::Gltf { pretty: true } => Ok(serde_json::to_vec_pretty(&self.json)?),
            Container::Gltf { pretty: false } => Ok(serde_json::to_vec(&self.json)?),
            Container::Glb => glb::write(&serde_json::to_vec(&self.json)?, self.bin.as_deref(), &document.others),
        }
    }

    fn place_buffer(&mut self, document: &Document, index: usize) -> Result<()> {
        let Some(buffer) = self.json["buffers"][index].as_object() else { return Ok(()) };
        let uri = buffer.get("uri").and_then(Value::as_str).map(str::to_owned);
        let length = buffer.get("byteLength").and_then(super::json::to_index).unwrap_or(0);
        let changed = document.buffers.changed(index);
        // What cannot be loaded (a fallback that is not there) is left as it is.
        let Ok(bytes) = document.buffer(index) else { return Ok(()) };
        if self.container == Container::Glb && index == 0 {
            let came_so = uri.is_none() && !changed;
            self.bin = if came_so { Some(bytes) } else { bytes.slice(0..length.min(bytes.len())) };
            self.set_uri(index, None);
            return Ok(());
        }
        match uri.as_deref() {
            Some(text) if text.starts_with("data:") => {
                if changed {
                    self.set_uri(index, Some(uri::data_uri(&bytes)));
                }
                Ok(())
            }
            Some(text) if !changed => self.keep_file(document, index, text, bytes),
            _ => self.own_file(document, index, bytes.slice(0..length.min(bytes.len())).unwrap_or(bytes)),
        }
    }

    fn set_uri(&mut self, index: usize, uri: Option<String>) {
        let Some(buffer) = self.json["buffers"][index].as_object_mut() else { return };
        match uri {
            Some(uri) if buffer.contains_key("uri") => buffer["uri"] = json!(uri),
            Some(uri) => {
                // In front, where exporters have it and a reader of the text looks first.
                let rest = std::mem::take(buffer);
                *buffer = Map::from_iter([("uri".to_owned(), json!(uri))]);
                buffer.extend(rest);
            }
            None => drop(buffer.shift_remove("uri")),
        }
    }

    /// Bytes that belong to this output alone: a file named for it, or a data URI in a stream.
    fn own_file(&mut self, document: &Document, index: usize, bytes: Bytes) -> Result<()> {
        let Some(target) = self.target else {
            self.set_uri(index, Some(uri::data_uri(&bytes)));
            return Ok(());
        };
        // What the document that is being replaced had written for itself may go with it.
        let replaced = Document::open(target).map(|d| files_of(&d)).unwrap_or_default();
        let sources = files_of(document);
        let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let part = self.json["buffers"][index]["name"].as_str().filter(|n| n.chars().all(char::is_alphanumeric));
        let stem = part.filter(|n| !n.is_empty()).map_or(stem.clone(), |part| format!("{stem}.{part}"));
        let name = |n: usize| if n == 0 { format!("{stem}.bin") } else { format!("{stem}.{n}.bin") };
        let free = |path: &PathBuf| {
            let taken = self.files.iter().any(|(p, _)| p == path) || sources.contains(&real_path(path));
            !taken && (replaced.contains(&real_path(path)) || is_free_for(path, &bytes))
        };
        let path = (0..).map(|n| target.with_file_name(name(n))).find(free).expect("one number is free");
        let file = path.file_name().map(PathBuf::from).unwrap_or_default();
        self.set_uri(index, Some(uri::from_path(&file)));
        self.files.push((path, bytes));
        Ok(())
    }

    /// A buffer file that did not change: it stays where it is, or comes along.
    fn keep_file(&mut self, document: &Document, index: usize, text: &str, bytes: Bytes) -> Result<()> {
        let (Some(target), true) = (self.target, self.moves(document)) else { return Ok(()) };
        let at = format!("/buffers/{index}/uri");
        let uri::Uri::File(relative) = uri::parse(text, &at)? else { return Ok(()) };
        if !uri::stays_inside(&relative) {
            self.set_uri(index, Some(rebased(document, &relative, target)));
            return Ok(());
        }
        let path = folder(target).join(&relative);
        if is_free_for(&path, &bytes) {
            self.files.push((path, bytes));
            return Ok(());
        }
        self.own_file(document, index, bytes)
    }

    /// Whether the document leaves the folder that its URIs start from.
    fn moves(&self, document: &Document) -> bool {
        let from = document.buffers.folder.clone().unwrap_or_default();
        self.target.is_some_and(|target| real_path(&folder(target)) != real_path(&from))
    }

    /// Files beside buffers (images, sounds, profiles): whatever has a `uri`, anywhere but in `extras`.
    fn bring_along(&mut self, document: &Document, value: &mut Value) -> Result<()> {
        match value {
            Value::Array(elements) => elements.iter_mut().try_for_each(|e| self.bring_along(document, e)),
            Value::Object(members) => members.iter_mut().try_for_each(|(key, member)| match member {
                Value::String(text) if key == "uri" => self.bring_file(document, text),
                _ if key == "extras" || key == "buffers" => Ok(()),
                _ => self.bring_along(document, member),
            }),
            _ => Ok(()),
        }
    }

    fn bring_file(&mut self, document: &Document, text: &mut String) -> Result<()> {
        let (Some(target), Ok(uri::Uri::File(relative))) = (self.target, uri::parse(text, "")) else { return Ok(()) };
        let source = document.buffers.resolve(&relative);
        if text.starts_with("data:") || !source.is_file() {
            return Ok(());
        }
        let bytes: Bytes = super::buffers::read_file(&source, document.limits().file_bytes)?.into();
        let path = folder(target).join(&relative);
        if uri::stays_inside(&relative) && is_free_for(&path, &bytes) {
            self.files.push((path, bytes));
        } else {
            *text = rebased(document, &relative, target);
        }
        Ok(())
    }
}

fn folder(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
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

/// Whether a path is not taken, or holds these very bytes already.
fn is_free_for(path: &Path, bytes: &[u8]) -> bool {
    !path.exists() || std::fs::read(path).is_ok_and(|there| there == bytes)
}

/// The URI, seen from the target's folder, of a file that is named relative to the document's.
fn rebased(document: &Document, relative: &Path, target: &Path) -> String {
    let file = real_path(&document.buffers.resolve(relative));
    let from = real_path(&folder(target));
    let common = file.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    uri::from_path(&up.chain(file.components().skip(common)).collect::<PathBuf>())
}

/// The files that a document's buffers and images lie in.
fn files_of(document: &Document) -> BTreeSet<PathBuf> {
    let lists = ["buffers", "images"].into_iter().filter_map(|list| document.json().get(list)?.as_array());
    let uris = lists.flatten().filter_map(|object| object.get("uri")?.as_str()).filter(|uri| !uri.starts_with("data:"));
    uris.filter_map(|uri| match uri::parse(uri, "") {
        Ok(uri::Uri::File(path)) => Some(real_path(&document.buffers.resolve(&path))),
        _ => None,
    })
    .collect()
}

/// Writes a whole file or nothing: beside its place first, then renamed. What is no ordinary file (a pipe, a device) is written to.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |e| Error::io(path, e);
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).map_err(io);
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
    file.write_all(bytes).map_err(io)?;
    // Following a link keeps the link: its target is what is replaced.
    let place = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    file.persist(place).map_err(|e| io(e.error))?;
    Ok(())
}
