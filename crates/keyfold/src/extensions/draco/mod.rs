//! Draco_animation_compression (draft, Google): samplers' accessors with values in a Draco stream. This file reads,
//! `write` writes (with `grids`, `streams`, `times`, `place`), `rules` validates.
//!
//! Both layouts are read: the draft's (`compressedAnimations`, `attributeId`) and that of files from 2018 (a bare
//! array, `attributesId`). An accessor's own buffer view is a fallback for readers without the extension and is never
//! opened here.

mod grids;
mod place;
mod rules;
mod streams;
mod times;
mod write;

pub(crate) use grids::{coded, property_grid};
pub(crate) use streams::streamed;
pub use write::{Dialect, Options, StreamOptions, compress, compress_with};
pub(crate) use write::{Planned, fits, write};

use super::{Extension, Provided};
use crate::{
    Document, Error, Result,
    document::{JsonRef, Object, json::to_index},
};
use keyfold_core::draco::{self, Attribute, TIMESTAMPS};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The name that the draft's text and all files use.
pub(crate) const NAME: &str = "Draco_animation_compression";
/// The name of the draft's folder and schema.
pub(crate) const OTHER_NAME: &str = "DRACO_animation_compression";

/// The row of a name, which hooks do not get.
macro_rules! row {
    ($name:expr) => {
        Extension {
            accessors: Some(|document| provide(document, $name)),
            accessor_views: Some(|document| accessor_views(document, $name)),
            tidy: Some(|json| tidy(json, $name)),
            rules: Some(|document, findings| rules::rules(document, findings, $name)),
            codes: rules::CODES,
            places: rules::PLACES,
            ..Extension::new($name)
        }
    };
}

pub(super) const ROW: Extension = row!(NAME);
pub(super) const OTHER: Extension = row!(OTHER_NAME);

/// A stream: the accessors that it fills, with the ids of their attributes.
struct Stream<'a> {
    object: Object<'a>,
    accessors: Vec<(usize, u32)>,
    view: usize,
}

/// The readable streams of a document's list. The rules report the others.
fn streams<'a>(document: &'a Document, name: &str) -> Vec<Stream<'a>> {
    let Ok(Some(extensions)) = document.root().object("extensions") else { return Vec::new() };
    let list = extensions.objects(name).or_else(|_| extensions.required_object(name)?.objects("compressedAnimations"));
    list.into_iter().flatten().flatten().filter_map(Stream::read).collect()
}

impl<'a> Stream<'a> {
    fn read(object: Object<'a>) -> Option<Self> {
        let indices = |key: &str| object.array(key).ok()?.iter().map(JsonRef::as_index).collect::<Option<Vec<_>>>();
        let ids = indices(if object.get("attributeId").is_some() { "attributeId" } else { "attributesId" })?;
        let outputs = indices("outputs").filter(|outputs| outputs.len() == ids.len())?;
        let (input, view) = (object.index("input").ok()??, object.index("bufferView").ok()??);
        let ids = ids.into_iter().map(|id| u32::try_from(id).unwrap_or(u32::MAX));
        let accessors = [(input, TIMESTAMPS)].into_iter().chain(outputs.into_iter().zip(ids)).collect();
        Some(Self { object, accessors, view })
    }
}

fn provide(document: &Document, name: &str) -> Provided {
    let mut provided = Provided::new();
    for stream in streams(document, name) {
        let at = stream.object.place("bufferView");
        let decoded = document.view(stream.view).and_then(|bytes| decode_view(document, &bytes, &at));
        let attribute = |accessor: usize, id: u32| -> Result<Arc<[f32]>> {
            let missing = || Error::malformed(stream.object.at(), format!("the stream has no attribute with id {id}"));
            let animation = decoded.as_ref().map_err(Clone::clone)?;
            let attribute = animation.attribute(id).ok_or_else(missing)?;
            // Constant tracks take next to nothing in a stream, and many accessors may have one attribute: each counts.
            let bytes = attribute.values.len().saturating_mul(size_of::<f32>());
            document.account().hold(bytes, || stream.object.at())?;
            values(document, accessor, attribute)
        };
        let all: Provided = stream.accessors.iter().map(|(index, id)| (*index, attribute(*index, *id))).collect();
        // Files that do not require the extension have the data of a broken stream uncompressed, too.
        let has_data = |accessor: &usize| document.accessor(*accessor).is_ok_and(|accessor| accessor.view.is_some());
        let falls_back = || !document.requires(name) && all.keys().all(has_data);
        if all.values().all(Result::is_ok) || !falls_back() {
            provided.extend(all);
        }
    }
    if document.root().get("extensions").and_then(|extensions| extensions.get(name)).is_none() {
        provided.extend(unrecoverable(document));
    }
    provided
}

/// Decodes a stream after charging for it: integers, numbers and floats of all values are in memory at once.
fn decode_view(document: &Document, bytes: &[u8], at: &str) -> Result<draco::Animation> {
    let bad = |error: draco::DecodeError| Error::malformed(at, error.to_string());
    let limits = draco::Limits::default();
    let values = draco::count_values(bytes, &limits).map_err(bad)?;
    document.account().afford(usize::try_from(values.saturating_mul(16)).unwrap_or(usize::MAX), || at.into())?;
    document.account().work(values.saturating_mul(10), || at.into())?;
    draco::decode(bytes, &limits).map_err(bad)
}

/// An attribute's values as an accessor's floats.
fn values(document: &Document, accessor: usize, attribute: &Attribute) -> Result<Arc<[f32]>> {
    let described = document.accessor(accessor)?;
    let floats = attribute.to_floats(described.normalized);
    let expected = described.count.saturating_mul(described.shape.components());
    if floats.len() != expected {
        let what = format!("says {expected} values, the Draco stream has {} for it", floats.len());
        return Err(Error::malformed(format!("/accessors/{accessor}/count"), what));
    }
    Ok(floats.into())
}

/// The accessors whose bytes are a stream that nothing describes, as FBX2glTF wrote them. Their attributes are unknown.
fn unrecoverable(document: &Document) -> Provided {
    let accessors = samplers(document).flat_map(|s| ["input", "output"].map(|key| s.get(key)?.as_index())).flatten();
    let is_stream = |accessor: &usize| {
        let view = document.accessor(*accessor).ok().and_then(|accessor| accessor.view);
        view.is_some_and(|view| document.view(view).is_ok_and(|bytes| bytes.starts_with(b"DRACO")))
    };
    let what = "the accessor's bytes are a Draco stream, but the file does not say which of its attributes is meant";
    let error = |accessor| (accessor, Err(Error::malformed(format!("/accessors/{accessor}"), what)));
    accessors.filter(is_stream).map(error).collect()
}

/// The samplers of all animations.
fn samplers(document: &Document) -> impl Iterator<Item = Object<'_>> {
    let animations = document.root().objects("animations").into_iter().flatten().flatten();
    animations.flat_map(|animation| animation.objects("samplers").into_iter().flatten().flatten())
}

fn accessor_views(document: &Document, name: &str) -> BTreeMap<usize, usize> {
    let views = |s: Stream<'_>| s.accessors.into_iter().map(move |(accessor, _)| (accessor, s.view));
    streams(document, name).into_iter().flat_map(views).collect()
}

/// Removes unused streams and outputs from the list, and the extension with the last stream.
fn tidy(json: &mut Value, name: &str) {
    let samplers = json.get("animations").and_then(Value::as_array).into_iter().flatten();
    let samplers = samplers.filter_map(|a| a.get("samplers")?.as_array()).flatten();
    let accessors = samplers.flat_map(|s| ["input", "output"].map(|key| s.get(key).and_then(to_index)));
    let used: BTreeSet<usize> = accessors.flatten().collect();
    let Some(list) = json.pointer_mut(&format!("/extensions/{name}")).and_then(entries) else { return };
    list.retain_mut(|stream| keep_used(stream, &used));
    if list.is_empty() {
        super::undeclare(json, name);
        super::remove(json, name);
    }
}

/// The list of streams, in either layout.
fn entries(listed: &mut Value) -> Option<&mut Vec<Value>> {
    if listed.is_array() { listed.as_array_mut() } else { listed.get_mut("compressedAnimations")?.as_array_mut() }
}

/// Whether a stream is still used. Removes its unused outputs, unless only its times are used: a stream needs outputs.
fn keep_used(stream: &mut Value, used: &BTreeSet<usize>) -> bool {
    let is_used = |accessor: &Value| to_index(accessor).is_some_and(|a| used.contains(&a));
    let outputs = stream.get("outputs").and_then(Value::as_array).cloned().unwrap_or_default();
    let keep: Vec<bool> = outputs.iter().map(is_used).collect();
    if !keep.contains(&true) {
        return stream.get("input").is_some_and(is_used);
    }
    for key in ["outputs", "attributeId", "attributesId"] {
        if let Some(list) = stream.get_mut(key).and_then(Value::as_array_mut) {
            let mut keep = keep.iter();
            list.retain(|_| keep.next() != Some(&false));
        }
    }
    true
}
