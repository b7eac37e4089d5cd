//! New contents for accessors: in the old place where nobody else looks at it, else in a place of their own.
//!
//! Who refers to an accessor decides: where all of them want the same new content, the accessor keeps its number and
//! changes; where some want the old one, or another, those that differ get an accessor of their own. Likewise for
//! bytes: they are written over only where no other accessor, image or extension can see them.

use super::set;
use crate::{
    Document,
    document::{Edit, json::to_index},
    object_model::references::{Collection, Reference, references, unknown_extensions},
    write::Stored,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

/// What places that refer to accessors (`/animations/0/samplers/1/input`) shall find there.
#[derive(Default)]
pub(super) struct Rewrite {
    wanted: BTreeMap<usize, BTreeMap<Stored, Vec<String>>>,
}

impl Rewrite {
    /// A place that refers to an accessor wants another content.
    pub(super) fn want(&mut self, at: String, accessor: usize, content: Stored) {
        self.wanted.entry(accessor).or_default().entry(content).or_default().push(at);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    pub(super) fn apply(self, document: &Document, edit: &mut Edit<'_>) {
        let unknown = !unknown_extensions(document.json(), Collection::Accessors).is_empty();
        let uses = references(document.json(), Collection::Accessors);
        // While someone may read what cannot be seen from here, no byte is anyone's own.
        let hidden = !unknown_extensions(document.json(), Collection::BufferViews).is_empty();
        let readers = if hidden { Vec::new() } else { readers(document) };
        for (accessor, contents) in self.wanted {
            let wanting: usize = contents.values().map(Vec::len).sum();
            let all = !unknown && uses.iter().filter(|reference| reference.index == accessor).count() == wanting;
            for (i, (content, places)) in contents.into_iter().enumerate() {
                if all && i == 0 {
                    change(document, edit, &readers, accessor, content);
                    continue;
                }
                let copy = edit.json()["accessors"][accessor].clone();
                let new = edit.push("accessors", copy);
                move_to(edit, new, content);
                places.iter().for_each(|at| refer(edit.json(), at, new));
            }
        }
    }
}

fn refer(json: &mut Value, at: &str, accessor: usize) {
    if let Some(value) = json.pointer_mut(at) {
        *value = json!(accessor);
    }
}

/// Gives an accessor another content.
fn change(document: &Document, edit: &mut Edit<'_>, readers: &[Reader], accessor: usize, content: Stored) {
    match own_bytes(document, readers, accessor).filter(|(_, range)| range.len() >= content.bytes.len()) {
        None => move_to(edit, accessor, content),
        Some((buffer, range)) => {
            describe(edit.json(), accessor, &content);
            edit.patch(buffer, range.start, content.bytes);
        }
    }
}

/// Gives an accessor a content in a buffer view of its own.
fn move_to(edit: &mut Edit<'_>, accessor: usize, content: Stored) {
    describe(edit.json(), accessor, &content);
    let view = edit.push_view(content.bytes);
    if let Some(members) = edit.json()["accessors"][accessor].as_object_mut() {
        ["byteOffset", "sparse"].into_iter().for_each(|key| drop(members.shift_remove(key)));
        members.insert("bufferView".into(), json!(view));
    }
}

/// Says a content's count and, where the accessor has bounds, its bounds; what is true already stays as it is spelled.
fn describe(json: &mut Value, accessor: usize, content: &Stored) {
    let fresh = Stored { bounds: true, ..content.clone() }.accessor(None);
    let at = format!("/accessors/{accessor}");
    for key in ["count", "min", "max"] {
        let old = json.pointer(&at).and_then(|old| old.get(key));
        if old.is_some_and(|old| numbers(old) != numbers(&fresh[key])) {
            set(json, &at, key, fresh[key].clone());
        }
    }
}

/// A number, or a list of them, as floats: how they are spelled does not matter.
fn numbers(value: &Value) -> Vec<Option<f32>> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().map(|n| n.as_f64().map(|n| n as f32)).collect()
}

/// Someone who reads bytes of a buffer.
struct Reader {
    /// Its number, where it is an accessor that reads its own view.
    accessor: Option<usize>,
    buffer: usize,
    range: Range<usize>,
}

/// The bytes of a buffer that an accessor reads, tightly packed, and nothing else does.
fn own_bytes(document: &Document, readers: &[Reader], accessor: usize) -> Option<(usize, Range<usize>)> {
    let description = document.accessor(accessor).ok()?;
    let view = description.view.filter(|_| !description.sparse && document.provided(accessor).is_none())?;
    let object = document.json().get("bufferViews")?.get(view)?;
    if object.get("byteStride").is_some() || object.get("extensions").is_some() {
        return None;
    }
    let Reader { buffer, range, .. } = readers.iter().find(|reader| reader.accessor == Some(accessor))?;
    let others = readers.iter().filter(|other| other.accessor != Some(accessor) && other.buffer == *buffer);
    let shared = others.map(|other| &other.range).any(|other| other.start < range.end && range.start < other.end);
    (!shared && range.end <= document.buffer(*buffer).ok()?.len()).then(|| (*buffer, range.clone()))
}

/// Who reads what: accessors their elements, everything else whole views.
fn readers(document: &Document) -> Vec<Reader> {
    let json = document.json();
    let mut readers: Vec<Reader> = (0..document.count("accessors")).filter_map(|i| elements(document, i)).collect();
    let is_base = |at: &str| at.starts_with("/accessors/") && at.matches('/').count() == 3;
    let (base, other): (Vec<_>, Vec<_>) =
        references(json, Collection::BufferViews).into_iter().partition(|reference| is_base(reference.at.as_str()));
    let views =
        |uses: Vec<Reference>| -> BTreeSet<usize> { uses.into_iter().map(|reference| reference.index).collect() };
    let (base, other) = (views(base), views(other));
    let only_base = |view: usize| base.contains(&view) && !other.contains(&view);
    // Views that nobody seems to use may be meant by an extension that nobody knows.
    for (i, view) in json.get("bufferViews").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let compressed =
            view.get("extensions").and_then(Value::as_object).into_iter().flatten().map(|(_, object)| object);
        let pieces = compressed.chain((!only_base(i)).then_some(view));
        readers.extend(pieces.filter_map(bytes_of).map(|(buffer, range)| Reader { accessor: None, buffer, range }));
    }
    readers
}

fn number(object: &Value, key: &str) -> Option<usize> {
    object.get(key).and_then(to_index)
}

/// The bytes of a buffer that a view, or an extension that speaks like one, stands for.
fn bytes_of(view: &Value) -> Option<(usize, Range<usize>)> {
    let start = number(view, "byteOffset").unwrap_or(0);
    let end = start.saturating_add(number(view, "byteLength").unwrap_or(usize::MAX));
    Some((number(view, "buffer")?, start..end))
}

/// From the first to the last byte that an accessor reads in its own view; all of the view where that cannot be told.
fn elements(document: &Document, accessor: usize) -> Option<Reader> {
    let view = document.json().get("accessors")?.get(accessor)?.get("bufferView").and_then(to_index)?;
    let view = document.json().get("bufferViews")?.get(view)?;
    let (buffer, whole) = bytes_of(view)?;
    let range = document.accessor(accessor).map_or(whole.clone(), |description| {
        let size = description.shape.stored_size(description.component);
        let stride = number(view, "byteStride").unwrap_or(size).max(size);
        let start = whole.start.saturating_add(description.offset);
        start..start.saturating_add(description.count.saturating_mul(stride))
    });
    Some(Reader { accessor: Some(accessor), buffer, range })
}
