//! How much of the bound each joint may use at each key: less where an earlier try exceeded the bound.
//!
//! At the keys themselves the walk sees every error. Between keys it does not: where joints turn far from one key to the
//! next, what a child makes up for at both keys is not made up for halfway.

use crate::skeleton::Skeleton;
use alloc::{vec, vec::Vec};

/// Room for all nodes and keys.
pub(super) struct Room {
    keys: usize,
    room: Vec<f64>,
    over: Vec<f64>,
    /// By node, whether it or one above has other room than the last try left to it: only there codes and errors differ.
    pub(super) changed: Vec<bool>,
    /// How many joints up the chain are charged.
    depth: usize,
}

impl Room {
    /// The same for all at first.
    pub(super) fn new(nodes: usize, keys: usize, first: f64) -> Self {
        let (room, over) = (vec![first; nodes * keys], vec![0.0; nodes * keys]);
        Self { keys, room, over, changed: vec![true; nodes], depth: 2 }
    }

    /// A node's room at every key.
    pub(super) fn of(&self, node: usize) -> &[f64] {
        &self.room[node * self.keys..(node + 1) * self.keys]
    }

    /// How much finer a joint's numbers are than they might be: as its least room, but not much, because all of its keys pay for it.
    pub(super) fn finer(&self, node: usize) -> f64 {
        self.of(node).iter().copied().fold(1.0, f64::min).max(0.5)
    }

    /// Between `key` and the next, a point of `node` was over the bound, `ratio` times as far off.
    pub(super) fn charge(&mut self, skeleton: &Skeleton, node: usize, key: usize, ratio: f64) {
        let chain = core::iter::successors(Some(node), |node| skeleton.parent(*node)).take(self.depth);
        for at in chain.map(|node| node * self.keys) {
            self.over[at + key..at + (key + 2).min(self.keys)].iter_mut().for_each(|over| *over = over.max(ratio));
        }
    }

    /// Takes room away where an error was charged, and looks further up the chain next time.
    pub(super) fn tighten(&mut self, skeleton: &Skeleton) {
        let of = |node: usize| &self.over[node * self.keys..(node + 1) * self.keys];
        self.changed = skeleton.moved(|node| of(node).iter().any(|over| *over > 1.0));
        for (room, over) in self.room.iter_mut().zip(&mut self.over).filter(|(_, over)| **over > 1.0) {
            *room = (*room - (*over - 0.95)).max(0.4 * *room);
            *over = 0.0;
        }
        self.depth += 1;
    }
}
