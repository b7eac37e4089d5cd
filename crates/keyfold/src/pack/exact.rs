//! Drops keys that change nothing: repeats in `Step` tracks, and all but one key of a constant track.

use crate::{Curve, Interpolation, Track};

/// The track without such keys, if it has any. A constant keeps one key at `end`, which preserves the
/// animation's duration. Values that cannot be blended must stay `Step`.
pub(crate) fn without_repeats(track: &Track, end: f32) -> Option<Track> {
    let curve = &track.curve;
    if curve.is_constant() {
        let form = if track.target.is_exact() { Interpolation::Step } else { Interpolation::Linear };
        let one = Curve::new(form, curve.width(), [end], curve.value(0)).ok()?;
        return (one != *curve).then(|| Track { curve: one, ..track.clone() });
    }
    if curve.interpolation() != Interpolation::Step {
        return None;
    }
    // The last key stays because it ends the track.
    let kept: Vec<usize> = (0..curve.keys())
        .filter(|k| *k == 0 || *k + 1 == curve.keys() || curve.value(*k) != curve.value(*k - 1))
        .collect();
    (kept.len() < curve.keys()).then(|| Track { curve: only(curve, &kept), ..track.clone() })
}

/// The given keys of a curve.
pub(crate) fn only(curve: &Curve, keys: &[usize]) -> Curve {
    let stride = curve.width() * curve.interpolation().elements_per_key();
    let times: Vec<f32> = keys.iter().map(|k| curve.times()[*k]).collect();
    let values: Vec<f32> = keys.iter().flat_map(|k| &curve.values()[k * stride..(k + 1) * stride]).copied().collect();
    Curve::new(curve.interpolation(), curve.width(), times, values)
        .expect("keys of a curve in their order make a curve")
}
