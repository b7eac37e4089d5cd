//! Thinning: drops keys where errors leave room.
//!
//! A tolerance has to hold at a track's worst moment; at others, errors are smaller than they may be. So keys
//! are dropped one by one, from the tips to the root, where the whole subtree stays within the limit.

use super::{
    clip::Clip,
    encode::{TrackKeys, between, put_value},
    grid::played,
    reduce::LEAST_COSINE,
    track::{Quantizer, Track},
    window::{Decoded, Window},
};
use crate::{
    quat,
    skeleton::{Affine, Transform},
};
use alloc::{vec, vec::Vec};

/// The most nodes examined per window. Skeletons take a tenth of it, chains of thousands would never end.
const EFFORT: usize = 1 << 21;

/// The nodes of a window as decoded.
pub(super) struct Thinning<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    /// The largest squared error that is accepted.
    limit: f64,
    decoded: &'a mut Decoded,
    /// How many nodes may still be examined.
    effort: usize,
}

/// A key: its moment, and its value.
type Key = (usize, [f64; 4]);

impl<'a, 'c> Thinning<'a, 'c> {
    pub(super) fn new(clip: &'a Clip<'c>, window: &'a Window, limit: f64, decoded: &'a mut Decoded) -> Self {
        Self { clip, window, limit: limit * limit, decoded, effort: EFFORT }
    }

    /// Drops keys of tracks and updates poses and transforms.
    pub(super) fn run(&mut self, quantizers: &[Quantizer]) {
        let nodes: Vec<usize> = self.clip.nodes().collect();
        for node in nodes.into_iter().rev() {
            for index in self.clip.tracks_of(node) {
                if quantizers[index].held.is_none() && self.clip.tracks[index].is_linear() {
                    self.track(index, &quantizers[index]);
                }
            }
        }
    }

    fn track(&mut self, index: usize, quantizer: &Quantizer) {
        let (track, keys) = (&self.clip.tracks[index], &self.decoded.keys[index]);
        let places: Vec<usize> = keys.places.iter().map(|place| place - self.window.range.start).collect();
        let values: Vec<[f64; 4]> =
            keys.codes.iter().map(|code| played(quantizer.grid.decode(*code), track.turns())).collect();
        let mut kept = vec![true; places.len()];
        let mut last = 0;
        for k in 1..places.len().saturating_sub(1) {
            let ends = [(places[last], values[last]), (places[k + 1], values[k + 1])];
            kept[k] = !self.bridges(track, ends, places[k]);
            if kept[k] {
                last = k;
            }
        }
        let TrackKeys { places, codes } = &mut self.decoded.keys[index];
        let (mut of_places, mut of_codes) = (kept.iter(), kept.iter());
        places.retain(|_| of_places.next() == Some(&true));
        codes.retain(|_| of_codes.next() == Some(&true));
    }

    /// Drops everything between two keys if errors stay within the limit; `key` is checked first.
    fn bridges(&mut self, track: &Track, [(from, a), (to, b)]: [Key; 2], key: usize) -> bool {
        if track.turns() && libm::fabs(quat::dot(a, b)) < LEAST_COSINE {
            return false;
        }
        let times = &self.window.times;
        let mut moved = Vec::with_capacity(to - from);
        let others = (from + 1..to).filter(|moment| *moment != key);
        for moment in core::iter::once(key).chain(others) {
            let mut own = self.decoded.transforms[track.node][moment];
            let share = (times[moment] - times[from]) / (times[to] - times[from]);
            put_value(track, between(track, a, b, share), &mut own);
            let Some(by) = self.within(track.node, moment, &own) else { return false };
            moved.push((moment, own, by));
        }
        for (moment, own, by) in moved {
            self.decoded.transforms[track.node][moment] = own;
            for &below in self.clip.skeleton.subtree(track.node) {
                let global = by.then_inner(self.decoded.poses.global(below, moment));
                self.decoded.poses.set_global(below, moment, global);
            }
        }
        true
    }

    /// How another transform of a node moves its subtree, if that stays within the limit.
    fn within(&mut self, node: usize, moment: usize, own: &Transform) -> Option<Affine> {
        let skeleton = self.clip.skeleton;
        let subtree = skeleton.subtree(node);
        self.effort = self.effort.checked_sub(subtree.len())?;
        let above = skeleton.parent(node).map_or(Affine::IDENTITY, |parent| *self.decoded.poses.global(parent, moment));
        let global = above.then_inner(&Affine::from_transform(own));
        let moves = global.then_inner(&self.decoded.poses.global(node, moment).inverse()?);
        let near = |below: &usize| {
            let moved = || moves.then_inner(self.decoded.poses.global(*below, moment));
            let error = |probe| self.window.error(probe, moment, &moved());
            self.clip.probe(*below).is_none_or(|probe| error(probe) <= self.limit)
        };
        subtree.iter().all(near).then_some(moves)
    }
}
