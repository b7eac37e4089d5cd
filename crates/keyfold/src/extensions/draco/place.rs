//! Places compressed animations in a file: streams, the accessors that they fill, and the fallback.

use super::{
    NAME, entries,
    streams::Streamed,
    write::{Dialect, StreamOptions},
};
use crate::{
    Error, Result,
    document::Edit,
    write::{Stored, place_plain},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Accessors of streams get no buffer view, or one into the fallback. All others are placed as in core.
pub(super) fn place(
    edit: &mut Edit<'_>,
    contents: &[&Stored],
    streamed: &Streamed,
    options: &StreamOptions,
) -> Result<Vec<usize>> {
    if streamed.streams.is_empty() {
        return place_plain(edit, contents);
    }
    let inside = streamed.inside();
    let (packed, plain): (Vec<&Stored>, Vec<&Stored>) = contents.iter().copied().partition(|c| inside.contains(c));
    let mut indices: BTreeMap<&Stored, usize> = plain.iter().copied().zip(place_plain(edit, &plain)?).collect();
    let accessors = match options.fallback {
        true => place_fallback(edit, packed.iter().map(|content| streamed.originals.get(*content).unwrap_or(content))),
        false => packed.iter().map(|content| content.accessor(None)).collect(),
    };
    let accessors = accessors.into_iter().map(|accessor| edit.push("accessors", accessor.into()));
    indices.extend(packed.into_iter().zip(accessors));
    match options.fallback {
        true => edit.declare(NAME, false),
        false => edit.declare_guarded(NAME),
    }
    // A buffer of their own, as in the draft: readers of the fallback need not fetch the streams.
    let buffer = options.fallback.then(|| edit.push_buffer(Some("draco")));
    for stream in &streamed.streams {
        let view = edit.push_view_in(buffer, stream.bytes()?, Map::new());
        let accessors: Vec<usize> = stream.contents.iter().map(|content| indices[content]).collect();
        let ids: Vec<usize> = (1..accessors.len()).collect();
        let (key, empty) = match options.dialect {
            Dialect::Draft => ("attributeId", json!({ "compressedAnimations": [] })),
            Dialect::Year2018 => ("attributesId", json!([])),
        };
        let object = json!({ "input": accessors[0], "outputs": accessors[1..], key: ids, "bufferView": view });
        let root = edit.json().as_object_mut().expect("the root is an object");
        let extensions = root.entry("extensions").or_insert_with(|| json!({})).as_object_mut();
        let entries = extensions.and_then(|extensions| entries(extensions.entry(NAME).or_insert(empty)));
        let what = "is neither an array nor has `compressedAnimations`";
        entries.ok_or_else(|| Error::malformed(format!("/extensions/{NAME}"), what))?.push(object);
    }
    Ok(contents.iter().map(|c| indices[c]).collect())
}

/// Places the originals in a buffer of their own and returns their accessors.
fn place_fallback<'s>(edit: &mut Edit<'_>, originals: impl Iterator<Item = &'s Stored>) -> Vec<Map<String, Value>> {
    let buffer = edit.push_buffer(Some("fallback"));
    let view = edit.next("bufferViews");
    let mut bytes = Vec::new();
    let mut accessor = |original: &Stored| {
        let accessor = original.accessor(Some((view, bytes.len())));
        bytes.extend_from_slice(&original.bytes);
        accessor
    };
    let accessors = originals.map(&mut accessor).collect();
    edit.push_view_in(Some(buffer), bytes, Map::new());
    accessors
}
