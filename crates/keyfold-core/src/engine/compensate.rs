//! Compensation: the rotation that a joint should have, given its ancestors as decoded.
//!
//! A joint aims at its original global rotation and tilts a little so that its children stay in place. So
//! errors do not add up along a chain. Decoders need not know about it.

use super::{
    clip::Clip,
    window::{Window, at},
};
use crate::{
    quat::{self, Quat},
    skeleton::{Poses, Skeleton},
    vector::{AXES, Matrix, Vector, cross, dot, solve},
};

/// Maps the displacement of a joint's origin to the rotation vector that compensates for it, one row per
/// component: the least-squares fit that keeps the children in place and hardly moves the joint's own probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tilt([Vector; 3]);

impl Tilt {
    pub(super) fn new(clip: &Clip<'_>, poses: &Poses, node: usize, moment: usize) -> Self {
        let (m, sum) = leverage(clip.skeleton, clip.radii[node], poses, node, moment);
        let columns = AXES.map(|unit| solve(m, cross(sum, unit)).unwrap_or_default());
        Self([0, 1, 2].map(|row| columns.map(|column| column[row])))
    }

    #[inline]
    pub(super) fn of(&self, miss: Vector) -> Vector {
        self.0.map(|row| dot(row, miss))
    }
}

/// How far a small rotation of a node moves its probe and its children's origins. Returns the sum of squares
/// as a quadratic form of the rotation vector, and the sum of the offsets to the children.
pub(crate) fn leverage(
    skeleton: &Skeleton,
    radius: f64,
    poses: &Poses,
    node: usize,
    moment: usize,
) -> (Matrix, Vector) {
    let (origin, own, mut sum) = (poses.global(node, moment).origin, radius * radius, [0.0; 3]);
    let mut m = [[own, 0.0, 0.0], [0.0, own, 0.0], [0.0, 0.0, own]];
    for &child in skeleton.children(node) {
        let end = poses.global(child, moment).origin;
        let r = [0, 1, 2].map(|k| end[k] - origin[k]);
        let square = dot(r, r);
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] += if i == j { square } else { 0.0 } - r[i] * r[j];
            }
            sum[i] += r[i];
        }
    }
    (m, sum)
}

/// The local rotation that gives a joint its original global rotation, tilted so that its children stay in
/// place. `above` is the parent's global rotation and `origin` the joint's own origin, both as decoded.
#[inline]
pub(super) fn compensated(window: &Window, node: usize, moment: usize, above: Quat, origin: Vector) -> Quat {
    let original = window.poses.global(node, moment).origin;
    let miss = [0, 1, 2].map(|k| original[k] - origin[k]);
    let tilt = window.tilts[node][moment].of(miss);
    let aim = quat::mul(quat::exp(tilt.map(|c| c / 2.0)), at(&window.turns[node], moment));
    quat::normalize(quat::mul(quat::conjugate(above), aim))
}
