//! The times of a clip's keys, the values of the tracks there, and the straight lines or parabolas between
//! them.

use super::{BuildError, Job, Source, SourceTrack, splines};
use crate::clip::{Target, bend, timing::Timing};
use crate::curve::{Curve, Interpolation, Location, largest_difference, locate};
use crate::quat;
use crate::skeleton::{BETWEEN, Moment, Motion, Skeleton, Track, compare, moments};
use alloc::{sync::Arc, vec::Vec};

/// The keys of a clip.
#[derive(Clone, Debug)]
pub(super) struct KeyTimes {
    pub(super) timing: Timing,
    /// Whether the clip follows parabolas from every other key to the next such key, instead of lines.
    pub(super) bends: bool,
    /// The deviation of curves through the keys from splines, as a share of the bound or tolerance.
    pub(super) stray: f64,
    /// The times of the keys, in seconds.
    pub(super) times: Vec<f64>,
    /// The times of keys in the curves that represent the clip: the clip's own, and halfway through turns of
    /// about half a circle.
    pub(super) clock: Vec<f64>,
    /// The times of `clock` as the curves hold them.
    pub(super) floats: Arc<[f32]>,
}

/// Neighbouring rotations get a key halfway if the cosine between their quaternions (of half the angle) is
/// smaller.
const FAR: f64 = 0.5;

impl KeyTimes {
    /// Fails if the limits do not allow so many keys.
    pub(super) fn new(job: &Job<'_>) -> Result<Self, BuildError> {
        match job.options.rate {
            Some(rate) => Self::at(job, Timing::even(duration(job.source), rate), false),
            None if job.source.tracks.iter().any(|track| track.curve.interpolation().is_spline()) => splines::keys(job),
            None => Self::at(job, Timing::Table(splines::own_times(job.source)), false),
        }
    }

    /// Fails if the limits do not allow so many keys. A clip with parabolas also fails if two keys are too
    /// close together, or if a rotation turns too far between them.
    pub(super) fn at(job: &Job<'_>, timing: Timing, bends: bool) -> Result<Self, BuildError> {
        if job.memory(timing.keys()) > job.options.limits.memory {
            return Err(BuildError::Limit("memory"));
        }
        let duration = duration(job.source);
        let times: Vec<f64> = (0..timing.keys()).map(|k| timing.time(k, duration)).collect();
        let (clock, floats) = (times.clone(), Arc::default());
        let mut keys = Self { timing, bends, stray: 0.0, times, clock, floats };
        for track in job.source.tracks.iter().filter(|track| track.target.is_rotation()) {
            let rows = keys.values(&track.target, track.curve);
            let pairs = rows.as_chunks::<4>().0.windows(2).zip(keys.times.windows(2));
            let far = pairs.filter(|(rows, _)| quat::dot(rows[0], rows[1]) < FAR);
            // A float, so that curves have exactly this time: at another one, a joint that turns so fast
            // would be elsewhere.
            keys.clock.extend(far.map(|(_, times)| f64::from(((times[0] + times[1]) / 2.0) as f32)));
        }
        keys.clock.sort_by(f64::total_cmp);
        // Times that are equal as floats count once.
        keys.clock.dedup_by_key(|time| *time as f32);
        if bends && keys.clock != keys.times {
            return Err(BuildError::Range);
        }
        keys.floats = keys.clock.iter().map(|time| *time as f32).collect();
        Ok(keys)
    }

    /// The largest deviation of curves through the keys from the source, as a share of the bound or
    /// tolerance.
    pub(super) fn strays(&self, job: &Job<'_>) -> f64 {
        let (lines, source) = (self.lines(job.source), job.source.motion());
        let played = job.source.played(&lines);
        // The middle alone is not enough: a curve may cross the line there.
        let moved = compare(&source, &played, job.probes, &moments(&[&source, &played], BETWEEN)).error();
        let others = job.source.tracks.iter().zip(&lines).filter(|(track, _)| spatial(track).is_none());
        let off = |(track, line): (&SourceTrack<'_>, &Curve)| {
            largest_difference(track.target.kind(), track.curve, line) / track.tolerance
        };
        others.map(off).fold(moved / job.bound, f64::max)
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// All tracks as a clip would play them that has their values at the keys.
    pub(super) fn lines(&self, source: &Source<'_>) -> Vec<Curve> {
        source.tracks.iter().map(|track| self.line(track)).collect()
    }

    /// The times at which the clip plays moments of the curves that represent it. The keys of those curves
    /// are at floats.
    pub(super) fn played_at(&self, moments: &[Moment]) -> Vec<f64> {
        let edges: Vec<f64> = moments.iter().filter(|m| m.left).map(|m| m.time).collect();
        let at = |Moment { time, left }: &Moment| match locate(&self.floats, *time) {
            // The last time before it at which the sampler can be called.
            _ if *left => libm::nextafter(*time, -1.0),
            _ if edges.binary_search_by(|edge| edge.total_cmp(time)).is_ok() => *time,
            Location::At(key) if f64::from(self.floats[key]) == *time => self.clock[key],
            Location::At(_) => *time,
            Location::Between { key, s, .. } => self.clock[key] + (self.clock[key + 1] - self.clock[key]) * s,
        };
        moments.iter().map(at).collect()
    }

    /// The values of a curve at the keys, row by row. Rotations do not jump to the opposite quaternion.
    pub(super) fn values(&self, target: &Target, curve: &Curve) -> Vec<f64> {
        let mut out = alloc::vec![0.0; curve.width() * self.len()];
        curve.sample_many(target.kind(), &self.times, &mut out);
        to_one_side(target, &mut out);
        out
    }

    /// A track as a clip would play it that has its values at the keys. Steps stay as they are.
    fn line(&self, track: &SourceTrack<'_>) -> Curve {
        let (width, rows) = (track.curve.width(), self.values(&track.target, track.curve));
        let line = match self.bends {
            true => bend::curve(&self.times, width, &rows),
            false => self.straight(&track.target, width, &rows),
        };
        line.filter(|_| track.curve.interpolation() != Interpolation::Step).unwrap_or_else(|| track.curve.clone())
    }

    /// Straight lines between rows of values. Rotations use slerp.
    fn straight(&self, target: &Target, width: usize, rows: &[f64]) -> Option<Curve> {
        let row = |time: &f64| {
            let next = self.times.partition_point(|key| key < time).min(self.len() - 1);
            let [before, after] = [next.saturating_sub(1), next].map(|key| &rows[key * width..(key + 1) * width]);
            let (from, to) = (self.times[next.saturating_sub(1)], self.times[next]);
            let s = if *time < to { (time - from) / (to - from) } else { 1.0 };
            let value = match (before.try_into(), after.try_into()) {
                (Ok(before), Ok(after)) if target.is_rotation() => quat::slerp_direct(before, after, s).to_vec(),
                _ => before.iter().zip(after).map(|(before, after)| before + (after - before) * s).collect(),
            };
            value.into_iter().map(|v| v as f32).collect::<Vec<_>>()
        };
        let values: Vec<f32> = self.clock.iter().flat_map(row).collect();
        Curve::new(Interpolation::Linear, width, self.floats.clone(), values).ok()
    }
}

/// Negates quaternions that lie on the other side of the sphere than the one before. Other values stay.
pub(super) fn to_one_side(target: &Target, rows: &mut [f64]) {
    let keys = rows.as_chunks_mut::<4>().0;
    for k in (1..keys.len()).filter(|_| target.is_rotation()) {
        keys[k] = quat::toward(keys[k - 1], keys[k]);
    }
}

/// The duration of the longest track, in seconds.
pub(super) fn duration(source: &Source<'_>) -> f32 {
    source.tracks.iter().map(|t| t.curve.end()).fold(0.0, f32::max)
}

/// The track as the skeleton holds it; `None` if it moves no points.
pub(super) fn spatial<'a>(track: &SourceTrack<'a>) -> Option<Track<'a>> {
    track.target.driven_by(track.curve)
}

/// The motion of a skeleton whose targets follow curves.
pub(super) fn motion<'a, 't>(
    skeleton: &'a Skeleton,
    curves: impl IntoIterator<Item = (&'t Target, &'a Curve)>,
) -> Motion<'a> {
    Motion::new(skeleton, curves.into_iter().filter_map(|(target, curve)| target.driven_by(curve)))
}
