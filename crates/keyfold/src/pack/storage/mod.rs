//! Storages as the engine's codecs: one file each, listed in [`of`].

mod core_gltf;
mod draco;
mod meshopt;
mod quantization;
mod stream;

use super::{
    Context, Optimize,
    cost::{Wire, cost, exceeds},
};
use crate::{
    Animation, Document, Interpolation, Result, Storage, Target, Track,
    document::Edit,
    validate::UNIT_TOLERANCE,
    write::{AnimationForm, ChannelForm, Place, Stored, assemble},
};
use keyfold_core::{
    engine::{self, Codec, Encoded, Grid},
    skeleton,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// A storage as a codec: what the engine and the writer ask of it.
pub(crate) struct StorageCodec {
    /// The grid of values for a track, with quantization steps of at most about the given size.
    grid: fn(&engine::Track, f64, &Context<'_>) -> Grid,
    /// The grid from which a constant's value is chosen, given the error that it may have.
    constant: fn(&engine::Track, f64) -> Grid,
    /// The interpolations that it has grids for. Other tracks keep their values. CUBICSPLINE has core's grids unless
    /// keys stay, because only those are coarser for tangents than for values.
    pub(crate) takes: &'static [Interpolation],
    /// Whether short clips skip plans with key times per track, because times cost too much.
    pub(crate) shares_times: bool,
    /// Whether a channel may drive one axis of a vector.
    pub(crate) has_single_axes: bool,
    /// Whether times may be rounded in their last bit.
    pub(crate) rounds_times: bool,
    /// Whether channels may be addressed by JSON pointers.
    pub(crate) has_pointers: bool,
    /// Whether tracks that move no points have grids of their own. They must not be rounded twice.
    pub(crate) has_property_grids: bool,
    /// Whether poses may borrow values from tracks that move (`poses`).
    pub(crate) lends: bool,
    /// Whether arrays may be sparse accessors.
    pub(crate) has_sparse: bool,
    /// Whether `convert` stores tracks without loss. If not, it keeps their keys and the bound.
    pub(crate) converts_exactly: bool,
    /// What the tracks of animations add to a file.
    pub(crate) wire: fn(&[Entry<'_>], &Context<'_>) -> Result<Wire>,
    /// Writes a document with its animations' tracks replaced. [`Place`] may make uncompressed arrays sparse.
    pub(crate) write: fn(&Document, &[Rewritten<'_>], &Context<'_>, Place) -> Result<Document>,
}

pub(crate) fn of(storage: Storage) -> &'static StorageCodec {
    match storage {
        Storage::Core => &core_gltf::CODEC,
        Storage::Draco => &draco::CODEC,
        Storage::Meshopt => &meshopt::CODEC,
        Storage::Quantization => &quantization::CODEC,
        Storage::Stream => &stream::CODEC,
    }
}

/// The largest step for rotations of splines, which readers do not normalize: half a step in each of four
/// components changes a quaternion's length by at most one step.
const UNIT_STEP: f64 = 0.99 * UNIT_TOLERANCE;

/// By how many steps values may leave their original range.
const MARGIN: f64 = 3.0;

/// The step of a value's components for a track's `step`. A quaternion's components hold half angles.
fn component_step(track: &engine::Track, step: f64) -> f64 {
    match track.property {
        skeleton::Property::Rotation if track.is_spline() => (step / 2.0).min(UNIT_STEP),
        skeleton::Property::Rotation => step / 2.0,
        skeleton::Property::Translation | skeleton::Property::Scale => step,
    }
}

/// A track to be written, and what the engine made of it.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) track: &'a Track,
    pub(crate) encoded: Option<&'a Encoded>,
}

impl<'a> Entry<'a> {
    pub(crate) fn times(&self) -> &'a [f32] {
        self.encoded.map_or_else(|| self.track.curve.times(), |encoded| &encoded.times)
    }

    /// The values that a reader gets.
    fn values(&self) -> Cow<'a, [f32]> {
        self.encoded.map_or_else(|| Cow::Borrowed(self.track.curve.values()), |encoded| Cow::Owned(encoded.values()))
    }

    fn interpolation(&self) -> Interpolation {
        self.encoded.map_or_else(|| self.track.curve.interpolation(), |encoded| encoded.interpolation)
    }
}

pub(crate) struct Rewritten<'a> {
    /// Its index in the document.
    pub(crate) index: usize,
    pub(crate) replaces: BTreeSet<usize>,
    pub(crate) entries: Vec<Entry<'a>>,
}

/// Creates channels from tracks independently of each other.
fn one_by_one(
    channel: impl Fn(&Entry<'_>) -> Result<ChannelForm>,
) -> impl Fn(&[Entry<'_>]) -> Result<Vec<ChannelForm>> {
    move |entries| entries.iter().map(&channel).collect()
}

/// Writes animations with the given channels; `place` stores the contents of their accessors.
fn write_channels(
    document: &Document,
    context: &Context<'_>,
    animations: &[Rewritten<'_>],
    channels: impl Fn(&[Entry<'_>]) -> Result<Vec<ChannelForm>>,
    place: impl FnOnce(&mut Edit<'_>, &[&Stored], &[AnimationForm]) -> Result<Vec<usize>>,
) -> Result<Document> {
    let form = |Rewritten { index, replaces, entries }: &Rewritten<'_>| {
        let (replaces, channels) = (replaces.clone(), channels(entries)?);
        // If equal samplers were merged, later numbers would shift, and animations would not repeat text.
        let repeats_samplers = animations.len() > 1 && context.options.optimize == Optimize::Gzip;
        Ok(AnimationForm { index: *index, replaces, channels, repeats_samplers })
    };
    let forms = animations.iter().map(form).collect::<Result<Vec<_>>>()?;
    assemble(document, &forms, |edit, contents| place(edit, contents, &forms))
}

/// The tracks of an animation that are written, each with what the engine made of it.
pub(crate) fn entries<'a>(
    context: &Context<'_>,
    animation: &'a Animation,
    encoded: &'a BTreeMap<Target, Box<Encoded>>,
) -> Vec<Entry<'a>> {
    let written = animation.tracks.iter().filter(|track| context.replaces(track));
    written.map(|track| Entry { track, encoded: encoded.get(&track.target).map(Box::as_ref) }).collect()
}

pub(crate) struct AnimationCodec<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) animation: &'a Animation,
    /// For each of the engine's tracks, its index in the animation.
    pub(crate) tracks: &'a [usize],
}

impl Codec for AnimationCodec<'_> {
    fn grid(&self, track: &engine::Track, step: f64) -> Grid {
        // Only core has coarser grids for tangents than values. If keys stay, the requested storage is used.
        let is_core = track.interpolation == Interpolation::CubicSpline && !self.context.options.keep_keys;
        let form = if is_core { &core_gltf::CODEC } else { self.context.codec() };
        (form.grid)(track, step, self.context)
    }

    fn constant(&self, track: &engine::Track, budget: f64) -> Grid {
        (self.context.codec().constant)(track, budget)
    }

    fn cost(&self, tracks: &[Option<Encoded>], times: f64) -> usize {
        self.context.tried();
        self.wire(tracks).map_or(usize::MAX, |wire| cost(wire, times, self.context))
    }

    fn exceeds(&self, tracks: usize, bytes: usize) -> bool {
        self.wire(&vec![None; tracks]).map_or(true, |wire| exceeds(wire, bytes, self.context))
    }
}

impl AnimationCodec<'_> {
    fn wire(&self, tracks: &[Option<Encoded>]) -> Result<Wire> {
        let mut encoded: Vec<Option<&Encoded>> = vec![None; self.animation.tracks.len()];
        self.tracks.iter().zip(tracks).for_each(|(index, track)| encoded[*index] = track.as_ref());
        let entries = self.animation.tracks.iter().zip(encoded).map(|(track, encoded)| Entry { track, encoded });
        let entries: Vec<Entry<'_>> = entries.filter(|entry| self.context.replaces(entry.track)).collect();
        (self.context.codec().wire)(&entries, self.context)
    }
}
