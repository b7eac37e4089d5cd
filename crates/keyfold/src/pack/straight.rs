//! Splines as `LINEAR` tracks, which every storage has small codes for: as many keys between theirs as keep the way within a share of the
//! bound. The engine does the rest.

use super::{Context, floats};
use crate::{
    Animation, Curve, Interpolation, Kind, Track,
    diff::{proof, undefined},
    scene::core_track,
};
use keyfold_core::{engine::budgets::Reach, quat, skeleton::moments, vector::distance};

/// The shares of the bound that are tried as what tracks may use of it, the coarsest first.
const SHARES: [f64; 4] = [0.6, 0.3, 0.14, 0.06];
/// What all of them together may use of the bound: the rest is for the engine.
const MOST: f64 = 0.4;
/// At how many moments is looked at what a track moves.
const MOMENTS: usize = 16;
/// Into how many pieces the way between two keys may be cut.
const PIECES: [usize; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 32];
/// How many times as many floats an animation may get, and how many besides: work stays in proportion to the file.
const GROWTH: (usize, usize) = (4, 1 << 16);

/// Whether a track moves a node along a spline.
pub(crate) fn is_spline(track: &Track) -> bool {
    let spline = matches!(track.curve.interpolation(), Interpolation::CubicSpline | Interpolation::CubicSlerp);
    spline && track.curve.keys() > 1 && track.target.moved_node().is_some()
}

/// The animation with straight pieces for splines, and how far that moves points; `None` where there are none, or too many pieces were
/// needed.
pub(crate) fn straightened(context: &Context<'_>, animation: &Animation, bound: f64) -> Option<(Animation, f64)> {
    let undefined: Vec<usize> = undefined(animation).map(|(i, _)| i).collect();
    let taken =
        |(i, track): &(usize, &Track)| is_spline(track) && !context.keeps(&track.target) && !undefined.contains(i);
    let splines: Vec<(usize, &Track)> = animation.tracks.iter().enumerate().filter(taken).collect();
    if splines.is_empty() {
        return None;
    }
    let motion = context.scene.motion(animation);
    let probes = context.scene.probes(&motion.moved());
    let moving: Vec<_> = splines.iter().filter_map(|(_, track)| core_track(&track.target, &track.curve)).collect();
    let keys = moments(&[&motion], 0);
    let some: Vec<_> = keys.iter().copied().step_by(keys.len().div_ceil(MOMENTS)).collect();
    let reach = Reach::of(&motion, &moving, &probes, &some);
    let most = GROWTH.0 * floats([animation]) + GROWTH.1;
    SHARES.iter().find_map(|share| {
        let tolerances = reach.even(share * bound);
        let times = times(&splines, &tolerances)?;
        let mut tracks = animation.tracks.clone();
        for (index, track) in &splines {
            tracks[*index].curve = sampled(track, &times)?;
        }
        let straight = Animation { tracks, ..animation.clone() };
        if floats([&straight]) > most {
            return None;
        }
        let error = proof(&motion, &context.scene.motion(&straight), &probes).possible;
        (error <= MOST * bound).then_some((straight, error))
    })
}

/// Times that suit all splines: the keys of all of them, and so many between two of these that each stays within its tolerance.
fn times(splines: &[(usize, &Track)], tolerances: &[f64]) -> Option<Vec<f32>> {
    let mut keys: Vec<f32> = splines.iter().flat_map(|(_, track)| track.curve.times()).copied().collect();
    keys.sort_unstable_by(f32::total_cmp);
    keys.dedup();
    let mut times: Vec<f32> = keys.first().copied().into_iter().collect();
    for pair in keys.windows(2) {
        let (from, to) = (f64::from(pair[0]), f64::from(pair[1]));
        let holds = |pieces: usize| {
            let mut tracks = splines.iter().zip(tolerances);
            tracks.all(|((_, track), tolerance)| is_straight(track, from, to, pieces, *tolerance))
        };
        let pieces = PIECES.into_iter().find(|pieces| holds(*pieces))?;
        times.extend((1..=pieces).map(|i| (from + (to - from) * i as f64 / pieces as f64) as f32));
    }
    // Keys that no float lies between have no pieces.
    times.dedup();
    Some(times)
}

/// Whether a track stays within a tolerance of straight pieces between two times.
fn is_straight(track: &Track, from: f64, to: f64, pieces: usize, tolerance: f64) -> bool {
    let curve = &track.curve;
    if tolerance == 0.0 || to <= f64::from(curve.start()) || from >= f64::from(curve.end()) {
        return true;
    }
    // The way from a piece's start to its end, looked at three times.
    let at = |quarter: usize| sample(track, from + (to - from) * quarter as f64 / (4 * pieces) as f64);
    (0..pieces).all(|piece| {
        let (a, b) = (at(4 * piece), at(4 * piece + 4));
        (1..4).all(|quarter| off(track.target.kind(), a, b, quarter as f64 / 4.0, at(4 * piece + quarter)) <= tolerance)
    })
}

/// How far a value lies from the straight way between two others: an angle or a distance.
fn off(kind: Kind, a: [f64; 4], b: [f64; 4], share: f64, value: [f64; 4]) -> f64 {
    if kind == Kind::Rotation {
        return quat::angle(quat::slerp(a, b, share), value);
    }
    let between = [0, 1, 2].map(|c| a[c] + (b[c] - a[c]) * share);
    distance(between, [value[0], value[1], value[2]])
}

/// A value of up to four components; others are zero.
fn sample(track: &Track, time: f64) -> [f64; 4] {
    let mut out = [0.0; 4];
    track.curve.sample(track.target.kind(), time, &mut out[..track.curve.width()]);
    out
}

/// A spline at those of the times that it has.
fn sampled(track: &Track, times: &[f32]) -> Option<Curve> {
    let (start, end, width) = (track.curve.start(), track.curve.end(), track.curve.width());
    let times: Vec<f32> = times.iter().copied().filter(|t| (start..=end).contains(t)).collect();
    let value = |t: &f32| sample(track, f64::from(*t)).into_iter().take(width).map(|c| c as f32);
    let values: Vec<f32> = times.iter().flat_map(value).collect();
    Curve::new(Interpolation::Linear, width, times, values).ok()
}
