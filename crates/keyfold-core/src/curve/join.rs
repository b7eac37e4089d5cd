//! Curves of one component each as one curve of them all.
//!
//! The rule. Keys stand at the union of the parts' times, and every part has its own value at every one of them.
//! Between keys:
//!
//! - `Step` with `Step` stays `Step`, `Linear` with `Linear` stays `Linear`: exact, up to rounding the values of new
//!   keys to floats;
//! - with a `CubicSpline` among them all become one: a part of a spline is a spline, a line is one with its slope as
//!   tangents;
//! - where `Step` meets another interpolation, an edge becomes a ramp from the last float time before it: no clock
//!   that counts in floats can be in between.

use super::{Curve, Interpolation, Kind, Location, locate, locate_left};
use alloc::vec::Vec;

/// Joins curves of one component each, one of them at least: keys at all of their times, every part with its own
/// value at each.
///
/// ```
/// use keyfold_core::curve::{Curve, Interpolation, join};
/// let x = Curve::new(Interpolation::Linear, 1, [0.0, 2.0], [0.0, 4.0])?;
/// let y = Curve::constant(1.0, [7.0])?;
/// let both = join(&[x, y]);
/// assert_eq!(both.times(), [0.0, 1.0, 2.0]);
/// assert_eq!(both.values(), [0.0, 7.0, 2.0, 7.0, 4.0, 7.0]);
/// # Ok::<(), keyfold_core::curve::CurveError>(())
/// ```
pub fn join(parts: &[Curve]) -> Curve {
    let moving = || parts.iter().filter(|c| c.keys() > 1).map(Curve::interpolation);
    let interpolation = match () {
        () if moving().any(|i| i == Interpolation::CubicSpline) => Interpolation::CubicSpline,
        () if moving().next().is_some() && moving().all(|i| i == Interpolation::Step) => Interpolation::Step,
        () => Interpolation::Linear,
    };
    let mut times: Vec<f32> = parts.iter().flat_map(|c| c.times()).copied().collect();
    if interpolation != Interpolation::Step {
        parts.iter().for_each(|curve| times.extend(before_edges(curve)));
    }
    times.sort_unstable_by(f32::total_cmp);
    // Zero has two signs.
    times.dedup_by(|a, b| a == b);
    let mut values = Vec::new();
    for time in &times {
        // A spline may leave the floats between its keys.
        let float = |v: f64| (v as f32).clamp(f32::MIN, f32::MAX);
        let mut put = |of: fn(&Curve, f64) -> f64| values.extend(parts.iter().map(|c| float(of(c, f64::from(*time)))));
        match interpolation {
            Interpolation::CubicSpline => [slope_before, value, slope_after].into_iter().for_each(put),
            _ => put(value),
        }
    }
    Curve::new(interpolation, parts.len(), times, values).expect("parts of curves with sorted times make a curve")
}

/// The last float times before the edges of a `Step` curve.
fn before_edges(curve: &Curve) -> impl Iterator<Item = f32> {
    let step = curve.interpolation() == Interpolation::Step;
    let edge = move |k: &usize| step && curve.value(k - 1) != curve.value(*k);
    (1..curve.keys()).filter(edge).map(|k| curve.times()[k].next_down())
}

fn value(curve: &Curve, time: f64) -> f64 {
    let mut out = [0.0];
    curve.sample(Kind::Vector, time, &mut out);
    out[0]
}

fn slope_before(curve: &Curve, time: f64) -> f64 {
    slope(curve, locate_left(curve.times(), time))
}

fn slope_after(curve: &Curve, time: f64) -> f64 {
    let place = match locate(curve.times(), time) {
        Location::At(key) if f64::from(curve.times()[key]) == time && key + 1 < curve.keys() => {
            Location::Between { key, s: 0.0, span: f64::from(curve.times()[key + 1]) - time }
        }
        place => place,
    };
    slope(curve, place)
}

/// How fast a curve changes at a place, per second: nothing outside its keys.
fn slope(curve: &Curve, place: Location) -> f64 {
    let Location::Between { key, s, span } = place else { return 0.0 };
    let at = |v: Option<&[f32]>| v.map_or(0.0, |v| f64::from(v[0]));
    let rise = (at(Some(curve.value(key + 1))) - at(Some(curve.value(key)))) / span;
    match curve.interpolation() {
        Interpolation::Step => 0.0,
        Interpolation::CubicSpline => {
            let (leave, arrive) = (at(curve.out_tangent(key)), at(curve.in_tangent(key + 1)));
            6.0 * (s - s * s) * rise + (3.0 * s * s - 4.0 * s + 1.0) * leave + (3.0 * s * s - 2.0 * s) * arrive
        }
        Interpolation::Linear | Interpolation::CubicSlerp => rise,
    }
}
