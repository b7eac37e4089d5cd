//! Arcs of nearly half a turn: which way round a player goes hangs on the last bit of their ends, and any rounding
//! may change it. A key in the middle, on the way that the original takes, settles it.

use super::{Curve, Interpolation};
use crate::quat;
use alloc::vec::Vec;

/// The least cosine (of half the angle) between neighbouring keys that is left as it is.
pub(crate) const NEAR_HALF_TURN: f64 = 0.12;

/// A curve of rotations with a key added in the middle of each arc of nearly half a turn; `None` if there is none, or
/// if the curve is not `Linear`.
pub fn split_half_turns(curve: &Curve) -> Option<Curve> {
    if curve.interpolation() != Interpolation::Linear || curve.width() != 4 {
        return None;
    }
    let key = |k: usize| quat::normalize([0, 1, 2, 3].map(|c| f64::from(curve.value(k)[c])));
    let near_half = |k: usize| libm::fabs(quat::dot(key(k), key(k + 1))) < NEAR_HALF_TURN;
    if !(0..curve.keys() - 1).any(near_half) {
        return None;
    }
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for k in 0..curve.keys() {
        times.push(curve.times()[k]);
        values.extend_from_slice(curve.value(k));
        if k + 1 < curve.keys() && near_half(k) {
            let middle = curve.times()[k] + (curve.times()[k + 1] - curve.times()[k]) / 2.0;
            // Keys that no float lies between cannot be split.
            if middle > curve.times()[k] && middle < curve.times()[k + 1] {
                let span = f64::from(curve.times()[k + 1]) - f64::from(curve.times()[k]);
                let share = (f64::from(middle) - f64::from(curve.times()[k])) / span;
                times.push(middle);
                values.extend(quat::slerp(key(k), key(k + 1), share).map(|c| c as f32));
            }
        }
    }
    Curve::new(Interpolation::Linear, 4, times, values).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::Kind;

    #[test]
    fn half_a_turn_gets_a_middle_on_its_own_way() {
        let values = [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.01], [0.0, 1.0, 0.0, -0.05f32]].concat();
        let curve = Curve::new(Interpolation::Linear, 4, [0.0, 1.0, 2.0], values).unwrap();
        let split = split_half_turns(&curve).unwrap();
        assert_eq!(split.times(), [0.0, 0.5, 1.0, 2.0]);
        for t in [0.1, 0.3, 0.5, 0.9, 1.5] {
            let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
            curve.sample(Kind::Rotation, t, &mut a);
            split.sample(Kind::Rotation, t, &mut b);
            assert!(quat::angle(a, b) < 1e-6, "{t}");
        }
        assert!(split_half_turns(&split).is_none());
    }
}
