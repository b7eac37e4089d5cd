//! Thinning: keys that points have room to do without.
//!
//! A track's tolerance has to hold at its worst moment; at others, points are nearer than they have to be. So keys go one by one, from the tips to the
//! root, wherever everything that hangs on the node stays within the limit.

use super::{
    clip::Clip,
    encode::{TrackKeys, between, put_value, value},
    reduce::LEAST_COSINE,
    track::{Quantizer, Track},
    window::Window,
};
use crate::{
    quat,
    skeleton::{Affine, Poses, Property, Transform},
};
use alloc::{vec, vec::Vec};

/// How many nodes are looked at for one window at most: an ordinary skeleton takes a tenth of it, a chain of thousands would never end.
const EFFORT: usize = 1 << 21;

/// A window's nodes as decoded.
pub(super) struct Thinning<'a, 'c> {
    clip: &'a Clip<'c>,
    window: &'a Window,
    /// The largest squared distance that is let be.
    limit: f64,
    /// By node: its probe.
    probes: Vec<Option<usize>>,
    poses: &'a mut Poses,
    transforms: &'a mut [Vec<Transform>],
    /// How many nodes may still be looked at.
    effort: usize,
}

/// A key: its moment, and its value.
type Key = (usize, [f64; 4]);

/// A node at a moment as it would be, and what that does to everything that hangs on it.
struct Moved {
    moment: usize,
    own: Transform,
    by: Affine,
}

impl<'a, 'c> Thinning<'a, 'c> {
    /// Poses and transforms are those of the window as decoded.
    pub(super) fn new(
        clip: &'a Clip<'c>,
        window: &'a Window,
        limit: f64,
        poses: &'a mut Poses,
        transforms: &'a mut [Vec<Transform>],
    ) -> Self {
        Self { clip, window, limit: limit * limit, probes: clip.probe_of(), poses, transforms, effort: EFFORT }
    }

    /// Removes keys of tracks; poses and transforms become what is left of them.
    pub(super) fn run(&mut self, quantizers: &[Quantizer], keys: &mut [TrackKeys]) {
        let nodes: Vec<usize> = self.clip.nodes().collect();
        for node in nodes.into_iter().rev() {
            for index in self.clip.tracks_of(node) {
                if quantizers[index].held.is_none() && self.clip.tracks[index].is_linear() {
                    self.track(&self.clip.tracks[index], &quantizers[index], &mut keys[index]);
                }
            }
        }
    }

    fn track(&mut self, track: &Track, quantizer: &Quantizer, keys: &mut TrackKeys) {
        let places: Vec<usize> = keys.places.iter().map(|place| place - self.window.range.start).collect();
        let values: Vec<[f64; 4]> = keys.codes.iter().map(|code| value(track, quantizer.grid.decode(*code))).collect();
        let mut kept = vec![true; places.len()];
        let mut last = 0;
        for k in 1..places.len().saturating_sub(1) {
            let ends = [(places[last], values[last]), (places[k + 1], values[k + 1])];
            kept[k] = !self.bridges(track, ends, places[k]);
            if kept[k] {
                last = k;
            }
        }
        let left = |k: &usize| kept[*k];
        keys.places = (0..kept.len()).filter(left).map(|k| keys.places[k]).collect();
        keys.codes = (0..kept.len()).filter(left).map(|k| keys.codes[k]).collect();
    }

    /// Leaves out what is between two keys where that is within the limit. `key` is where it is most likely not. Says whether it did.
    fn bridges(&mut self, track: &Track, [(from, a), (to, b)]: [Key; 2], key: usize) -> bool {
        if track.property == Property::Rotation && libm::fabs(quat::dot(a, b)) < LEAST_COSINE {
            return false;
        }
        let times = &self.window.times;
        let mut moved = Vec::with_capacity(to - from);
        let others = (from + 1..to).filter(|moment| *moment != key);
        for moment in core::iter::once(key).chain(others) {
            let mut own = self.transforms[track.node][moment];
            let share = (times[moment] - times[from]) / (times[to] - times[from]);
            put_value(track, between(track, a, b, share), &mut own);
            let Some(by) = self.within(track.node, moment, &own) else { return false };
            moved.push(Moved { moment, own, by });
        }
        self.take(track.node, &moved);
        true
    }

    /// Moves a node and all that hangs on it.
    fn take(&mut self, node: usize, moved: &[Moved]) {
        for Moved { moment, own, by } in moved {
            self.transforms[node][*moment] = *own;
            for below in self.clip.skeleton.subtree(node) {
                let global = by.then_inner(self.poses.global(*below, *moment));
                self.poses.set_global(*below, *moment, global);
            }
        }
    }

    /// What another transform of a node does to everything that hangs on it, where that stays within the limit.
    fn within(&mut self, node: usize, moment: usize, own: &Transform) -> Option<Affine> {
        let skeleton = self.clip.skeleton;
        let subtree = skeleton.subtree(node);
        self.effort = self.effort.checked_sub(subtree.len())?;
        let above = skeleton.parent(node).map_or(Affine::IDENTITY, |parent| *self.poses.global(parent, moment));
        let global = above.then_inner(&Affine::from_transform(own));
        let moves = global.then_inner(&self.poses.global(node, moment).inverse()?);
        let limit = self.limit / self.window.weights[moment];
        let near = |below: &usize| {
            self.probes[*below].is_none_or(|probe| {
                let moved = moves.then_inner(self.poses.global(*below, moment));
                self.clip.probes[probe].squared_distance(self.window.poses.global(*below, moment), &moved) <= limit
            })
        };
        subtree.iter().all(near).then_some(moves)
    }
}
