//! How a stream projects the rotations of a track: about which middle, and in which axes.
//!
//! Axes along which a joint mostly turns leave little to be told in the others: those of the largest change from key
//! to key. They take some bits themselves, which short tracks do not earn.

use super::RotationGrid;
use crate::{
    quat::{self, Quat},
    skeleton::Affine,
    vector::{AXES, Matrix, cross, eigenvectors, form},
};
use alloc::vec::Vec;

/// About how many bits axes take in a stream's head.
const PRICE: f64 = 10.0;
/// How much of what axes could bring at best they do: small numbers do not become much smaller.
const SHARE: f64 = 0.25;
/// The least change along an axis that counts, as a fraction of the largest: less is lost among the steps.
const NOISE: f64 = 1e-3;

/// The projection of rotations about their middle; its steps are still to be chosen.
pub fn projection(rotations: &[Quat]) -> RotationGrid {
    let first = rotations.first().copied().unwrap_or(quat::IDENTITY);
    // What is nearest to the first need not be nearest to all.
    let middle = mean(rotations, mean(rotations, first));
    let axes = axes(rotations, middle).unwrap_or(quat::IDENTITY);
    RotationGrid::new(quat::mul(middle, quat::conjugate(axes)), axes, [0; 3])
}

/// The mean of rotations, each with the sign that is nearer to `near`.
fn mean(rotations: &[Quat], near: Quat) -> Quat {
    let mut sum = [0.0; 4];
    for q in rotations {
        let sign = if quat::dot(*q, near) < 0.0 { -1.0 } else { 1.0 };
        (0..4).for_each(|i| sum[i] += sign * q[i]);
    }
    quat::try_normalize(sum).unwrap_or(near)
}

/// The turn that brings the axes of largest change to x, y and z, where it is worth its place.
fn axes(rotations: &[Quat], middle: Quat) -> Option<Quat> {
    let projected = |q: &Quat| {
        let r = quat::mul(quat::conjugate(middle), *q);
        let r = if r[3] < 0.0 { quat::negate(r) } else { r };
        quat::project(r)
    };
    let points: Vec<[f64; 3]> = rotations.iter().map(projected).collect();
    let mut spread = [[0.0; 3]; 3];
    for pair in points.windows(2) {
        let d = [0, 1, 2].map(|i| pair[1][i] - pair[0][i]);
        (0..9).for_each(|n| spread[n / 3][n % 3] += d[n / 3] * d[n % 3]);
    }
    let vectors = eigenvectors(spread);
    let saved = bits(&spread, &AXES) - bits(&spread, &vectors);
    (SHARE * saved * rotations.len() as f64 > PRICE).then(|| turn_to(vectors))
}

/// About how many bits a change takes at each key when told along some axes, as far as that depends on them.
fn bits(spread: &Matrix, axes: &Matrix) -> f64 {
    let least = NOISE * (0..3).map(|i| spread[i][i]).sum::<f64>() + f64::MIN_POSITIVE;
    axes.iter().map(|axis| 0.5 * libm::log2(form(spread, axis).max(0.0) + least)).sum()
}

/// The smallest turn that brings vectors at right angles to x, y and z, whichever way each of them points.
fn turn_to(mut vectors: Matrix) -> Quat {
    // Each axis may be turned about: the turn with the largest w is nearest to none.
    let mut best = quat::IDENTITY;
    let mut largest = -1.0;
    for signs in 0..4 {
        let sign = |bit: usize| if signs >> bit & 1 == 1 { -1.0 } else { 1.0 };
        let x = vectors[0].map(|c| c * sign(0));
        let y = vectors[1].map(|c| c * sign(1));
        vectors[2] = cross(x, y);
        let q = from_rows([x, y, vectors[2]]);
        if libm::fabs(q[3]) > largest {
            (best, largest) = (if q[3] < 0.0 { quat::negate(q) } else { q }, libm::fabs(q[3]));
        }
    }
    best
}

/// The rotation whose matrix has these rows: the other way round, they are where axes go.
fn from_rows(rows: Matrix) -> Quat {
    quat::conjugate(Affine { axes: rows, origin: [0.0; 3] }.to_transform().rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_of_a_swing_becomes_x_unless_there_is_little_to_tell() {
        let axis = [0.6, 0.0, 0.8];
        let swing = |i: u32| quat::exp(axis.map(|c| c * 0.3 * libm::sin(f64::from(i) * 0.2)));
        let rotations: Vec<Quat> = (0..50).map(swing).collect();
        let turn = axes(&rotations, quat::IDENTITY).unwrap();
        let turned = quat::rotate(turn, axis);
        assert!(turned[0].abs() > 0.999, "{turned:?}");
        assert_eq!(axes(&rotations[..4], quat::IDENTITY), None);
        assert_eq!(axes(&[quat::IDENTITY; 50], quat::IDENTITY), None);
    }

    #[test]
    fn rows_become_the_turn_that_has_them() {
        for q in [[0.9, 0.1, 0.0, 0.1], [0.1, 0.9, 0.0, 0.1], [0.1, 0.0, 0.9, 0.1], [0.1, 0.2, 0.0, 0.9]] {
            let q = quat::normalize(q);
            let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|axis| quat::rotate(q, axis));
            let rows = [0, 1, 2].map(|r| [0, 1, 2].map(|c| columns[c][r]));
            assert!(quat::angle(from_rows(rows), q) < 1e-12);
        }
    }
}
