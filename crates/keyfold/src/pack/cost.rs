//! The transfer size of a candidate: its accessors' bytes and an approximation of their JSON, after deflate.

use super::{Context, Level, Optimize, Options, Purpose};
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

/// The window size of deflate.
const WINDOW: f64 = 32768.0;
/// Bytes that compress away still have to be loaded, so this many of them cost one.
const RAW_SHARE: usize = 64;

/// The cost in bytes, compressed unless raw bytes are minimized. `bytes` count `times` times, `json` once.
pub(crate) fn cost(wire: Wire, times: f64, context: &Context<'_>) -> usize {
    if times == 1.0 {
        return priced(&wire.content(context), context);
    }
    // Repetitions are `times` times as far apart in the whole; deflate finds only those in its window.
    let near = (WINDOW / times) as usize;
    let bytes: usize = wire.bytes.chunks(near.max(1)).map(|near| priced(near, context)).sum();
    (bytes as f64 * times) as usize + priced(wire.counted_json(context), context)
}

/// Whether the cost is more than `most`. Compression stops as soon as that is certain.
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

/// How bytes are compressed before they are counted. A fast run compares a single plan with the original, for
/// which fast compression suffices.
fn compression(context: &Context<'_>) -> Option<CompressionLevel> {
    let Options { keep_keys, level, optimize, .. } = context.options;
    match (level, context.purpose) {
        _ if *keep_keys || *optimize == Optimize::Raw => None,
        (Level::Fast, Purpose::Document) => Some(CompressionLevel::BestSpeed),
        _ => Some(CompressionLevel::DefaultLevel),
    }
}

/// What animations add to a file.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) bytes: Vec<u8>,
    /// Approximately what describes the bytes.
    pub(crate) json: String,
}

impl Wire {
    /// The JSON that counts: none if the storage is fixed (`keep_keys`) or for slices of long animations.
    fn counted_json(&self, context: &Context<'_>) -> &[u8] {
        let counts = !context.options.keep_keys && context.purpose != (Purpose::Estimate { sliced: true });
        if counts { self.json.as_bytes() } else { &[] }
    }

    fn content(&self, context: &Context<'_>) -> Vec<u8> {
        [&self.bytes, self.counted_json(context)].concat()
    }
}

/// What channels add to a file, equal contents and samplers once. `place` turns the contents into bytes.
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
    // Offsets are approximate: some contents are part of others.
    let mut offset = 0;
    let accessors = contents.into_iter().map(|content| {
        let object = content.accessor(Some((0, offset)));
        offset += content.bytes.len();
        object.into()
    });
    let json = channel_json.into_iter().chain(sampler_json).chain(accessors);
    Wire { bytes, json: Value::Array(json.collect()).to_string() }
}

/// Contents as plain bytes, in the order of the file where the compressor can see it.
pub(crate) fn plain(contents: &[&Stored], context: &Context<'_>) -> Vec<u8> {
    let sorts = matches!(compression(context), Some(CompressionLevel::DefaultLevel));
    let order = if sorts { alike(contents) } else { (0..contents.len()).collect() };
    Plain::new(contents, &order).bytes
}

/// The length of bytes after deflate.
pub(crate) fn deflated(bytes: &[u8]) -> usize {
    compress_to_vec(bytes, CompressionLevel::DefaultLevel as u8).len()
}
