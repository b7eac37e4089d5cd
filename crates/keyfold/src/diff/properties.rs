//! Differences of properties that move no points: weights, colours, lights, cameras, visibility.
//!
//! Differences are fractions of the property's natural range: the one in the object model's registry (1 for
//! weights, colours and factors), else the range of the first file's keys. Booleans and integers are either
//! equal or completely different. A track that only one file has is compared with the value that the other
//! document states for the property. If the other file drives it in parts (single weights), it is compared
//! part by part.

use super::{PropertyDiff, matching::Matching, proof};
use crate::{Animation, Curve, Document, Kind, Target, Track, retarget::split};
use keyfold_core::{
    curve::largest_difference,
    skeleton::{self, Motion, Property::Rotation, Rest, Skeleton, Transform},
};
use std::collections::BTreeSet;

/// The largest difference of all tracks that move no points; on nodes, only if the node is wanted.
pub(super) fn compare(
    a: &Document,
    mine: &Animation,
    b: &Document,
    theirs: &Animation,
    matching: &Matching,
    wanted: &dyn Fn(usize) -> bool,
) -> PropertyDiff {
    let mut worst = PropertyDiff::default();
    let properties =
        |x: &Animation| x.tracks.iter().filter(|t| t.target.moved_node().is_none()).cloned().collect::<Vec<_>>();
    let (mine, theirs) = (properties(mine), properties(theirs));
    let driven_there = theirs.iter().filter_map(|track| matching.target_back(&track.target)).collect();
    let driven_here = mine.iter().filter_map(|track| matching.target(&track.target)).collect();
    let (mine, theirs) = (in_parts(mine, &driven_there), in_parts(theirs, &driven_here));
    let mut found = vec![false; theirs.len()];
    for track in &mine {
        let target = matching.target(&track.target);
        // If tracks drive the same target, which glTF forbids, they are paired in order.
        let mut twins = (0..theirs.len()).filter(|index| Some(&theirs[*index].target) == target.as_ref());
        let twin = twins.clone().find(|index| !found[*index]).or_else(|| twins.next());
        let difference = match twin {
            Some(index) => {
                found[index] = true;
                worst_property(track, &theirs[index].curve)
            }
            None => target.map_or(1.0, |target| against_stated(b, track, &target)),
        };
        if track.target.owner().is_none_or(wanted) {
            worst.include(difference, &track.target);
        }
    }
    for (track, _) in theirs.iter().zip(found).filter(|(_, found)| !found) {
        let target = matching.target_back(&track.target);
        let difference = target.as_ref().map_or(1.0, |target| against_stated(a, track, target));
        if target.as_ref().and_then(Target::owner).is_none_or(wanted) {
            worst.include(difference, target.as_ref().unwrap_or(&track.target));
        }
    }
    worst
}

/// Splits the tracks that the other file drives in parts: single weights, components of a colour.
fn in_parts(tracks: Vec<Track>, others: &BTreeSet<Target>) -> Vec<Track> {
    let is_part =
        |part: &Target, whole: &str| part.pointer().strip_prefix(whole).is_some_and(|rest| rest.starts_with('/'));
    let parted = |track: &Track| {
        let whole = track.target.pointer();
        track.target.kind() == Kind::Vector
            && !others.contains(&track.target)
            && others.iter().any(|part| is_part(part, &whole))
    };
    tracks.into_iter().flat_map(|track| if parted(&track) { split(&track).collect() } else { vec![track] }).collect()
}

impl PropertyDiff {
    pub(crate) fn include(&mut self, difference: f64, target: &Target) {
        if difference > self.max {
            *self = Self { max: difference, target: Some(target.to_string()) };
        }
    }
}

/// The range that differences refer to: the object model's for the target, else that of the track's keys.
pub(crate) fn natural_range(track: &Track) -> f64 {
    if track.target.kind() == Kind::Rotation {
        return 1.0;
    }
    let known = track.target.known().and_then(|known| known.row.natural_range());
    known.filter(|range| *range > 0.0).unwrap_or_else(|| own_range(&track.curve))
}

/// The range of the widest component of a curve's keys, or their magnitude if they are all equal.
fn own_range(curve: &Curve) -> f64 {
    let mut range = 0.0f64;
    for component in 0..curve.width() {
        let values = || (0..curve.keys()).map(|key| f64::from(curve.value(key)[component]));
        range = range.max(values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min));
    }
    let largest = curve.values().iter().fold(0.0f32, |m, v| m.max(v.abs()));
    if range > 0.0 {
        range
    } else if largest > 0.0 {
        largest.into()
    } else {
        1.0
    }
}

/// The proven largest difference between a track and another curve for its target, relative to its range.
pub(crate) fn worst_property(track: &Track, other: &Curve) -> f64 {
    if track.curve == *other {
        return 0.0;
    }
    if track.curve.width() != other.width() {
        return 1.0;
    }
    let difference = match track.target.kind() {
        Kind::Rotation if other.width() == 4 => possible_angle(&track.curve, other),
        kind => largest_difference(kind, &track.curve, other),
    };
    share(difference, natural_range(track), track)
}

/// The largest possible angle between two rotations. If a node rotates by φ, the probe on one of its three
/// axes moves by at least √(2/3) of 2 sin(φ/2).
fn possible_angle(one: &Curve, other: &Curve) -> f64 {
    let Ok(skeleton) = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)]) else { return f64::INFINITY };
    let motion = |curve| Motion::new(&skeleton, [skeleton::Track { node: 0, property: Rotation, axis: None, curve }]);
    let probes = skeleton::probes(&skeleton, &[true], |_| 1.0);
    let moved = proof(&motion(one), &motion(other), &probes).possible;
    2.0 * libm::asin((moved / 2.0 * 1.5f64.sqrt()).min(1.0))
}

/// Differences below this fraction of the largest value are rounding errors of doubles.
const ROUNDING: f64 = 1e-13;

fn share(difference: f64, range: f64, track: &Track) -> f64 {
    let largest = track.curve.values().iter().fold(0.0f32, |m, v| m.max(v.abs()));
    let difference = if difference <= ROUNDING * f64::from(largest) { 0.0 } else { difference };
    // Booleans and integers are either right or wrong.
    if track.target.is_exact() { if difference > 0.0 { 1.0 } else { 0.0 } } else { difference / range }
}

/// Compares a track with the value that the other document states, which players show without a track.
fn against_stated(document: &Document, track: &Track, target: &Target) -> f64 {
    let stated = target.stated(document).filter(|v| v.len() == track.curve.width());
    let values = stated.map(|v| v.iter().map(|n| *n as f32).collect::<Vec<_>>());
    let constant = values.and_then(|v| Curve::constant(track.curve.start(), v).ok());
    constant.map_or(1.0, |constant| worst_property(track, &constant))
}
