//! Quaternion operations for animation, in `f64`, with components in glTF's order XYZW.
//!
//! Transcendental functions come from `libm`, so that results do not depend on the platform.
//! Not here: matrices and transforms.

use crate::vector::cross;

/// A quaternion, XYZW.
pub type Quat = [f64; 4];

/// The identity: no rotation.
pub const IDENTITY: Quat = [0.0, 0.0, 0.0, 1.0];

/// The dot product of two quaternions as vectors.
pub fn dot(a: Quat, b: Quat) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// Multiplies each component by `s`.
pub fn scale(q: Quat, s: f64) -> Quat {
    q.map(|c| c * s)
}

/// The negated quaternion: the same rotation on the other half of the sphere.
pub fn negate(q: Quat) -> Quat {
    q.map(|c| -c)
}

/// `q` or its negation, whichever is on the same half of the sphere as `to`: the same rotation, with the sign that
/// makes the arc shorter.
#[inline]
pub fn toward(to: Quat, q: Quat) -> Quat {
    if dot(to, q) < 0.0 { negate(q) } else { q }
}

/// `q` normalized, or `None` if it has no direction (zero or not finite).
pub fn try_normalize(q: Quat) -> Option<Quat> {
    let excess = dot(q, q) - 1.0;
    if libm::fabs(excess) < NEARLY_UNIT {
        return Some(scale(q, inverse_length(excess)));
    }
    // Scaling by the largest component first keeps denormals and huge values from under- or overflowing when squared.
    let largest = q.iter().fold(0.0f64, |m, c| m.max(libm::fabs(*c)));
    if !(largest > 0.0 && largest < f64::INFINITY) {
        return None;
    }
    let q = scale(q, 1.0 / largest);
    Some(scale(q, 1.0 / libm::sqrt(dot(q, q))))
}

/// How far from 1 the square of a length may be for the series of [`inverse_length`]: keys stored as floats are, or
/// as shorts.
const NEARLY_UNIT: f64 = 1e-4;

/// 1 / sqrt(1 + e) for a small e: what the series leaves out is less than 0.28 e^4, which is nothing beside 1. No
/// root and no division, which are most of what normalizing costs.
fn inverse_length(e: f64) -> f64 {
    1.0 - e * (0.5 - e * (0.375 - e * 0.3125))
}

/// `q` normalized; the identity if it has no direction.
pub fn normalize(q: Quat) -> Quat {
    try_normalize(q).unwrap_or(IDENTITY)
}

/// Normalizes stored quaternions. Those of unit length, as far as floats can tell, and those without a direction stay
/// as they are, bit for bit.
///
/// ```
/// let mut keys = [0.0, 3.0, 0.0, 4.0, 0.0, 0.0, 0.0, 1.0];
/// keyfold_core::quat::normalize_keys(&mut keys);
/// assert_eq!(keys, [0.0, 0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 1.0]);
/// ```
pub fn normalize_keys(keys: &mut [f32]) {
    for key in keys.as_chunks_mut::<4>().0 {
        let q = key.map(f64::from);
        let square = dot(q, q);
        // Rounding its components moves the square of a unit quaternion's length by 2^-23 at most.
        if libm::fabs(square - 1.0) > f64::from(2.0 * f32::EPSILON) && square > 0.0 && square.is_finite() {
            let length = libm::sqrt(square);
            *key = q.map(|c| (c / length) as f32);
        }
    }
}

/// The inverse of a unit quaternion.
pub fn conjugate(q: Quat) -> Quat {
    [-q[0], -q[1], -q[2], q[3]]
}

/// Hamilton's product: first `b`, then `a`.
pub fn mul(a: Quat, b: Quat) -> Quat {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Rotates a vector by a unit quaternion.
pub fn rotate(q: Quat, v: [f64; 3]) -> [f64; 3] {
    let t = cross([q[0], q[1], q[2]], v).map(|c| 2.0 * c);
    let u = cross([q[0], q[1], q[2]], t);
    [0, 1, 2].map(|i| v[i] + q[3] * t[i] + u[i])
}

/// Half the rotation vector of a unit quaternion: `exp(log(q)) == q` for either sign of `q`.
pub fn log(q: Quat) -> [f64; 3] {
    let v = [q[0], q[1], q[2]];
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if square < SMALL_SINE_SQUARED && q[3] > 0.0 {
        let k = polynomial(&ARCSINE, square);
        return v.map(|c| c * k);
    }
    let sin = libm::sqrt(square);
    // Near the identity the half angle over its sine tends to 1.
    let k = if sin < 1e-12 { 1.0 } else { libm::atan2(sin, q[3]) / sin };
    v.map(|c| c * k)
}

/// The unit quaternion whose half rotation vector is `v`.
pub fn exp(v: [f64; 3]) -> Quat {
    let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if square < SMALL_ANGLE_SQUARED {
        let k = polynomial(&SINE, square);
        return [v[0] * k, v[1] * k, v[2] * k, polynomial(&COSINE, square)];
    }
    let half = libm::sqrt(square);
    let k = if half < 1e-12 { 1.0 } else { libm::sin(half) / half };
    [v[0] * k, v[1] * k, v[2] * k, libm::cos(half)]
}

/// Rotations up to 23 degrees have their logarithm by a series, those up to 57 degrees their exponential: the steps
/// between keys of a clip, of which a search takes millions.
const SMALL_SINE_SQUARED: f64 = 0.04;
const SMALL_ANGLE_SQUARED: f64 = 0.25;

/// asin(x) / x in powers of x^2: each coefficient is (2n - 1)^2 / (2n (2n + 1)) of the one before. The first term
/// left out is below 3e-15 of the sum within [`SMALL_SINE_SQUARED`].
const ARCSINE: [f64; 9] = {
    let mut c = [1.0; 9];
    let mut n = 1;
    while n < c.len() {
        let k = 2.0 * n as f64;
        c[n] = c[n - 1] * (k - 1.0) * (k - 1.0) / (k * (k + 1.0));
        n += 1;
    }
    c
};

/// sin(x) / x and cos(x) in powers of x^2, which leave out less than 1e-16 within [`SMALL_ANGLE_SQUARED`].
const SINE: [f64; 8] = alternating(1.0);
const COSINE: [f64; 8] = alternating(0.0);

const fn alternating(first: f64) -> [f64; 8] {
    let mut c = [1.0; 8];
    let mut n = 1;
    while n < c.len() {
        let k = 2.0 * n as f64 + first;
        c[n] = -c[n - 1] / (k * (k - 1.0));
        n += 1;
    }
    c
}

#[inline]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// The stereographic projection of a unit quaternion whose scalar part is not -1 (modified Rodrigues parameters).
pub fn project(q: Quat) -> [f64; 3] {
    [0, 1, 2].map(|i| q[i] / (1.0 + q[3]))
}

/// The unit quaternion with this projection.
pub(crate) fn unproject(m: [f64; 3]) -> Quat {
    let square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    let k = 1.0 / (1.0 + square);
    [2.0 * m[0] * k, 2.0 * m[1] * k, 2.0 * m[2] * k, (1.0 - square) * k]
}

/// The angle in radians, 0 to π, between the rotations of two unit quaternions, whatever their signs.
pub fn angle(a: Quat, b: Quat) -> f64 {
    // atan2 of the relative rotation stays exact for small angles, where acos of the dot product loses half the digits.
    let r = mul(conjugate(a), b);
    2.0 * libm::atan2(libm::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), libm::fabs(r[3]))
}

/// Spherical linear interpolation along the shorter arc, as glTF's appendix C defines LINEAR rotations.
///
/// Between two rotations half a turn apart neither arc is shorter; the sign of their dot product decides, or `a`'s
/// side if it is zero.
pub fn slerp(a: Quat, b: Quat, t: f64) -> Quat {
    slerp_direct(a, if dot(a, b) < 0.0 { negate(b) } else { b }, t)
}

/// Spherical linear interpolation along the arc from `a` to `b` without changing signs.
pub(crate) fn slerp_direct(a: Quat, b: Quat, t: f64) -> Quat {
    let cos = dot(a, b);
    let (ka, kb) = if cos > SHORT_SERIES_FROM {
        (sine_ratio::<6>(cos - 1.0, 1.0 - t), sine_ratio::<6>(cos - 1.0, t))
    } else if cos > SERIES_FROM {
        (sine_ratio::<12>(cos - 1.0, 1.0 - t), sine_ratio::<12>(cos - 1.0, t))
    } else {
        sine_ratios(a, b, t)
    };
    normalize([0, 1, 2, 3].map(|i| ka * a[i] + kb * b[i]))
}

/// Arcs with a larger cosine are blended by a series: keys of dense clips lie this close, and three sines and an arc
/// tangent per sample are what measuring a clip would mostly cost.
const SERIES_FROM: f64 = 0.88;

/// From here on half of the series will do: rotations up to 11 degrees apart.
const SHORT_SERIES_FROM: f64 = 0.995;

/// sin(t a) / sin(a) from x = cos(a) - 1, by the series that D. Eberly gives in "A Fast and Accurate Algorithm for
/// Computing SLERP" (2011): a sum of products of (t^2 - k^2) x / (k (2k + 1)). A term is less than |x| / 2 of the one
/// before: twelve of them leave less than 1e-15 for arcs within [`SERIES_FROM`], six within [`SHORT_SERIES_FROM`].
fn sine_ratio<const TERMS: usize>(x: f64, t: f64) -> f64 {
    let square = t * t;
    // Horner's way, from the last term to the first.
    t * SERIES[..TERMS].iter().rev().fold(1.0, |sum, (u, v)| 1.0 + (u * square - v) * x * sum)
}

/// 1 / (k (2k + 1)) and k / (2k + 1), for k from 1.
const SERIES: [(f64, f64); 12] = {
    let mut steps = [(0.0, 0.0); 12];
    let mut k = 1;
    while k <= steps.len() {
        let n = k as f64;
        steps[k - 1] = (1.0 / (n * (2.0 * n + 1.0)), n / (2.0 * n + 1.0));
        k += 1;
    }
    steps
};

/// The weights of the two ends of an arc of any length.
fn sine_ratios(a: Quat, b: Quat, t: f64) -> (f64, f64) {
    // The angle from chord lengths: exact for small and for large arcs, where acos is not.
    let (minus, plus) = ([0, 1, 2, 3].map(|i| a[i] - b[i]), [0, 1, 2, 3].map(|i| a[i] + b[i]));
    let angle = 2.0 * libm::atan2(libm::sqrt(dot(minus, minus)), libm::sqrt(dot(plus, plus)));
    let sin = libm::sin(angle);
    if sin < 1e-12 {
        // Nearly opposite: no arc is defined, and the chord is as good as any.
        return (1.0 - t, t);
    }
    (libm::sin(angle * (1.0 - t)) / sin, libm::sin(angle * t) / sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(axis: usize, angle: f64) -> Quat {
        let mut v = [0.0; 3];
        v[axis] = angle / 2.0;
        exp(v)
    }

    #[test]
    fn slerp_halves_an_angle_for_either_sign() {
        let (a, b) = (about(1, 0.2), about(1, 1.4));
        for b in [b, negate(b)] {
            assert!(angle(slerp(a, b, 0.5), about(1, 0.8)) < 1e-12);
        }
    }

    #[test]
    fn slerp_of_nearly_equal_rotations_stays_unit_and_between() {
        let q = slerp(about(0, 0.0), about(0, 1e-10), 0.5);
        assert!((dot(q, q) - 1.0).abs() < 1e-15);
        assert!(q[0] >= 0.0 && q[0] <= 1e-10);
    }

    #[test]
    fn slerp_is_the_same_by_series_and_by_sines() {
        for angle in [1e-9, 1e-3, 0.1, 0.199, 0.201, 0.5, 0.9, 0.98] {
            let (a, b) = (about(0, 0.3), mul(about(1, angle), about(0, 0.3)));
            assert!(dot(a, b) > SERIES_FROM);
            for t in [0.0, 1e-6, 0.2, 0.5, 0.77, 1.0] {
                let (ka, kb) = sine_ratios(a, b, t);
                let x = dot(a, b) - 1.0;
                let ratio = if x + 1.0 > SHORT_SERIES_FROM { sine_ratio::<6> } else { sine_ratio::<12> };
                assert!((ratio(x, t) - kb).abs() < 1e-14 && (ratio(x, 1.0 - t) - ka).abs() < 1e-14, "{angle} {t}");
            }
        }
    }

    #[test]
    fn slerp_half_a_turn_apart_is_still_a_rotation() {
        let q = slerp(IDENTITY, [0.0, 1.0, 0.0, 0.0], 0.25);
        assert!(angle(q, about(1, core::f64::consts::FRAC_PI_4)) < 1e-12);
    }

    #[test]
    fn lengths_near_one_are_brought_to_one() {
        let q = normalize([0.1, -0.7, 0.3, -0.2]);
        for e in [-1e-4, -4.9e-5, -1e-7, 1e-12, 1e-7, 4.9e-5, 1e-4] {
            let again = normalize(scale(q, 1.0 + e));
            assert!((0..4).all(|i| (again[i] - q[i]).abs() < 4e-16), "{e}");
        }
    }

    #[test]
    fn keys_of_unit_length_stay_bit_for_bit() {
        let unit = normalize([0.1, -0.7, 0.3, -0.2]);
        for length in [1e-30, 0.7, 0.9999, 1.0001, 1e30] {
            let mut keys = unit.map(|c| (c * length) as f32);
            normalize_keys(&mut keys);
            let once = keys;
            normalize_keys(&mut keys);
            assert_eq!(keys, once);
            assert!((0..4).all(|i| (f64::from(keys[i]) - unit[i]).abs() < 1e-7), "{length}");
        }
        let mut without = [0.0, 0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0, 1.0];
        normalize_keys(&mut without);
        assert_eq!(without[..4], [0.0; 4]);
        assert!(without[4].is_nan());
    }

    #[test]
    fn exp_undoes_log() {
        let q = normalize([0.1, -0.7, 0.3, -0.2]);
        assert!(angle(exp(log(q)), q) < 1e-12);
        assert_eq!(exp(log(IDENTITY)), IDENTITY);
    }

    #[test]
    fn series_and_functions_meet() {
        for angle in [1e-9, 1e-3, 0.1, 0.19, 0.21, 0.4, 0.49, 0.51, 1.0] {
            let v = [0.36 * angle, -0.48 * angle, 0.8 * angle];
            let (q, expected) = (exp(v), [libm::sin(angle), libm::cos(angle)]);
            let sine = libm::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
            assert!((sine - expected[0]).abs() < 1e-15 && (q[3] - expected[1]).abs() < 1e-15, "{angle}");
            assert!((0..3).all(|i| (log(q)[i] - v[i]).abs() < 1e-14 * angle.max(0.1)), "{angle}");
        }
    }

    #[test]
    fn rotate_agrees_with_the_sandwich_product() {
        let (q, v) = (normalize([0.3, 0.2, -0.5, 0.9]), [1.0, -2.0, 0.5]);
        let s = mul(mul(q, [v[0], v[1], v[2], 0.0]), conjugate(q));
        let r = rotate(q, v);
        (0..3).for_each(|i| assert!((r[i] - s[i]).abs() < 1e-12));
    }

    #[test]
    fn normalize_survives_tiny_and_refuses_nothing() {
        assert_eq!(normalize([0.0, 0.0, 0.0, 1e-300]), IDENTITY);
        assert_eq!(try_normalize([0.0; 4]), None);
        assert_eq!(try_normalize([f64::INFINITY, 0.0, 0.0, 1.0]), None);
    }
}
