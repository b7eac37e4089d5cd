//! When a clip's keys are, the values of the tracks there, and the straight lines between them.

use super::{BuildError, Job, Source, SourceTrack, memory};
use crate::clip::timing::Timing;
use crate::clip::{NodeProperty, Target};
use crate::curve::bezier::{bezier, largest, straight};
use crate::curve::{Curve, Interpolation, Kind, Location, locate};
use crate::quat;
use crate::skeleton::{Motion, Property, Track};
use alloc::{sync::Arc, vec::Vec};

/// The keys of a clip.
#[derive(Clone, Debug)]
pub(super) struct KeyTimes {
    pub(super) timing: Timing,
    pub(super) duration: f32,
    /// Seconds.
    pub(super) times: Vec<f64>,
    /// When the curves have keys that stand for what a clip plays: at its own, and halfway through turns so far that which way round they go
    /// hangs on little.
    pub(super) clock: Vec<f64>,
    /// The same as curves have it.
    pub(super) floats: Arc<[f32]>,
}

/// Neighbouring rotations with a smaller cosine (of half the angle) between them get a key halfway.
const FAR: f64 = 0.5;

impl KeyTimes {
    /// An error where the limits leave no room for so many keys.
    pub(super) fn new(job: &Job<'_>) -> Result<Self, BuildError> {
        let (source, options) = (job.source, job.options);
        let duration = duration(source);
        let timing = match options.rate {
            Some(rate) => Timing::Even { rate, keys: even_keys(duration, rate) },
            None => Timing::Table(own_times(job)?),
        };
        if memory(source, timing.keys()) > options.limits.memory {
            return Err(BuildError::Limit("memory"));
        }
        let times: Vec<f64> = (0..timing.keys()).map(|k| timing.time(k, duration)).collect();
        let mut keys = Self { timing, duration, times, clock: Vec::new(), floats: Arc::default() };
        keys.clock = keys.times.clone();
        for track in source.tracks.iter().filter(|track| track.target.is_rotation()) {
            let rows = keys.values(track);
            let far = |k: &usize| (0..4).map(|c| rows[k * 4 + c] * rows[k * 4 + 4 + c]).sum::<f64>() < FAR;
            let middles = (0..keys.len() - 1).filter(far).map(|k| (keys.times[k] + keys.times[k + 1]) / 2.0);
            keys.clock.extend(middles);
        }
        keys.clock.sort_by(f64::total_cmp);
        // What floats cannot tell apart counts once.
        keys.clock.dedup_by_key(|time| *time as f32);
        keys.floats = keys.clock.iter().map(|time| *time as f32).collect();
        Ok(keys)
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// When a clip plays what the curves that stand for it have at `t`.
    pub(super) fn unrounded(&self, t: f64) -> f64 {
        match locate(&self.floats, t) {
            Location::At(key) => self.clock[key],
            Location::Between { key, s, .. } => self.clock[key] + (self.clock[key + 1] - self.clock[key]) * s,
        }
    }

    /// A track's values at the keys, row by row; rotations without jumps from one side of the sphere to the other.
    pub(super) fn values(&self, track: &SourceTrack<'_>) -> Vec<f64> {
        let mut out = alloc::vec![0.0; track.curve.width() * self.len()];
        track.curve.sample_many(kind(&track.target), &self.times, &mut out);
        if track.target.is_rotation() {
            for k in 1..self.len() {
                let (before, after) = out.split_at_mut(k * 4);
                let dot: f64 = (0..4).map(|i| before[k * 4 - 4 + i] * after[i]).sum();
                if dot < 0.0 {
                    after[..4].iter_mut().for_each(|c| *c = -*c);
                }
            }
        }
        out
    }

    /// A track as straight lines between its values at the keys, rotations by slerp; steps as they are.
    pub(super) fn line(&self, track: &SourceTrack<'_>) -> Curve {
        let (width, rows) = (track.curve.width(), self.values(track));
        let row = |time: &f64| {
            let next = self.times.partition_point(|key| key < time);
            let (a, b) = (if self.times[next] > *time { next - 1 } else { next }, next);
            (0..width).map(|c| (rows[a * width + c] / 2.0 + rows[b * width + c] / 2.0) as f32).collect::<Vec<_>>()
        };
        let values: Vec<f32> = self.clock.iter().flat_map(row).collect();
        let line = Curve::new(Interpolation::Linear, width, self.floats.clone(), values);
        line.ok().filter(|_| track.curve.interpolation() != Interpolation::Step).unwrap_or_else(|| track.curve.clone())
    }
}

/// How long the longest track lasts, in seconds.
pub(super) fn duration(source: &Source<'_>) -> f32 {
    source.tracks.iter().map(|t| t.curve.end()).fold(0.0, f32::max)
}

/// How many keys `rate` a second take to reach the end, where the last one always is. A remainder of a thousandth of a
/// span is rounding of the times.
pub(super) fn even_keys(duration: f32, rate: f32) -> usize {
    (libm::ceil(f64::from(duration) * f64::from(rate) - 1e-3).max(0.0) as usize).saturating_add(1)
}

/// How a target's values blend.
pub(super) fn kind(target: &Target) -> Kind {
    if target.is_rotation() { Kind::Rotation } else { Kind::Vector }
}

/// All keys of the curves that blend, and as many more as cubic ones need to be followed by straight lines.
fn own_times(job: &Job<'_>) -> Result<Vec<f32>, BuildError> {
    let source = job.source;
    let mut times: Vec<f32> = Vec::from([0.0]);
    for track in source.tracks.iter().filter(|t| t.curve.interpolation() != Interpolation::Step) {
        times.extend(track.curve.times().iter().filter(|t| **t > 0.0));
        times.extend(source.tracks.iter().map(|t| t.curve.end()).max_by(f32::total_cmp));
        if track.curve.interpolation() != Interpolation::Linear {
            let allowed = tolerance(job, track);
            for w in track.curve.times().windows(2) {
                split(track, w[0], w[1], allowed, 0, &mut times);
                if memory(source, times.len()) / 4 > job.options.limits.memory {
                    return Err(BuildError::Limit("memory"));
                }
            }
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    Ok(times)
}

/// How far a component of a curve may be off by straight lines: a tenth of the bound, at the farthest point it moves.
fn tolerance(job: &Job<'_>, track: &SourceTrack<'_>) -> f64 {
    match spatial(track) {
        Some(_) => 0.1 * job.bound() / job.reach_of(track).max(1e-9),
        None => 0.1 * track.tolerance,
    }
}

/// Halves a span until the curve lies near enough to the line.
fn split(track: &SourceTrack<'_>, from: f32, to: f32, allowed: f64, depth: u32, times: &mut Vec<f32>) {
    let middle = from + (to - from) / 2.0;
    if depth == 12 || middle <= from || middle >= to {
        return;
    }
    let (start, end) = (f64::from(from), f64::from(to));
    let off = match track.target.is_rotation() {
        true => [0.25, 0.5, 0.75].into_iter().map(|s| turned(track, start, end, s)).fold(0.0, f64::max),
        false => (0..track.curve.width()).map(|c| bulge(track, c, start, end)).fold(0.0, f64::max),
    };
    if off > allowed {
        times.push(middle);
        split(track, from, middle, allowed, depth + 1, times);
        split(track, middle, to, allowed, depth + 1, times);
    }
}

/// How far a rotation is turned from the even turn between two times, `s` of the way.
fn turned(track: &SourceTrack<'_>, from: f64, to: f64, s: f64) -> f64 {
    let sample = |t: f64| {
        let mut q = [0.0; 4];
        track.curve.sample(Kind::Rotation, t, &mut q);
        q
    };
    quat::angle(quat::slerp(sample(from), sample(to), s), sample(from + (to - from) * s))
}

/// How far a component bulges from the straight line between two times.
fn bulge(track: &SourceTrack<'_>, component: usize, from: f64, to: f64) -> f64 {
    let curve = bezier(track.curve, component, from, to);
    let line = straight(curve[0], curve[3]);
    largest([0, 1, 2, 3].map(|i| curve[i] - line[i]))
}

/// The track as the skeleton knows it, where it moves points.
pub(super) fn spatial<'a>(track: &SourceTrack<'a>) -> Option<Track<'a>> {
    driven(&track.target, track.curve)
}

/// What a curve moves when it drives a target, where that moves points.
pub(super) fn driven<'a>(target: &Target, curve: &'a Curve) -> Option<Track<'a>> {
    let Target::Node(node, property) = target else { return None };
    let (property, axis) = match *property {
        NodeProperty::Translation => (Property::Translation, None),
        NodeProperty::Rotation => (Property::Rotation, None),
        NodeProperty::Scale => (Property::Scale, None),
        NodeProperty::TranslationAxis(axis) => (Property::Translation, Some(axis.into())),
        NodeProperty::ScaleAxis(axis) => (Property::Scale, Some(axis.into())),
        NodeProperty::Weights => return None,
    };
    Some(Track { node: *node as usize, property, axis, curve })
}

/// The motion of the source's curves themselves.
pub(super) fn motion<'a>(source: &Source<'a>) -> Motion<'a> {
    Motion::new(source.skeleton, source.tracks.iter().filter_map(spatial))
}
