//! What a candidate costs on the wire: its accessors' bytes and about the JSON that they need, after deflate.

use super::{Context, Level, Optimize};
use crate::write::{ChannelForm, Stored, alike};
use miniz_oxide::deflate::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A byte that is there but compresses away still has to be loaded.
const RAW_SHARE: usize = 64;

/// The cost of what is on the wire, in bytes after compression; before it in a fast run, and where those are to be few.
pub(crate) fn cost(wire: Wire, context: &Context<'_>) -> usize {
    let Wire { mut bytes, json } = wire;
    // Who asks for a storage alone is not asked whether its JSON pays.
    if context.settings.keep_keys {
        return bytes.len();
    }
    // In a fast run there is one plan to hold against the original: no reason to compress both.
    if context.settings.level == Level::Fast || context.settings.optimize == Optimize::Raw {
        return bytes.len() + json.len();
    }
    let raw = bytes.len() / RAW_SHARE;
    if !context.sliced {
        bytes.extend_from_slice(json.as_bytes());
    }
    deflated(&bytes) + raw
}

/// What animations put on the wire.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) bytes: Vec<u8>,
    /// About what describes them.
    pub(crate) json: String,
}

/// What channels put on the wire where `place` makes bytes of what their accessors hold.
pub(crate) fn wire(channels: &[ChannelForm], place: impl FnOnce(&[&Stored]) -> Vec<u8>) -> Wire {
    let (mut seen, mut contents) = (BTreeMap::new(), Vec::new());
    let mut text = String::new();
    for (index, channel) in channels.iter().enumerate() {
        let own = channel.extension_sampler.as_ref().map(|(_, sampler)| sampler);
        let Some(sampler) = channel.sampler.as_ref().or(own) else { continue };
        let [input, output] = [&sampler.input, &sampler.output].map(|stored| {
            *seen.entry(stored).or_insert_with(|| {
                contents.push(stored);
                contents.len()
            })
        });
        let json = json!([{ "sampler": index, "target": channel.target, "extensions": channel.extensions },
            { "input": input, "output": output }]);
        text += &json.to_string();
    }
    let bytes = place(&contents);
    let mut offset = 0;
    for content in contents {
        text += &format!("\"byteOffset\":{offset},{}", Value::Object(content.accessor()));
        offset += content.bytes.len();
    }
    Wire { bytes, json: text }
}

pub(crate) fn plain(contents: &[&Stored]) -> Vec<u8> {
    let mut bytes = Vec::new();
    alike(contents).into_iter().for_each(|index| append(&mut bytes, contents[index]));
    bytes
}

fn append(bytes: &mut Vec<u8>, stored: &Stored) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend_from_slice(&stored.bytes);
}

/// The length of bytes after deflate.
pub(crate) fn deflated(bytes: &[u8]) -> usize {
    compress_to_vec(bytes, CompressionLevel::DefaultLevel as u8).len()
}
