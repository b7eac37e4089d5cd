//! Tracks of single axes joined to tracks of whole properties, which is all that core glTF can say.
//!
//! The rule. Keys stand at the union of the axes' times, and every axis has its own value at every one of them. Axes that no track drives
//! keep the node's own value. Between keys:
//!
//! - `STEP` with `STEP` stays `STEP`, `LINEAR` with `LINEAR` stays `LINEAR`: exact, up to rounding the values of new keys to floats;
//! - with a `CUBICSPLINE` among them all become one: a part of a spline is a spline, a line is one with its slope as tangents;
//! - where `STEP` meets another interpolation, an edge becomes a ramp from the last float time before it: no clock that counts in floats
//!   can be in between.

use crate::{Animation, Axis, Curve, Document, Interpolation, Kind, Property, Target, Track};
use keyfold_core::curve::{Place, locate, locate_left};
use std::collections::BTreeMap;

/// The animation with every axis joined to its property. Tracks of other targets stay as they are; a joined track stands where the first
/// of its axes stood.
pub fn join_axes(document: &Document, animation: &Animation) -> Animation {
    let mut groups: BTreeMap<(usize, Property), Vec<&Track>> = BTreeMap::new();
    for track in &animation.tracks {
        if let Target::Node { node, property: property @ (Property::Translation | Property::Scale), .. } = track.target
        {
            groups.entry((node, property)).or_default().push(track);
        }
    }
    let single = |t: &&Track| matches!(t.target, Target::Node { axis: Some(_), .. });
    groups.retain(|_, tracks| tracks.iter().any(single));
    let mut joined = Animation { tracks: Vec::new(), ..animation.clone() };
    for track in &animation.tracks {
        let Target::Node { node, property, .. } = track.target else {
            joined.tracks.push(track.clone());
            continue;
        };
        match groups.get(&(node, property)) {
            None => joined.tracks.push(track.clone()),
            Some(parts) if std::ptr::eq(parts[0], track) => {
                let curve = join(&parts_of(document, node, property, parts));
                joined.tracks.push(Track { target: Target::node(node, property), curve, ..track.clone() });
            }
            Some(_) => {}
        }
    }
    joined
}

/// A curve for each axis: its own track, else its part of a track for the whole property, else the node's value.
fn parts_of(document: &Document, node: usize, property: Property, tracks: &[&Track]) -> [Curve; 3] {
    let own = own_value(document, node, property);
    let start = tracks.iter().map(|t| t.curve.start()).fold(f32::INFINITY, f32::min);
    let of = |wanted: Option<Axis>| {
        tracks.iter().rev().find(|t| matches!(t.target, Target::Node { axis, .. } if axis == wanted))
    };
    Axis::ALL.map(|axis| match (of(Some(axis)), of(None)) {
        (Some(track), _) => track.curve.clone(),
        (None, Some(whole)) if whole.curve.width() == 3 => crate::quantization::component(&whole.curve, axis),
        _ => Curve::constant(start, [own[axis as usize]]).expect("one finite value at a curve's start"),
    })
}

/// The node's own translation or scale.
fn own_value(document: &Document, node: usize, property: Property) -> [f32; 3] {
    let value = Target::node(node, property).stated(document).and_then(|v| <[f64; 3]>::try_from(v).ok());
    let default = if property == Property::Scale { [1.0; 3] } else { [0.0; 3] };
    value.unwrap_or(default).map(|v| if (v as f32).is_finite() { v as f32 } else { 0.0 })
}

/// Joins curves of one component each, one of them at least; see the rule above.
pub(crate) fn join(parts: &[Curve]) -> Curve {
    let moving = || parts.iter().filter(|c| c.keys() > 1).map(Curve::interpolation);
    let interpolation = match () {
        () if moving().any(|i| i == Interpolation::CubicSpline) => Interpolation::CubicSpline,
        () if moving().next().is_some() && moving().all(|i| i == Interpolation::Step) => Interpolation::Step,
        () => Interpolation::Linear,
    };
    let mut times: Vec<f32> = parts.iter().flat_map(|c| c.times()).copied().collect();
    if interpolation != Interpolation::Step {
        parts.iter().for_each(|curve| times.extend(before_edges(curve)));
    }
    times.sort_unstable_by(f32::total_cmp);
    // Zero has two signs.
    times.dedup_by(|a, b| a == b);
    let mut values = Vec::new();
    for time in &times {
        // A spline may leave the floats between its keys.
        let float = |v: f64| (v as f32).clamp(f32::MIN, f32::MAX);
        let mut put = |of: fn(&Curve, f64) -> f64| values.extend(parts.iter().map(|c| float(of(c, f64::from(*time)))));
        match interpolation {
            Interpolation::CubicSpline => [slope_before, value, slope_after].into_iter().for_each(put),
            _ => put(value),
        }
    }
    Curve::new(interpolation, parts.len(), times, values).expect("parts of curves with sorted times make a curve")
}

/// The last float times before the edges of a `Step` curve.
fn before_edges(curve: &Curve) -> impl Iterator<Item = f32> {
    let step = curve.interpolation() == Interpolation::Step;
    let edge = move |k: &usize| step && curve.value(k - 1) != curve.value(*k);
    (1..curve.keys()).filter(edge).map(|k| curve.times()[k].next_down())
}

fn value(curve: &Curve, time: f64) -> f64 {
    let mut out = [0.0];
    curve.sample(Kind::Vector, time, &mut out);
    out[0]
}

fn slope_before(curve: &Curve, time: f64) -> f64 {
    slope(curve, locate_left(curve.times(), time))
}

fn slope_after(curve: &Curve, time: f64) -> f64 {
    let place = match locate(curve.times(), time) {
        Place::At(key) if f64::from(curve.times()[key]) == time && key + 1 < curve.keys() => {
            Place::Between { key, s: 0.0, span: f64::from(curve.times()[key + 1]) - time }
        }
        place => place,
    };
    slope(curve, place)
}

/// How fast a curve changes at a place, per second: nothing outside its keys.
fn slope(curve: &Curve, place: Place) -> f64 {
    let Place::Between { key, s, span } = place else { return 0.0 };
    let at = |v: Option<&[f32]>| v.map_or(0.0, |v| f64::from(v[0]));
    let rise = (at(Some(curve.value(key + 1))) - at(Some(curve.value(key)))) / span;
    match curve.interpolation() {
        Interpolation::Step => 0.0,
        Interpolation::CubicSpline => {
            let (leave, arrive) = (at(curve.out_tangent(key)), at(curve.in_tangent(key + 1)));
            6.0 * (s - s * s) * rise + (3.0 * s * s - 4.0 * s + 1.0) * leave + (3.0 * s * s - 2.0 * s) * arrive
        }
        Interpolation::Linear | Interpolation::CubicSlerp => rise,
    }
}

#[cfg(test)]
mod tests;
