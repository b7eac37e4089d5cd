//! The axes in which a rotation takes the fewest bits.
//!
//! A rotation is `left * Q(m) * right` (see `blend`). With `left = mean * a` and `right = a⁻¹` the components of `m` are those of
//! the rotation away from the mean, along the axes `a`. The best axes make the product of (spread along the axis) and (how far a
//! turn about the axis moves points) small: near the axes of largest variance, drawn towards the bone.

use crate::clip::coding::{LEFT_BITS, RIGHT_BITS};
use crate::clip::small_quat::SmallQuat;
use crate::quat::{self, Quat};
use crate::skeleton::Affine;
use crate::vector::{Matrix, eigenvectors, form};
use alloc::vec::Vec;

/// The fixed quaternions of a rotation track, as they will be decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) left: SmallQuat,
    pub(super) right: SmallQuat,
}

impl Frame {
    /// The frame for rotations with these `axes` (columns) about `mean`.
    pub(super) fn new(mean: Quat, axes: &Matrix) -> Self {
        let a = Affine { axes: *axes, origin: [0.0; 3] }.to_transform().rotation;
        let right = SmallQuat::new(quat::conjugate(a), RIGHT_BITS);
        // The axes are what `right` was rounded to.
        let left = SmallQuat::new(quat::mul(mean, quat::conjugate(right.quat())), LEFT_BITS);
        Self { left, right }
    }

    /// What stands on either side of a rotation with parameters.
    pub(super) fn sides(&self) -> [Quat; 2] {
        [self.left.quat(), self.right.quat()]
    }

    /// The inner rotation of `q`: what lies between left and right.
    pub(super) fn inner(&self, q: Quat) -> Quat {
        quat::mul(quat::mul(quat::conjugate(self.left.quat()), q), quat::conjugate(self.right.quat()))
    }

    /// The rotation whose parameters are `m`.
    pub(super) fn outer(&self, m: [f64; 3]) -> Quat {
        quat::normalize(quat::mul(quat::mul(self.left.quat(), quat::unproject(m)), self.right.quat()))
    }
}

/// Keys do not change to the opposite quaternion between neighbours with a smaller cosine between them: which way the turn goes must stay clear from the two alone.
const CLEAR: f64 = 0.3;
/// What a change costs beside squares of parameters, so that a rotation near half a turn does not change back and forth.
const CHANGE: f64 = 1.0;

/// The parameters of rotations that do not jump from one side of the sphere to the other, turned to the opposite where those are longer: of all ways to do so the one
/// whose squares add up to least. A change ahead of a turn of half a circle keeps what follows it short.
pub(super) fn folded(rotations: &[Quat]) -> Vec<[f64; 3]> {
    let on = |side: usize, q: Quat| if side == 1 { quat::negate(q) } else { q };
    let square = |q: Quat| (1.0 - q[3]) / (1.0 + q[3]).max(1e-9);
    let (mut costs, mut before) = ([0, 1].map(|side| square(on(side, rotations[0]))), Vec::new());
    for pair in rotations.windows(2) {
        let change = if quat::dot(pair[0], pair[1]) > CLEAR { CHANGE } else { f64::INFINITY };
        let from = [0, 1].map(|side| if costs[1 - side] + change < costs[side] { 1 - side } else { side });
        costs = [0, 1].map(|side| {
            let change = if from[side] == side { 0.0 } else { change };
            costs[from[side]] + change + square(on(side, pair[1]))
        });
        before.push(from);
    }
    let mut sides = alloc::vec![usize::from(costs[1] < costs[0])];
    before.iter().rev().for_each(|from| sides.push(from[sides[sides.len() - 1]]));
    sides.iter().rev().zip(rotations).map(|(side, q)| quat::project(on(*side, *q))).collect()
}

/// The mean of rotations that do not jump from one side of the sphere to the other.
pub(super) fn mean(rotations: &[Quat]) -> Quat {
    let sum = rotations.iter().fold([0.0; 4], |sum, q| [0, 1, 2, 3].map(|i| sum[i] + q[i]));
    quat::try_normalize(sum).filter(|_| quat::dot(sum, sum) > 1e-6).unwrap_or(rotations[0])
}

/// The best axes for rotations about `mean`, where turning moves points by `metric` (squared, per radian).
pub(super) fn axes(rotations: &[Quat], mean: Quat, metric: &Matrix) -> Matrix {
    let away: Vec<Quat> = rotations.iter().map(|q| quat::mul(quat::conjugate(mean), *q)).collect();
    let (mut sum, mut products, count) = ([0.0; 3], [[0.0; 3]; 3], rotations.len() as f64);
    for m in folded(&away) {
        (0..3).for_each(|i| sum[i] += m[i]);
        (0..3).for_each(|i| (0..3).for_each(|j| products[i][j] += m[i] * m[j]));
    }
    // A turn is about four times the parameter.
    let spread =
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| 16.0 * (products[i][j] / count - sum[i] * sum[j] / count / count)));
    improve(eigenvectors(spread), &spread, metric)
}

/// Turns pairs of axes by smaller and smaller angles as long as that saves bits.
fn improve(mut axes: Matrix, spread: &Matrix, metric: &Matrix) -> Matrix {
    // Up to a constant.
    let bits = |axes: &Matrix| axes.iter().map(|a| libm::log(1.0 + form(spread, a) * form(metric, a))).sum::<f64>();
    let (mut best, mut angle) = (bits(&axes), 0.6);
    while angle > 0.01 {
        let (mut better, sin, cos) = (false, libm::sin(angle), libm::cos(angle));
        for (p, q) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
            let mut turned = axes;
            turned[p] = [0, 1, 2].map(|i| cos * axes[p][i] + sin * axes[q][i]);
            turned[q] = [0, 1, 2].map(|i| cos * axes[q][i] - sin * axes[p][i]);
            let bits = bits(&turned);
            if bits < best - 1e-9 {
                (axes, best, better) = (turned, bits, true);
            }
        }
        if !better {
            angle *= 0.5;
        }
    }
    axes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_find_the_one_that_is_turned_about() {
        let axis = [0.6, 0.0, 0.8];
        let rotations: Vec<Quat> = (0..20).map(|i| quat::exp(axis.map(|c| c * 0.02 * f64::from(i)))).collect();
        let axes = axes(&rotations, mean(&rotations), &Affine::IDENTITY.axes.map(|a| a.map(|c| c * 1e8)));
        let along = axes.iter().map(|a| (0..3).map(|i| a[i] * axis[i]).sum::<f64>().abs()).fold(0.0, f64::max);
        assert!(along > 0.9999, "{axes:?}");
    }

    #[test]
    fn inner_undoes_outer() {
        let frame = Frame::new(quat::normalize([0.2, 0.1, -0.4, 0.8]), &Affine::IDENTITY.axes);
        let m = [0.1, -0.3, 0.25];
        let back = quat::project(frame.inner(frame.outer(m)));
        (0..3).for_each(|i| assert!((back[i] - m[i]).abs() < 1e-12));
    }

    #[test]
    fn following_keeps_parameters_short_and_smooth() {
        let turns = folded(&(0..400).map(|i| quat::exp([0.02 * f64::from(i), 0.0, 0.0])).collect::<Vec<_>>());
        assert!(turns.iter().all(|m| m[0].abs() <= 1.31));
        let jumps = turns.windows(2).filter(|w| (w[0][0] - w[1][0]).abs() > 0.1).count();
        assert!(jumps <= 3, "{jumps}");
    }
}
