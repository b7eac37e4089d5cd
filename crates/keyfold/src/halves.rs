//! Arcs of nearly half a turn: which way round a player goes hangs on the last bit of their ends, and any rounding may change it.
//! A key in the middle, on the way that the original takes, settles it.

use crate::{Curve, Interpolation, Kind, Track};
use keyfold_core::quat;

/// The least cosine (of half the angle) between neighbouring keys that is left as it is.
pub(crate) const NEAR_HALF: f64 = 0.12;

/// The track with a key in the middle of each such arc; `None` where there is none.
pub(crate) fn settled(track: &Track) -> Option<Track> {
    let curve = &track.curve;
    if track.target.kind() != Kind::Rotation || curve.interpolation() != Interpolation::Linear || curve.width() != 4 {
        return None;
    }
    let key = |k: usize| quat::normalize([0, 1, 2, 3].map(|c| f64::from(curve.value(k)[c])));
    let near_half = |k: usize| quat::dot(key(k), key(k + 1)).abs() < NEAR_HALF;
    if !(0..curve.keys() - 1).any(near_half) {
        return None;
    }
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for k in 0..curve.keys() {
        times.push(curve.times()[k]);
        values.extend_from_slice(curve.value(k));
        if k + 1 < curve.keys() && near_half(k) {
            let middle = curve.times()[k] + (curve.times()[k + 1] - curve.times()[k]) / 2.0;
            // Keys that no float lies between cannot be settled.
            if middle > curve.times()[k] && middle < curve.times()[k + 1] {
                let span = f64::from(curve.times()[k + 1]) - f64::from(curve.times()[k]);
                let share = (f64::from(middle) - f64::from(curve.times()[k])) / span;
                times.push(middle);
                values.extend(quat::slerp(key(k), key(k + 1), share).map(|c| c as f32));
            }
        }
    }
    let curve = Curve::new(Interpolation::Linear, 4, times, values).ok()?;
    Some(Track { curve, ..track.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Property, Source, Target, Targets};

    #[test]
    fn half_a_turn_gets_a_middle_on_its_own_way() {
        let values = [[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.01], [0.0, 1.0, 0.0, -0.05f32]].concat();
        let curve = Curve::new(Interpolation::Linear, 4, [0.0, 1.0, 2.0], values).unwrap();
        let source = Source { channel: 0, sampler: 0, input: 0, output: 1, targets: Targets::Core };
        let track = Track { target: Target::node(0, Property::Rotation), curve, source };
        let settled = settled(&track).unwrap();
        assert_eq!(settled.curve.times(), [0.0, 0.5, 1.0, 2.0]);
        for t in [0.1, 0.3, 0.5, 0.9, 1.5] {
            let (a, b) = (track.sample(t), settled.sample(t));
            let angle = quat::angle([a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]);
            assert!(angle < 1e-6, "{t} {angle}");
        }
        assert!(super::settled(&settled).is_none());
    }
}
