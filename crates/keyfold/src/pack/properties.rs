//! Shrinks tracks that move no points in their own bound: fewer keys, splines as lines, normalized weights.

use super::Context;
use crate::{
    Curve, Interpolation, Kind, Property, Target, Track,
    diff::{natural_range, worst_property},
    document::ComponentType,
    validity::{clamped, stays_valid},
};
use keyfold_core::{engine::Grid, fit::refit};

/// The track with coarser values and, unless keys stay, fewer keys; `None` if it stays as it is.
pub(crate) fn shrunk(track: &Track, context: &Context<'_>) -> Option<Track> {
    let (curve, bound) = (&track.curve, context.property_bound);
    if track.target.is_exact() || track.target.kind() == Kind::Rotation {
        return None;
    }
    let tolerance = bound * natural_range(track);
    let reduced = match curve.interpolation() {
        _ if context.options.keep_keys => curve.clone(),
        Interpolation::Linear | Interpolation::CubicSpline => straight(curve, tolerance * 0.6),
        Interpolation::Step | Interpolation::CubicSlerp => return None,
    };
    let share = if reduced.interpolation() == Interpolation::Linear { 0.35 } else { 0.2 };
    let snapped = snapped(track, &reduced, tolerance * share);
    let within =
        |curve: &Curve| *curve != track.curve && stays_valid(track, curve) && worst_property(track, curve) <= bound;
    let curve = [snapped, reduced].map(|curve| clamped(track, curve)).into_iter().find(within)?;
    Some(Track { curve, ..track.clone() })
}

/// The curve as straight pieces if that takes fewer numbers.
fn straight(curve: &Curve, tolerance: f64) -> Curve {
    let numbers = |curve: &Curve| curve.values().len() + curve.keys();
    let straight = refit(curve, Kind::Vector, Interpolation::Linear, tolerance);
    straight.filter(|straight| numbers(straight) < numbers(curve)).unwrap_or_else(|| curve.clone())
}

/// Snaps values to the grid of a normalized type (weights between 0 and 1) or to multiples of a power of two.
fn snapped(track: &Track, curve: &Curve, tolerance: f64) -> Curve {
    let fractions = matches!(track.target, Target::Node { property: Property::Weights, .. })
        && !curve.interpolation().is_spline()
        && track.curve.values().iter().all(|v| (0.0..=1.0).contains(v));
    let types = [ComponentType::U8, ComponentType::U16].into_iter().filter(|_| fractions);
    let one = types.filter_map(ComponentType::one).find(|one| 0.5 / one <= tolerance).map(|one| one as f32);
    let snap = |v: &f32| match one {
        Some(one) => (v.clamp(0.0, 1.0) * one).round() / one,
        None => {
            let grid = Grid::multiples(tolerance, v.abs().into());
            grid.decode(grid.encode([f64::from(*v), 0.0, 0.0, 0.0]))[0]
        }
    };
    let values: Vec<f32> = curve.values().iter().map(snap).collect();
    curve.with_values(values).unwrap_or_else(|_| curve.clone())
}
