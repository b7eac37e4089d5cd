//! What goes where when a document is written: buffers into the container, into files beside it or into data URIs.
//!
//! Buffers and images that lie in files stay reachable from the new place: those inside the document's folder are copied along under
//! the same name, for those outside of it the path is rewritten. A file that the document was read from is never overwritten
//! by another file's content, and no file is that belongs to some other document.

use super::{
    Container, Document, Draft,
    buffers::Bytes,
    glb,
    json::{escape, to_index},
    save::real_path,
    uri,
};
use crate::{Error, Result};
use serde_json::{Map, Value, json};
use std::{
    borrow::Cow,
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

/// What goes where.
pub(super) struct Layout<'a> {
    document: &'a Document,
    container: Container,
    /// Borrowed as long as nothing had to change.
    json: Cow<'a, Value>,
    bin: Option<Bytes>,
    files: Vec<(PathBuf, Bytes)>,
    /// Where the document goes; `None` for a stream.
    target: Option<&'a Path>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(document: &'a Document, container: Container, target: Option<&'a Path>) -> Result<Self> {
        if let Some(target) = target
            && files_of(document).contains(&real_path(target))
        {
            let what = "is a file that the document is read from, and would be overwritten";
            return Err(Error::io(target, std::io::Error::new(std::io::ErrorKind::AlreadyExists, what)));
        }
        let json = Cow::Borrowed(document.json());
        let mut layout = Self { document, container, json, bin: None, files: Vec::new(), target };
        for index in 0..document.count("buffers") {
            layout.place_buffer(index)?;
        }
        if layout.moves() {
            let mut renamed = Vec::new();
            layout.bring_along(document.json(), "", &mut renamed)?;
            layout.rename(renamed);
        }
        Ok(layout)
    }

    pub(super) fn finish(self) -> Result<Draft> {
        let apart = buffers_apart(self.document, &self.json).iter().map(|buffer| buffer.len() as u64).sum();
        let pieces = self.pieces()?;
        Ok(Draft { target: self.target.map(Path::to_path_buf), pieces, files: self.files, apart })
    }

    /// The JSON text or the GLB itself.
    fn pieces(&self) -> Result<Vec<Bytes>> {
        let came = self.document.source.as_ref().filter(|_| self.container == self.document.container());
        match (self.container, came) {
            (_, Some(source)) if matches!(self.json, Cow::Borrowed(_)) => Ok(vec![source.clone()]),
            (Container::Gltf { pretty: true }, came) => {
                let text = serde_json::to_vec_pretty(&*self.json)?;
                // Only names of files changed: no reason to grow because it was indented in another way.
                let grows = came.is_some_and(|source| text.len() > source.len());
                Ok(vec![if grows { serde_json::to_vec(&*self.json)? } else { text }.into()])
            }
            (Container::Gltf { pretty: false }, _) => Ok(vec![serde_json::to_vec(&*self.json)?.into()]),
            (Container::Glb, _) => {
                glb::write(serde_json::to_vec(&*self.json)?, self.bin.clone(), &self.document.others)
            }
        }
    }

    fn place_buffer(&mut self, index: usize) -> Result<()> {
        let document = self.document;
        let Some(buffer) = self.json["buffers"][index].as_object() else { return Ok(()) };
        let uri = buffer.get("uri").and_then(Value::as_str).map(str::to_owned);
        let length = buffer.get("byteLength").and_then(to_index).unwrap_or(0);
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
            Some(text) if !changed => self.keep_file(index, text, bytes),
            _ => self.own_file(index, bytes.slice(0..length.min(bytes.len())).unwrap_or(bytes)),
        }
    }

    fn set_uri(&mut self, index: usize, uri: Option<String>) {
        let old = self.json["buffers"][index].get("uri");
        if old.and_then(Value::as_str) == uri.as_deref() && old.is_some() == uri.is_some() {
            return;
        }
        let Some(buffer) = self.json.to_mut()["buffers"][index].as_object_mut() else { return };
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
    fn own_file(&mut self, index: usize, bytes: Bytes) -> Result<()> {
        let Some(target) = self.target else {
            self.set_uri(index, Some(uri::data_uri(&bytes)));
            return Ok(());
        };
        // What the document that is being replaced had written for itself may go with it.
        let replaced = Document::open(target).map(|d| files_of(&d)).unwrap_or_default();
        let sources = files_of(self.document);
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
    fn keep_file(&mut self, index: usize, text: &str, bytes: Bytes) -> Result<()> {
        let (Some(target), true) = (self.target, self.moves()) else { return Ok(()) };
        let at = format!("/buffers/{index}/uri");
        let uri::Uri::File(relative) = uri::parse(text, &at)? else { return Ok(()) };
        if !uri::stays_inside(&relative) {
            self.set_uri(index, Some(rebased(self.document, &relative, target)));
            return Ok(());
        }
        let path = folder(target).join(&relative);
        if is_free_for(&path, &bytes) {
            self.files.push((path, bytes));
            return Ok(());
        }
        self.own_file(index, bytes)
    }

    /// Whether the document leaves the folder that its URIs start from.
    fn moves(&self) -> bool {
        let from = self.document.buffers.folder.clone().unwrap_or_default();
        self.target.is_some_and(|target| real_path(&folder(target)) != real_path(&from))
    }

    /// Files beside buffers (images, sounds, profiles): whatever has a `uri`, anywhere but in `extras`. Those that need another name
    /// are `renamed`, by their places.
    fn bring_along(&mut self, value: &Value, at: &str, renamed: &mut Vec<(String, String)>) -> Result<()> {
        match value {
            Value::Array(elements) => {
                let mut elements = elements.iter().enumerate();
                elements.try_for_each(|(i, e)| self.bring_along(e, &format!("{at}/{i}"), renamed))
            }
            Value::Object(members) => members.iter().try_for_each(|(key, member)| match member {
                Value::String(text) if key == "uri" => {
                    renamed.extend(self.bring_file(text)?.map(|name| (format!("{at}/uri"), name)));
                    Ok(())
                }
                _ if key == "extras" || key == "buffers" => Ok(()),
                _ => self.bring_along(member, &format!("{at}/{}", escape(key)), renamed),
            }),
            _ => Ok(()),
        }
    }

    /// Copies a file along; where that cannot be, its name as seen from the new place.
    fn bring_file(&mut self, text: &str) -> Result<Option<String>> {
        if text.starts_with("data:") {
            return Ok(None);
        }
        let (Some(target), Ok(uri::Uri::File(relative))) = (self.target, uri::parse(text, "")) else { return Ok(None) };
        let source = self.document.buffers.resolve(&relative);
        if !source.is_file() {
            return Ok(None);
        }
        let bytes: Bytes = super::buffers::read_file(&source, self.document.limits().file_bytes)?.into();
        let path = folder(target).join(&relative);
        if uri::stays_inside(&relative) && is_free_for(&path, &bytes) {
            self.files.push((path, bytes));
            return Ok(None);
        }
        Ok(Some(rebased(self.document, &relative, target)))
    }

    fn rename(&mut self, renamed: Vec<(String, String)>) {
        for (at, name) in renamed {
            if self.json.pointer(&at).and_then(Value::as_str) != Some(&name)
                && let Some(uri) = self.json.to_mut().pointer_mut(&at)
            {
                *uri = Value::String(name);
            }
        }
    }
}

/// The buffers of a document that lie in files of their own, as `json` has it.
pub(super) fn buffers_apart(document: &Document, json: &Value) -> Vec<Bytes> {
    let buffers = json.get("buffers").and_then(Value::as_array).into_iter().flatten().enumerate();
    let apart = buffers.filter(|(_, b)| b.get("uri").and_then(Value::as_str).is_some_and(|u| !u.starts_with("data:")));
    apart.filter_map(|(index, _)| document.buffer(index).ok()).collect()
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
