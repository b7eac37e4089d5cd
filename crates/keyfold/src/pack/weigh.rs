//! The transfer size of a document's animations in any storage: their bytes and JSON, raw or after gzip.

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

/// The size of animations: their JSON with accessors and buffer views, and the bytes behind them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Uncompressed.
    pub raw: usize,
    /// After gzip at its best level.
    pub gzip: usize,
}

impl Weight {
    /// The size that is minimized.
    pub fn of(&self, optimize: Optimize) -> usize {
        match optimize {
            Optimize::Gzip => self.gzip,
            Optimize::Raw => self.raw,
        }
    }
}

/// The size of a document's animations.
pub fn weight(document: &Document) -> Weight {
    let content = gathered(document);
    Weight { raw: content.len(), gzip: gzipped(&content) }
}

/// Files of up to this size are also compared as a whole. For larger ones that would take long.
pub(super) const WHOLE: u64 = 1 << 20;

/// The size of a whole document as on disk: its file and all buffers in files of their own.
pub(super) fn whole(draft: &Draft) -> Weight {
    let apart = draft.document().buffers_apart();
    let gzip =
        gzipped(&draft.contents().joined()) + apart.iter().map(|buffer| gzipped(&buffer.joined())).sum::<usize>();
    Weight { raw: draft.bytes() as usize, gzip }
}

/// The size after gzip at its best level.
fn gzipped(bytes: &[u8]) -> usize {
    compress_to_vec(bytes, CompressionLevel::BestCompression as u8).len() + GZIP
}

/// The size of gzip's header and checksum around deflate's output.
const GZIP: usize = 18;

/// All bytes, followed by the JSON. Data that cannot be read is not counted: it stays as it is.
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

/// Collects the buffer views in which extensions on animations hold their own data.
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
