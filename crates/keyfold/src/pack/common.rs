//! Tracks that many animations have come first in each of them: then their channels are the same text again and again, numbers of samplers included, of
//! which a compressor writes next to nothing.

use crate::{Animation, Target};
use std::{cmp::Reverse, collections::BTreeMap};

/// The animations with their tracks in that order, otherwise as they were.
pub(super) fn common_first(mut animations: Vec<Animation>) -> Vec<Animation> {
    let mut counts: BTreeMap<Target, usize> = BTreeMap::new();
    for track in animations.iter().flat_map(|animation| &animation.tracks) {
        *counts.entry(track.target.clone()).or_default() += 1;
    }
    for animation in &mut animations {
        animation.tracks.sort_by_key(|track| Reverse(counts[&track.target]));
    }
    animations
}
