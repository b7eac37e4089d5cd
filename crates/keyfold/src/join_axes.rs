//! Tracks of single axes joined to tracks of whole properties, which is all that core glTF can say, and split again.
//! How curves are joined is the core's business ([`join`]); axes that no track drives keep the node's own value.

use crate::{Animation, Axis, Curve, Document, Property, Target, Track};
use keyfold_core::curve::join;
use std::collections::BTreeMap;

/// The animation with every axis joined to its property. Tracks of other targets stay as they are; a joined track
/// stands where the first of its axes stood.
pub(crate) fn join_axes(document: &Document, animation: &Animation) -> Animation {
    let mut groups: BTreeMap<(usize, Property), Vec<&Track>> = BTreeMap::new();
    for track in &animation.tracks {
        if let Target::Node { node, property: property @ (Property::Translation | Property::Scale), .. } = track.target
        {
            groups.entry((node, property)).or_default().push(track);
        }
    }
    let single = |t: &&Track| t.target.is_one_axis();
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

/// The animation with the tracks that are `wanted` split by axis: three tracks in the place of each.
pub(crate) fn split_axes(animation: &Animation, wanted: impl Fn(&Track) -> bool) -> Animation {
    let along = |track: &Track, along: Axis| {
        let mut split = Track { curve: track.curve.component(along as usize), ..track.clone() };
        if let Target::Node { axis, .. } = &mut split.target {
            *axis = Some(along);
        }
        split
    };
    let tracks = animation.tracks.iter().flat_map(|track| match wanted(track) {
        true => Axis::ALL.map(|axis| along(track, axis)).to_vec(),
        false => vec![track.clone()],
    });
    Animation { tracks: tracks.collect(), ..animation.clone() }
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
        (None, Some(whole)) if whole.curve.width() == 3 => whole.curve.component(axis as usize),
        _ => Curve::constant(start, [own[axis as usize]]).expect("one finite value at a curve's start"),
    })
}

/// The node's own translation or scale.
fn own_value(document: &Document, node: usize, property: Property) -> [f32; 3] {
    let value = Target::node(node, property).stated(document).and_then(|v| <[f64; 3]>::try_from(v).ok());
    let default = if property == Property::Scale { [1.0; 3] } else { [0.0; 3] };
    value.unwrap_or(default).map(|v| if (v as f32).is_finite() { v as f32 } else { 0.0 })
}

#[cfg(test)]
mod tests;
