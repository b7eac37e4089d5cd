//! A detailed comparison of two files: error over time for every joint, and every track before and after.
//!
//! Plain data for drawing. Error bounds are compared with the figures of [`diff`](fn@crate::diff) instead.

use super::{
    Side,
    matching::{Matching, Twins},
    twin_probes,
};
use crate::parallel::*;
use crate::{
    Animation, Bound, Document, Interpolation, Kind, Result, Scene, Target, Track, inspect::bytes_by_track, join_axes,
    target::Axis,
};
use keyfold_core::{
    curve::largest_difference,
    quat,
    skeleton::{self, BETWEEN, Moment, Motion, Probe, moments},
};
use serde::{Serialize, Serializer, ser::SerializeStruct};
use std::collections::BTreeMap;

/// The number of equal parts of an animation's time for which the largest error of each joint is reported.
pub const PARTS: usize = 160;

/// The comparison of an animation in both files.
#[derive(Clone, Debug, Serialize)]
pub struct AnimationReport {
    /// Its index in the first file.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The time of its first key, in seconds.
    pub start: f64,
    /// The time of its last key, in seconds.
    pub end: f64,
    /// Every moved node, the worst first.
    pub joints: Vec<JointReport>,
    /// Every track of either file, in the order of the first one's channels.
    pub tracks: Vec<TrackReport>,
}

/// The error of a moved node over time.
#[derive(Clone, Debug, Serialize)]
pub struct JointReport {
    /// The node's index in the first file.
    pub node: usize,
    /// Its index in the second file.
    pub twin: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its largest error, in scene units.
    pub error: f64,
    /// The time of its largest error, in seconds.
    pub time: f64,
    /// The distance of each measured point from the node's origin, one per axis, in the node's own units.
    pub offsets: [f64; 3],
    /// The largest error in each of [`PARTS`] parts of the animation's time.
    pub parts: Vec<f64>,
}

/// A track in both files.
#[derive(Clone, Debug, Serialize)]
pub struct TrackReport {
    /// Its target.
    #[serde(serialize_with = "spelled")]
    pub target: Target,
    /// The name of the driven node.
    pub name: Option<String>,
    /// The track in the first file; `None` if the second file combined it from others.
    pub before: Option<TrackSide>,
    /// The track in the second file; `None` if it was dropped or became part of another.
    pub after: Option<TrackSide>,
    /// The largest difference of values: in degrees for rotations, in the property's unit otherwise.
    pub difference: f64,
}

/// A track in one of the files.
#[derive(Clone, Debug)]
pub struct TrackSide {
    /// The track.
    pub track: Track,
    /// Its bytes in the file; shared bytes are divided among the tracks.
    pub bytes: usize,
}

fn spelled<S: Serializer>(target: &Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(target)
}

/// The curve with all its keys. A spline's key is one row: in-tangent, value and out-tangent.
impl Serialize for TrackSide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let curve = &self.track.curve;
        let width = curve.values().len() / curve.keys();
        let mut side = serializer.serialize_struct("TrackSide", 4)?;
        side.serialize_field("interpolation", curve.interpolation().name())?;
        side.serialize_field("bytes", &self.bytes)?;
        side.serialize_field("times", curve.times())?;
        side.serialize_field("values", &curve.values().chunks(width).collect::<Vec<_>>())?;
        side.end()
    }
}

/// Compares all animations of two files; `probe_radius` as for [`Scene::new`].
pub fn report(before: &Document, after: &Document, probe_radius: Option<Bound>) -> Result<Vec<AnimationReport>> {
    report_of(before, after, probe_radius, |_| true)
}

/// Compares the `wanted` animations of the first file.
pub fn report_of(
    before: &Document,
    after: &Document,
    probe_radius: Option<Bound>,
    wanted: impl Fn(&Animation) -> bool,
) -> Result<Vec<AnimationReport>> {
    let (a, b) = (Side::new(before, probe_radius)?, Side::new(after, probe_radius)?);
    let matching = Matching::new(&a, &b);
    let (bytes, after_bytes) = (bytes_by_track(before, &a.read.animations), bytes_by_track(after, &b.read.animations));
    let still = Animation { index: 0, name: None, tracks: Vec::new() };
    let one = |(mine, twin): (usize, Option<usize>)| {
        let animation = &a.read.animations[mine];
        let other = twin.map_or(&still, |index| &b.read.animations[index]);
        let none = Vec::new();
        let after = sides(after, other, twin.map_or(&none, |i| &after_bytes[i]));
        let tracks = sides(before, animation, &bytes[mine]).zip_targets(after, &matching);
        let (start, end) = span(animation);
        AnimationReport {
            index: animation.index,
            name: animation.name.clone(),
            start,
            end,
            joints: joints(&a.scene, &a.scene.motion(animation), &b.scene.motion(other), &matching.nodes, (start, end)),
            tracks: tracks.into_iter().map(|(t, before, after)| TrackReport::new(&a.scene, t, before, after)).collect(),
        }
    };
    let pairs = matching.animations.all().iter().copied().enumerate();
    Ok(pairs.filter(|(mine, _)| wanted(&a.read.animations[*mine])).map(one).collect())
}

fn span(animation: &Animation) -> (f64, f64) {
    let start = animation.tracks.iter().map(|t| t.curve.start()).fold(f32::INFINITY, f32::min);
    let end = animation.duration();
    (f64::from(if start.is_finite() { start } else { 0.0 }), f64::from(end))
}

/// The tracks of an animation with their sizes.
struct Sides(Vec<TrackSide>);

/// Axes are joined, because the other file may not have them separately.
fn sides(document: &Document, animation: &Animation, bytes: &[usize]) -> Sides {
    let whole = |target: &Target| match *target {
        Target::Node { node, property, .. } => Target::Node { node, property, axis: None },
        Target::Pointer { .. } => target.clone(),
    };
    let mut weights = BTreeMap::new();
    for (track, bytes) in animation.tracks.iter().zip(bytes) {
        *weights.entry(whole(&track.target)).or_insert(0) += bytes;
    }
    let side = |track: Track| TrackSide { bytes: weights.remove(&whole(&track.target)).unwrap_or(0), track };
    Sides(join_axes(document, animation).tracks.into_iter().map(side).collect())
}

impl Sides {
    /// Every target with its track on either side.
    fn zip_targets(self, mut other: Self, matching: &Matching) -> Vec<(Target, Option<TrackSide>, Option<TrackSide>)> {
        let mut all = Vec::new();
        for before in self.0 {
            let target = matching.target(&before.track.target);
            let twin = other.0.iter().position(|after| Some(&after.track.target) == target.as_ref());
            all.push((before.track.target.clone(), Some(before), twin.map(|index| other.0.remove(index))));
        }
        // Targets that the first file lacks keep the second's names.
        let target = |t: &Target| matching.target_back(t).unwrap_or_else(|| t.clone());
        all.extend(other.0.into_iter().map(|after| (target(&after.track.target), None, Some(after))));
        all
    }
}

/// Every node that either motion moves, the worst first.
fn joints(
    scene: &Scene,
    motion: &Motion<'_>,
    twin: &Motion<'_>,
    nodes: &Twins,
    (start, end): (f64, f64),
) -> Vec<JointReport> {
    let (probes, _) = twin_probes(scene, motion, twin, nodes);
    let mut all = moments(&[motion, twin], BETWEEN);
    // There may be parts without keys.
    all.extend((0..2 * PARTS).map(|i| Moment::at(start + (end - start) * i as f64 / (2 * PARTS) as f64)));
    all.sort_by(|a, b| a.time.total_cmp(&b.time));
    let part = |moment: &Moment| ((moment.time - start) / (end - start).max(f64::MIN_POSITIVE) * PARTS as f64) as usize;
    let bounds: Vec<usize> = (0..=PARTS).map(|p| all.partition_point(|m| part(m).min(PARTS - 1) < p)).collect();
    let parts: Vec<_> =
        bounds.par_windows(2).map(|range| skeleton::compare(motion, twin, &probes, &all[range[0]..range[1]])).collect();
    let joint = |(index, probe): (usize, &Probe)| {
        let worst = parts.iter().map(|p| p.probes[index]).reduce(|a, b| if b.error > a.error { b } else { a });
        JointReport {
            node: probe.a,
            twin: probe.b,
            name: scene.name(probe.a).map(str::to_owned),
            error: worst.map_or(0.0, |w| w.error),
            time: worst.map_or(0.0, |w| w.moment.time),
            offsets: probe.offsets,
            parts: parts.iter().map(|p| p.probes[index].error).collect(),
        }
    };
    let mut joints: Vec<JointReport> = probes.iter().enumerate().map(joint).collect();
    joints.sort_by(|a, b| b.error.total_cmp(&a.error));
    joints
}

impl TrackReport {
    fn new(scene: &Scene, target: Target, before: Option<TrackSide>, after: Option<TrackSide>) -> Self {
        let node = match &target {
            Target::Node { node, .. } => Some(*node),
            Target::Pointer { .. } => None,
        };
        let difference = match (&before, &after) {
            (Some(one), Some(other)) if one.track.curve.width() == other.track.curve.width() => {
                largest_difference(target.kind(), &one.track.curve, &other.track.curve)
            }
            _ => 0.0,
        };
        let degrees = if target.kind() == Kind::Rotation { difference.to_degrees() } else { difference };
        let name = node.and_then(|n| scene.name(n)).map(str::to_owned);
        Self { target, name, before, after, difference: degrees }
    }

    /// Both sides at `times`, one row per time, in a form for drawing: rotations as degrees about X, Y and Z,
    /// translations and scales as differences, both relative to the first time; other properties as they are.
    pub fn rows(&self, times: &[f64]) -> [Vec<Vec<f64>>; 2] {
        let sampled = |side: &Option<TrackSide>| -> Vec<Vec<f64>> {
            side.iter().flat_map(|s| times.iter().map(|t| s.track.sample(*t))).collect()
        };
        let [before, after] = [sampled(&self.before), sampled(&self.after)];
        let Some(first) = before.first().or(after.first()).cloned() else { return [before, after] };
        let from_first = |rows: Vec<Vec<f64>>| match <[f64; 4]>::try_from(first.as_slice()) {
            Ok(first) if self.target.kind() == Kind::Rotation => turns(first, &rows),
            _ if self.target.moved_node().is_some() => {
                rows.iter().map(|row| row.iter().zip(&first).map(|(v, f)| v - f).collect()).collect()
            }
            _ => rows,
        };
        [from_first(before), from_first(after)]
    }

    /// Whether values step at keys.
    pub fn is_stepped(&self) -> bool {
        let stepped = |side: &Option<TrackSide>| {
            side.as_ref().is_some_and(|s| s.track.curve.interpolation() == Interpolation::Step)
        };
        stepped(&self.before) || stepped(&self.after)
    }

    /// The names of the components.
    pub fn axes(&self) -> &'static [&'static str] {
        match &self.target {
            Target::Node { axis: Some(axis), .. } => match axis {
                Axis::X => &["X"],
                Axis::Y => &["Y"],
                Axis::Z => &["Z"],
            },
            _ if self.target.moved_node().is_some() => &["X", "Y", "Z"],
            _ => &[],
        }
    }
}

/// Rotation vectors, in degrees, that lead from one rotation to others, each the nearest to the one before.
fn turns(first: quat::Quat, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut last = quat::IDENTITY;
    let turn = |row: &Vec<f64>| {
        let q = <[f64; 4]>::try_from(row.as_slice()).unwrap_or(quat::IDENTITY);
        let turned = quat::mul(quat::conjugate(first), q);
        last = if quat::dot(turned, last) < 0.0 { quat::negate(turned) } else { turned };
        let [x, y, z, w] = last;
        let sine = libm::sqrt(x * x + y * y + z * z);
        let per_sine = if sine > 0.0 { 2.0 * libm::atan2(sine, w) / sine } else { 0.0 };
        [x, y, z].map(|c| (c * per_sine).to_degrees()).to_vec()
    };
    rows.iter().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Storage, diff, pack, pack::tests::swinging};

    #[test]
    fn the_worst_joint_is_the_one_that_the_difference_names() {
        let document = swinging();
        let options = pack::Options { max_error: Bound::Relative(0.001), ..pack::Options::default() };
        let packed = pack::pack(&document, &options).unwrap();
        let found = &diff(&document, &packed.document, None).unwrap().animations[0];
        let report = &report(&document, &packed.document, None).unwrap()[0];
        let worst = &report.joints[0];
        assert_eq!(report.joints.len(), 5);
        assert!(worst.error <= found.error && worst.error > 0.9 * found.error);
        assert_eq!(worst.parts.iter().copied().fold(0.0, f64::max), worst.error);
        assert_eq!(worst.parts.len(), PARTS);
    }

    #[test]
    fn tracks_say_what_they_were_and_what_they_weigh() {
        let document = swinging();
        for storage in Storage::ALL {
            let packed = pack::pack(&document, &pack::Options { storage, ..pack::Options::default() }).unwrap();
            let report = &report(&document, &packed.document, None).unwrap()[0];
            assert_eq!(report.tracks.len(), 8, "{storage:?}");
            let sum = |of: fn(&TrackReport) -> &Option<TrackSide>| {
                report.tracks.iter().filter_map(|t| of(t).as_ref()).map(|s| s.bytes).sum::<usize>()
            };
            let (before, after) = (sum(|t| &t.before), sum(|t| &t.after));
            let tracks = crate::read(&document).unwrap().animations;
            let whole = crate::inspect::animation_bytes(&document, tracks[0].tracks.iter());
            // Shared sizes are rounded down: a track loses less than a byte of times and one of values.
            assert!(before <= whole && whole - before < 2 * tracks[0].tracks.len(), "{storage:?}: {before} of {whole}");
            assert!(after < before, "{storage:?}");
        }
    }

    #[test]
    fn as_json_tracks_have_their_keys_and_joints_their_probes() {
        let document = swinging();
        let told = serde_json::to_value(report_of(&document, &document, None, |a| a.index == 0).unwrap()).unwrap();
        let track = &told[0]["tracks"][0];
        let keys = track["before"]["times"].as_array().unwrap().len();
        assert!(keys > 1 && track["target"].as_str().unwrap().starts_with("/nodes/"), "{track}");
        assert_eq!(track["before"]["values"].as_array().unwrap().len(), keys);
        assert_eq!(track["before"], track["after"]);
        let joint = &told[0]["joints"][0];
        assert_eq!(joint["node"], joint["twin"]);
        assert!(joint["offsets"][0].as_f64().unwrap() > 0.0, "{joint}");
        assert!(report_of(&document, &document, None, |_| false).unwrap().is_empty());
    }

    #[test]
    fn rows_of_rotations_are_degrees_from_the_first() {
        let half = |degrees: f64| degrees.to_radians() / 2.0;
        let row = |degrees: f64| vec![0.0, half(degrees).sin(), 0.0, half(degrees).cos()];
        let rows: Vec<Vec<f64>> = [10.0, 100.0, 190.0, 280.0].iter().map(|d| row(*d)).collect();
        let turns = turns([0.0, half(10.0).sin(), 0.0, half(10.0).cos()], &rows);
        for (turn, degrees) in turns.iter().zip([0.0, 90.0, 180.0, 270.0]) {
            assert!((turn[1] - degrees).abs() < 1e-9 && turn[0] == 0.0, "{turn:?} {degrees}");
        }
        let document = swinging();
        let options = pack::Options { max_error: Bound::Relative(0.001), ..pack::Options::default() };
        let packed = pack::pack(&document, &options).unwrap().document;
        let report = &report(&document, &packed, None).unwrap()[0];
        let track = report.tracks.iter().find(|t| t.target.kind() == Kind::Rotation && t.difference > 0.0).unwrap();
        let times: Vec<f64> =
            (0..=20).map(|i| report.start + (report.end - report.start) * f64::from(i) / 20.0).collect();
        let [before, after] = track.rows(&times);
        assert_eq!((before.len(), before[0].len(), track.axes().len()), (21, 3, 3));
        assert!(before[0].iter().all(|degrees| degrees.abs() < 1e-9) && before != after);
        let apart = |(b, a): (&Vec<f64>, &Vec<f64>)| b.iter().zip(a).map(|(b, a)| (b - a).abs()).fold(0.0, f64::max);
        // The distance of rotation vectors is approximately the angle between the rotations.
        assert!(before.iter().zip(&after).map(apart).fold(0.0, f64::max) < 2.0 * track.difference);
    }
}
