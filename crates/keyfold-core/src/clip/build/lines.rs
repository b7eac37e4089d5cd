//! Tracks that run straight from key to key: a clip as it plays, and what a source is when it is resampled. What is proven of the one against the
//! other holds between keys, too.

use super::keys::{KeyTimes, moved, spatial};
use super::measure::put;
use super::{Job, SourceTrack};
use crate::clip::track::{Form, Track};
use crate::clip::{Clip, Pose, Sampler};
use crate::curve::bezier::{bezier, largest, straight};
use crate::curve::{Curve, Interpolation, Kind};
use crate::quat;
use crate::skeleton::{Moment, Moving, Pace, Property, Skeleton, Transform};
use alloc::{borrow::Cow, vec, vec::Vec};

/// Everything that moves points, between the keys of a clip.
pub(super) struct Lines<'a> {
    skeleton: &'a Skeleton,
    keys: &'a KeyTimes,
    nodes: Vec<Vec<Line<'a>>>,
}

struct Line<'a> {
    property: Property,
    axis: Option<usize>,
    values: Values<'a>,
}

/// The values of a track.
pub(super) enum Values<'a> {
    /// At each of the clip's keys, row by row.
    Keys(Vec<f64>),
    Steps(Cow<'a, Curve>),
}

impl<'a> Lines<'a> {
    /// What a clip plays. Floats round a little as they blend: that is not in here.
    pub(super) fn played(job: &Job<'a>, keys: &'a KeyTimes, clip: &Clip<'_>) -> Self {
        let mut lines = Self::none(job, keys);
        for (track, values) in played(keys, clip) {
            if let Some((node, property, axis)) = moved(track.target()) {
                lines.nodes[node].push(Line { property, axis, values });
            }
        }
        lines
    }

    /// The source with straight lines between its values at the keys, rotations by slerp; steps exact.
    pub(super) fn resampled(job: &Job<'a>, keys: &'a KeyTimes) -> Self {
        let mut lines = Self::none(job, keys);
        for track in job.source.tracks {
            let Some(moved) = spatial(track) else { continue };
            let values = match track.curve.interpolation() {
                Interpolation::Step => Values::Steps(Cow::Borrowed(track.curve)),
                _ => Values::Keys(keys.values(track)),
            };
            lines.nodes[moved.node].push(Line { property: moved.property, axis: moved.axis, values });
        }
        lines
    }

    fn none(job: &Job<'a>, keys: &'a KeyTimes) -> Self {
        let skeleton = job.source.skeleton;
        Self { skeleton, keys, nodes: (0..skeleton.len()).map(|_| Vec::new()).collect() }
    }

    fn steps(&self) -> impl Iterator<Item = &Curve> {
        self.nodes.iter().flatten().filter_map(|line| match &line.values {
            Values::Steps(curve) => Some(&**curve),
            Values::Keys(_) => None,
        })
    }
}

/// The values of all tracks of a clip.
fn played<'c>(keys: &KeyTimes, clip: &'c Clip<'c>) -> Vec<(&'c Track, Values<'static>)> {
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    let mut steps = clip.directory.steps.iter();
    let mut out: Vec<(&Track, Values<'_>)> = Vec::new();
    for track in clip.tracks() {
        let step = if track.form == Form::Step { steps.next() } else { None };
        let curve = step.and_then(|step| {
            Curve::new(Interpolation::Step, track.range().len(), step.times.clone(), step.values.clone()).ok()
        });
        out.push((track, curve.map_or(Values::Keys(Vec::new()), |curve| Values::Steps(Cow::Owned(curve)))));
    }
    for time in &keys.times {
        sampler.sample(*time, &mut pose);
        for (track, values) in &mut out {
            if let Values::Keys(rows) = values {
                rows.extend(pose.value(track).iter().map(|v| f64::from(*v)));
            }
        }
    }
    out
}

/// Two neighbours with a smaller cosine between them lie on different sides of the sphere: the sampler's rule.
const LONG_WAY: f64 = -0.1;

impl Line<'_> {
    fn at(&self, keys: &KeyTimes, moment: &Moment, out: &mut Vec<f64>) {
        match &self.values {
            Values::Steps(curve) => {
                out.resize(curve.width(), 0.0);
                let sample = if moment.left { Curve::sample_left } else { Curve::sample };
                sample(curve, Kind::Vector, moment.time, out);
            }
            Values::Keys(rows) => {
                let width = rows.len() / keys.len();
                let (key, next, s) = keys.around(moment.time);
                let (a, b) = (&rows[key * width..][..width], &rows[next * width..][..width]);
                out.clear();
                match (self.property, a, b) {
                    (Property::Rotation, [ax, ay, az, aw], [bx, by, bz, bw]) => {
                        let (a, b) = ([*ax, *ay, *az, *aw], [*bx, *by, *bz, *bw]);
                        let (a, b) = (quat::normalize(a), quat::normalize(b));
                        let b = if quat::dot(a, b) < LONG_WAY { quat::negate(b) } else { b };
                        out.extend(quat::slerp_direct(a, b, s));
                    }
                    _ => out.extend(a.iter().zip(b).map(|(a, b)| a + (b - a) * s)),
                }
            }
        }
    }
}

impl Moving for Lines<'_> {
    fn skeleton(&self) -> &Skeleton {
        self.skeleton
    }

    fn animates(&self, node: usize) -> bool {
        !self.nodes[node].is_empty()
    }

    fn transforms(&self, node: usize, moments: &[Moment]) -> Vec<Transform> {
        let mut out = vec![*self.skeleton.rest(node); moments.len()];
        let mut value = Vec::new();
        for line in &self.nodes[node] {
            for (local, moment) in out.iter_mut().zip(moments) {
                line.at(self.keys, moment, &mut value);
                put(local, line.property, line.axis, &value);
            }
        }
        out
    }

    fn pace(&self, _: usize) -> Pace<'_> {
        Pace::STEADY
    }

    fn keys(&self) -> [Vec<f64>; 3] {
        let steps: Vec<f64> = self.steps().flat_map(|curve| curve.times()).map(|t| f64::from(*t)).collect();
        let pairs = self.keys.times.windows(2).filter(|pair| (pair[0] as f32).next_up() >= pair[1] as f32);
        let edges = pairs.map(|pair| pair[0]).collect();
        [[self.keys.times.as_slice(), &steps].concat(), steps, edges]
    }
}

/// How far a curve lies from the straight lines between `rows`, a row for each of the clip's keys, at most; for what is no rotation.
pub(super) fn farthest_from(keys: &KeyTimes, track: &SourceTrack<'_>, rows: &[f64]) -> f64 {
    let width = track.curve.width();
    let mut times: Vec<f64> = track.curve.times().iter().map(|t| f64::from(*t)).collect();
    times.extend(&keys.times);
    times.sort_by(f64::total_cmp);
    let line = |t: f64, c: usize| {
        let (key, next, s) = keys.around(t);
        let (a, b) = (rows[key * width + c], rows[next * width + c]);
        a + (b - a) * s
    };
    let gaps = times.windows(2).filter(|w| (w[0] as f32).next_up() < w[1] as f32);
    let off = gaps.flat_map(|w| {
        (0..width).map(move |c| {
            let (curve, line) = (bezier(track.curve, c, w[0], w[1]), straight(line(w[0], c), line(w[1], c)));
            largest([0, 1, 2, 3].map(|i| curve[i] - line[i]))
        })
    });
    off.fold(0.0, f64::max)
}

/// The rows of a clip's keyed tracks that move no points and are no rotations, each with the number of its track among the clip's.
pub(super) fn numbers(keys: &KeyTimes, clip: &Clip<'_>) -> Vec<(usize, Vec<f64>)> {
    let all = played(keys, clip).into_iter().enumerate();
    let numbers = all.filter_map(|(i, (track, values))| match values {
        Values::Keys(rows) if moved(track.target()).is_none() && !track.target().is_rotation() => Some((i, rows)),
        _ => None,
    });
    numbers.collect()
}
