//! How far points move under compensation, which is less than as parts of a rigid body.
//!
//! A small error of a track displaces and rotates the subtree. With compensation, a joint below keeps its
//! global rotation and tilts against the displacement of its origin (`compensate`). So only a fraction of the
//! error arrives at the tips of a chain. To first order, that is a linear map from joint to joint.

use super::{clip::Clip, reach::samples, track::Track, window::Window};
use crate::{
    skeleton::{Probe, Property},
    vector::{AXES, Vector, cross, dot},
};
use alloc::{vec, vec::Vec};

/// A small movement of a node: the displacement of its origin, and a rotation vector.
#[derive(Clone, Copy, Default)]
struct Movement {
    displaced: Vector,
    turned: Vector,
}

impl Movement {
    /// How far a point moves with a node, given the node's origin.
    fn of(&self, point: Vector, origin: Vector) -> Vector {
        let turned = cross(self.turned, [0, 1, 2].map(|k| point[k] - origin[k]));
        [0, 1, 2].map(|k| self.displaced[k] + turned[k])
    }
}

/// A clip whose joints compensate for errors above them.
pub(super) struct Response<'a, 'c> {
    clip: &'a Clip<'c>,
    windows: &'a [Window],
    /// By node: whether it tilts against the displacement of its origin.
    tilts: Vec<bool>,
    /// By node: the largest angle between two keys of its rotation.
    turns: Vec<f64>,
}

impl<'a, 'c> Response<'a, 'c> {
    /// Joints tilt if they have keys at most times, unless their budgets make them constant.
    pub(super) fn new(clip: &'a Clip<'c>, windows: &'a [Window], budgets: &[f64]) -> Self {
        let (mut tilts, mut turns) = (vec![false; clip.skeleton.len()], vec![0.0; clip.skeleton.len()]);
        for (track, budget) in clip.tracks.iter().zip(budgets).filter(|(track, _)| track.turns()) {
            let many = track.is_linear() && 2 * track.keys.len() > clip.times.len();
            tilts[track.node] = many && !track.is_held(*budget);
            turns[track.node] = track.turn;
        }
        Self { clip, windows, tilts, turns }
    }

    /// The squares of how far a unit of a track moves the probes below its node; `rigid` for a rigid body.
    pub(super) fn squares(&self, track: &Track, rigid: &[f64]) -> Vec<f64> {
        if track.property == Property::Scale {
            return rigid.to_vec();
        }
        let mut squares = vec![0.0; rigid.len()];
        let mut moved = vec![Movement::default(); self.clip.skeleton.len()];
        for window in self.windows {
            for moment in samples(window) {
                for axis in AXES {
                    self.unit(track, axis, window, moment, &mut moved);
                    self.raise(track, window, moment, &moved, &mut squares);
                }
            }
        }
        let between = self.between(track);
        squares.iter().zip(rigid).zip(between).map(|((own, rigid), between)| own + between * between * rigid).collect()
    }

    /// Moves the subtree of a track's node by a unit of the track along or about an axis.
    fn unit(&self, track: &Track, axis: Vector, window: &Window, moment: usize, moved: &mut [Movement]) {
        let (skeleton, global) = (self.clip.skeleton, |node: usize| window.poses.global(node, moment));
        // A displaced node tilts, or rotates with its parent.
        let turned = |node: usize, displaced: Vector, rigid: Vector| match self.tilts[node] {
            true => window.tilts[node][moment].of(displaced.map(|c| -c)),
            false => rigid,
        };
        moved[track.node] = match track.property {
            Property::Translation => {
                let displaced = skeleton.parent(track.node).map_or(axis, |parent| global(parent).direction(axis));
                Movement { displaced, turned: turned(track.node, displaced, [0.0; 3]) }
            }
            Property::Rotation | Property::Scale => Movement { displaced: [0.0; 3], turned: axis },
        };
        for &node in &skeleton.subtree(track.node)[1..] {
            let Some(parent) = skeleton.parent(node) else { continue };
            let displaced = moved[parent].of(global(node).origin, global(parent).origin);
            moved[node] = Movement { displaced, turned: turned(node, displaced, moved[parent].turned) };
        }
    }

    /// The nodes with probes in the subtree of a track's node.
    fn probed(&self, track: &Track) -> impl Iterator<Item = (usize, &Probe)> {
        self.clip.skeleton.subtree(track.node).iter().filter_map(|node| Some((*node, self.clip.probe(*node)?)))
    }

    /// Raises squared distances to those of the movements of probes.
    fn raise(&self, track: &Track, window: &Window, moment: usize, moved: &[Movement], squares: &mut [f64]) {
        for ((node, probe), square) in self.probed(track).zip(squares) {
            let global = window.poses.global(node, moment);
            let points = probe.points(global).into_iter();
            let by = points.map(|point| moved[node].of(point, global.origin));
            *square = by.map(|by| dot(by, by)).fold(*square, f64::max);
        }
    }

    /// By probe: the share of a track's error that is not compensated between keys. Across the axis of an
    /// arc, an error of both ends is 1 / cos(angle / 2) times as large in the middle, and joints with
    /// different angles no longer cancel out.
    fn between(&self, track: &Track) -> Vec<f64> {
        let skeleton = self.clip.skeleton;
        let mut turns = self.turns.clone();
        for &node in &skeleton.subtree(track.node)[1..] {
            let above = skeleton.parent(node).map_or(0.0, |parent| turns[parent]);
            turns[node] = turns[node].max(above);
        }
        let share = |turn: f64| 1.0 / libm::cos(turn / 2.0).max(0.5) - 1.0;
        self.probed(track).map(|(node, _)| share(turns[node])).collect()
    }
}
