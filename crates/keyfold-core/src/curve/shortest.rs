//! Where a spline of rotations comes nearest to zero: there it turns fastest, and at zero there is no rotation at all.

use super::bezier::{bezier, part, squares};
use super::{Curve, Interpolation};
use crate::quat::Quat;

/// Where a spline of rotations is shortest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortest {
    /// Its length there, as a fraction of its longest control value between the two keys.
    pub length: f64,
    /// When, in seconds.
    pub time: f64,
}

impl Shortest {
    /// Whether the rotation there is one that floats can tell: a quaternion shorter than this is made of what they
    /// round off.
    pub fn is_defined(&self) -> bool {
        self.length > UNDEFINED
    }
}

const UNDEFINED: f64 = 1.0 / (1 << 17) as f64;
/// How near to the least square what was seen has to be.
const NEAR: f64 = 0.9;
/// How often a stretch is halved.
const DEPTH: u32 = 40;

/// Where the quaternions of a `CubicSpline` curve are shortest on their way between keys; `None` for other curves,
/// which keep their length.
pub fn shortest(curve: &Curve) -> Option<Shortest> {
    if curve.interpolation() != Interpolation::CubicSpline || curve.width() != 4 {
        return None;
    }
    let mut best: Option<Shortest> = None;
    for pair in curve.times().windows(2) {
        let (start, end) = (f64::from(pair[0]), f64::from(pair[1]));
        let controls = [0, 1, 2, 3].map(|c| bezier(curve, c, start, end));
        let longest = (0..4).map(|i| controls.iter().map(|c| c[i] * c[i]).sum::<f64>()).fold(0.0, f64::max);
        if longest > 0.0 {
            let mut least = (best.map_or(f64::INFINITY, |b| b.length * b.length) * longest, None);
            search(&controls, (0.0, 1.0), DEPTH, UNDEFINED * UNDEFINED * longest, &mut least);
            if let (square, Some(s)) = least {
                let length = libm::sqrt(square / longest);
                best = Some(Shortest { length, time: start + (end - start) * s });
            }
        }
    }
    best
}

/// Improves the least square of a length that was seen, and where.
fn search(controls: &[[f64; 4]; 4], (from, to): (f64, f64), depth: u32, zero: f64, least: &mut (f64, Option<f64>)) {
    let parts = controls.map(|c| part(c, from, to));
    let q: [Quat; 4] = core::array::from_fn(|i| parts.map(|c| c[i]));
    let all = squares(&q);
    for (square, at) in [(all[0], from), (all[6], to)] {
        if square < least.0 {
            *least = (square, Some(at));
        }
    }
    let bound = all.into_iter().fold(f64::INFINITY, f64::min);
    if bound >= NEAR * least.0 || least.0 <= zero || depth == 0 {
        return;
    }
    let middle = from + (to - from) / 2.0;
    search(controls, (from, middle), depth - 1, zero, least);
    search(controls, (middle, to), depth - 1, zero, least);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_is_shortest_in_the_middle() {
        let flip = |off: f32| {
            let values = [[0.0; 4], [off, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [off, 0.0, 0.0, -1.0], [0.0; 4]].concat();
            shortest(&Curve::new(Interpolation::CubicSpline, 4, [1.0, 3.0], values).unwrap()).unwrap()
        };
        for off in [0.5f32, 1e-2, 1e-4] {
            let found = flip(off);
            let (length, exact) = (found.length, f64::from(off) / (1.0 + f64::from(off * off)).sqrt());
            assert!(length >= exact * 0.999 && length < 1.1 * exact, "{off} {found:?}");
            assert!((found.time - 2.0).abs() < 2.0 * f64::from(off) && found.is_defined());
        }
        assert!(!flip(0.0).is_defined() && !flip(1e-6).is_defined());
    }
}
