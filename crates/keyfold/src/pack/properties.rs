//! Tracks that move no points: fewer keys and normalized weights within their own bound.

use super::exact::only;
use crate::{
    Curve, Interpolation, Kind, Property, Target, Track,
    diff::{natural_range, worst_property},
};
use keyfold_core::engine::{Grid, needed};

/// The track with fewer keys and coarser values within `bound`, a share of its natural range; `None` where it stays.
pub(crate) fn shrunk(track: &Track, bound: f64) -> Option<Track> {
    let curve = &track.curve;
    if track.target.is_exact()
        || curve.interpolation() != Interpolation::Linear
        || track.target.kind() == Kind::Rotation
    {
        return None;
    }
    let tolerance = bound * natural_range(track);
    let kept = needed(curve.keys(), |i, j| bridges(curve, i, j, tolerance * 0.6));
    let reduced = Track { curve: only(curve, &kept), ..track.clone() };
    let snapped = Track { curve: snapped(track, &reduced.curve, tolerance * 0.35), ..track.clone() };
    [snapped, reduced].into_iter().find(|t| worst_property(track, &t.curve) <= bound && t.curve != *curve)
}

fn bridges(curve: &Curve, i: usize, j: usize, tolerance: f64) -> bool {
    let time = |k: usize| f64::from(curve.times()[k]);
    (i + 1..j).all(|k| {
        let s = (time(k) - time(i)) / (time(j) - time(i));
        let ends = curve.value(i).iter().zip(curve.value(j));
        let miss = |((a, b), v): ((&f32, &f32), &f32)| f64::from(*a) * (1.0 - s) + f64::from(*b) * s - f64::from(*v);
        ends.zip(curve.value(k)).all(|pair| miss(pair).abs() <= tolerance)
    })
}

/// Values on the grid of a normalized type (weights between 0 and 1) or of a power of two.
fn snapped(track: &Track, curve: &Curve, tolerance: f64) -> Curve {
    let fractions = matches!(track.target, Target::Node { property: Property::Weights, .. })
        && curve.values().iter().all(|v| (0.0..=1.0).contains(v));
    let most = if 0.5 / 255.0 <= tolerance { 255.0 } else { 65535.0 };
    let snap = |v: &f32| {
        if fractions && 0.5 / f64::from(most) <= tolerance { (v * most).round() / most } else { rounded(*v, tolerance) }
    };
    let values: Vec<f32> = curve.values().iter().map(snap).collect();
    Curve::new(curve.interpolation(), curve.width(), curve.shared_times().clone(), values)
        .unwrap_or_else(|_| curve.clone())
}

/// A float in multiples of a power of two that is at most `step`; untouched where that is nothing.
pub(super) fn rounded(value: f32, step: f64) -> f32 {
    let value = f64::from(value);
    let grid = Grid::multiples(step, value.abs());
    grid.decode(grid.encode([value, 0.0, 0.0, 0.0]))[0]
}
