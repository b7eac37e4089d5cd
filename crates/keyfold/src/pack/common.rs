//! Tracks that many animations have come first in each of them, in one order: then their channels are the same text again and again, numbers of samplers included, of
//! which a compressor writes next to nothing.

use crate::{Animation, Target};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The animations that may change with their tracks in that order, otherwise as they were.
pub(super) fn common_first(mut animations: Vec<Animation>, changes: impl Fn(&Animation) -> bool) -> Vec<Animation> {
    // How many animations have a target, and its place among all that were met.
    let mut known: BTreeMap<Target, (Reverse<usize>, usize)> = BTreeMap::new();
    for animation in &animations {
        let mut seen = BTreeSet::new();
        for target in animation.tracks.iter().map(|track| &track.target).filter(|target| seen.insert(*target)) {
            let next = known.len();
            known.entry(target.clone()).or_insert((Reverse(0), next)).0.0 += 1;
        }
    }
    for animation in animations.iter_mut().filter(|animation| changes(animation)) {
        animation.tracks.sort_by_key(|track| known[&track.target]);
    }
    animations
}
