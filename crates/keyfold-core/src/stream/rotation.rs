//! Rotations as three integers: `docs/stream.md`, section 6.
//!
//! A rotation is told by the stereographic projection of its quaternion (modified Rodrigues parameters): v = xyz / (1 + w), taken about a middle `a` and in axes `b` of the track's own. The
//! projection keeps angles, so that steps are equally coarse in all directions; back it takes no more than one division; and integers give the same floats everywhere.

use crate::quat::{self, Quat};

/// How a track's rotations are projected, and how coarse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RotationGrid {
    /// The turn that stands on the left, projected, in eighths: it brings the middle of the track's rotations near to none.
    pub left: [i8; 3],
    /// The turn that stands on the right, projected, in eighths: it brings the track's axes to x, y and z.
    pub right: [i8; 3],
    /// The steps of the three components, as `step` tells them.
    pub steps: [u8; 3],
}

/// How finely the two turns are told.
const PARTS: i64 = 8;
/// The coarsest step that there is.
pub(crate) const COARSEST_STEP: u8 = 199;
/// The finest step: eight units of 2^-28.
const UNIT: i32 = 28;
/// Where 1 lies in the quaternions' integers.
const ONE: i32 = 30;
/// Components beyond 2 are taken as 2: no encoder needs them.
const FARTHEST: i64 = 2 << UNIT;

/// A step by its number, in units of 2^-28: eight to an octave.
const fn step(number: u8) -> i64 {
    (8 + (number & 7) as i64) << (number >> 3)
}

/// The number of the coarsest step that is at most `wanted`, a length of the projection (a quarter of an angle).
pub(crate) fn step_within(wanted: f64) -> u8 {
    let units = wanted * f64::from(1 << UNIT);
    let mut number = 0;
    while number < COARSEST_STEP && step(number + 1) as f64 <= units {
        number += 1;
    }
    number
}

impl RotationGrid {
    /// A grid with turns near to those that are wanted on either side.
    pub fn new(left: Quat, right: Quat, steps: [u8; 3]) -> Self {
        Self { left: parts(left, PARTS), right: parts(right, PARTS), steps }
    }

    /// A step's length in the projection.
    pub fn step(&self, component: usize) -> f64 {
        step(self.steps[component]) as f64 / f64::from(1 << UNIT)
    }
}

/// A quaternion from its projection in so many parts of 1, 2^30 being 1.
fn turn(code: [i8; 3], parts: i64) -> [i64; 4] {
    let n = code.map(i64::from);
    let (square, whole): (i64, i64) = (n.iter().map(|c| c * c).sum(), parts * parts);
    let part = |c: i64| (c << ONE).div_euclid(whole + square);
    [part(2 * parts * n[0]), part(2 * parts * n[1]), part(2 * parts * n[2]), part(whole - square)]
}

/// A turn's projection in so many parts of 1.
fn parts(q: Quat, parts: i64) -> [i8; 3] {
    let q = if q[3] < 0.0 { quat::negate(q) } else { q };
    [0, 1, 2].map(|i| libm::rint(parts as f64 * q[i] / (1.0 + q[3])) as i8)
}

/// Hamilton's product of such quaternions.
fn product(a: [i64; 4], b: [i64; 4]) -> [i64; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
    .map(|c| c >> ONE)
}

/// What turns codes of a grid into quaternions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rotations {
    steps: [i64; 3],
    /// What becomes of x, y, z and w.
    columns: [[i64; 4]; 4],
    left: Quat,
    right: Quat,
}

impl Rotations {
    /// For a grid.
    pub fn new(grid: &RotationGrid) -> Self {
        let (left, right) = (turn(grid.left, PARTS), turn(grid.right, PARTS));
        let column = |k: usize| {
            let mut axis = [0; 4];
            axis[k] = 1 << ONE;
            product(product(left, axis), right)
        };
        let float = |q: [i64; 4]| quat::normalize(q.map(|c| c as f64));
        let steps = grid.steps.map(|number| step(number.min(COARSEST_STEP)));
        Self { steps, columns: [0, 1, 2, 3].map(column), left: float(left), right: float(right) }
    }

    /// The quaternion that codes stand for.
    #[inline]
    pub fn decode(&self, codes: [i32; 3]) -> [f32; 4] {
        let v = [0, 1, 2].map(|i| (i64::from(codes[i]) * self.steps[i]).clamp(-FARTHEST, FARTHEST));
        let square = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) >> UNIT;
        let inverse = (1 << (UNIT + ONE)) / ((1 << UNIT) + square);
        let (x, w) = (v.map(|c| 2 * c), (1 << UNIT) - square);
        let [a, b, c, d] = &self.columns;
        [0, 1, 2, 3].map(|j| {
            let sum = (a[j] * x[0] + b[j] * x[1] + c[j] * x[2] + d[j] * w) >> UNIT;
            let component = (sum * inverse) >> ONE;
            component as f32 * (1.0 / (1u32 << ONE) as f32)
        })
    }

    /// A unit quaternion before it was turned.
    fn unturned(&self, q: Quat) -> Quat {
        quat::mul(quat::mul(quat::conjugate(self.left), q), quat::conjugate(self.right))
    }

    /// The projection of a quaternion that is not turned any more, in steps.
    fn project(&self, r: Quat) -> [i32; 3] {
        let k = f64::from(1 << UNIT) / (1.0 + r[3]);
        [0, 1, 2].map(|i| libm::rint(r[i] * k / self.steps[i] as f64) as i32)
    }

    /// The codes nearest to a unit quaternion.
    pub fn encode(&self, q: Quat) -> [i32; 3] {
        let r = self.unturned(q);
        // Either sign is the same rotation. The nearer one is better, but a track that turns on beyond half a turn should not jump at once.
        self.project(if r[3] < -0.5 { quat::negate(r) } else { r })
    }

    /// The codes that a decoded quaternion came from. Its sign is theirs: near where [`Self::encode`] takes the other one, that would find others.
    pub fn codes(&self, decoded: [f32; 4]) -> [i32; 3] {
        self.project(self.unturned(decoded.map(f64::from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_come_back_within_half_a_step() {
        let middle = quat::normalize([0.3, -0.5, 0.1, 0.8]);
        let axes = quat::normalize([0.1, 0.4, 0.2, 0.9]);
        for number in [60, 100, 131] {
            let grid = RotationGrid::new(quat::mul(middle, quat::conjugate(axes)), axes, [number; 3]);
            let rotations = Rotations::new(&grid);
            for i in 0..500 {
                let t = f64::from(i) * 0.013;
                let q = quat::mul(middle, quat::exp([libm::sin(t), 0.4 * libm::cos(3.0 * t), 0.2 * t - 0.6]));
                let decoded = rotations.decode(rotations.encode(q));
                let square: f64 = decoded.iter().map(|c| f64::from(*c) * f64::from(*c)).sum();
                assert!((square - 1.0).abs() < 1e-6);
                let angle = quat::angle(quat::normalize(decoded.map(f64::from)), q);
                assert!(angle <= 4.0 * 0.87 * grid.step(0) + 1e-6, "{number} {i} {angle}");
                // What was decoded is on the grid.
                assert_eq!(rotations.codes(decoded), rotations.encode(q));
            }
        }
    }

    #[test]
    fn codes_are_found_again_on_all_ways_round() {
        let grid = RotationGrid::new(quat::IDENTITY, quat::IDENTITY, [131; 3]);
        let rotations = Rotations::new(&grid);
        for i in 0..20_000 {
            let q = quat::exp([f64::from(i) * 1e-3, 0.0, 1e-4 * f64::from(i % 7)]);
            let code = rotations.encode(q);
            assert_eq!(rotations.codes(rotations.decode(code)), code, "{i}");
        }
    }

    #[test]
    fn steps_climb_and_no_code_leaves_the_integers() {
        assert!((0..COARSEST_STEP).all(|n| step(n) < step(n + 1)));
        assert_eq!(step_within(grid_step(77)), 77);
        let grid = RotationGrid { left: [i8::MIN; 3], right: [i8::MAX; 3], steps: [u8::MAX; 3] };
        for code in [i32::MIN, -1, 0, 1, i32::MAX] {
            let q = Rotations::new(&grid).decode([code, -(code / 2), code]);
            assert!(q.iter().all(|c| c.abs() <= 1.0001), "{q:?}");
        }
    }

    fn grid_step(number: u8) -> f64 {
        RotationGrid { left: [0; 3], right: [0; 3], steps: [number; 3] }.step(0)
    }
}
