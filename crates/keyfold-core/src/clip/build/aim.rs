//! Where a joint should point, given its parents as decoded, and which codes come nearest.
//!
//! A joint carries points: its own probes, those of nodes that hang on it rigidly, and the origins of the joints below. The aim is
//! the rotation for which the sum of their squared distances from where they belong, each over what it is allowed, is least.
//! Codes around it are judged by the largest of the distances, in first order: errors are small against everything else.
//!
//! The engine's compensation is another concept: one map from a miss to a tilt, computed once for all rounds of a search.

use super::frame::Frame;
use crate::quat::{self, Quat};
use crate::skeleton::{Affine, Transform};
use crate::vector::{AXES, Matrix, cross, dot, solve};
use alloc::vec::Vec;

/// A point that a joint carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Whose it is: where that node is in the reference says where the point belongs.
    pub(super) node: usize,
    /// In the node's own coordinates.
    pub(super) offset: [f64; 3],
    /// In the joint's coordinates, as decoded.
    pub(super) local: [f64; 3],
    /// How far off it may be.
    pub(super) allowed: f64,
    /// A node that finds its own place whatever the joint does: only the way from its origin to the point counts, which `local` is.
    pub(super) free: Option<usize>,
}

/// A joint's aim at one key.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    /// The rotation to come near to.
    pub(super) rotation: Quat,
    /// The same in a track's parameters, once those are known.
    pub(super) m: [f64; 3],
    /// How far off each point is there and how it moves for a small turn about each of the joint's own axes (for a change of each parameter, once those are
    /// known), over what it is allowed.
    points: Vec<([f64; 3], Matrix)>,
}

impl Aim {
    /// The aim of a joint whose parent is at `parent` and whose own transform is `local`, up to the rotation. `belongs` says
    /// where each point should be.
    pub(super) fn new(
        parent: &Affine,
        local: &Transform,
        points: &[Point],
        belongs: impl Fn(&Point) -> [f64; 3],
    ) -> Self {
        let mut aim = Self { rotation: local.rotation, m: [0.0; 3], points: Vec::with_capacity(points.len()) };
        let places: Vec<[f64; 3]> = points.iter().map(belongs).collect();
        aim.look(parent, local, points, &places);
        // Errors are small: what one step leaves is of second order.
        let turn = aim.best_turn();
        aim.rotation = quat::normalize(quat::mul(aim.rotation, quat::exp(turn.map(|c| c / 2.0))));
        aim.look(parent, local, points, &places);
        aim
    }

    fn look(&mut self, parent: &Affine, local: &Transform, points: &[Point], places: &[[f64; 3]]) {
        self.points.clear();
        let own = parent.point(local.translation);
        for (point, place) in points.iter().zip(places) {
            let v = [0, 1, 2].map(|i| point.local[i] * local.scale[i]);
            let k = 1.0 / point.allowed;
            let turned = |v| parent.direction(quat::rotate(self.rotation, v));
            let (at, origin) = (turned(v), if point.free.is_some() { [0.0; 3] } else { own });
            let miss = [0, 1, 2].map(|i| (origin[i] + at[i] - place[i]) * k);
            self.points.push((miss, AXES.map(|axis| turned(cross(axis, v)).map(|c| c * k))));
        }
    }

    /// The turn about the joint's own axes that makes the sum of squares least.
    fn best_turn(&self) -> [f64; 3] {
        let (mut normal, mut right) = (self.metric(), [0.0; 3]);
        for (miss, moves) in &self.points {
            (0..3).for_each(|i| right[i] -= dot(moves[i], *miss));
        }
        // A touch of the diagonal keeps directions that move nothing from turning.
        let touch = 1e-9 * (normal[0][0] + normal[1][1] + normal[2][2]);
        (0..3).for_each(|i| normal[i][i] += touch);
        solve(normal, right).unwrap_or_default()
    }

    /// How far off the points are, as a sum of squares per turn: the metric that steps are chosen by.
    pub(super) fn metric(&self) -> Matrix {
        let mut out = [[0.0; 3]; 3];
        for (_, moves) in &self.points {
            (0..3).for_each(|i| (0..3).for_each(|j| out[i][j] += dot(moves[i], moves[j])));
        }
        out
    }

    /// The aim in a track's parameters `m`, for choosing codes.
    pub(super) fn within(mut self, frame: &Frame, m: [f64; 3]) -> Self {
        // A turn of the inner rotation about its own axes is a turn of the whole about axes turned by `right`.
        let turns = quat::turns_of_projection(m).map(|t| quat::rotate(quat::conjugate(frame.right.quat()), t));
        for (_, moves) in &mut self.points {
            *moves = turns.map(|turn| [0, 1, 2].map(|k| (0..3).map(|i| moves[i][k] * turn[i]).sum()));
        }
        self.m = m;
        self
    }

    /// The codes, of those around the aim on the grid `origin + code * step` and from the least to the most that a component may have, whose largest miss is
    /// least; and that miss.
    pub(super) fn nearest(&self, origin: [f64; 3], step: [f64; 3], range: [(f64, f64); 3]) -> ([i32; 3], f64) {
        let place = [0, 1, 2].map(|c| (self.m[c] - origin[c]) / step[c]);
        let floor = place.map(libm::floor);
        let mut best = ([0; 3], f64::INFINITY);
        for corner in 0..8u32 {
            let code = [0, 1, 2].map(|c| (floor[c] + f64::from(corner >> c & 1)).clamp(range[c].0, range[c].1));
            let miss = self.miss([0, 1, 2].map(|c| (code[c] - place[c]) * step[c]), best.1);
            if miss < best.1 {
                best = (code.map(|c| c as i32), miss);
            }
        }
        (best.0, libm::sqrt(best.1))
    }

    /// The largest miss at the aim itself: what no code can better.
    pub(super) fn least(&self) -> f64 {
        libm::sqrt(self.miss([0.0; 3], f64::INFINITY))
    }

    /// The largest squared miss at a distance `off` from the aim; stops early where it is over `enough`.
    fn miss(&self, off: [f64; 3], enough: f64) -> f64 {
        let mut largest = 0.0f64;
        for (miss, slope) in &self.points {
            let v = [0, 1, 2].map(|k| miss[k] + slope[0][k] * off[0] + slope[1][k] * off[1] + slope[2][k] * off[2]);
            largest = largest.max(dot(v, v));
            if largest >= enough {
                break;
            }
        }
        largest
    }
}
