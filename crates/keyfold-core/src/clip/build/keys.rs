//! When a clip's keys are, and the values of the tracks there.

use super::{BuildError, Job, Source, SourceTrack, memory};
use crate::clip::timing::Timing;
use crate::clip::{NodeProperty, Target};
use crate::curve::bezier::{bezier, largest, straight};
use crate::curve::{Interpolation, Kind};
use crate::quat;
use crate::skeleton::{Motion, Property, Track};
use alloc::vec::Vec;
use core::ops::Range;

/// The keys of a clip.
#[derive(Clone, Debug)]
pub(super) struct KeyTimes {
    pub(super) timing: Timing,
    pub(super) duration: f32,
    /// Seconds.
    pub(super) times: Vec<f64>,
}

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
        let times = (0..timing.keys()).map(|k| timing.time(k, duration)).collect();
        Ok(Self { timing, duration, times })
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// The keys around `t` (the same one twice where there is but one), and how far between them it lies.
    pub(super) fn around(&self, t: f64) -> (usize, usize, f64) {
        let last = self.len() - 1;
        let key = self.times.partition_point(|k| *k <= t).saturating_sub(1).min(last.saturating_sub(1));
        let next = (key + 1).min(last);
        let span = self.times[next] - self.times[key];
        (key, next, if span > 0.0 { ((t - self.times[key]) / span).clamp(0.0, 1.0) } else { 0.0 })
    }

    /// A track's values at the keys, row by row; rotations without jumps from one side of the sphere to the other.
    pub(super) fn values(&self, track: &SourceTrack<'_>) -> Vec<f64> {
        self.values_in(track, 0..self.len())
    }

    /// The same of some keys.
    pub(super) fn values_in(&self, track: &SourceTrack<'_>, keys: Range<usize>) -> Vec<f64> {
        let (width, count) = (track.curve.width(), keys.len());
        let mut out = alloc::vec![0.0; width * count];
        track.curve.sample_many(kind(&track.target), &self.times[keys], &mut out);
        if track.target.is_rotation() {
            for k in 1..count {
                let (before, after) = out.split_at_mut(k * 4);
                let dot: f64 = (0..4).map(|i| before[k * 4 - 4 + i] * after[i]).sum();
                if dot < 0.0 {
                    after[..4].iter_mut().for_each(|c| *c = -*c);
                }
            }
        }
        out
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
    let (node, property, axis) = moved(&track.target)?;
    Some(Track { node, property, axis, curve: track.curve })
}

/// The node, property and axis that a target moves, where it moves points.
pub(super) fn moved(target: &Target) -> Option<(usize, Property, Option<usize>)> {
    let Target::Node(node, property) = target else { return None };
    let (property, axis) = match *property {
        NodeProperty::Translation => (Property::Translation, None),
        NodeProperty::Rotation => (Property::Rotation, None),
        NodeProperty::Scale => (Property::Scale, None),
        NodeProperty::TranslationAxis(axis) => (Property::Translation, Some(axis.into())),
        NodeProperty::ScaleAxis(axis) => (Property::Scale, Some(axis.into())),
        NodeProperty::Weights => return None,
    };
    Some((*node as usize, property, axis))
}

/// The motion of the source's curves themselves.
pub(super) fn motion<'a>(source: &Source<'a>) -> Motion<'a> {
    Motion::new(source.skeleton, source.tracks.iter().filter_map(spatial))
}
