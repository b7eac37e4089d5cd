//! Splits translation and scale by axis for EXT_animation_quantization: an axis at rest needs no keys.

use super::Context;
use crate::{Animation, Axis, Property, Target, Targets, Track, join_axes::split_axes};

/// Candidates with tracks split, without duplicates: those with moving and still axes, and all.
pub(crate) fn splits(context: &Context<'_>, animation: &Animation) -> Vec<Animation> {
    let splittable = |track: &Track| is_whole(context, track, None) && !track.curve.is_constant();
    let has_still_axes =
        |track: &Track| Axis::ALL.into_iter().any(|axis| track.curve.component(axis as usize).is_constant());
    let some = split_axes(animation, |track| splittable(track) && has_still_axes(track));
    let mut tracks = animation.tracks.len();
    let has_more = |split: &Animation| split.tracks.len() > std::mem::replace(&mut tracks, split.tracks.len());
    [some, split_axes(animation, splittable)].into_iter().filter(has_more).collect()
}

/// Splits the tracks whose axes the settings ask for.
pub(crate) fn split_as_asked(context: &Context<'_>, animation: &Animation) -> Animation {
    split_axes(animation, |track| is_whole(context, track, Some(true)))
}

/// Whether the search can change a track of three axes, and the settings ask for its axes as `asked` says.
fn is_whole(context: &Context<'_>, track: &Track, asked: Option<bool>) -> bool {
    let Target::Node { property: property @ (Property::Translation | Property::Scale), axis: None, .. } = track.target
    else {
        return false;
    };
    let known = track.source.targets == Targets::Core && context.takes(track.curve.interpolation());
    known && !context.keeps(&track.target) && context.options.quantization.axes(property) == asked
}
