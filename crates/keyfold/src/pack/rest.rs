//! Drops tracks that hold the rest pose in every animation, so that blending between them stays the same.

use super::Context;
use crate::{Animation, Axis, Kind, Property, Target, Track};
use std::collections::BTreeMap;

/// How close to the rest pose a value must be, relative to its size, if loss is allowed: a few float steps.
const EQUAL: f64 = 1e-6;

/// Drops tracks that hold the rest pose in all animations from those that may change. Each keeps at least one
/// track, and one that reaches its end.
pub(super) fn without_rest(context: &Context<'_>, animations: Vec<Animation>) -> Vec<Animation> {
    let mut idle: BTreeMap<Target, bool> = BTreeMap::new();
    for track in animations.iter().flat_map(|a| &a.tracks) {
        let rests = !context.keeps_resting(&track.target) && track.curve.is_constant() && holds_rest(context, track);
        *idle.entry(track.target.clone()).or_insert(true) &= rests;
    }
    let idle = together(idle);
    let lean = |animation: Animation| if context.changes(&animation) { pruned(animation, &idle) } else { animation };
    animations.into_iter().map(lean).collect()
}

/// A track of one axis rests only if tracks of the whole property rest in other animations, and vice versa.
fn together(idle: BTreeMap<Target, bool>) -> BTreeMap<Target, bool> {
    let at = |node: usize, property: Property, axis: Option<Axis>| {
        idle.get(&Target::Node { node, property, axis }).copied().unwrap_or(true)
    };
    let rests = |target: &Target| match *target {
        Target::Node { node, property, axis: Some(_) } => at(node, property, None),
        Target::Node { node, property, axis: None } => Axis::ALL.into_iter().all(|a| at(node, property, Some(a))),
        Target::Pointer { .. } => true,
    };
    idle.iter().map(|(target, own)| (target.clone(), *own && rests(target))).collect()
}

fn pruned(animation: Animation, idle: &BTreeMap<Target, bool>) -> Animation {
    let end = animation.duration();
    let mut tracks: Vec<Track> = animation.tracks.iter().filter(|t| !idle[&t.target]).cloned().collect();
    // Some key has to hold the end of the animation.
    if !tracks.iter().any(|t| t.curve.end() >= end) {
        tracks.extend(animation.tracks.iter().find(|t| t.curve.end() >= end).cloned());
    }
    Animation { tracks, ..animation }
}

fn holds_rest(context: &Context<'_>, track: &Track) -> bool {
    let Some(rest) = context.scene.rest_value(&track.target) else { return false };
    let equal = if context.bound > 0.0 { EQUAL } else { 0.0 };
    let is_near = |sign: f64| {
        let mut pairs = rest.iter().zip(track.curve.value(0));
        pairs.all(|(rest, value)| (sign * rest - f64::from(*value)).abs() <= equal * rest.abs().max(1e-3))
    };
    is_near(1.0) || track.target.kind() == Kind::Rotation && is_near(-1.0)
}
