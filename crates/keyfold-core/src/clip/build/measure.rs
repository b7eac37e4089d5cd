//! What was written against what it should be: everywhere on the time line, through the sampler that will play it.

use super::keys::{KeyTimes, kind, motion, spatial};
use super::lines::{self, Lines};
use super::plan::Plan;
use super::room::Room;
use super::{Job, SourceTrack};
use crate::clip::track::Track;
use crate::clip::{Clip, Pose, Sampler};
use crate::curve::Interpolation;
use crate::quat;
use crate::skeleton::{
    Affine, BETWEEN, BLOCK, Deviation, Moment, Motion, Moving, Part, Poses, Proof, Property, Skeleton, Transform,
    moments, prove_where,
};
use alloc::{borrow::Cow, vec, vec::Vec};

/// Floats of a size have steps of their own: so much of it.
const FLOAT: f64 = 1e-6;
/// Bytes of reference poses that are kept between tries; the others are computed again each time.
const KEPT: usize = 32 << 20;

/// What a clip is measured against.
pub(super) struct Reference<'a> {
    job: &'a Job<'a>,
    keys: &'a KeyTimes,
    motion: Motion<'a>,
    /// The moments at which errors are measured.
    moments: Vec<Moment>,
    /// The reference at the clip's keys.
    pub(super) at_keys: Poses,
    /// The reference at the first of `moments`, block by block, as far as memory is spent on it.
    kept: Vec<Poses>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(job: &'a Job<'a>, keys: &'a KeyTimes) -> Self {
        let motion = motion(job.source);
        let at_keys = Poses::new(&motion, &keys.times.iter().map(|t| Moment::at(*t)).collect::<Vec<_>>());
        let mut all = between(keys, BETWEEN);
        // Steps stay where they are, and curves that keep their own keys are compared at those.
        all.extend(moments(&[&motion], if job.options.rate.is_some() { 0 } else { BETWEEN }));
        all.sort_by(|a, b| a.time.total_cmp(&b.time).then(b.left.cmp(&a.left)));
        all.dedup();
        let mut reference = Self { job, keys, motion, moments: all, at_keys, kept: Vec::new() };
        let blocks = KEPT / (BLOCK * size_of::<Affine>() * job.source.probes.len().max(1));
        reference.kept = reference.moments.chunks(BLOCK).take(blocks).map(|block| reference.poses(block)).collect();
        reference
    }

    /// At how many moments errors are measured.
    pub(super) fn moments(&self) -> usize {
        self.moments.len()
    }

    /// What the clip should play at `moments`.
    fn poses(&self, moments: &[Moment]) -> Poses {
        match self.job.options.rate {
            Some(_) => resampled(self.job, self.keys, moments),
            None => Poses::new(&self.motion, moments),
        }
    }

    /// All moments in blocks, with the reference at them.
    fn blocks(&self) -> impl Iterator<Item = (&[Moment], Cow<'_, Poses>)> {
        self.moments
            .chunks(BLOCK)
            .enumerate()
            .map(|(i, block)| (block, self.kept.get(i).map_or_else(|| Cow::Owned(self.poses(block)), Cow::Borrowed)))
    }

    /// The largest error of the resampling alone.
    pub(super) fn resampling(&self) -> f64 {
        if self.job.options.rate.is_none() {
            return 0.0;
        }
        let mut deviation = Deviation::none(self.job.source.probes.len());
        for (block, reference) in self.blocks() {
            deviation.add(&Poses::new(&self.motion, block), &reference, self.job.source.probes, block);
        }
        deviation.error()
    }

    /// How far a clip lies from the animation as it was, resampling and all.
    pub(super) fn total(&self, clip: &Clip<'_>) -> f64 {
        let (skeleton, probes) = (self.job.source.skeleton, self.job.source.probes);
        let mut deviation = Deviation::none(probes.len());
        for block in self.moments.chunks(BLOCK) {
            deviation.add(&Poses::new(&self.motion, block), &decoded(skeleton, clip, block), probes, block);
        }
        deviation.error()
    }

    /// The largest error of a clip. Where it is over the bound, the joints that carry the point have less room next time.
    pub(super) fn error(&self, clip: &Clip<'_>, room: &mut Room) -> f64 {
        let (skeleton, bound) = (self.job.source.skeleton, self.job.bound());
        let (mut worst, mut errors) = (0.0f64, vec![0.0f64; skeleton.len()]);
        for (block, reference) in self.blocks() {
            let poses = decoded(skeleton, clip, block);
            for (i, moment) in block.iter().enumerate() {
                for probe in self.job.source.probes {
                    let squared = probe.squared_distance(reference.global(probe.a, i), poses.global(probe.b, i));
                    errors[probe.a] = libm::sqrt(squared);
                }
                let key = self.keys.times.partition_point(|t| *t <= moment.time).saturating_sub(1);
                for probe in self.job.source.probes {
                    worst = worst.max(errors[probe.a]);
                    let above = skeleton.parent(probe.a).is_some_and(|p| errors[p] > bound);
                    if errors[probe.a] > bound && !above {
                        room.charge(skeleton, probe.a, key, errors[probe.a] / bound);
                    }
                }
            }
        }
        room.tighten();
        worst
    }

    /// How far a clip lies from the reference, everywhere: proven of the straight lines between its keys. What floats round as they blend is
    /// added as far as it was seen.
    pub(super) fn proof(&self, clip: &Clip<'_>) -> Proof {
        let (skeleton, probes) = (self.job.source.skeleton, self.job.source.probes);
        let played = Lines::played(self.job, self.keys, clip);
        let each = |parts: usize, part: &(dyn Fn(usize) -> Part + Sync)| (0..parts).map(part).collect();
        let mut proof = match self.job.options.rate {
            Some(_) => prove_where(&Lines::resampled(self.job, self.keys), &played, probes, |_| false, each),
            None => prove_where(&self.motion, &played, probes, |_| false, each),
        };
        let mut rounding = Deviation::none(probes.len());
        for block in self.moments.chunks(BLOCK) {
            let ideal = Poses::with(skeleton, block.len(), |node| match played.animates(node) {
                true => played.transforms(node, block).iter().map(Affine::from_transform).collect(),
                false => vec![*skeleton.rest_local(node)],
            });
            rounding.add(&ideal, &decoded(skeleton, clip, block), probes, block);
        }
        proof.possible += rounding.error();
        proof
    }

    /// Whether what moves no points keeps within its tolerances.
    pub(super) fn others_hold(&self, plan: &Plan, clip: &Clip<'_>) -> bool {
        let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
        let tracks: Vec<(usize, &Track)> = plan.tracks.iter().zip(clip.tracks()).map(|(p, t)| (p.source, t)).collect();
        let tracks = || tracks.iter().filter(|(i, _)| spatial(&self.job.source.tracks[*i]).is_none());
        tracks().next().is_none()
            || (self.moments.iter().filter(|m| !m.left).all(|moment| {
                sampler.sample(moment.time, &mut pose);
                tracks().all(|(i, track)| self.other_holds(*i, moment.time, pose.value(track)))
            }) && self.splines_hold(plan, clip))
    }

    /// Whether splines that move no points stay near the straight lines that stand for them, between the moments that are looked at, too.
    fn splines_hold(&self, plan: &Plan, clip: &Clip<'_>) -> bool {
        let is_spline = |t: &SourceTrack<'_>| t.curve.interpolation() == Interpolation::CubicSpline;
        if self.job.options.rate.is_some() || !self.job.source.tracks.iter().any(is_spline) {
            return true;
        }
        let tracks = lines::numbers(self.keys, clip).into_iter();
        let tracks = tracks.map(|(i, rows)| (&self.job.source.tracks[plan.tracks[i].source], rows));
        tracks.filter(|(track, _)| is_spline(track)).all(|(track, rows)| {
            let largest = rows.iter().fold(0.0, |m: f64, v| m.max(libm::fabs(*v)));
            lines::farthest_from(self.keys, track, &rows) <= track.tolerance + FLOAT * largest
        })
    }

    fn other_holds(&self, track: usize, t: f64, value: &[f32]) -> bool {
        let track = &self.job.source.tracks[track];
        let mut expected = vec![0.0; track.curve.width()];
        let step = track.curve.interpolation() == Interpolation::Step;
        match self.job.options.rate {
            Some(_) if !step => {
                let (key, next, s) = self.keys.around(t);
                let (mut a, mut b) = (expected.clone(), expected.clone());
                track.curve.sample(kind(&track.target), self.keys.times[key], &mut a);
                track.curve.sample(kind(&track.target), self.keys.times[next], &mut b);
                blend(track.target.is_rotation(), &a, &b, s, &mut expected);
            }
            _ => track.curve.sample(kind(&track.target), t, &mut expected),
        }
        let allowed = |e: f64| track.tolerance + FLOAT * libm::fabs(e);
        let plain = expected.iter().zip(value).all(|(e, v)| libm::fabs(e - f64::from(*v)) <= allowed(*e));
        plain
            || (track.target.is_rotation()
                && expected.iter().zip(value).all(|(e, v)| libm::fabs(e + f64::from(*v)) <= allowed(*e)))
    }
}

/// Every key and `count` times between neighbours.
fn between(keys: &KeyTimes, count: usize) -> Vec<Moment> {
    let mut out = Vec::new();
    for (k, t) in keys.times.iter().enumerate() {
        out.push(Moment::at(*t));
        if let Some(next) = keys.times.get(k + 1) {
            out.extend((1..=count).map(|i| Moment::at(t + (next - t) * i as f64 / (count + 1) as f64)));
        }
    }
    out
}

fn blend(rotation: bool, a: &[f64], b: &[f64], s: f64, out: &mut [f64]) {
    if let (true, [ax, ay, az, aw], [bx, by, bz, bw]) = (rotation, a, b) {
        out.copy_from_slice(&quat::slerp([*ax, *ay, *az, *aw], [*bx, *by, *bz, *bw], s));
    } else {
        (0..out.len()).for_each(|i| out[i] = a[i] + (b[i] - a[i]) * s);
    }
}

/// The reference of a rate at ascending moments: values at the keys, straight lines between, rotations by slerp; steps exact.
fn resampled(job: &Job<'_>, keys: &KeyTimes, all: &[Moment]) -> Poses {
    let skeleton = job.source.skeleton;
    let ends = all.first().zip(all.last()).map_or((0, 0), |(a, b)| (keys.around(a.time).0, keys.around(b.time).1));
    let mut locals: Vec<Option<Vec<Transform>>> = vec![None; skeleton.len()];
    for track in job.source.tracks {
        let Some(moved) = spatial(track) else { continue };
        let rows = locals[moved.node].get_or_insert_with(|| vec![*skeleton.rest(moved.node); all.len()]);
        let (values, width) = (keys.values_in(track, ends.0..ends.1 + 1), track.curve.width());
        let mut value = vec![0.0; width];
        for (row, moment) in rows.iter_mut().zip(all) {
            if track.curve.interpolation() == Interpolation::Step {
                let sample = if moment.left { crate::curve::Curve::sample_left } else { crate::curve::Curve::sample };
                sample(track.curve, kind(&track.target), moment.time, &mut value);
            } else {
                let (key, next, s) = keys.around(moment.time);
                let (a, b) = (&values[(key - ends.0) * width..][..width], &values[(next - ends.0) * width..][..width]);
                blend(track.target.is_rotation(), a, b, s, &mut value);
            }
            put(row, moved.property, moved.axis, &value);
        }
    }
    poses(skeleton, all, |node| locals[node].as_ref().map(|rows| rows.iter().map(Affine::from_transform).collect()))
}

/// Poses from the matrices of the nodes that move.
fn poses(skeleton: &Skeleton, all: &[Moment], locals: impl Fn(usize) -> Option<Vec<Affine>>) -> Poses {
    let mut poses = Poses::new(&Motion::new(skeleton, []), all);
    for &node in skeleton.order() {
        let rows = locals(node).unwrap_or_else(|| vec![*skeleton.rest_local(node)]);
        poses.set_locals_only(skeleton, node, rows);
    }
    poses
}

/// What a clip plays at `all` moments.
fn decoded(skeleton: &Skeleton, clip: &Clip<'_>, all: &[Moment]) -> Poses {
    let moved: Vec<(&Track, usize, Property, Option<usize>)> = clip.tracks().iter().filter_map(driven).collect();
    let mut locals: Vec<Option<Vec<Transform>>> = vec![None; skeleton.len()];
    for (_, node, ..) in &moved {
        locals[*node] = Some(vec![*skeleton.rest(*node); all.len()]);
    }
    let (mut sampler, mut pose) = (Sampler::new(clip), Pose::new(clip));
    for (i, moment) in all.iter().enumerate() {
        // Just before a time, as near as the sampler can be asked.
        let t = if moment.left { libm::nextafter(moment.time, -1.0) } else { moment.time };
        sampler.sample(t, &mut pose);
        for (track, node, property, axis) in &moved {
            if let Some(rows) = &mut locals[*node] {
                let value: Vec<f64> = pose.value(track).iter().map(|v| f64::from(*v)).collect();
                put(&mut rows[i], *property, *axis, &value);
            }
        }
    }
    poses(skeleton, all, |node| locals[node].as_ref().map(|rows| rows.iter().map(Affine::from_transform).collect()))
}

/// What a clip's track moves.
fn driven(track: &Track) -> Option<(&Track, usize, Property, Option<usize>)> {
    let (node, property, axis) = super::keys::moved(track.target())?;
    Some((track, node, property, axis))
}

/// Puts a value into a node's transform.
pub(super) fn put(local: &mut Transform, property: Property, axis: Option<usize>, value: &[f64]) {
    let axes = |to: &mut [f64; 3]| match (axis, value) {
        (Some(axis), [v]) => to[axis] = *v,
        (None, [x, y, z]) => *to = [*x, *y, *z],
        _ => {}
    };
    match (property, value) {
        (Property::Rotation, [x, y, z, w]) => local.rotation = quat::normalize([*x, *y, *z, *w]),
        (Property::Rotation, _) => {}
        (Property::Translation, _) => axes(&mut local.translation),
        (Property::Scale, _) => axes(&mut local.scale),
    }
}
