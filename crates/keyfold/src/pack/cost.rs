//! What a candidate costs on the wire: its accessors' bytes and about the JSON that they need, after deflate.

use super::{Context, Level, Optimize, Purpose, Settings};
use crate::write::{ChannelForm, Plain, Stored, alike};
use miniz_oxide::{
    DataFormat,
    deflate::{
        CompressionLevel, compress_to_vec,
        core::{CompressorOxide, TDEFLFlush, TDEFLStatus, compress},
    },
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How far back deflate looks.
const WINDOW: f64 = 32768.0;
/// A byte that is there but compresses away still has to be loaded.
const RAW_SHARE: usize = 64;

/// The cost of what is on the wire, in bytes after compression, or before it where those are to be few. Bytes stand for `times` as many, JSON for itself.
pub(crate) fn cost(wire: Wire, times: f64, context: &Context<'_>) -> usize {
    if times == 1.0 {
        return priced(&wire.content(context), context);
    }
    // What repeats in samples lies so many times as far apart in the whole, and deflate looks back no farther than its window.
    let near = (WINDOW / times) as usize;
    let bytes: usize = wire.bytes.chunks(near.max(1)).map(|near| priced(near, context)).sum();
    (bytes as f64 * times) as usize + priced(wire.counted_json(context), context)
}

/// Whether what is on the wire costs more than `most`. Of what does by far, no more is compressed than it takes to see that.
pub(crate) fn exceeds(wire: Wire, most: usize, context: &Context<'_>) -> bool {
    let content = wire.content(context);
    let Some(level) = compression(context) else { return content.len() > most };
    let Some(most) = most.checked_sub(content.len() / RAW_SHARE) else { return true };
    let mut compressor = CompressorOxide::with_format_and_level(DataFormat::Raw, level);
    let (status, ..) = compress(&mut compressor, &content, &mut vec![0; most], TDEFLFlush::Finish);
    status != TDEFLStatus::Done
}

fn priced(content: &[u8], context: &Context<'_>) -> usize {
    let deflated = |level| compress_to_vec(content, level as u8).len() + content.len() / RAW_SHARE;
    compression(context).map_or(content.len(), deflated)
}

/// How bytes are compressed before they are counted. In a fast run there is one plan to hold against the original: a quick look tells.
fn compression(context: &Context<'_>) -> Option<CompressionLevel> {
    let Settings { keep_keys, level, optimize, .. } = context.settings;
    match (level, context.purpose) {
        _ if *keep_keys || *optimize == Optimize::Raw => None,
        (Level::Fast, Purpose::Document) => Some(CompressionLevel::BestSpeed),
        _ => Some(CompressionLevel::DefaultLevel),
    }
}

/// What animations put on the wire.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) bytes: Vec<u8>,
    /// About what describes them.
    pub(crate) json: String,
}

impl Wire {
    /// The JSON that counts: who asks for a storage alone is not asked whether its JSON pays, and next to slices of longer animations it is nothing.
    fn counted_json(&self, context: &Context<'_>) -> &[u8] {
        let counts = !context.settings.keep_keys && context.purpose != (Purpose::Estimate { sliced: true });
        if counts { self.json.as_bytes() } else { &[] }
    }

    /// All that counts.
    fn content(&self, context: &Context<'_>) -> Vec<u8> {
        [&self.bytes, self.counted_json(context)].concat()
    }
}

/// What channels put on the wire where `place` makes bytes of what their accessors hold. Equal contents and samplers stand there once, as in a file.
pub(crate) fn wire(channels: &[ChannelForm], place: impl FnOnce(&[&Stored]) -> Vec<u8>) -> Wire {
    let (mut seen, mut contents, mut samplers) = (BTreeMap::new(), Vec::new(), BTreeMap::new());
    let (mut channel_json, mut sampler_json) = (Vec::new(), Vec::new());
    for channel in channels {
        let own = channel.extension_sampler.as_ref().map(|(_, sampler)| sampler);
        let Some(sampler) = channel.sampler.as_ref().or(own) else { continue };
        let [input, output] = [&sampler.input, &sampler.output].map(|stored| {
            *seen.entry(stored).or_insert_with(|| {
                contents.push(stored);
                contents.len()
            })
        });
        let next = samplers.len();
        let index = *samplers.entry((input, output, sampler.interpolation)).or_insert_with(|| {
            sampler_json.push(json!({ "input": input, "output": output }));
            next
        });
        let mut object = json!({ "sampler": index, "target": channel.target });
        if !channel.extensions.is_empty() {
            object["extensions"] = Value::Object(channel.extensions.clone());
        }
        channel_json.push(object);
    }
    let bytes = place(&contents);
    // About: some contents lie in others.
    let mut offset = 0;
    let accessors = contents.into_iter().map(|content| {
        let object = content.accessor(Some((0, offset)));
        offset += content.bytes.len();
        object.into()
    });
    let json = channel_json.into_iter().chain(sampler_json).chain(accessors);
    Wire { bytes, json: Value::Array(json.collect()).to_string() }
}

/// Contents as they are: in the order in which they will stand, where compression sees it.
pub(crate) fn plain(contents: &[&Stored], context: &Context<'_>) -> Vec<u8> {
    let sorts = matches!(compression(context), Some(CompressionLevel::DefaultLevel));
    let order = if sorts { alike(contents) } else { (0..contents.len()).collect() };
    Plain::new(contents, &order).bytes
}

/// The length of bytes after deflate.
pub(crate) fn deflated(bytes: &[u8]) -> usize {
    compress_to_vec(bytes, CompressionLevel::DefaultLevel as u8).len()
}
