//! Bounds of how fast spherical cubic interpolation turns, over a stretch between two keys.
//!
//! The quadrangle is `p exp(τ log(p⁻¹ q))` with two arcs p and q of constant speed and τ = 2 s (1 - s). Its
//! bounds follow from those of its parts. The logarithm is the vector part times g(cos φ) = φ / sin φ. This
//! is a power series in 1 - cos φ without negative coefficients, so each of its derivatives is largest where
//! the arcs are farthest apart. The exponential of a vector has length 1.

use super::jet::{Jet, ORDER};
use crate::curve::{Curve, Location, align, locate, quadrangle};
use crate::quat::{self, Quat};
use crate::vector::{Vector, distance, length};
use core::f64::consts::PI;

/// Quaternions that are farther apart than this (1 - cos φ, at most 2) are nearly opposite: the way from one
/// to the other is not defined.
const OPPOSITE: f64 = 1.999;

/// Bounds of the rotation as a matrix between `start` and `end`, with no key inside. `None` if it turns at
/// constant speed: before and after all keys, and if the controls are the keys, so that both arcs are one.
pub(super) fn bounds(curve: &Curve, start: f64, end: f64) -> Option<Jet> {
    let Location::Between { key, span, .. } = locate(curve.times(), start + (end - start) / 2.0) else { return None };
    let [a, b, c, d] = quadrangle(curve, key);
    let [a, b, c, d] = align(a, b, c, d);
    if (a, d) == (b, c) {
        return None;
    }
    let from = f64::from(curve.times()[key]);
    let (s, step) = ((start - from) / span, (end - start) / span);
    let [u, v] = [(a, d), (b, c)].map(|(from, to)| half_turn(from, to).map(|c| c * step));
    let between = between(u, v);
    let middle = s + step / 2.0;
    let gap = angle(quat::slerp_direct(a, d, middle), quat::slerp_direct(b, c, middle)) + between.0[1] / 2.0;
    let y = 1.0 - libm::cos(gap.min(PI));
    if y.max(1.0 - quat::dot(b, c)) > OPPOSITE {
        return Some(Jet::WILD);
    }
    let log = (between.series(angle_over_sine(y)) * between.with_size(gap.min(1.0))).with_size(gap);
    let most = if (s..=s + step).contains(&0.5) { 0.5 } else { ease(s).max(ease(s + step)) };
    let slope = libm::fabs(2.0 - 4.0 * s).max(libm::fabs(2.0 - 4.0 * (s + step)));
    let weight = Jet([most, slope * step, 2.0 * step * step, 0.0, 0.0]);
    let power = (weight * log).series([1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0]);
    let q = Jet::turning(length(u)) * power;
    Some((q * q).with_size(1.0))
}

/// Bounds of p⁻¹ q, and so of its last component cos φ, for arcs that turn by the half rotation vectors `u`
/// and `v`. Its derivative is p⁻¹ (v - u) q: arcs that turn alike keep their distance.
fn between(u: Vector, v: Vector) -> Jet {
    let (slip, turning) = (distance(u, v), Jet::turning(length(u) + length(v)));
    Jet(core::array::from_fn(|k| if k == 0 { 1.0 } else { slip * turning.0[k - 1] / k as f64 }))
}

/// The half rotation vector from one quaternion to another with their signs as given, in the scene's frame.
fn half_turn(from: Quat, to: Quat) -> Vector {
    quat::log(quat::mul(to, quat::conjugate(from)))
}

fn ease(s: f64) -> f64 {
    2.0 * s * (1.0 - s)
}

/// The angle between two quaternions with their signs as given: half of the angle between their rotations.
fn angle(a: Quat, b: Quat) -> f64 {
    let (minus, plus) = ([0, 1, 2, 3].map(|i| a[i] - b[i]), [0, 1, 2, 3].map(|i| a[i] + b[i]));
    2.0 * libm::atan2(libm::sqrt(quat::dot(minus, minus)), libm::sqrt(quat::dot(plus, plus)))
}

/// The Taylor coefficients of φ / sin φ in y = 1 - cos φ, at `y`.
fn angle_over_sine(y: f64) -> [f64; ORDER + 1] {
    if y < 0.5 { by_series(y) } else { by_equation(y) }
}

/// Coefficients of the power series: k! / (1 · 3 ⋯ (2k + 1)). Each is about half of the one before, so that
/// for y < 1/2 the remaining terms are negligible.
const SERIES: [f64; 48] = {
    let mut all = [1.0; 48];
    let mut k = 1;
    while k < all.len() {
        all[k] = all[k - 1] * k as f64 / (2 * k + 1) as f64;
        k += 1;
    }
    all
};

/// From the power series, by Horner's scheme.
fn by_series(y: f64) -> [f64; ORDER + 1] {
    let mut out = [0.0; ORDER + 1];
    for coefficient in SERIES.iter().rev() {
        for m in (1..=ORDER).rev() {
            out[m] = out[m] * y + out[m - 1];
        }
        out[0] = out[0] * y + coefficient;
    }
    out
}

/// From the value, by the differential equation y (2 - y) g' = 1 - (1 - y) g.
fn by_equation(y: f64) -> [f64; ORDER + 1] {
    let square = y * (2.0 - y);
    let mut out = [libm::acos(1.0 - y) / libm::sqrt(square), 0.0, 0.0, 0.0, 0.0];
    for m in 0..ORDER {
        let n = m as f64;
        let before = if m > 0 { n * out[m - 1] } else { 1.0 };
        out[m + 1] = (before - (1.0 - y) * (2.0 * n + 1.0) * out[m]) / (square * (n + 1.0));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_the_coefficients_agree() {
        for y in [0.5, 0.7, 0.9] {
            let (a, b) = (by_series(y), by_equation(y));
            (0..=ORDER).for_each(|k| assert!((a[k] - b[k]).abs() < 1e-9 * a[k], "{y} {a:?} {b:?}"));
        }
        assert_eq!(by_series(0.0)[..2], [1.0, 1.0 / 3.0]);
    }
}
