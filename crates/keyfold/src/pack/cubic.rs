//! Splines that move nodes: fewer digits for keys and tangents, and the rest pose where they never stray far from it.
//!
//! They keep their form and their keys. All of them share one measure, how far a point may move; what they use of the bound is taken from
//! it before the engine begins.

use super::{Context, exact::without_repeats, properties::rounded};
use crate::{
    Animation, Curve, Interpolation, Property, Target, Track,
    diff::{proof, undefined},
};
use keyfold_core::{
    curve::shortest,
    skeleton::{Motion, Poses, Probe, Sensitivity, moments, sensitivity},
};

/// The shares of the bound that are tried as steps, the coarsest first.
const SHARES: [f64; 7] = [1.0, 0.7, 0.5, 0.35, 0.25, 0.12, 0.06];
/// What splines may use of the bound where other tracks need some of it, too.
const BESIDE_OTHERS: f64 = 0.3;
/// How much of a step a spline may stray from the rest pose that it is made to hold.
const HOLD: f64 = 0.5;
/// The largest component of a rotation is this fine: keys stay of unit length.
const UNIT: f64 = 1.0 / 32768.0;

/// The animation with shorter splines, and how far they move points; `None` where there are none, or nothing holds.
pub(crate) fn shortened(context: &Context<'_>, animation: &Animation, bound: f64) -> Option<(Animation, f64)> {
    let is_spline =
        |t: &Track| t.curve.interpolation() == Interpolation::CubicSpline && t.target.moved_node().is_some();
    // What is defined nowhere near a zero turns any way for the least change.
    let undefined: Vec<usize> = undefined(animation).map(|(i, _)| i).collect();
    let taken = |i: usize, t: &Track| is_spline(t) && !context.keeps(&t.target) && !undefined.contains(&i);
    if !animation.tracks.iter().enumerate().any(|(i, t)| taken(i, t)) {
        return None;
    }
    let others =
        animation.tracks.iter().any(|t| t.target.moved_node().is_some() && !is_spline(t) && t.curve.keys() > 1);
    let limit = if others { BESIDE_OTHERS * bound } else { bound };
    let motion = context.scene.motion(animation);
    let probes = context.scene.probes(&motion.moved());
    let reach = reach(context, &motion, &probes);
    SHARES.iter().find_map(|share| {
        let short = |(i, t): (usize, &Track)| match taken(i, t) {
            true => short(context, t, &reach, share * limit, animation.duration()),
            false => t.clone(),
        };
        let tracks = animation.tracks.iter().enumerate().map(short).collect();
        let candidate = Animation { tracks, ..animation.clone() };
        let error = proof(&motion, &context.scene.motion(&candidate), &probes).possible;
        (error <= limit).then_some((candidate, error))
    })
}

/// How far nodes move points, at some moments of a motion.
pub(super) fn reach(context: &Context<'_>, motion: &Motion<'_>, probes: &[Probe]) -> Vec<Sensitivity> {
    let all = moments(&[motion], 0);
    let some: Vec<_> = all.iter().copied().step_by((all.len() / 16).max(1)).collect();
    sensitivity(context.scene.skeleton(), &Poses::new(motion, &some), probes)
}

/// Scene units by which points move per unit, or radian, of what a track drives; `None` where that is no node.
pub(super) fn moves(track: &Track, reach: &[Sensitivity]) -> Option<f64> {
    let Target::Node { node, property, .. } = track.target else { return None };
    match property {
        Property::Rotation => Some(reach[node].rotation),
        Property::Scale => Some(reach[node].scale.into_iter().fold(0.0, f64::max)),
        Property::Translation => Some(reach[node].translation),
        Property::Weights => None,
    }
}

/// A spline with steps that move points by about `bound`.
fn short(context: &Context<'_>, track: &Track, reach: &[Sensitivity], bound: f64, end: f32) -> Track {
    let Target::Node { node, property, axis } = track.target else { return track.clone() };
    let moved = match (moves(track, reach).unwrap_or(0.0), property) {
        // A quaternion turns by twice its angle, and the more for a step the shorter it is.
        (reach, Property::Rotation) => 2.0 * reach / shortest(&track.curve).map_or(1.0, |s| s.length),
        (reach, _) => reach,
    };
    let step = if moved > 0.0 { bound / moved } else { return track.clone() };
    let rest = context.scene.skeleton().rest(node);
    let rest = match property {
        Property::Rotation => rest.rotation.to_vec(),
        Property::Scale => rest.scale.to_vec(),
        Property::Translation | Property::Weights => rest.translation.to_vec(),
    };
    let rest = axis.map_or(rest.clone(), |a| vec![rest[a as usize]]);
    let curve = if stays_near(&track.curve, &rest, HOLD * step) {
        Curve::constant(end, rest.iter().map(|v| *v as f32).collect::<Vec<_>>()).ok()
    } else {
        snapped(&track.curve, step, property == Property::Rotation)
    };
    let short = Track { curve: curve.unwrap_or_else(|| track.curve.clone()), ..track.clone() };
    without_repeats(&short, end).unwrap_or(short)
}

/// Whether keys are near a value, and tangents too small to lead far from it.
fn stays_near(curve: &Curve, value: &[f64], tolerance: f64) -> bool {
    let longest = longest_gap(curve);
    let near = |v: &[f32], to: &[f64], by: f64| v.iter().zip(to).all(|(v, t)| (f64::from(*v) - t).abs() <= by);
    (0..curve.keys()).all(|k| {
        let zero = vec![0.0; value.len()];
        let tangents = [curve.in_tangent(k), curve.out_tangent(k)];
        near(curve.value(k), value, tolerance / 2.0)
            && tangents.into_iter().flatten().all(|t| near(t, &zero, tolerance / longest.max(f64::MIN_POSITIVE)))
    })
}

fn longest_gap(curve: &Curve) -> f64 {
    curve.times().windows(2).map(|w| f64::from(w[1]) - f64::from(w[0])).fold(0.0, f64::max)
}

/// A spline on a grid of powers of two.
fn snapped(curve: &Curve, step: f64, rotation: bool) -> Option<Curve> {
    // A tangent moves the curve by at most 4/27 of itself times the gap.
    let slope = 4.0 * step / longest_gap(curve).max(1e-3);
    let width = curve.width();
    let mut values = Vec::with_capacity(curve.values().len());
    for (i, element) in curve.values().chunks_exact(width).enumerate() {
        let by = if i % 3 == 1 { step } else { slope };
        let start = values.len();
        values.extend(element.iter().map(|v| rounded(*v, by)));
        if rotation && i % 3 == 1 {
            lengthened(&mut values[start..], element);
        }
    }
    Curve::new(curve.interpolation(), width, curve.shared_times().clone(), values).ok()
}

/// Sets the largest component so that the length is 1 again.
fn lengthened(snapped: &mut [f32], original: &[f32]) {
    let largest =
        (1..original.len()).fold(0, |best, i| if original[i].abs() > original[best].abs() { i } else { best });
    let rest: f64 =
        (0..snapped.len()).filter(|i| *i != largest).map(|i| f64::from(snapped[i]) * f64::from(snapped[i])).sum();
    let length = ((1.0 - rest).max(0.0).sqrt() / UNIT).round() * UNIT;
    snapped[largest] = (length as f32).copysign(original[largest]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spline(values: &[f32]) -> Curve {
        Curve::new(Interpolation::CubicSpline, 4, [0.0, 0.5], values.to_vec()).unwrap()
    }

    #[test]
    fn keys_lose_digits_but_not_their_length() {
        let key = [0.123_456_7f32, -0.3, 0.456_789, 0.828_8];
        let values = [[0.0; 4], key, [0.1234567, 0.0, 0.0, 0.0], [0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4]].concat();
        let short = snapped(&spline(&values), 0.01, true).unwrap();
        let square: f32 = short.value(0).iter().map(|c| c * c).sum();
        assert!((square - 1.0).abs() < 1e-4);
        assert_eq!(short.value(0)[0], 0.125);
        assert_eq!(short.out_tangent(0).unwrap()[0], 0.125);
    }

    #[test]
    fn a_tangent_leads_away_from_rest() {
        let still = [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [0.0, 0.0, 0.0, 1.0], [0.0; 4]].concat();
        let mut leaves = still.clone();
        leaves[8] = 0.5;
        let rest = [0.0, 0.0, 0.0, 1.0];
        assert!(stays_near(&spline(&still), &rest, 1e-6));
        assert!(!stays_near(&spline(&leaves), &rest, 0.01));
    }
}
