//! One animation: what stays exact, what has its own bound, and the rest by the engine.

use super::{
    Context, SHORT,
    axes::splits,
    cost::deflated,
    cubic::shortened,
    exact::without_repeats,
    floats,
    properties::shrunk,
    storage::AnimationCodec,
    straight::{is_spline, straightened},
};
use crate::parallel::*;
use crate::{Animation, Monitor, Storage, Target, Track, scene::core_track};
use keyfold_core::engine::{self, Codec, Encoded, Executor, Job, Level};
use std::collections::BTreeMap;

/// What split tracks may take at most, as a share of what whole ones do: costs are not exact, and whole ones have fewer channels.
const WORTH: f64 = 0.98;

/// An animation as a reader will see it, and the codes of those tracks that the engine changed.
#[derive(Clone)]
pub(crate) struct PackedAnimation {
    pub(crate) animation: Animation,
    pub(crate) encoded: BTreeMap<Target, Encoded>,
}

impl PackedAnimation {
    /// An animation that stays as it is.
    pub(crate) fn untouched(animation: Animation) -> Self {
        Self { animation, encoded: BTreeMap::new() }
    }
}

/// The engine's work on all processors, until the monitor ends it.
struct Parallel<'a>(&'a dyn Monitor);

impl Executor for Parallel<'_> {
    fn map<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Send + Sync) -> Vec<T> {
        items.par_iter().map(run).collect()
    }

    fn is_cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// The animation, packed so that it stays within `bound` (scene units) as far as the engine can see: splines as they are or as straight pieces,
/// whichever is smaller.
pub(crate) fn pack_animation(context: &Context<'_>, animation: &Animation, bound: f64) -> PackedAnimation {
    let (curved, most) = pack_whole_or_split(context, animation, bound);
    if context.settings.level == Level::Fast {
        return curved;
    }
    let Some((straight, used)) = straightened(context, animation, bound) else { return curved };
    let (straight, cost) = pack_whole_or_split(context, &straight, bound - used);
    if cost < most + unwritten(context, &curved.animation) { straight } else { curved }
}

/// About what splines take that stay where they are, which costs do not count.
fn unwritten(context: &Context<'_>, animation: &Animation) -> usize {
    let stays = |track: &&Track| is_spline(track) && !context.replaces(track);
    let values = animation.tracks.iter().filter(stays).flat_map(|track| track.curve.values());
    deflated(&values.flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

/// The animation with its tracks as they are or, where the storage knows axes, split by them, whichever is smaller, and what it costs.
fn pack_whole_or_split(context: &Context<'_>, animation: &Animation, bound: f64) -> (PackedAnimation, usize) {
    let level = context.settings.level;
    let split = if context.splits() { splits(animation, |target| context.keeps(target)) } else { Vec::new() };
    if split.is_empty() {
        return pack_as_it_is(context, animation, bound, level);
    }
    // Of what is not short, a quick search tells which is smaller.
    let quick = if floats(animation) <= SHORT { level } else { Level::Fast };
    let found = |animation| (animation, pack_as_it_is(context, animation, bound, quick));
    let whole = found(animation);
    let most = WORTH * whole.1.1 as f64;
    let smaller = split.iter().map(found).filter(|(_, (_, cost))| (*cost as f64) < most);
    let (least, packed) = smaller.min_by_key(|(_, (_, cost))| *cost).unwrap_or(whole);
    if quick == level { packed } else { pack_as_it_is(context, least, bound, level) }
}

/// The animation with its tracks as they are, and what it costs.
fn pack_as_it_is(context: &Context<'_>, animation: &Animation, bound: f64, level: Level) -> (PackedAnimation, usize) {
    let base = exact_and_properties(context, animation);
    let (mut base, used) = if bound > 0.0 { shortened(context, &base, bound) } else { None }.unwrap_or((base, 0.0));
    let driven = base.tracks.iter().enumerate().filter_map(|(i, t)| Some((i, core_track(&t.target, &t.curve)?)));
    let (indices, tracks): (Vec<usize>, Vec<_>) = driven.unzip();
    let kept: Vec<bool> = indices.iter().map(|i| context.keeps(&base.tracks[*i].target)).collect();
    let job = Job {
        skeleton: context.scene.skeleton(),
        probe_radii: context.scene.shells(),
        tracks: &tracks,
        kept: &kept,
        end: base.duration(),
        bound: bound - used,
        level,
    };
    let codec = AnimationCodec { context, animation: &base, tracks: &indices };
    let found = engine::search(&job, &codec, &Parallel(context.monitor)).unwrap_or_else(|| vec![None; tracks.len()]);
    let cost = codec.cost(&found);
    let mut encoded = BTreeMap::new();
    for (index, track) in indices.into_iter().zip(found) {
        if let Some((track, curve)) = track.and_then(|track| track.curve().map(|curve| (track, curve))) {
            base.tracks[index].curve = curve;
            encoded.insert(base.tracks[index].target.clone(), track);
        }
    }
    (PackedAnimation { animation: base, encoded }, cost)
}

/// What needs no search.
fn exact_and_properties(context: &Context<'_>, animation: &Animation) -> Animation {
    let end = animation.duration();
    let tracks = animation.tracks.iter().map(|track| {
        if context.keeps(&track.target) {
            return track.clone();
        }
        // Draco's streams have a grid of their own for these: two roundings would be too many.
        let searched = track.target.moved_node().is_some() || context.settings.storage == Storage::Draco;
        let shrunk = if searched { None } else { shrunk(track, context.property_bound) };
        let track = shrunk.unwrap_or_else(|| track.clone());
        let track = track.without_half_turns().unwrap_or(track);
        without_repeats(&track, end).unwrap_or(track)
    });
    Animation { tracks: tracks.collect(), ..animation.clone() }
}
