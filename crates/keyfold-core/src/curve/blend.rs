//! How each interpolation blends values at a place among the keys: glTF 2.0 appendix C, and (`cubic_slerp`) the drafts'
//! spherical cubic interpolation.
//!
//! Rotations are unit quaternions when they come out, whatever was stored.

use super::{Curve, Interpolation, Location, cubic_slerp};
use crate::quat::{self, Quat};

/// The kind of a curve's values, which decides how they are interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Components that are interpolated one by one: positions, scales, colours, weights.
    Vector,
    /// A rotation as a quaternion XYZW.
    Rotation,
}

pub(super) fn blend(curve: &Curve, kind: Kind, place: Location, out: &mut [f64]) {
    match kind {
        Kind::Rotation if curve.width() == 4 => out.copy_from_slice(&rotation(curve, place)),
        _ => vector(curve, place, out),
    }
}

fn vector(curve: &Curve, place: Location, out: &mut [f64]) {
    match place {
        Location::At(key) => widen(curve.value(key), out),
        Location::Between { key, s, span } => match curve.interpolation() {
            Interpolation::Step => widen(curve.value(key), out),
            Interpolation::CubicSpline => spline(curve, key, s, span, out),
            // CUBICSLERP is defined for rotations only; its control values mean nothing to a vector.
            Interpolation::Linear | Interpolation::CubicSlerp => lerp(curve.value(key), curve.value(key + 1), s, out),
        },
    }
}

fn widen(values: &[f32], out: &mut [f64]) {
    out.iter_mut().zip(values).for_each(|(o, v)| *o = f64::from(*v));
}

fn lerp(a: &[f32], b: &[f32], s: f64, out: &mut [f64]) {
    for (o, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *o = (1.0 - s) * f64::from(*a) + s * f64::from(*b);
    }
}

/// How much a Hermite spline takes of its first value, the tangent there, its second value and the tangent there.
/// Tangents are per second, hence times the span.
pub(crate) fn hermite(s: f64, span: f64) -> [f64; 4] {
    let (s2, s3) = (s * s, s * s * s);
    [2.0 * s3 - 3.0 * s2 + 1.0, span * (s3 - 2.0 * s2 + s), -2.0 * s3 + 3.0 * s2, span * (s3 - s2)]
}

fn spline(curve: &Curve, key: usize, s: f64, span: f64, out: &mut [f64]) {
    let [h0, g0, h1, g1] = hermite(s, span);
    let (a, b) = (curve.value(key), curve.value(key + 1));
    let (leave, arrive) = (curve.out_tangent(key).unwrap_or(a), curve.in_tangent(key + 1).unwrap_or(b));
    for (i, o) in out.iter_mut().enumerate() {
        let at = |v: &[f32]| f64::from(v[i]);
        *o = h0 * at(a) + g0 * at(leave) + h1 * at(b) + g1 * at(arrive);
    }
}

fn rotation(curve: &Curve, place: Location) -> Quat {
    match place {
        Location::At(key) => key_rotation(curve, key),
        Location::Between { key, s, span } => match curve.interpolation() {
            Interpolation::Step => key_rotation(curve, key),
            Interpolation::Linear => quat::slerp(key_rotation(curve, key), key_rotation(curve, key + 1), s),
            Interpolation::CubicSpline => hermite_rotation(curve, key, s, span),
            Interpolation::CubicSlerp => {
                let [a, b, c, d] = quadrangle(curve, key);
                cubic_slerp(a, b, c, d, s)
            }
        },
    }
}

/// Blended as stored, normalized afterwards, no sign changed. Opposite keys can meet in zero: hold the key before.
fn hermite_rotation(curve: &Curve, key: usize, s: f64, span: f64) -> Quat {
    let mut q = [0.0; 4];
    spline(curve, key, s, span, &mut q);
    quat::try_normalize(q).unwrap_or_else(|| key_rotation(curve, key))
}

/// The two keys and their controls between which spherical cubic interpolation leads, from `key` to the next, as unit
/// quaternions.
pub(crate) fn quadrangle(curve: &Curve, key: usize) -> [Quat; 4] {
    let (from, to) = (key_rotation(curve, key), key_rotation(curve, key + 1));
    let control =
        |stored: Option<&[f32]>, key: Quat| stored.and_then(|v| quat::try_normalize(to_quat(v))).unwrap_or(key);
    [from, control(curve.out_tangent(key), from), control(curve.in_tangent(key + 1), to), to]
}

fn key_rotation(curve: &Curve, key: usize) -> Quat {
    quat::normalize(to_quat(curve.value(key)))
}

fn to_quat(v: &[f32]) -> Quat {
    [0, 1, 2, 3].map(|i| f64::from(v[i]))
}
