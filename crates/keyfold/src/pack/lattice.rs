//! The values that a storage can hold at a given step: what a reader will get for a wanted value.
//!
//! Steps come in few sizes, so that low bits and bytes repeat and any entropy coder sees it. But for [`Grid`], whose numbers stand in the
//! JSON, the writer needs to be told no steps: it finds the smallest form that holds the values exactly.

use super::grid::Grid;
use crate::{Storage, write::quaternion_filter};
use keyfold_core::{
    quat::{self, Quat},
    stream::{RotationGrid, Rotations, step_within},
};

/// The values that a lane can have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lattice {
    /// Floats as they are.
    Float,
    /// Floats in multiples of a power of two.
    Multiples(f64),
    /// Codes of a normalized short, three of them in multiples of `step`, a power of two, and the largest so that the length is 1.
    Normalized { step: i32 },
    /// Three components of a rotation through meshopt's quaternion filter, of which `scale` stands for the square root of a half.
    Filtered { scale: i32 },
    /// Integers on a grid of their own. Of a rotation X, Y and Z; W is what is missing to unit length.
    Grid(Grid),
    /// Codes of a projection about a rotation of its own, as a stream has them.
    Projected(RotationGrid, Rotations),
}

impl Lattice {
    /// What a storage holds rotations as, with steps of at most about `budget` (half an angle, in radians). `grid` lays a grid.
    pub(crate) fn rotations(storage: Storage, budget: f64, grid: impl FnOnce(f64) -> Option<Grid>) -> Self {
        match storage {
            Storage::Meshopt => match quaternion_filter::scale_within(budget) {
                Some(scale) => Self::Filtered { scale },
                None => Self::Float,
            },
            Storage::Quantization => grid(budget).map_or_else(|| Self::normalized(budget), Self::Grid),
            Storage::Core | Storage::Draco => Self::normalized(budget),
            Storage::Stream => Self::Float,
        }
    }

    /// What a storage holds translations and scales as, with steps of at most about `budget`.
    pub(crate) fn vectors(storage: Storage, budget: f64, grid: impl FnOnce(f64) -> Option<Grid>) -> Self {
        if !(budget > 0.0 && budget.is_finite()) {
            return Self::Float;
        }
        let laid = if storage == Storage::Quantization { grid(budget) } else { None };
        laid.map_or_else(|| Self::Multiples(power_of_two_within(budget)), Self::Grid)
    }

    /// Rotations as a stream's codes in a projection of their own, with steps of at most about `budget`.
    pub(crate) fn projected(budget: f64, projection: RotationGrid) -> Self {
        if !(budget > 0.0 && budget.is_finite()) {
            return Self::Float;
        }
        let grid = RotationGrid { steps: [step_within(budget / 2.0); 3], ..projection };
        Self::Projected(grid, Rotations::new(&grid))
    }

    /// Rotations as core's normalized integers. Bytes would never be of unit length.
    fn normalized(budget: f64) -> Self {
        let step = power_of_two_within(budget * f64::from(SHORT)).min(4096.0) as i32;
        if step < 1 { Self::Float } else { Self::Normalized { step } }
    }

    /// How far neighbouring values of a component lie apart.
    pub(crate) fn spacing(&self) -> f64 {
        match self {
            Self::Float => 0.0,
            Self::Multiples(step) => *step,
            Self::Normalized { step } => f64::from(*step) / f64::from(SHORT),
            Self::Filtered { scale } => 1.0 / (f64::from(*scale) * std::f64::consts::SQRT_2),
            Self::Grid(grid) => grid.spacing(),
            // About the middle of a projection, quaternions move twice as far.
            Self::Projected(grid, _) => 2.0 * grid.step(0),
        }
    }

    /// What a reader gets for a rotation, as stored: not always of unit length.
    pub(crate) fn rotation(&self, q: Quat) -> [f32; 4] {
        match self {
            Self::Float | Self::Multiples(_) => q.map(|c| c as f32),
            Self::Normalized { step } => unit(q, *step),
            Self::Grid(grid) => {
                let q = if q[3] < 0.0 { quat::negate(q) } else { q };
                let [x, y, z] = grid.snap([q[0], q[1], q[2]]);
                let w = (1.0 - (x * x + y * y + z * z)).max(0.0).sqrt();
                quat::normalize([x, y, z, w]).map(|c| c as f32)
            }
            Self::Projected(_, rotations) => rotations.decode(rotations.encode(q)),
            Self::Filtered { scale } => {
                let mut codes = [quaternion_filter::encode(q, *scale)];
                quaternion_filter::decode(&mut codes);
                codes[0].map(|c| f32::from(c) / 32767.0)
            }
        }
    }

    /// What a reader gets for a vector; the last component is not used.
    pub(crate) fn vector(&self, v: [f64; 3]) -> [f32; 4] {
        let [x, y, z] = match self {
            Self::Multiples(step) => v.map(|c| (c / step).round() * step),
            Self::Grid(grid) => grid.snap(v),
            Self::Float | Self::Normalized { .. } | Self::Filtered { .. } | Self::Projected(..) => v,
        };
        [x as f32, y as f32, z as f32, 0.0]
    }
}

/// What stands for 1 in a normalized short.
const SHORT: i32 = 32767;

/// Three components in multiples of a step, and the largest so that the length is 1. Players such as three.js do not normalize
/// what they read: keys off unit length would move points there by as much as the step itself.
fn unit(q: Quat, step: i32) -> [f32; 4] {
    let largest = (1..4).fold(0, |best, i| if q[i].abs() > q[best].abs() { i } else { best });
    let mut codes = q.map(|c| (c * f64::from(SHORT) / f64::from(step)).round() as i32 * step);
    let rest: i32 = (0..4).filter(|i| *i != largest).map(|i| codes[i].pow(2)).sum();
    let code = f64::from((SHORT * SHORT).saturating_sub(rest).max(0)).sqrt().round() as i32;
    codes[largest] = if q[largest] < 0.0 { -code } else { code };
    codes.map(|code| code.clamp(-SHORT, SHORT) as f32 / SHORT as f32)
}

/// Floats in multiples of a power of two that is at most `budget`; untouched where the budget is nothing.
pub(crate) fn snap_float(value: f64, budget: f64) -> f32 {
    if !(budget > 0.0 && budget.is_finite()) {
        return value as f32;
    }
    let step = power_of_two_within(budget);
    ((value / step).round() * step) as f32
}

/// The largest power of two that is at most `x`, for positive `x`: the exponent alone.
fn power_of_two_within(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7FF0_0000_0000_0000)
}

/// A stored rotation as a player turns it.
pub(crate) fn played(stored: [f32; 4]) -> Quat {
    quat::normalize(stored.map(f64::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_stay_within_the_budget_and_reach_one() {
        for storage in [Storage::Core, Storage::Meshopt, Storage::Quantization] {
            for budget in [1e-4, 1e-3, 0.007, 0.01, 0.03] {
                let lay = |step: f64| Grid::new(&[(-0.2, 0.9), (0.0, 0.4), (-0.2, 0.0)], step, true);
                let lattice = Lattice::rotations(storage, budget, lay);
                let wanted: Vec<Quat> = (0..100).map(|i| quat::exp([f64::from(i) * 0.01, 0.3, -0.1])).collect();
                for q in &wanted {
                    let angle = quat::angle(played(lattice.rotation(*q)), *q);
                    assert!(angle <= 4.0 * budget + 6e-5, "{storage:?} {budget} {angle}");
                    let square: f64 = lattice.rotation(*q).iter().map(|c| f64::from(*c) * f64::from(*c)).sum();
                    assert!((square - 1.0).abs() < 1e-4, "{storage:?} {budget} {q:?}");
                }
                assert!(lattice.rotation(quat::IDENTITY)[3] > 0.999);
            }
        }
        assert_eq!(Lattice::rotations(Storage::Core, 1e-6, |_| None), Lattice::Float);
    }

    #[test]
    fn floats_fall_on_powers_of_two() {
        assert_eq!(snap_float(0.3, 0.25), 0.25);
        assert_eq!(snap_float(0.3, 0.4), 0.25);
        assert_eq!(snap_float(0.3, 0.0), 0.3);
        assert_eq!([0.9, 1.0, 3.0].map(power_of_two_within), [0.5, 1.0, 2.0]);
    }
}
