//! What goes where when a document is written: buffers into the container, into files beside it or into data URIs.
//! A document that is to be whole in itself has no files beside it.
//!
//! Buffers and images that lie in files stay reachable from the new place: those inside the document's folder are
//! copied along under the same name, or one with a number where that is taken; for those outside of it the path is
//! rewritten. No file is ever written over ([`super::beside`]).

use super::{
    Bytes, Container, Document, JsonRef, List, Object, Pieces,
    beside::Beside,
    glb,
    json::escape,
    path::{folder_of, real_path},
    spelling::Spelled,
    uri,
};
use crate::{
    Error, Result,
    extensions::{self, Extension},
};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

/// What goes where.
pub(super) struct Layout<'a> {
    document: &'a Document,
    container: Container,
    /// Whether everything goes into the file itself.
    whole: bool,
    /// New URIs, or none, of objects by their places.
    uris: Vec<(String, Option<String>)>,
    bin: Option<Pieces>,
    /// The files beside the place where the document goes; `None` for a stream.
    pub(super) beside: Option<Beside<'a>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(
        document: &'a Document,
        container: Container,
        target: Option<&'a Path>,
        whole: bool,
    ) -> Result<Self> {
        let beside = target.map(|target| Beside::new(document, target));
        if let Some(beside) = beside.as_ref().filter(|beside| beside.overwrites_source()) {
            let what = "is a file that the document is read from, and would be overwritten";
            return Err(Error::io(beside.target, std::io::Error::new(std::io::ErrorKind::AlreadyExists, what)));
        }
        // What the container carries stays there, also where nobody understands whose it is.
        let bin = document.buffers.bin.clone().filter(|_| container == Container::Glb);
        let mut layout = Self { document, container, whole, uris: Vec::new(), bin, beside };
        if document.count("buffers") == 0 && document.root().get("buffers").is_some() && layout.loses(0) {
            return Err(Error::malformed("/buffers", "should be an array: nobody can tell whose the BIN chunk is"));
        }
        // What keeps its name comes first: what needs a new one moves aside.
        let (kept, own): (Vec<usize>, Vec<usize>) =
            (0..document.count("buffers")).partition(|index| !document.buffers.changed(*index));
        for index in kept.into_iter().chain(own) {
            layout.place_buffer(index)?;
        }
        if whole {
            layout.take_in()?;
        } else if layout.beside.as_ref().is_some_and(Beside::moves) {
            layout.bring_along()?;
        }
        Ok(layout)
    }

    /// The JSON text or the GLB itself.
    pub(super) fn contents(&self) -> Result<Pieces> {
        let came = self.document.source.as_ref().filter(|_| self.container == self.document.container());
        match (self.container, came) {
            (_, Some(source)) if self.uris.is_empty() => Ok(source.clone()),
            (Container::Gltf { pretty: true }, came) => {
                let json = self.json();
                let spelled = Spelled::new(&json, self.document.content.text());
                let text = serde_json::to_vec_pretty(&spelled)?;
                // Only names of files changed: no reason to grow because it was indented in another way.
                let grows = came.is_some_and(|source| text.len() > source.len());
                Ok(if grows { serde_json::to_vec(&spelled)? } else { text }.into())
            }
            (Container::Gltf { pretty: false }, _) => Ok(self.compact()?.into()),
            (Container::Glb, _) => glb::write(self.compact()?, self.bin.clone(), &self.document.others),
        }
    }

    /// The JSON's text without blanks.
    fn compact(&self) -> Result<Bytes> {
        // What was changed is kept without.
        let is_so = self.uris.is_empty() && self.document.source.is_none();
        let text = self.document.content.text();
        Ok(if is_so { text.clone() } else { serde_json::to_vec(&Spelled::new(&self.json(), text))?.into() })
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
        let changed = document.buffers.changed(index);
        let (buffer, bytes) = match document.element("buffers", index).and_then(|b| Ok((b, document.meant(index)?))) {
            Ok(found) => found,
            // An address in a network means the same from everywhere; what only stands in for compressed data need not be there.
            Err(Error::Network { .. }) => return Ok(()),
            Err(error @ Error::Refused { .. }) => return Err(error),
            Err(error) if self.loses(index) => return Err(error),
            Err(_) => return Ok(()),
        };
        let uri = buffer.get("uri").and_then(JsonRef::as_str);
        if self.container == Container::Glb && index == 0 {
            let came_so = uri.is_none() && !changed;
            self.bin = if came_so { document.buffers.bin.clone() } else { Some(bytes) };
            if buffer.get("uri").is_some() {
                self.uris.push((buffer.at(), None));
            }
            return Ok(());
        }
        match uri {
            _ if self.whole && uri.is_none_or(|text| changed || uri::data_of(text).is_none()) => {
                self.rename(&buffer, uri::data_uri(&bytes.joined()));
            }
            Some(text) if uri::data_of(text).is_some() => {
                if changed {
                    self.rename(&buffer, uri::data_uri(&bytes.joined()));
                }
            }
            Some(text) if !changed => self.keep_file(&buffer, text, &bytes)?,
            _ => self.own_file(&buffer, &bytes),
        }
        Ok(())
    }

    /// Whether something is lost with a buffer that cannot be read: what it names where that is needed, or the
    /// container's own bytes where it is not understood, and they do not stay in their container. Without an address
    /// or bytes it has nothing to lose.
    fn loses(&self, index: usize) -> bool {
        let uri = self.document.element("buffers", index).ok().and_then(|buffer| buffer.get("uri")?.as_str());
        match uri {
            Some(_) => is_needed(self.document, index),
            None => index == 0 && self.document.buffers.bin.is_some() && self.container != Container::Glb,
        }
    }

    fn rename(&mut self, object: &Object<'_>, uri: String) {
        self.uris.push((object.at(), Some(uri)));
    }

    /// Bytes that belong to this output alone: a file named for it, or a data URI in a stream.
    fn own_file(&mut self, buffer: &Object<'_>, bytes: &Pieces) {
        let Some(beside) = &mut self.beside else { return self.rename(buffer, uri::data_uri(&bytes.joined())) };
        let stem = beside.target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_plain =
            |name: &&str| !name.is_empty() && name.len() <= LONGEST && name.chars().all(char::is_alphanumeric);
        let part = buffer.get("name").and_then(JsonRef::as_str).filter(is_plain);
        let name = part.map_or_else(|| format!("{stem}.bin"), |part| format!("{stem}.{part}.bin"));
        let place = beside.place(&beside.target.with_file_name(name), bytes);
        let file = place.file_name().map(PathBuf::from).unwrap_or_default();
        self.rename(buffer, uri::from_path(&file));
    }

    /// A buffer file that did not change: it stays where it is, or comes along.
    fn keep_file(&mut self, buffer: &Object<'_>, text: &str, bytes: &Pieces) -> Result<()> {
        let Some(beside) = self.beside.as_mut().filter(|beside| beside.moves()) else { return Ok(()) };
        // An absolute address means the same from everywhere.
        let Ok(relative) = uri::path(text, &buffer.place("uri")) else { return Ok(()) };
        let renamed = match uri::leads_out(text) {
            true => Some(rebased(self.document, &relative, beside.target)),
            false => brought(beside, &relative, bytes),
        };
        renamed.into_iter().for_each(|uri| self.rename(buffer, uri));
        Ok(())
    }

    /// Images, sounds and what else lies in files, into the file itself.
    fn take_in(&mut self) -> Result<()> {
        for (at, text) in self.document.addresses().into_iter().filter(|(at, _)| !at.starts_with("/buffers/")) {
            match self.document.resolve(text, &format!("{at}/uri")) {
                Ok(bytes) => self.uris.push((at, Some(uri::data_uri(&bytes.joined())))),
                // An address in a network stays one.
                Err(Error::Network { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Files beside buffers: images, sounds, profiles.
    fn bring_along(&mut self) -> Result<()> {
        for (at, text) in self.document.addresses().into_iter().filter(|(at, _)| !at.starts_with("/buffers/")) {
            let name = self.bring_file(text, &format!("{at}/uri"))?;
            self.uris.extend(name.map(|name| (at, Some(name))));
        }
        Ok(())
    }

    /// Copies a file along; where that cannot be, its name as seen from the new place.
    fn bring_file(&mut self, text: &str, at: &str) -> Result<Option<String>> {
        let (Some(beside), Ok(relative)) = (&mut self.beside, uri::path(text, at)) else { return Ok(None) };
        // What is elsewhere stays there, and nobody looks at it; an absolute address means the same from everywhere.
        if uri::leads_out(text) {
            return Ok((!relative.has_root()).then(|| rebased(self.document, &relative, beside.target)));
        }
        let bytes = match self.document.resolve(text, at) {
            Ok(bytes) => bytes,
            Err(Error::Io { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(brought(beside, &relative, &bytes))
    }
}

/// Lets a file come along; its new name, where it could not keep its own.
fn brought(beside: &mut Beside<'_>, relative: &Path, bytes: &Pieces) -> Option<String> {
    let wanted = beside.folder().join(relative);
    let place = beside.place(&wanted, bytes);
    let name = place.file_name().filter(|_| place != wanted)?;
    Some(uri::from_path(&relative.with_file_name(name)))
}

/// Names of buffers up to this length become part of a file's name.
const LONGEST: usize = 32;

/// Whether a buffer view has its bytes in a buffer: its compressed ones, where it is compressed.
fn is_needed(document: &Document, buffer: usize) -> bool {
    let views = document.root().get("bufferViews").and_then(JsonRef::as_array).into_iter().flat_map(List::iter);
    let mut buffers = views.map(|view| {
        let object = |extension: &Extension| view.get("extensions")?.get(extension.name);
        let mut compressing = extensions::ALL.iter().filter(|extension| extension.view.is_some());
        compressing.find_map(object).unwrap_or(view).get("buffer")
    });
    buffers.any(|index| index.and_then(JsonRef::as_index) == Some(buffer))
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

/// The URI, seen from the target's folder, of a file that is named relative to the document's.
fn rebased(document: &Document, relative: &Path, target: &Path) -> String {
    let file = real_path(&document.place_of(relative));
    let from = real_path(folder_of(target));
    let common = file.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    uri::from_path(&up.chain(file.components().skip(common)).collect::<PathBuf>())
}

impl Document {
    /// The files that the document is read from besides its own: buffers, images, and what extensions name, including
    /// those that it named before an edit.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let before = self.named.iter().flat_map(|named| named.iter().map(String::as_str));
        let uris = self.addresses().into_iter().map(|(_, uri)| uri).chain(before);
        uris.filter_map(|uri| uri::path(uri, "").ok()).map(|path| real_path(&self.place_of(&path))).collect()
    }

    /// The URIs of files that the document names, with the places of the objects that do.
    pub fn addresses(&self) -> Vec<(String, &str)> {
        let mut found = Vec::new();
        find_addresses(JsonRef::root(self.content.outline()), &mut String::new(), &mut found);
        found
    }

    /// A path relative to the document.
    fn place_of(&self, path: &Path) -> PathBuf {
        self.folder().unwrap_or_default().join(path)
    }
}

/// Whatever has a `uri`, anywhere but in `extras`.
fn find_addresses<'d>(look: JsonRef<'d>, at: &mut String, found: &mut Vec<(String, &'d str)>) {
    let from = at.len();
    for (index, element) in look.as_array().into_iter().flat_map(List::iter).enumerate().filter(|(_, e)| has_parts(*e))
    {
        *at += &format!("/{index}");
        find_addresses(element, at, found);
        at.truncate(from);
    }
    for (key, member) in look.members().filter(|(key, _)| *key != "extras") {
        match member.as_str() {
            Some(text) if key == "uri" && uri::data_of(text).is_none() => found.push((at.clone(), text)),
            None if has_parts(member) => {
                *at += &format!("/{}", escape(key));
                find_addresses(member, at, found);
                at.truncate(from);
            }
            _ => {}
        }
    }
}

fn has_parts(look: JsonRef<'_>) -> bool {
    look.is_object() || look.as_array().is_some()
}
