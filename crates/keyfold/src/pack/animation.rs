//! Packs one animation: what stays exact, what has a bound of its own, and the rest by the engine.

use super::{
    Context, Purpose, SHORT,
    axes::{split_as_asked, splits},
    cost::deflated,
    exact::without_repeats,
    floats,
    properties::shrunk,
    storage::AnimationCodec,
    straight::straightened,
};
use crate::parallel::*;
use crate::{Animation, Interpolation, Monitor, Target, Track, diff::undefined, scene::core_track};
use keyfold_core::{
    curve::Curve,
    engine::{self, Before, Choice, Codec, Encoded, Executor, Job, Level},
};
use std::collections::BTreeMap;

/// The approximate size of a channel's JSON after gzip, which costs leave out if keys stay.
const CHANNEL: usize = 24;
/// Split tracks must cost at most this share of whole ones: costs are inexact, and they have more channels.
const WORTH: f64 = 0.98;

/// An animation as a reader will see it, and the codes of the tracks that the engine changed.
#[derive(Clone)]
pub(crate) struct PackedAnimation {
    pub(crate) animation: Animation,
    pub(crate) encoded: BTreeMap<Target, Box<Encoded>>,
    /// The bound that it was packed within, in scene units.
    pub(crate) bound: f64,
    /// The engine's choice, if made for the tracks as they were.
    choice: Option<Choice>,
}

impl PackedAnimation {
    pub(crate) fn untouched(animation: Animation) -> Self {
        Self { animation, encoded: BTreeMap::new(), bound: 0.0, choice: None }
    }

    /// Moves the keys of constant tracks to one time, which animations then share: the end of a pose if
    /// possible, else the start of motion, mostly 0. They stay if keys are to stay or no moving track reaches
    /// the animation's end.
    fn held_together(mut self, context: &Context<'_>) -> Self {
        if context.options.keep_keys {
            return self;
        }
        let (moving, end) = (self.animation.tracks.iter().filter(|t| t.curve.keys() > 1), self.animation.duration());
        let ends = moving.clone().any(|track| track.curve.end() >= end);
        let Some(start) = moving.map(|track| track.curve.start()).min_by(f32::total_cmp).filter(|_| ends) else {
            return self;
        };
        // Where times are integers, a time that is no multiple of their step would make them all floats.
        let may_share = |time: &f32| !context.codec().rounds_times && (start..=end).contains(time);
        let shared = context.pose_end.filter(may_share).unwrap_or(start);
        for track in self.animation.tracks.iter_mut().filter(|t| t.curve.keys() == 1 && !context.keeps(&t.target)) {
            let curve = &track.curve;
            track.curve = Curve::new(curve.interpolation(), curve.width(), [shared], curve.values())
                .expect("a key may be at any time at which another is");
            if let Some(encoded) = self.encoded.get_mut(&track.target) {
                encoded.times = track.curve.shared_times().clone();
            }
        }
        self
    }

    /// The new curve of a track if the engine changed it.
    fn curve(&self, index: usize) -> Option<&Curve> {
        let track = self.animation.tracks.get(index)?;
        self.encoded.contains_key(&track.target).then_some(&track.curve)
    }
}

/// Runs the engine's work on all processors until the monitor cancels it.
struct Parallel<'a>(&'a dyn Monitor);

impl Executor for Parallel<'_> {
    fn map<I: Sync, T: Send>(&self, items: &[I], run: impl Fn(&I) -> T + Send + Sync) -> Vec<T> {
        items.par_iter().map(run).collect()
    }

    fn is_cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// Packs an animation within `bound` (scene units) as far as the engine measures it. Keeps the smaller of
/// splines as they are and as straight pieces.
pub(crate) fn pack_animation(context: &Context<'_>, animation: &Animation, bound: f64) -> PackedAnimation {
    let (curved, most) = pack_whole_or_split(context, animation, bound);
    if context.options.level == Level::Fast || context.options.keep_keys {
        return curved;
    }
    let Some((straight, used)) = straightened(context, animation, bound) else { return curved };
    let (straight, cost) = pack_whole_or_split(context, &straight, bound - used);
    let straight = PackedAnimation { bound, choice: None, ..straight };
    let [cost, most] = [(cost, &straight), (most, &curved)].map(|(c, p)| c + unwritten(context, &p.animation));
    if cost < most { straight } else { curved }
}

/// Packs an animation again within a smaller bound, with the same choice if it was made for these tracks.
pub(crate) fn pack_again(
    context: &Context<'_>,
    animation: &Animation,
    bound: f64,
    before: &PackedAnimation,
) -> PackedAnimation {
    let again = || pack_as_it_is(context, animation, bound, context.options.level, Some(before)).0;
    let found = before.choice.is_some().then(again).filter(|packed| packed.choice.is_some());
    found.unwrap_or_else(|| pack_animation(context, animation, bound))
}

/// The approximate size of the tracks that are not rewritten, which costs leave out.
pub(super) fn unwritten(context: &Context<'_>, animation: &Animation) -> usize {
    let stay = animation.tracks.iter().filter(|track| !context.replaces(track));
    let values = stay.flat_map(|track| track.curve.values());
    deflated(&values.flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

/// Packs an animation with whole tracks or, if smaller, split by axis. Also returns the cost.
fn pack_whole_or_split(context: &Context<'_>, animation: &Animation, bound: f64) -> (PackedAnimation, usize) {
    let level = context.options.level;
    if !context.codec().has_single_axes {
        return pack_as_it_is(context, animation, bound, level, None);
    }
    let animation = &split_as_asked(context, animation);
    let split = if context.splits() { splits(context, animation) } else { Vec::new() };
    if split.is_empty() {
        return pack_as_it_is(context, animation, bound, level, None);
    }
    // For longer animations, a quick search tells which is smaller.
    let quick = if floats([animation]) <= SHORT { level } else { Level::Fast };
    let json = if context.options.keep_keys { CHANNEL } else { 0 };
    let found = |animation| {
        let (packed, cost) = pack_as_it_is(context, animation, bound, quick, None);
        (animation, (packed, cost + json * animation.tracks.len()))
    };
    let whole = found(animation);
    let most = WORTH * whole.1.1 as f64;
    let smaller = split.iter().map(found).filter(|(_, (_, cost))| (*cost as f64) < most);
    let (least, packed) = smaller.min_by_key(|(_, (_, cost))| *cost).unwrap_or(whole);
    let (packed, cost) = if quick == level { packed } else { pack_as_it_is(context, least, bound, level, None) };
    let choice = packed.choice.filter(|_| std::ptr::eq(least, animation));
    (PackedAnimation { choice, ..packed }, cost)
}

/// Packs an animation with its tracks as they are; also returns the cost. `before` is a result that measured
/// over the bound.
fn pack_as_it_is(
    context: &Context<'_>,
    animation: &Animation,
    bound: f64,
    level: Level,
    before: Option<&PackedAnimation>,
) -> (PackedAnimation, usize) {
    let mut base = exact_and_properties(context, animation);
    let undefined: Vec<usize> = undefined(&base).map(|(index, _)| index).collect();
    let driven = base.tracks.iter().enumerate().filter_map(|(i, t)| Some((i, core_track(&t.target, &t.curve)?)));
    let (indices, tracks): (Vec<usize>, Vec<_>) = driven.unzip();
    // If most tracks move linearly, the fixed times of steps and splines would only hinder compensation.
    let moving = tracks.iter().filter(|track| track.curve.keys() > 1).map(|track| track.curve.interpolation());
    let (lines, others): (Vec<_>, Vec<_>) = moving.partition(|form| *form == Interpolation::Linear);
    let beside_lines = !context.options.keep_keys && lines.len() > others.len();
    let keeps = |index: &usize| {
        let Track { target, curve, .. } = &base.tracks[*index];
        let known = context.takes(curve.interpolation()) && !undefined.contains(index);
        context.keeps(target) || !known || beside_lines && curve.interpolation() != Interpolation::Linear
    };
    let curve = |index: &usize| keeps(index).then_some(&base.tracks[*index].curve);
    let settled: Vec<Option<&Curve>> = indices.iter().map(curve).collect();
    let job = Job {
        skeleton: context.scene.skeleton(),
        probe_radii: context.scene.probe_radii(),
        tracks: &tracks,
        settled: &settled,
        weights: &[],
        end: base.duration(),
        bound,
        level,
        keeps_keys: context.options.keep_keys,
        shares_times: context.codec().shares_times,
        is_estimate: context.purpose != Purpose::Document,
    };
    let codec = AnimationCodec { context, animation: &base, tracks: &indices };
    let curves: Vec<Option<&Curve>> = indices.iter().map(|index| before?.curve(*index)).collect();
    let before = before.and_then(|before| Some(Before { choice: before.choice.as_ref()?, curves: &curves }));
    let Some(found) = engine::search(&job, &codec, &Parallel(context.monitor), before) else {
        let cost = codec.cost(&vec![None; tracks.len()], 1.0);
        return (PackedAnimation::untouched(base).held_together(context), cost);
    };
    let mut encoded = BTreeMap::new();
    for (index, track) in indices.into_iter().zip(found.tracks) {
        if let Some((track, curve)) = track.and_then(|track| track.curve().map(|curve| (track, curve))) {
            base.tracks[index].curve = curve;
            encoded.insert(base.tracks[index].target.clone(), Box::new(track));
        }
    }
    let packed = PackedAnimation { animation: base, encoded, bound: found.choice.bound(), choice: Some(found.choice) };
    (packed.held_together(context), found.cost)
}

fn exact_and_properties(context: &Context<'_>, animation: &Animation) -> Animation {
    let end = animation.duration();
    let tracks = animation.tracks.iter().map(|track| {
        if context.keeps(&track.target) {
            return track.clone();
        }
        let searched = track.target.moved_node().is_some() || context.codec().has_property_grids;
        let shrunk = if searched { None } else { shrunk(track, context) };
        let track = shrunk.unwrap_or_else(|| track.clone());
        let track = track.without_half_turns().unwrap_or(track);
        let may_shorten = !context.options.keep_keys || track.curve.is_constant();
        without_repeats(&track, end).filter(|_| may_shorten).unwrap_or(track)
    });
    Animation { tracks: tracks.collect(), ..animation.clone() }
}
