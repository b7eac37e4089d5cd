//! What a document's animations weigh on the wire: their bytes and their JSON after gzip, whatever the storage.

use crate::{Document, Result, document::json::to_index};
use flate2::{Compression, write::GzEncoder};
use serde_json::Value;
use std::{collections::BTreeSet, io::Write};

/// The length, after gzip at its best, of the animations' JSON with their accessors and buffer views, and of the bytes behind them.
pub fn gzip_bytes(document: &Document) -> Result<usize> {
    let mut content = Vec::new();
    gather(document, &mut content)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let length = encoder.write_all(&content).and_then(|()| encoder.finish()).map_or(content.len(), |z| z.len());
    Ok(length)
}

fn gather(document: &Document, content: &mut Vec<u8>) -> Result<()> {
    let json = document.to_json();
    let animations = json.get("animations").unwrap_or(&Value::Null);
    let mut text = animations.to_string();
    let (mut accessors, mut views) = (BTreeSet::new(), BTreeSet::new());
    for sampler in animations.as_array().into_iter().flatten().flat_map(|a| a["samplers"].as_array()).flatten() {
        accessors.extend(["input", "output"].iter().filter_map(|key| sampler.get(key).and_then(to_index)));
    }
    for index in accessors {
        let object = &json["accessors"][index];
        text += &object.to_string();
        let Some(view) = object.get("bufferView").and_then(to_index) else { continue };
        let compressed = crate::extensions::compresses(document, view);
        if views.insert(view) {
            text += &json["bufferViews"][view].to_string();
            if compressed {
                content.extend_from_slice(&stored(document, view)?);
            }
        }
        if !compressed {
            content.extend_from_slice(&document.elements(index)?.bytes);
        }
    }
    // Draco's streams are listed at the document's root.
    let streams = json.pointer("/extensions/Draco_animation_compression").unwrap_or(&Value::Null);
    if !streams.is_null() {
        text += &streams.to_string();
    }
    let mut held = BTreeSet::new();
    [animations, streams].into_iter().for_each(|value| views_in(value, &mut held));
    for view in held {
        text += &json["bufferViews"][view].to_string();
        content.extend_from_slice(&document.view(view)?);
    }
    content.extend_from_slice(text.as_bytes());
    Ok(())
}

/// The buffer views that extensions on animations hold their own data in.
fn views_in(value: &Value, views: &mut BTreeSet<usize>) {
    match value {
        Value::Object(members) => {
            views.extend(members.get("bufferView").and_then(to_index));
            members.values().for_each(|v| views_in(v, views));
        }
        Value::Array(elements) => elements.iter().for_each(|v| views_in(v, views)),
        _ => {}
    }
}

/// The bytes behind a compressed buffer view.
fn stored(document: &Document, view: usize) -> Result<Vec<u8>> {
    let object = document.element("bufferViews", view)?;
    for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        if let Some(object) = object.extension(name)? {
            return Ok(crate::document::slice_of(document, &object)?.to_vec());
        }
    }
    Ok(Vec::new())
}
