//! Differences between two curves.

use super::bezier::{bezier, largest};
use super::{Curve, Kind, merged_times};
use crate::quat;
use alloc::vec;

/// How many times are looked at between neighbouring keys of rotations.
const BETWEEN: usize = 4;

/// The largest difference at any time between two curves of the same width: that of a component, exact, or that of an
/// angle, as far as sampling shows.
///
/// ```
/// use keyfold_core::curve::{Curve, Interpolation, Kind, largest_difference};
/// let eased = Curve::new(Interpolation::CubicSpline, 1, [0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 4.0, 0.0])?;
/// let even = Curve::new(Interpolation::Linear, 1, [0.0, 1.0], [0.0, 4.0])?;
/// // 4 (3x² - 2x³ - x) is largest where x is half of 1 - 1/√3.
/// assert!((largest_difference(Kind::Vector, &eased, &even) - 4.0 / 108f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn largest_difference(kind: Kind, one: &Curve, other: &Curve) -> f64 {
    let keys = merged_times([one.times(), other.times()].into_iter());
    let (mut a, mut b) = (vec![0.0; one.width()], vec![0.0; one.width()]);
    let mut at = |time: f64| {
        one.sample(kind, time, &mut a);
        other.sample(kind, time, &mut b);
        difference(kind, &a, &b)
    };
    let at_keys = keys.iter().map(|key| at(f64::from(*key))).fold(0.0, f64::max);
    // Between two neighbouring floats there is no time.
    let gaps = keys.windows(2).filter(|w| w[0].next_up() < w[1]).map(|w| (f64::from(w[0]), f64::from(w[1])));
    let between = gaps.map(|(start, end)| match kind {
        Kind::Vector => (0..one.width()).map(|c| largest_between(one, other, c, start, end)).fold(0.0, f64::max),
        Kind::Rotation => {
            let step = (end - start) / (BETWEEN + 1) as f64;
            (1..=BETWEEN).map(|k| at(start + step * k as f64)).fold(0.0, f64::max)
        }
    });
    between.fold(at_keys, f64::max)
}

/// The largest difference of a component between two neighbouring keys, where it is a cubic.
fn largest_between(one: &Curve, other: &Curve, component: usize, start: f64, end: f64) -> f64 {
    let (a, b) = (bezier(one, component, start, end), bezier(other, component, start, end));
    largest([0, 1, 2, 3].map(|i| a[i] - b[i]))
}

/// The difference between two values: the largest of their components, or an angle.
pub fn difference(kind: Kind, a: &[f64], b: &[f64]) -> f64 {
    let to_quat = |v: &[f64]| v.try_into().ok();
    match (kind, to_quat(a), to_quat(b)) {
        (Kind::Rotation, Some(a), Some(b)) => quat::angle(a, b),
        _ => a.iter().zip(b).map(|(a, b)| libm::fabs(a - b)).fold(0.0, f64::max),
    }
}
