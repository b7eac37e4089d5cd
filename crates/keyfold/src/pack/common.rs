//! Puts the tracks that many animations have first, in the same order. Their channels then repeat the same
//! text, sampler numbers included, which compresses to almost nothing.

use crate::{Animation, Target};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Sorts the tracks of the animations that may change.
pub(super) fn common_first(mut animations: Vec<Animation>, changes: impl Fn(&Animation) -> bool) -> Vec<Animation> {
    // For each target, the number of animations that have it and its order of appearance.
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
