//! Tracks that many animations have come first in each of them: then their channels are the same text again and again, numbers of samplers included, of
//! which a compressor writes next to nothing.

use crate::{Animation, Target};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The animations that may change with their tracks in that order, otherwise as they were.
pub(super) fn common_first(mut animations: Vec<Animation>, changes: impl Fn(&Animation) -> bool) -> Vec<Animation> {
    let mut counts: BTreeMap<Target, usize> = BTreeMap::new();
    for animation in &animations {
        let targets: BTreeSet<&Target> = animation.tracks.iter().map(|track| &track.target).collect();
        targets.into_iter().for_each(|target| *counts.entry(target.clone()).or_default() += 1);
    }
    for animation in animations.iter_mut().filter(|animation| changes(animation)) {
        animation.tracks.sort_by_key(|track| Reverse(counts[&track.target]));
    }
    animations
}
