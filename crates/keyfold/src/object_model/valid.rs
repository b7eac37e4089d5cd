//! The allowed values of a property.

use std::fmt;
use std::ops::{Bound, RangeBounds};

/// How far a quaternion's length may be from one: the worst that 8-bit components can do, as gltf-validator has it.
const UNIT_TOLERANCE: f64 = 0.007_69;

/// The allowed values of a property.
///
/// Bounds are compared in `f32`, the precision of the values: the `f32` nearest to π/2 is greater than π/2.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Valid {
    /// Any finite value.
    #[default]
    Any,
    /// Every component between the bounds.
    Within(Bound<f64>, Bound<f64>),
    /// No component zero.
    NonZero,
    /// Four components of unit length.
    UnitQuaternion,
}

impl Valid {
    /// From zero to one, both included: colours and factors.
    pub const UNIT: Self = Self::Within(Bound::Included(0.0), Bound::Included(1.0));

    /// `least` or more.
    pub const fn at_least(least: f64) -> Self {
        Self::Within(Bound::Included(least), Bound::Unbounded)
    }

    /// More than `bound`.
    pub const fn above(bound: f64) -> Self {
        Self::Within(Bound::Excluded(bound), Bound::Unbounded)
    }

    /// Less than `bound`.
    pub const fn below(bound: f64) -> Self {
        Self::Within(Bound::Unbounded, Bound::Excluded(bound))
    }

    /// Whether a value, with all its components, is allowed. Infinity and NaN never are.
    ///
    /// ```
    /// use keyfold::object_model::Valid;
    ///
    /// assert!(Valid::UNIT.allows(&[0.0, 0.5, 1.0]));
    /// assert!(!Valid::above(0.0).allows(&[0.0]));
    /// assert!(Valid::UnitQuaternion.allows(&[0.0, 0.6, 0.0, 0.8]));
    /// ```
    pub fn allows(self, value: &[f64]) -> bool {
        value.iter().all(|component| component.is_finite())
            && match self {
                Self::Any => true,
                Self::Within(low, high) => {
                    let range = (single(low), single(high));
                    value.iter().all(|&component| range.contains(&(component as f32)))
                }
                Self::NonZero => value.iter().all(|&component| component != 0.0),
                Self::UnitQuaternion => {
                    let square: f64 = value.iter().map(|component| component * component).sum();
                    (square.sqrt() - 1.0).abs() <= UNIT_TOLERANCE
                }
            }
    }

    /// The allowed component that is nearest to one; the same where there is no nearest.
    pub(crate) fn nearest(self, component: f32) -> f32 {
        let Self::Within(low, high) = self else { return component };
        match (single(low), single(high)) {
            (Bound::Included(low), _) if component < low => low,
            (_, Bound::Included(high)) if component > high => high,
            _ => component,
        }
    }
}

fn single(bound: Bound<f64>) -> Bound<f32> {
    bound.map(|value| value as f32)
}

impl fmt::Display for Valid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Bound::{Excluded, Included, Unbounded};
        match self {
            Self::Any | Self::Within(Unbounded, Unbounded) => f.write_str("any"),
            Self::NonZero => f.write_str("not 0"),
            Self::UnitQuaternion => f.write_str("a unit quaternion"),
            Self::Within(Included(low), Unbounded) => write!(f, ">= {low}"),
            Self::Within(Excluded(low), Unbounded) => write!(f, "> {low}"),
            Self::Within(Unbounded, Included(high)) => write!(f, "<= {high}"),
            Self::Within(Unbounded, Excluded(high)) => write!(f, "< {high}"),
            Self::Within(Included(low), Included(high)) => write!(f, "[{low}, {high}]"),
            Self::Within(Included(low), Excluded(high)) => write!(f, "[{low}, {high})"),
            Self::Within(Excluded(low), Included(high)) => write!(f, "({low}, {high}]"),
            Self::Within(Excluded(low), Excluded(high)) => write!(f, "({low}, {high})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn bounds_are_compared_in_single_precision() {
        let outer = Valid::Within(Bound::Excluded(0.0), Bound::Included(FRAC_PI_2));
        let nearest = f64::from(FRAC_PI_2 as f32);
        assert!(nearest > FRAC_PI_2);
        assert!(outer.allows(&[nearest]));
        assert!(!outer.allows(&[nearest + 1e-6]));
        assert!(!Valid::below(FRAC_PI_2).allows(&[nearest]));
    }

    #[test]
    fn each_kind_has_its_edge() {
        assert!(Valid::at_least(1.0).allows(&[1.0]) && !Valid::at_least(1.0).allows(&[0.999]));
        assert!(Valid::above(0.0).allows(&[1e-30]) && !Valid::above(0.0).allows(&[-0.0]));
        assert!(Valid::NonZero.allows(&[-1.0]) && !Valid::NonZero.allows(&[1.0, 0.0]));
        assert!(Valid::UNIT.allows(&[0.0, 1.0]) && !Valid::UNIT.allows(&[0.5, 1.0001]));
        assert!(Valid::UnitQuaternion.allows(&[0.0, 0.0, 0.0, -1.007]));
        assert!(!Valid::UnitQuaternion.allows(&[0.0, 0.0, 0.0, 1.008]));
    }

    #[test]
    fn the_nearest_is_an_end_that_is_allowed() {
        assert_eq!([-0.1, 0.5, 1.1].map(|v| Valid::UNIT.nearest(v)), [0.0, 0.5, 1.0]);
        assert_eq!([-0.1, 0.5].map(|v| Valid::above(0.0).nearest(v)), [-0.1, 0.5]);
        let outer = Valid::Within(Bound::Excluded(0.0), Bound::Included(FRAC_PI_2));
        assert_eq!([-0.1, 2.0].map(|v| outer.nearest(v)), [-0.1, FRAC_PI_2 as f32]);
    }

    #[test]
    fn what_is_not_finite_is_never_allowed() {
        for valid in [Valid::Any, Valid::UNIT, Valid::at_least(0.0), Valid::NonZero, Valid::UnitQuaternion] {
            assert!(!valid.allows(&[f64::INFINITY]), "{valid}");
            assert!(!valid.allows(&[f64::NAN]), "{valid}");
        }
    }

    #[test]
    fn reads_like_mathematics() {
        assert_eq!(Valid::UNIT.to_string(), "[0, 1]");
        assert_eq!(Valid::above(0.5).to_string(), "> 0.5");
        assert_eq!(Valid::Any.to_string(), "any");
    }
}
