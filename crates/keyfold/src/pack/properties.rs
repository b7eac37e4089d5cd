//! Tracks that move no points: fewer keys, straight pieces for splines and normalized weights, within their own bound.

use super::{Context, exact::only};
use crate::{
    Curve, Interpolation, Kind, Property, Target, Track,
    diff::{natural_range, worst_property},
};
use keyfold_core::{
    engine::{Grid, needed},
    fit::refit,
};

/// The track with fewer keys, unless they are to stay, and coarser values within the bound of properties; `None` where it stays.
pub(crate) fn shrunk(track: &Track, context: &Context<'_>) -> Option<Track> {
    let (curve, bound) = (&track.curve, context.property_bound);
    if track.target.is_exact() || track.target.kind() == Kind::Rotation {
        return None;
    }
    let tolerance = bound * natural_range(track);
    let reduced = match curve.interpolation() {
        _ if context.settings.keep_keys => curve.clone(),
        Interpolation::Linear => only(curve, &needed(curve.keys(), |i, j| bridges(curve, i, j, tolerance * 0.6))),
        Interpolation::CubicSpline => straight(curve, tolerance * 0.5).unwrap_or_else(|| curve.clone()),
        Interpolation::Step | Interpolation::CubicSlerp => return None,
    };
    let share = if reduced.interpolation() == Interpolation::Linear { 0.35 } else { 0.2 };
    let snapped = snapped(track, &reduced, tolerance * share);
    let within = |curve: &Curve| worst_property(track, curve) <= bound && *curve != track.curve;
    let curve = [snapped, reduced].into_iter().find(within)?;
    Some(Track { curve, ..track.clone() })
}

/// A spline as straight pieces, where those take fewer numbers.
fn straight(curve: &Curve, tolerance: f64) -> Option<Curve> {
    let straight = refit(curve, Kind::Vector, Interpolation::Linear, tolerance).ok()?;
    let numbers = |curve: &Curve| curve.values().len() + curve.keys();
    (numbers(&straight) < numbers(curve)).then_some(straight)
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
        && curve.interpolation().elements_per_key() == 1
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
