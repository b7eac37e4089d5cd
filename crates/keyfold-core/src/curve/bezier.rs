//! A stretch of a curve between two neighbouring keys as a cubic in Bézier's form: four control values, whose hull it
//! never leaves.

use super::{Curve, Interpolation, Location, locate};
use crate::quat::{self, Quat};

/// The control values of one component between `start` and `end`, with no key of the curve inside. Rotations are
/// those before they are normalized; between `CubicSlerp` keys, which no cubic follows, the straight line.
pub fn bezier(curve: &Curve, component: usize, start: f64, end: f64) -> [f64; 4] {
    let at = |values: &[f32]| f64::from(values[component]);
    let (key, span) = match locate(curve.times(), start + (end - start) / 2.0) {
        Location::At(key) => return [at(curve.value(key)); 4],
        Location::Between { key, span, .. } => (key, span),
    };
    let (a, b) = (at(curve.value(key)), at(curve.value(key + 1)));
    let whole = match curve.interpolation() {
        Interpolation::Step => return [a; 4],
        Interpolation::Linear | Interpolation::CubicSlerp => straight(a, b),
        Interpolation::CubicSpline => {
            let (leave, arrive) = (curve.out_tangent(key).map_or(0.0, at), curve.in_tangent(key + 1).map_or(0.0, at));
            [a, a + leave * span / 3.0, b - arrive * span / 3.0, b]
        }
    };
    let from = f64::from(curve.times()[key]);
    part(whole, (start - from) / span, (end - from) / span)
}

/// The control values of a straight line.
pub fn straight(from: f64, to: f64) -> [f64; 4] {
    [from, from + (to - from) / 3.0, to - (to - from) / 3.0, to]
}

/// The part of a cubic from `s` to `t`, by its blossom.
pub fn part(c: [f64; 4], s: f64, t: f64) -> [f64; 4] {
    [blossom(c, s, s, s), blossom(c, s, s, t), blossom(c, s, t, t), blossom(c, t, t, t)]
}

/// The largest size of a cubic between 0 and 1.
pub fn largest([a, b, c, d]: [f64; 4]) -> f64 {
    let at = |s: f64| libm::fabs(blossom([a, b, c, d], s, s, s));
    // The derivative is three times the parabola with the control values p, q and r.
    let (p, q, r) = (b - a, c - b, d - c);
    let (square, half) = (p - 2.0 * q + r, q - p);
    let root = libm::sqrt((half * half - square * p).max(0.0));
    // Both roots without taking nearly equal numbers from each other.
    let sum = -(half + libm::copysign(root, half));
    let roots = [sum / square, p / sum].into_iter().filter(|s| (0.0..=1.0).contains(s));
    roots.map(at).fold(libm::fabs(a).max(libm::fabs(d)), f64::max)
}

/// The control values of the square of the length of a cubic of quaternions.
pub fn squares(q: &[Quat; 4]) -> [f64; 7] {
    const CHOOSE: [f64; 4] = [1.0, 3.0, 3.0, 1.0];
    const OF_SIX: [f64; 7] = [1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0];
    let mut out = [0.0; 7];
    for i in 0..4 {
        for j in 0..4 {
            out[i + j] += CHOOSE[i] * CHOOSE[j] * quat::dot(q[i], q[j]);
        }
    }
    core::array::from_fn(|k| out[k] / OF_SIX[k])
}

fn blossom(c: [f64; 4], r: f64, s: f64, t: f64) -> f64 {
    let mix = |a: f64, b: f64, s: f64| a + (b - a) * s;
    let [a, b, d] = [0, 1, 2].map(|i| mix(c[i], c[i + 1], r));
    mix(mix(a, b, s), mix(b, d, s), t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Kind;

    #[test]
    fn extrema_are_found_wherever_they_are() {
        // Cubics with extrema inside, outside and none, by their values at very many places.
        for c in [
            [0.0, 1.0, -1.0, 0.0],
            [1.0, 1.0, 1.0, 1.0],
            [0.0, 1.0, 2.0, 3.0],
            [0.0, 0.0, 3.0, -1.0],
            [1.0, 2.0, 2.0, 1.0],
            [2.0, -3.0, 0.5, 0.1],
        ] {
            let seen = (0..=10_000).map(|i| part(c, f64::from(i) / 1e4, 0.0)[0].abs()).fold(0.0, f64::max);
            assert!(largest(c) >= seen - 1e-12 && largest(c) < seen + 1e-6, "{c:?} {seen} {}", largest(c));
        }
    }

    #[test]
    fn controls_make_the_curve() {
        let values = [0.0, 1.0, 9.0, -4.0, 2.0, 0.0, 1.0, 7.0, 0.0];
        let spline = Curve::new(Interpolation::CubicSpline, 1, [0.5, 1.0, 3.0], values).unwrap();
        let line = Curve::new(Interpolation::Linear, 1, [0.5, 1.0, 3.0], [1.0, 2.0, 7.0]).unwrap();
        for curve in [spline, line] {
            for (start, end) in [(0.5, 1.0), (0.6, 0.7), (1.0, 3.0), (2.9, 3.0), (3.0, 4.0), (0.0, 0.5)] {
                let c = bezier(&curve, 0, start, end);
                for s in [0.0, 0.2, 0.5, 1.0] {
                    let mut out = [0.0];
                    curve.sample(Kind::Vector, start + (end - start) * s, &mut out);
                    assert!((part(c, s, s)[0] - out[0]).abs() < 1e-12, "{start} {end} {s}");
                }
            }
        }
    }
}
