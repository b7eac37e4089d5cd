//! Stores a document's animations as Draco streams. The engine chooses grids, `streams` distributes tracks among
//! streams, `place` puts them into the file.
//!
//! Constant tracks become one key.

use super::{
    grids::{Gridded, components, uniform},
    place::place,
    streams::streamed,
};
use crate::{
    Animation, Bound, Changed, Curve, Document, Monitor, Result, Track,
    convert::{Searched, with_keys_kept},
    read,
    retarget::is_component,
    unpack_storage,
    write::assemble,
};
use std::collections::BTreeSet;

/// The two layouts of the extension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The draft's text: an object with `compressedAnimations`, ids in `attributeId`.
    #[default]
    Draft,
    /// The layout of files and loaders from 2018: a bare array, ids in `attributesId`.
    Year2018,
}

/// Options for compressing animations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The number of bits for every track, at any error.
    pub bits: Option<u8>,
    /// The layout of streams.
    pub streams: StreamOptions,
}

/// Options for the layout of streams.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamOptions {
    /// The number of bits for times, where they stay strictly increasing. By default they stay exact or nearly so.
    pub time_bits: Option<u8>,
    /// The layout.
    pub dialect: Dialect,
    /// Whether to keep the uncompressed data as well, in a buffer of its own, for readers without the extension.
    pub fallback: bool,
}

/// Stores a document's animations as Draco streams, with as few bits as the bound allows. A given number of bits may
/// break the bound ([`kept`](crate::kept) checks).
pub fn compress(document: &Document, max_error: Bound, options: &Options) -> Result<Changed> {
    compress_with(document, max_error, options, &())
}

/// Like [`compress`], with progress and cancellation.
pub fn compress_with(
    document: &Document,
    max_error: Bound,
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<Changed> {
    let Changed { document: plain, findings } = unpack_storage(document)?;
    let document = match options.bits {
        Some(bits) => with_bits(&plain, bits, &options.streams)?,
        None => with_keys_kept(&plain, max_error, Searched::Draco(&options.streams), monitor)?,
    };
    Ok(Changed { document, findings })
}

/// Puts every track that streams can hold on the tightest grid of so many bits. Constant tracks become one key.
fn with_bits(plain: &Document, bits: u8, options: &StreamOptions) -> Result<Document> {
    let planned = |animation: Animation| {
        let end = animation.duration();
        let whole = animation.tracks.into_iter().filter(|track| !is_component(plain.registry(), &track.target));
        let tracks = whole.map(|mut track| {
            let one = Curve::constant(end, track.curve.value(0)).ok().filter(|_| track.curve.is_constant());
            track.curve = one.unwrap_or(track.curve);
            let grid = fits(&track).then(|| uniform(&track, bits)).flatten();
            (track, grid)
        });
        Planned { index: animation.index, tracks: tracks.collect(), dropped: BTreeSet::new() }
    };
    let planned: Vec<Planned> = read(plain)?.animations.into_iter().map(planned).collect();
    write(plain, &planned, true, options)
}

/// A document with its animations in streams where those are smaller, or with `all` in streams.
pub(crate) fn write(plain: &Document, planned: &[Planned], all: bool, options: &StreamOptions) -> Result<Document> {
    let streamed = streamed(planned, all, options)?;
    assemble(plain, &streamed.forms, |edit, contents| place(edit, contents, &streamed, options))
}

/// The tracks of an animation, each with its grid if it may go into a stream.
pub(crate) struct Planned {
    pub(crate) index: usize,
    pub(crate) tracks: Vec<(Track, Option<Gridded>)>,
    /// Channels that are replaced even if they have no track left.
    pub(crate) dropped: BTreeSet<usize>,
}

/// Whether a stream can hold a track. Its number of components is a byte, which older decoders take as signed.
pub(crate) fn fits(track: &Track) -> bool {
    track.curve.keys() > 1 && components(&track.curve) <= 127 && !track.target.is_exact()
}
