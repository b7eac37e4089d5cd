//! Where compressed animations lie in a file: streams, the accessors that they fill, and the fallback.

use super::{
    NAME,
    streams::Stream,
    write::{Dialect, Options},
};
use crate::{
    Error, Result,
    document::Edit,
    write::{Stored, place_plain},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Accessors of streams get no buffer view, or one into the fallback; all others lie as plain core does it.
pub(super) fn place(
    edit: &mut Edit<'_>,
    contents: &[&Stored],
    streams: &[Stream],
    originals: &BTreeMap<&Stored, &Stored>,
    options: &Options,
) -> Result<Vec<usize>> {
    if streams.is_empty() {
        return place_plain(edit, contents);
    }
    let inside: BTreeSet<&Stored> =
        streams.iter().flat_map(|s| s.outputs.iter().map(|(o, _)| o).chain([&s.input])).collect();
    let (packed, plain): (Vec<&Stored>, Vec<&Stored>) = contents.iter().copied().partition(|c| inside.contains(c));
    let mut indices: BTreeMap<&Stored, usize> = plain.iter().copied().zip(place_plain(edit, &plain)?).collect();
    indices.extend(if options.fallback { place_fallback(edit, &packed, originals) } else { place_bare(edit, &packed) });
    match options.fallback {
        true => edit.declare(NAME, false),
        false => edit.declare_guarded(NAME),
    }
    // A buffer of their own, as the draft draws it: who reads the fallback need not fetch the streams.
    let buffer = options.fallback.then(|| edit.push_buffer(Some("draco")));
    for stream in streams {
        list(edit, stream, buffer, &indices, options.dialect)?;
    }
    Ok(contents.iter().map(|c| indices[c]).collect())
}

fn place_bare<'s>(edit: &mut Edit<'_>, packed: &[&'s Stored]) -> Vec<(&'s Stored, usize)> {
    packed.iter().map(|c| (*c, edit.push("accessors", Value::Object(c.accessor())))).collect()
}

fn place_fallback<'s>(
    edit: &mut Edit<'_>,
    packed: &[&'s Stored],
    originals: &BTreeMap<&Stored, &Stored>,
) -> Vec<(&'s Stored, usize)> {
    let buffer = edit.push_buffer(Some("fallback"));
    let mut bytes = Vec::new();
    let mut objects = Vec::new();
    for content in packed {
        let mut object = Map::from_iter([("bufferView".to_owned(), json!(edit.next("bufferViews")))]);
        object.insert("byteOffset".into(), json!(bytes.len()));
        let original = originals.get(*content).unwrap_or(content);
        object.extend(original.accessor());
        bytes.extend_from_slice(&original.bytes);
        objects.push((*content, Value::Object(object)));
    }
    edit.push_view_in(Some(buffer), bytes, Map::new());
    objects.into_iter().map(|(content, object)| (content, edit.push("accessors", object))).collect()
}

/// Adds a stream to the extension's list.
fn list(
    edit: &mut Edit<'_>,
    stream: &Stream,
    buffer: Option<usize>,
    indices: &BTreeMap<&Stored, usize>,
    dialect: Dialect,
) -> Result<()> {
    let view = edit.push_view_in(buffer, stream.bytes()?, Map::new());
    let outputs: Vec<usize> = stream.outputs.iter().map(|(output, _)| indices[output]).collect();
    let ids: Vec<usize> = (1..=outputs.len()).collect();
    let key = if dialect == Dialect::Draft { "attributeId" } else { "attributesId" };
    let object = json!({ "input": indices[&stream.input], "outputs": outputs, key: ids, "bufferView": view });
    entries(edit.json(), dialect)?.push(object);
    Ok(())
}

/// The list of streams, made where there is none yet.
fn entries(json: &mut Value, dialect: Dialect) -> Result<&mut Vec<Value>> {
    let empty = if dialect == Dialect::Draft { json!({ "compressedAnimations": [] }) } else { json!([]) };
    let root = json.as_object_mut().expect("the root is an object");
    let extensions = root.entry("extensions").or_insert_with(|| json!({}));
    let listed = extensions.as_object_mut().map(|e| e.entry(NAME).or_insert(empty));
    let entries = match listed {
        Some(list @ Value::Array(_)) => list.as_array_mut(),
        Some(object) => object.get_mut("compressedAnimations").and_then(Value::as_array_mut),
        None => None,
    };
    let what = "is neither an array nor has `compressedAnimations`";
    entries.ok_or_else(|| Error::malformed(format!("/extensions/{NAME}"), what))
}
