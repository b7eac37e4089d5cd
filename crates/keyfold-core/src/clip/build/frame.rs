//! The axes in which a rotation takes the fewest bits.
//!
//! A rotation is `left * Q(m) * right` (see `blend`). With `left = mean * a` and `right = a⁻¹`, the
//! components of `m` belong to the rotation away from the mean, along the axes `a`. For the best axes, the
//! product of two factors is small: the spread along the axis, and how far a turn about the axis moves
//! points. They are near the axes of largest variance, drawn towards the bone.

use crate::clip::coding::{LEFT_BITS, RIGHT_BITS};
use crate::clip::small_quat::SmallQuat;
use crate::quat::{self, Quat};
use crate::skeleton::Affine;
use crate::vector::{AXES, Matrix, form};
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
        // `right` is rounded, so it defines the actual axes.
        let left = SmallQuat::new(quat::mul(mean, quat::conjugate(right.quat())), LEFT_BITS);
        Self { left, right }
    }

    /// The factors to the left and right of a rotation with parameters.
    pub(super) fn sides(&self) -> [Quat; 2] {
        [self.left.quat(), self.right.quat()]
    }

    /// The rotation whose parameters are zero: the rounded mean, or its opposite quaternion.
    pub(super) fn middle(&self) -> Quat {
        quat::mul(self.left.quat(), self.right.quat())
    }
}

/// Two neighbours may have opposite signs only if the cosine between them is larger. Otherwise the two keys
/// alone would not show which way the turn goes.
const CLEAR: f64 = 0.3;
/// The cost of a change of sign, compared with squares of parameters. It keeps a rotation near half a turn
/// from changing back and forth.
const CHANGE: f64 = 1.0;

/// The rotations with the signs for which their parameters about `mean` are shortest: `q` and `-q` are the
/// same rotation. `rotations` must not jump from one side of the sphere to the other.
///
/// The signs have the least sum of squared parameters and costs of changes. A change ahead of a turn of half
/// a circle keeps the parameters after it short.
pub(super) fn best_signs(rotations: &[Quat], mean: Quat) -> Vec<Quat> {
    let on = |side: usize, q: Quat| if side == 1 { quat::negate(q) } else { q };
    let squares = |q: Quat| [0, 1].map(|side| quat::dot(mean, on(side, q))).map(|w| (1.0 - w) / (1.0 + w).max(1e-9));
    let (mut costs, mut before) = (squares(rotations[0]), Vec::new());
    for pair in rotations.windows(2) {
        let change = if quat::dot(pair[0], pair[1]) > CLEAR { CHANGE } else { f64::INFINITY };
        let from = [0, 1].map(|side| if costs[1 - side] + change < costs[side] { 1 - side } else { side });
        let squares = squares(pair[1]);
        costs = [0, 1].map(|side| costs[from[side]] + squares[side] + if from[side] == side { 0.0 } else { change });
        before.push(from);
    }
    let mut sides = alloc::vec![usize::from(costs[1] < costs[0])];
    before.iter().rev().for_each(|from| sides.push(from[sides[sides.len() - 1]]));
    sides.iter().rev().zip(rotations).map(|(side, q)| on(*side, *q)).collect()
}

/// The mean of rotations with their best signs. If its cosine with one of them is below `least`, another direction
/// replaces it: the one whose opposite is farthest from all rotations. Near that, parameters grow without limit.
pub(super) fn mean(rotations: &[Quat], least: f64) -> Quat {
    let sum = rotations.iter().fold([0.0; 4], |sum, q| [0, 1, 2, 3].map(|i| sum[i] + q[i]));
    let mean = quat::try_normalize(sum).filter(|_| quat::dot(sum, sum) > 1e-6).unwrap_or(rotations[0]);
    let farthest = |mean: Quat| best_signs(rotations, mean).iter().map(|q| quat::dot(mean, *q)).fold(1.0, f64::min);
    let own = farthest(mean);
    if own >= least {
        return mean;
    }
    directions().map(|other| (other, farthest(other))).fold((mean, own), |a, b| if b.1 > a.1 { b } else { a }).0
}

/// The corners of a 24-cell: any direction is within 45 degrees of one of them.
fn directions() -> impl Iterator<Item = Quat> {
    let sign = |bits: usize, i: usize| if bits >> i & 1 == 1 { -1.0 } else { 1.0 };
    let axes = (0..8).map(move |n| [0, 1, 2, 3].map(|i| if i == n / 2 { sign(n, 0) } else { 0.0 }));
    axes.chain((0..16).map(move |n| [0, 1, 2, 3].map(|i| sign(n, i) / 2.0)))
}

/// The best axes for rotations with their best signs about `mean`. `metric` is how far a turn moves points
/// (squared, per radian).
pub(super) fn axes(rotations: &[Quat], mean: Quat, metric: &Matrix) -> Matrix {
    let parameters = rotations.iter().map(|q| quat::project(quat::mul(quat::conjugate(mean), *q)));
    let sum = |sum: Matrix, m: [f64; 3]| [0, 1, 2].map(|i| [0, 1, 2].map(|j| sum[i][j] + m[i] * m[j]));
    // The angle of a turn is about four times the parameter.
    let spread = parameters.fold([[0.0; 3]; 3], sum).map(|row| row.map(|c| 16.0 * c / rotations.len() as f64));
    improve(AXES, &spread, metric)
}

/// Turns pairs of axes by smaller and smaller angles, as long as that saves bits.
fn improve(mut axes: Matrix, spread: &Matrix, metric: &Matrix) -> Matrix {
    // The bits per key, up to a constant.
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
    use crate::engine::{Counting, Parameters};

    #[test]
    fn axes_find_the_one_that_is_turned_about() {
        let axis = [0.6, 0.0, 0.8];
        let rotations: Vec<Quat> = (0..20).map(|i| quat::exp(axis.map(|c| c * 0.02 * f64::from(i)))).collect();
        let axes = axes(&rotations, mean(&rotations, -1.0), &Affine::IDENTITY.axes.map(|a| a.map(|c| c * 1e8)));
        let along = axes.iter().map(|a| (0..3).map(|i| a[i] * axis[i]).sum::<f64>().abs()).fold(0.0, f64::max);
        assert!(along > 0.9999, "{axes:?}");
    }

    #[test]
    fn rotations_on_either_side_of_the_mean_have_the_parameters_of_the_frame() {
        let frame = Frame::new(quat::normalize([0.2, 0.1, -0.4, 0.8]), &Affine::IDENTITY.axes);
        let ([left, right], m) = (frame.sides(), [0.1, -0.3, 0.25]);
        let (codes, counting) = ((0, 0), Counting::Origin);
        let grid = Parameters { frame: Some([left, right]), origin: [0.0; 3], steps: [1.0; 3], codes, counting };
        let back = grid.parameters_of(quat::mul(quat::mul(left, quat::unproject(m)), right));
        (0..3).for_each(|i| assert!((back[i] - m[i]).abs() < 1e-12));
    }

    #[test]
    fn means_keep_away_from_the_opposite_of_any_rotation() {
        // Half a turn at every key, about one axis after the other: no key may change its sign.
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [0.0, -0.6, 0.8]];
        let mut q = quat::IDENTITY;
        let rotations: Vec<Quat> = (0..40)
            .map(|i| {
                q = quat::mul(q, quat::exp(axes[i % 4].map(|c| c * core::f64::consts::FRAC_PI_2)));
                q
            })
            .collect();
        let mean = mean(&rotations, -0.6);
        let least = best_signs(&rotations, mean).iter().map(|q| quat::dot(mean, *q)).fold(1.0, f64::min);
        assert!(least > -0.9, "{least}");
    }

    #[test]
    fn best_signs_keep_parameters_short_and_smooth() {
        let turns: Vec<Quat> = (0..400).map(|i| quat::exp([0.02 * f64::from(i), 0.0, 0.0])).collect();
        let turns: Vec<[f64; 3]> = best_signs(&turns, quat::IDENTITY).into_iter().map(quat::project).collect();
        assert!(turns.iter().all(|m| m[0].abs() <= 1.31));
        let jumps = turns.windows(2).filter(|w| (w[0][0] - w[1][0]).abs() > 0.1).count();
        assert!(jumps <= 3, "{jumps}");
    }
}
