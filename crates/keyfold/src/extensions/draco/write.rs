//! Storing a document's animations as Draco streams: the engine says how finely, `streams` what goes into which stream, `place` where it all
//! lies in the file.
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

/// Which of the two layouts of the extension is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The draft's text: an object with `compressedAnimations`, ids in `attributeId`.
    #[default]
    Draft,
    /// What the files and loaders of 2018 have: a bare array, ids in `attributesId`.
    Year2018,
}

/// How animations are to be compressed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// So many bits for every track, whatever that costs in precision.
    pub bits: Option<u8>,
    /// How streams are to be laid out.
    pub streams: StreamOptions,
}

/// How streams are to be laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StreamOptions {
    /// So many bits for times, where they stay strictly increasing; by default they stay exact or nearly so.
    pub time_bits: Option<u8>,
    /// Which layout to write.
    pub dialect: Dialect,
    /// Whether to keep the uncompressed data too, in a buffer of its own, for readers without the extension.
    pub fallback: bool,
}

/// Stores a document's animations as Draco streams: as few bits as the bound allows, or as many as are asked for, which may break it
/// ([`kept`](crate::kept) tells).
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

/// Every track that streams can hold on the tightest grid of so many bits; constant ones as one key.
fn with_bits(plain: &Document, bits: u8, options: &StreamOptions) -> Result<Document> {
    let planned = |animation: Animation| {
        let end = animation.duration();
        let whole = animation.tracks.into_iter().filter(|track| !is_component(plain.registry(), &track.target));
        let tracks = whole.map(|mut track| {
            if track.curve.is_constant()
                && let Ok(one) = Curve::constant(end, track.curve.value(0))
            {
                track.curve = one;
            }
            let grid = fits(&track).then(|| uniform(&track, bits)).flatten();
            (track, grid)
        });
        Planned { index: animation.index, tracks: tracks.collect(), dropped: BTreeSet::new() }
    };
    let planned: Vec<Planned> = read(plain)?.animations.into_iter().map(planned).collect();
    write(plain, &planned, true, options)
}

/// A document with its animations as streams, where those are smaller or `all` are wanted.
pub(crate) fn write(plain: &Document, planned: &[Planned], all: bool, options: &StreamOptions) -> Result<Document> {
    let streamed = streamed(planned, all, options)?;
    assemble(plain, &streamed.forms, |edit, contents| place(edit, contents, &streamed, options))
}

/// The tracks of an animation, each with its grid where it may go into a stream.
pub(crate) struct Planned {
    pub(crate) index: usize,
    pub(crate) tracks: Vec<(Track, Option<Gridded>)>,
    /// The channels that are replaced though no track of theirs is left.
    pub(crate) dropped: BTreeSet<usize>,
}

/// Whether a stream can hold a track. The field for components is a byte, and older readers take it as signed.
pub(crate) fn fits(track: &Track) -> bool {
    track.curve.keys() > 1 && components(&track.curve) <= 127 && !track.target.is_exact()
}
