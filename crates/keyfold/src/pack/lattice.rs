//! The values that a storage can hold at a given step: what a reader will get for a wanted value.
//!
//! Steps are powers of two of the storage's own units, so that low bits and bytes stay the same and any entropy coder
//! sees it. The writer needs no steps: it finds the smallest type that holds the values exactly.

use keyfold_core::quat::{self, Quat};

/// Rotations as a storage holds them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rotations {
    /// Floats as they are.
    Float,
    /// Codes of a normalized integer type, of which `most` stands for 1, in multiples of `step`.
    Normalized {
        /// The code that stands for 1.
        most: i32,
        /// A power of two.
        step: i32,
    },
}

impl Rotations {
    /// Core glTF's normalized bytes or shorts, with a step of at most `budget` (half an angle, in radians).
    pub(crate) fn normalized(budget: f64) -> Self {
        let step = |most: i32| power_of_two_within(budget * f64::from(most)).clamp(1.0, 16384.0) as i32;
        if budget < 1.0 / 32767.0 {
            Self::Float
        } else if budget < 1.0 / 127.0 {
            Self::Normalized { most: 32767, step: step(32767) }
        } else {
            Self::Normalized { most: 127, step: step(127).min(16) }
        }
    }

    /// What a reader gets for a rotation, as stored (not of unit length).
    pub(crate) fn snap(self, q: Quat) -> [f32; 4] {
        match self {
            Self::Float => q.map(|c| c as f32),
            Self::Normalized { most, step } => q.map(|c| {
                let code = (c * f64::from(most) / f64::from(step)).round() as i32 * step;
                code.clamp(-most, most) as f32 / most as f32
            }),
        }
    }
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
    fn normalized_rotations_stay_within_the_budget_and_reach_one() {
        for budget in [3e-5, 1e-4, 1e-3, 0.007, 0.01, 0.03] {
            let lattice = Rotations::normalized(budget);
            assert_eq!(lattice.snap(quat::IDENTITY)[3], 1.0);
            for i in 0..200 {
                let q = quat::exp([f64::from(i) * 0.01, 0.3, -0.1]);
                let angle = quat::angle(played(lattice.snap(q)), q);
                assert!(angle <= 2.0 * budget * 1.01, "{budget} {angle}");
            }
        }
        assert_eq!(Rotations::normalized(1e-6), Rotations::Float);
    }

    #[test]
    fn floats_fall_on_powers_of_two() {
        assert_eq!(snap_float(0.3, 0.25), 0.25);
        assert_eq!(snap_float(0.3, 0.4), 0.25);
        assert_eq!(snap_float(0.3, 0.0), 0.3);
        assert_eq!([0.9, 1.0, 3.0].map(power_of_two_within), [0.5, 1.0, 2.0]);
    }
}
