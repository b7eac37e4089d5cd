//! Translation and scale split by axis, which EXT_animation_quantization was made for: each axis has keys of its own, and one that
//! rests needs none.

use super::Context;
use crate::{Animation, Axis, Property, Target, Targets, Track, join_axes::split_axes};

/// The animation with such tracks split, as far as that may make it smaller: only those of which some axes move and others do not, and
/// all of them. None of what would be the same as something before it.
pub(crate) fn splits(context: &Context<'_>, animation: &Animation) -> Vec<Animation> {
    let splittable = |track: &Track| is_whole(context, track, None) && !track.curve.is_constant();
    let has_still_axes =
        |track: &Track| Axis::ALL.into_iter().any(|axis| track.curve.component(axis as usize).is_constant());
    let some = split_axes(animation, |track| splittable(track) && has_still_axes(track));
    let mut tracks = animation.tracks.len();
    let has_more = |split: &Animation| split.tracks.len() > std::mem::replace(&mut tracks, split.tracks.len());
    [some, split_axes(animation, splittable)].into_iter().filter(has_more).collect()
}

/// The animation with those tracks split whose axes are asked for.
pub(crate) fn split_as_asked(context: &Context<'_>, animation: &Animation) -> Animation {
    split_axes(animation, |track| is_whole(context, track, Some(true)))
}

/// Whether a track drives all three axes of a property in a form that the search can change, and whether its axes are asked for, if anything is.
fn is_whole(context: &Context<'_>, track: &Track, asked: Option<bool>) -> bool {
    let Target::Node { property: property @ (Property::Translation | Property::Scale), axis: None, .. } = track.target
    else {
        return false;
    };
    let known = track.source.targets == Targets::Core && context.takes(track.curve.interpolation());
    known && !context.keeps(&track.target) && context.settings.quantization.axes(property) == asked
}
