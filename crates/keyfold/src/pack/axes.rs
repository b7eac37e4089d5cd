//! Translation and scale split by axis, which EXT_animation_quantization was made for: each axis has keys of its own, and one that
//! rests needs none.

use crate::{Animation, Axis, Interpolation, Property, Target, Targets, Track, quantization::component};

/// The animation with such tracks split, as far as that may make it smaller: only those of which some axes move and others do not, and
/// all of them. None of what would be the same as something before it.
pub(crate) fn splits(animation: &Animation, keeps: impl Fn(&Target) -> bool) -> Vec<Animation> {
    let splittable = |track: &Track| is_whole(track) && !track.curve.is_constant() && !keeps(&track.target);
    let count = |wanted: fn(&Track) -> bool| animation.tracks.iter().filter(|t| splittable(t) && wanted(t)).count();
    let choices: [fn(&Track) -> bool; 2] = [has_still_axes, |_| true];
    let (some, all) = (count(choices[0]), count(choices[1]));
    let worth = [some > 0, all > some];
    let split = |wanted: fn(&Track) -> bool| {
        let tracks = animation.tracks.iter().flat_map(|track| match splittable(track) && wanted(track) {
            true => Axis::ALL.map(|axis| along(track, axis)).to_vec(),
            false => vec![track.clone()],
        });
        Animation { tracks: tracks.collect(), ..animation.clone() }
    };
    choices.into_iter().zip(worth).filter(|(_, worth)| *worth).map(|(wanted, _)| split(wanted)).collect()
}

/// Whether a track drives all three axes of a property in a form that the search can change.
fn is_whole(track: &Track) -> bool {
    let whole =
        matches!(track.target, Target::Node { property: Property::Translation | Property::Scale, axis: None, .. });
    whole && track.source.targets == Targets::Core && track.curve.interpolation() == Interpolation::Linear
}

fn has_still_axes(track: &Track) -> bool {
    Axis::ALL.into_iter().any(|axis| component(&track.curve, axis).is_constant())
}

/// One axis of a track.
fn along(track: &Track, axis: Axis) -> Track {
    let mut target = track.target.clone();
    if let Target::Node { axis: whole, .. } = &mut target {
        *whole = Some(axis);
    }
    Track { target, curve: component(&track.curve, axis), ..track.clone() }
}
