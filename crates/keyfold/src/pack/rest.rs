//! Tracks that only hold what a node has anyway: dropped where that is so in every animation, so that blending from one to
//! another changes nothing.

use super::Context;
use crate::{Animation, Axis, Property, Target, Track};
use std::collections::BTreeMap;

/// How near to the rest pose a value must be, relative to its own size, to count as equal where anything may be lost: a few steps of a float.
const EQUAL: f64 = 1e-6;

/// The animations without tracks that hold the rest pose wherever they occur, those that may change. Each animation keeps at least one track, and one
/// that reaches to its end.
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

/// What drives one axis rests only where what drives the whole property elsewhere does, and the other way round.
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
    // The end of the animation has to be held by some key.
    if !tracks.iter().any(|t| t.curve.end() >= end) {
        tracks.extend(animation.tracks.iter().find(|t| t.curve.end() >= end).cloned());
    }
    Animation { tracks, ..animation }
}

fn holds_rest(context: &Context<'_>, track: &Track) -> bool {
    let Target::Node { node, property, axis } = &track.target else { return false };
    let rest = context.scene.skeleton().rest(*node);
    let equal = if context.bound > 0.0 { EQUAL } else { 0.0 };
    let value: Vec<f64> = track.curve.value(0).iter().map(|v| f64::from(*v)).collect();
    let near = |rest: &[f64]| rest.iter().zip(&value).all(|(r, v)| (r - v).abs() <= equal * r.abs().max(1e-3));
    let whole = |rest: [f64; 3]| axis.map_or_else(|| near(&rest), |a| near(&[rest[a as usize]]));
    match property {
        Property::Translation => whole(rest.translation),
        Property::Scale => whole(rest.scale),
        Property::Rotation => near(&rest.rotation) || near(&rest.rotation.map(|c| -c)),
        Property::Weights => false,
    }
}
