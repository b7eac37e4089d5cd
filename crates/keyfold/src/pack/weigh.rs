//! What a document's animations weigh on the wire: their bytes and their JSON, after gzip or as they are, whatever the storage.

use super::Optimize;
use crate::{
    Document,
    document::{Draft, json::to_index, slice_of},
    extensions::{self, draco},
    inspect::hosts,
};
use miniz_oxide::deflate::{CompressionLevel, compress_to_vec};
use serde_json::Value;
use std::collections::BTreeSet;

/// What animations weigh: their JSON with their accessors and buffer views, and the bytes behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// As they are.
    pub raw: usize,
    /// After gzip at its best.
    pub gzip: usize,
}

impl Weight {
    /// The bytes that are minimized.
    pub fn of(&self, optimize: Optimize) -> usize {
        match optimize {
            Optimize::Gzip => self.gzip,
            Optimize::Raw => self.raw,
        }
    }
}

/// What a document's animations weigh.
pub fn weight(document: &Document) -> Weight {
    let content = gathered(document);
    Weight { raw: content.len(), gzip: gzipped(&content) }
}

/// What a whole document weighs as it will be on disk: its file, and each buffer that lies beside it.
pub(super) fn whole(draft: &Draft) -> Weight {
    let apart = draft.document().buffers_apart();
    let gzip =
        gzipped(&draft.contents().joined()) + apart.iter().map(|buffer| gzipped(&buffer.joined())).sum::<usize>();
    Weight { raw: draft.bytes() as usize, gzip }
}

/// How many bytes gzip at its best leaves.
fn gzipped(bytes: &[u8]) -> usize {
    compress_to_vec(bytes, CompressionLevel::BestCompression as u8).len() + GZIP
}

/// The bytes that gzip puts around what deflate makes: a header and a check.
const GZIP: usize = 18;

/// All bytes, and behind them the JSON. What cannot be read stays as it is: its bytes count neither before nor after.
fn gathered(document: &Document) -> Vec<u8> {
    let (json, mut content) = (document.to_json(), Vec::new());
    let animations = json.get("animations").unwrap_or(&Value::Null);
    let mut text = animations.to_string();
    let (mut accessors, mut views) = (BTreeSet::new(), BTreeSet::new());
    for sampler in animations.as_array().into_iter().flatten().flat_map(|a| a["samplers"].as_array()).flatten() {
        accessors.extend(["input", "output"].iter().filter_map(|key| sampler.get(key).and_then(to_index)));
    }
    let hosts = hosts(document, accessors.iter().copied());
    for index in accessors {
        let object = &json["accessors"][index];
        text += &object.to_string();
        for run in document.runs(index) {
            let Some(view) = document.run(run).ok().and_then(|run| run.view) else { continue };
            let compression = extensions::compression(document, view);
            if views.insert(view) {
                text += &json["bufferViews"][view].to_string();
                if let Some(object) = &compression {
                    slice_of(document, object).iter().for_each(|bytes| content.extend_from_slice(bytes));
                }
            }
            if compression.is_none() && hosts[&run] == run {
                document.run_bytes(run).iter().for_each(|bytes| content.extend_from_slice(bytes));
            }
        }
    }
    // Draco's streams are listed at the document's root.
    let streams = [draco::NAME, draco::OTHER_NAME].into_iter().filter_map(|name| json.get("extensions")?.get(name));
    let mut held = BTreeSet::new();
    views_in(animations, &mut held);
    for streams in streams {
        text += &streams.to_string();
        views_in(streams, &mut held);
    }
    for view in held {
        text += &json["bufferViews"][view].to_string();
        document.view(view).iter().for_each(|bytes| content.extend_from_slice(bytes));
    }
    content.extend_from_slice(text.as_bytes());
    content
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
