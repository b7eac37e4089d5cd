//! What a candidate costs on the wire: its accessors' bytes after deflate, and something for each object that JSON needs.

use super::Context;
use crate::{
    Storage,
    write::{ChannelForm, Stored, meshopt_bytes},
};
use flate2::{Compression, write::DeflateEncoder};
use std::{collections::BTreeSet, io::Write};

/// Bytes of JSON, compressed, that an accessor or a sampler takes.
const OBJECT: usize = 16;
/// A byte that is there but compresses away still has to be loaded.
const RAW_SHARE: usize = 64;

/// The cost of channels in a storage, in bytes after compression.
pub(crate) fn cost<'a>(channels: impl Iterator<Item = &'a ChannelForm>, context: &Context<'_>) -> usize {
    let (mut seen, mut contents, mut samplers) = (BTreeSet::new(), Vec::new(), 0);
    for sampler in channels.filter_map(|c| c.sampler.as_ref()) {
        samplers += 1;
        contents.extend([&sampler.input, &sampler.output].into_iter().filter(|stored| seen.insert(*stored)));
    }
    let bytes = match context.settings.storage {
        Storage::Meshopt => meshopt_bytes(&contents, context.settings.meshopt).unwrap_or_else(|_| plain(&contents)),
        Storage::Core | Storage::Quantization | Storage::Draco => plain(&contents),
    };
    deflated(&bytes) + bytes.len() / RAW_SHARE + (contents.len() + samplers) * OBJECT
}

fn plain(contents: &[&Stored]) -> Vec<u8> {
    let mut bytes = Vec::new();
    contents.iter().for_each(|stored| append(&mut bytes, stored));
    bytes
}

fn append(bytes: &mut Vec<u8>, stored: &Stored) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend_from_slice(&stored.bytes);
}

/// The length of bytes after deflate.
pub(crate) fn deflated(bytes: &[u8]) -> usize {
    let mut encoder = DeflateEncoder::new(Count(0), Compression::default());
    // Counting cannot fail.
    let counted = encoder.write_all(bytes).and_then(|()| encoder.finish());
    counted.map_or(bytes.len(), |count| count.0)
}

/// Counts what is written to it.
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
