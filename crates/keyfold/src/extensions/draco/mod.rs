//! Draco_animation_compression (draft, Google): samplers' accessors whose values come from a Draco stream. Reading is here, writing
//! in `write` (and `grids`, `streams`, `times`, `place`), what the extension asks of a file in `rules`.
//!
//! Both layouts are read: the draft's (`compressedAnimations`, `attributeId`) and the one that the files of 2018 have (a bare array,
//! `attributesId`). An accessor's own buffer view is a fallback for readers without the extension and is never opened here.

mod grids;
mod place;
mod rules;
mod streams;
mod times;
mod write;

pub(crate) use grids::{coded, property_grid};
pub use write::{Dialect, Options, compress};
pub(crate) use write::{Planned, draft, fits, write};

use super::{Extension, Provided};
use crate::{
    Document, Error, Result,
    document::{JsonRef, List, Object, json::to_index},
};
use keyfold_core::draco::{self, Attribute, TIMESTAMPS};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// The name that the draft's text and all files use.
pub(crate) const NAME: &str = "Draco_animation_compression";
/// The name of the draft's folder and schema.
pub(crate) const OTHER_NAME: &str = "DRACO_animation_compression";

pub(super) const ROW: Extension = Extension {
    accessors: Some(|document| provide(document, NAME)),
    accessor_views: Some(|document| accessor_views(document, NAME)),
    tidy: Some(|json| tidy(json, NAME)),
    rules: Some(|document, findings| rules::rules(document, findings, NAME)),
    codes: rules::CODES,
    places: rules::PLACES,
    ..Extension::new(NAME)
};

pub(super) const OTHER: Extension = Extension {
    name: OTHER_NAME,
    accessors: Some(|document| provide(document, OTHER_NAME)),
    accessor_views: Some(|document| accessor_views(document, OTHER_NAME)),
    tidy: Some(|json| tidy(json, OTHER_NAME)),
    rules: Some(|document, findings| rules::rules(document, findings, OTHER_NAME)),
    ..ROW
};

/// One stream: the accessor of its timestamps, and those of its tracks with their ids.
pub(crate) struct Stream<'a> {
    pub(crate) object: Object<'a>,
    pub(crate) input: usize,
    pub(crate) outputs: Vec<(usize, u32)>,
    pub(crate) view: usize,
}

/// The streams that a document lists, each read or refused on its own.
pub(crate) fn streams<'a>(document: &'a Document, name: &str) -> Result<Vec<Result<Stream<'a>>>> {
    let Some(extensions) = document.root().object("extensions").ok().flatten() else { return Ok(Vec::new()) };
    let Some(look) = extensions.get(name) else { return Ok(Vec::new()) };
    let read = |object: Result<Object<'a>>| stream(object?);
    match look.as_array() {
        Some(_) => Ok(extensions.objects(name)?.map(read).collect()),
        None => Ok(extensions.required_object(name)?.objects("compressedAnimations")?.map(read).collect()),
    }
}

fn stream(object: Object<'_>) -> Result<Stream<'_>> {
    let indices = |key: &str| -> Result<Vec<usize>> {
        let list = object.array(key)?.iter().map(JsonRef::as_index).collect::<Option<_>>();
        list.ok_or_else(|| Error::malformed(object.place(key), "should be an array of whole numbers"))
    };
    let ids = if object.get("attributeId").is_some() { indices("attributeId")? } else { indices("attributesId")? };
    let outputs = indices("outputs")?;
    if ids.len() != outputs.len() {
        let what = format!("{} outputs have {} ids", outputs.len(), ids.len());
        return Err(Error::malformed(object.at(), what));
    }
    let ids = ids.into_iter().map(|id| u32::try_from(id).unwrap_or(u32::MAX));
    Ok(Stream {
        input: object.required_index("input")?,
        outputs: outputs.into_iter().zip(ids).collect(),
        view: object.required_index("bufferView")?,
        object,
    })
}

fn provide(document: &Document, name: &str) -> Provided {
    let mut provided = Provided::new();
    for stream in streams(document, name).unwrap_or_default().into_iter().flatten() {
        let decoded = decode(document, &stream);
        let attribute = |accessor: usize, id: u32| -> Result<Arc<[f32]>> {
            let missing = || Error::malformed(stream.object.at(), format!("the stream has no attribute with id {id}"));
            let animation = decoded.as_ref().map_err(Clone::clone)?;
            let attribute = animation.attribute(id).ok_or_else(missing)?;
            // Constant tracks cost next to nothing in a stream, and one track may be asked for often: each time counts.
            let bytes = attribute.values.len().saturating_mul(size_of::<f32>());
            document.account().hold(bytes, || stream.object.at())?;
            values(document, accessor, attribute)
        };
        let mut all = Provided::from([(stream.input, attribute(stream.input, TIMESTAMPS))]);
        for (accessor, id) in &stream.outputs {
            all.insert(*accessor, attribute(*accessor, *id));
        }
        // Whoever may ignore the extension has the data that a broken stream stands for.
        let falls_back = || !document.requires(name) && all.keys().all(|accessor| has_data(document, *accessor));
        if all.values().all(Result::is_ok) || !falls_back() {
            provided.extend(all);
        }
    }
    if document.root().get("extensions").and_then(|extensions| extensions.get(name)).is_none() {
        provided.extend(unrecoverable(document));
    }
    provided
}

/// Whether an accessor has uncompressed data.
fn has_data(document: &Document, accessor: usize) -> bool {
    document.accessor(accessor).is_ok_and(|accessor| accessor.view.is_some())
}

fn decode(document: &Document, stream: &Stream<'_>) -> Result<draco::Animation> {
    let bytes = document.view(stream.view)?;
    decode_view(document, &bytes, &stream.object.place("bufferView"))
}

/// A stream, decoded, once it is paid for: integers, numbers and floats of a value stand side by side for a while.
fn decode_view(document: &Document, bytes: &[u8], at: &str) -> Result<draco::Animation> {
    let bad = |error: draco::DecodeError| Error::malformed(at, error.to_string());
    let limits = draco::Limits::default();
    let values = draco::count_values(bytes, &limits).map_err(bad)?;
    document.account().afford(usize::try_from(values.saturating_mul(16)).unwrap_or(usize::MAX), || at.into())?;
    document.account().work(values.saturating_mul(10), || at.into())?;
    draco::decode(bytes, &limits).map_err(bad)
}

/// An attribute's values as the floats that an accessor asks for.
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

/// FBX2glTF declared the extension, pointed accessors at the stream and wrote nothing else: what is what cannot be told.
fn unrecoverable(document: &Document) -> Provided {
    let samplers = elements(document.root().get("animations")).flat_map(|a| elements(a.get("samplers")));
    let accessors =
        samplers.flat_map(|s| ["input", "output"].map(|key| s.get(key).and_then(JsonRef::as_index))).flatten();
    let is_stream = |accessor: usize| {
        let view = document.accessor(accessor).ok()?.view?;
        Some(document.view(view).ok()?.starts_with(b"DRACO"))
    };
    let what = "the accessor's bytes are a Draco stream that nothing describes; it cannot be told apart";
    accessors
        .filter(|a| is_stream(*a) == Some(true))
        .map(|a| (a, Err(Error::malformed(format!("/accessors/{a}"), what))))
        .collect()
}

fn elements<'a>(list: Option<JsonRef<'a>>) -> impl Iterator<Item = JsonRef<'a>> {
    list.and_then(JsonRef::as_array).into_iter().flat_map(List::iter)
}

fn accessor_views(document: &Document, name: &str) -> BTreeMap<usize, usize> {
    let streams = streams(document, name).unwrap_or_default().into_iter().flatten();
    let accessors = |s: Stream<'_>| {
        let outputs = s.outputs.into_iter().map(|(output, _)| output);
        outputs.chain([s.input]).map(move |accessor| (accessor, s.view))
    };
    streams.flat_map(accessors).collect()
}

/// Takes out of the list what no sampler uses any more; with the last stream, the extension goes.
fn tidy(json: &mut Value, name: &str) {
    let samplers = json.get("animations").and_then(Value::as_array).into_iter().flatten();
    let samplers = samplers.filter_map(|a| a.get("samplers")?.as_array()).flatten();
    let accessors = samplers.flat_map(|s| ["input", "output"].map(|key| s.get(key).and_then(to_index)));
    let used: BTreeSet<usize> = accessors.flatten().collect();
    let Some(root) = json.pointer_mut(&format!("/extensions/{name}")) else { return };
    let list = if root.is_array() { Some(&mut *root) } else { root.get_mut("compressedAnimations") };
    let Some(list) = list.and_then(Value::as_array_mut) else { return };
    list.retain_mut(|stream| keep_used(stream, &used));
    if list.is_empty() {
        remove(json, name);
    }
}

/// Whether anything of a stream is still used; outputs that are not leave its lists. One whose times alone are used stays as it is: a
/// stream has outputs.
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

fn remove(json: &mut Value, name: &str) {
    super::undeclare(json, name);
    let Some(root) = json.as_object_mut() else { return };
    if let Some(extensions) = root.get_mut("extensions").and_then(Value::as_object_mut) {
        extensions.shift_remove(name);
    }
    if root.get("extensions") == Some(&json!({})) {
        root.shift_remove("extensions");
    }
}
