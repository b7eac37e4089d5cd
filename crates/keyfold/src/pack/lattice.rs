//! The values that a storage can hold at a given step: what a reader will get for a wanted value.
//!
//! Steps come in few sizes, so that low bits and bytes repeat and any entropy coder sees it. The writer needs to be told no
//! steps: it finds the smallest form that holds the values exactly.

use crate::{Storage, write::quaternion_filter};
use keyfold_core::quat::{self, Quat};

/// Rotations as a storage holds them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rotations {
    /// Floats as they are.
    Float,
    /// Codes of a normalized short, three of them in multiples of `step`, a power of two, and the largest so that the length is 1.
    Normalized { step: i32 },
    /// Three components through meshopt's quaternion filter, of which `scale` stands for the square root of a half.
    Filtered { scale: i32 },
    /// X, Y and Z in so many steps to 1; W is what is missing to unit length.
    WithoutW { steps: i32 },
}

impl Rotations {
    /// What a storage holds rotations as, with steps of at most about `budget` (half an angle, in radians); `upright` where W is
    /// never small.
    pub(crate) fn within(storage: Storage, budget: f64, upright: bool) -> Self {
        match storage {
            Storage::Meshopt => match quaternion_filter::scale_within(budget) {
                Some(scale) => Self::Filtered { scale },
                None => Self::Float,
            },
            Storage::Quantization if upright => {
                let steps = quaternion_filter::LADDER.into_iter().find(|steps| f64::from(*steps) * budget >= 1.0);
                steps.map_or_else(|| Self::normalized(budget), |steps| Self::WithoutW { steps })
            }
            Storage::Core | Storage::Quantization | Storage::Draco => Self::normalized(budget),
        }
    }

    fn normalized(budget: f64) -> Self {
        // Bytes would never be of unit length.
        let step = power_of_two_within(budget * f64::from(SHORT)).min(4096.0) as i32;
        if step < 1 { Self::Float } else { Self::Normalized { step } }
    }

    /// What a reader gets for rotations, as stored: not of unit length.
    pub(crate) fn snap(self, rotations: impl Iterator<Item = Quat>) -> Vec<f32> {
        match self {
            Self::Float => rotations.flat_map(|q| q.map(|c| c as f32)).collect(),
            Self::Normalized { step } => rotations.flat_map(|q| unit(q, step)).collect(),
            Self::WithoutW { steps } => rotations.flat_map(|q| without_w(q, steps)).collect(),
            Self::Filtered { scale } => {
                let mut codes: Vec<[i16; 4]> = rotations.map(|q| quaternion_filter::encode(q, scale)).collect();
                quaternion_filter::decode(&mut codes);
                codes.iter().flatten().map(|c| f32::from(*c) / 32767.0).collect()
            }
        }
    }
}

/// What stands for 1 in a normalized short.
const SHORT: i32 = 32767;

/// Three components in multiples of a step, and the largest so that the length is 1. Players such as three.js do not normalize what
/// they read: keys off unit length would move points there by as much as the step itself.
fn unit(q: Quat, step: i32) -> [f32; 4] {
    let largest = (1..4).fold(0, |best, i| if q[i].abs() > q[best].abs() { i } else { best });
    let mut codes = q.map(|c| (c * f64::from(SHORT) / f64::from(step)).round() as i32 * step);
    let rest: i32 = (0..4).filter(|i| *i != largest).map(|i| codes[i].pow(2)).sum();
    let code = f64::from((SHORT * SHORT).saturating_sub(rest).max(0)).sqrt().round() as i32;
    codes[largest] = if q[largest] < 0.0 { -code } else { code };
    codes.map(|code| code.clamp(-SHORT, SHORT) as f32 / SHORT as f32)
}

fn without_w(q: Quat, steps: i32) -> [f32; 4] {
    let q = if q[3] < 0.0 { quat::negate(q) } else { q };
    let [x, y, z] = [0, 1, 2].map(|i| (q[i] * f64::from(steps)).round() / f64::from(steps));
    let w = (1.0 - (x * x + y * y + z * z)).max(0.0).sqrt();
    quat::normalize([x, y, z, w]).map(|c| c as f32)
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
                let lattice = Rotations::within(storage, budget, true);
                let wanted: Vec<Quat> = (0..100).map(|i| quat::exp([f64::from(i) * 0.01, 0.3, -0.1])).collect();
                let stored = lattice.snap(wanted.iter().copied());
                for (q, s) in wanted.iter().zip(stored.chunks(4)) {
                    let angle = quat::angle(played([s[0], s[1], s[2], s[3]]), *q);
                    assert!(angle <= 4.0 * budget + 6e-5, "{storage:?} {budget} {angle}");
                }
                assert!(lattice.snap([quat::IDENTITY].into_iter())[3] > 0.9999);
                for q in stored.chunks(4) {
                    let square: f64 = q.iter().map(|c| f64::from(*c) * f64::from(*c)).sum();
                    assert!((square - 1.0).abs() < 1e-4, "{storage:?} {budget} {q:?}");
                }
            }
        }
        assert_eq!(Rotations::within(Storage::Core, 1e-6, true), Rotations::Float);
    }

    #[test]
    fn floats_fall_on_powers_of_two() {
        assert_eq!(snap_float(0.3, 0.25), 0.25);
        assert_eq!(snap_float(0.3, 0.4), 0.25);
        assert_eq!(snap_float(0.3, 0.0), 0.3);
        assert_eq!([0.9, 1.0, 3.0].map(power_of_two_within), [0.5, 1.0, 2.0]);
    }
}
