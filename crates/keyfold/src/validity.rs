//! Whether a curve keeps to the values that its target may have: at its keys, and between them where splines may
//! overshoot.
//!
//! Which values those are is the object model's business; what validation says of others, and what a search makes of
//! them, is theirs.

use crate::{Curve, Interpolation, Track, object_model::Valid};

/// How many places between two keys are looked at: enough to see any overshoot that can be seen.
const BETWEEN: usize = 16;

/// The values at keys that are not valid.
pub(crate) fn at_keys(track: &Track, valid: Valid) -> impl Iterator<Item = Vec<f64>> {
    let value = |key| track.curve.value(key).iter().map(|v| f64::from(*v)).collect();
    (0..track.curve.keys()).map(value).filter(move |value: &Vec<f64>| !valid.allows(value))
}

/// The values of a spline between its keys that are not valid.
pub(crate) fn overshoots(track: &Track, valid: Valid) -> impl Iterator<Item = Vec<f64>> {
    let is_spline = track.curve.interpolation() == Interpolation::CubicSpline;
    let spans = track.curve.times().windows(2).filter(move |_| is_spline);
    let times = spans.flat_map(|pair| {
        let (from, to) = (f64::from(pair[0]), f64::from(pair[1]));
        (1..BETWEEN).map(move |i| from + (to - from) * i as f64 / BETWEEN as f64)
    });
    times.map(|time| track.sample(time)).filter(move |value| !valid.allows(value))
}

/// Whether a curve may take a track's place: at keys and between them it has only valid values, unless the track
/// itself has others there.
pub(crate) fn stays_valid(track: &Track, curve: &Curve) -> bool {
    let valid = track.target.valid();
    let changed = Track { curve: curve.clone(), ..track.clone() };
    valid == Valid::Any
        || (at_keys(&changed, valid).next().is_none() || at_keys(track, valid).next().is_some())
            && (overshoots(&changed, valid).next().is_none() || overshoots(track, valid).next().is_some())
}

/// A curve that is to take a track's place, with the nearest valid values at its keys; tangents stay. What is out of
/// range in the track may be so in the curve.
pub(crate) fn clamped(track: &Track, curve: Curve) -> Curve {
    let valid = track.target.valid();
    if valid == Valid::Any || at_keys(track, valid).next().is_some() {
        return curve;
    }
    let (width, elements) = (curve.width(), curve.interpolation().elements_per_key());
    let is_value = |index: usize| index / width % elements == elements / 2;
    let values = curve.values().iter().enumerate();
    let values: Vec<f32> = values.map(|(i, v)| if is_value(i) { valid.nearest(*v) } else { *v }).collect();
    curve.with_values(values).unwrap_or(curve)
}
