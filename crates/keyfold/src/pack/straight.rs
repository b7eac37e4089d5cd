//! Splines as `LINEAR` tracks, which every storage has small codes for: as many keys between theirs as keep the way within a share of the
//! bound. The engine does the rest.

use super::{Context, floats};
use crate::{
    Animation, Curve, Interpolation, Track,
    diff::{proof, undefined},
    scene::core_track,
};
use keyfold_core::{
    curve::{difference, merged_times},
    engine::Reach,
};

/// The shares of the bound that are tried as what tracks may use of it, the coarsest first.
const SHARES: [f64; 4] = [0.6, 0.3, 0.14, 0.06];
/// What all of them together may use of the bound: the rest is for the engine.
const MOST: f64 = 0.4;
/// Into how many pieces the way between two keys may be cut.
const MOST_PIECES: f64 = 32.0;
/// How many times as many floats an animation may get, and how many besides: work stays in proportion to the file.
const GROWTH: (usize, usize) = (4, 1 << 16);

/// The animation with straight pieces for splines, and how far that moves points; `None` where there are no splines, or too many pieces.
pub(crate) fn straightened(context: &Context<'_>, animation: &Animation, bound: f64) -> Option<(Animation, f64)> {
    let undefined: Vec<usize> = undefined(animation).map(|(i, _)| i).collect();
    let taken = |(i, Track { target, curve, .. }): &(usize, &Track)| {
        let moves = curve.interpolation().is_spline() && curve.keys() > 1 && target.moved_node().is_some();
        moves && !context.keeps(target) && !undefined.contains(i)
    };
    let splines: Vec<(usize, &Track)> = animation.tracks.iter().enumerate().filter(taken).collect();
    if splines.is_empty() {
        return None;
    }
    let motion = context.scene.motion(animation);
    let probes = context.scene.probes(&motion.moved());
    let moving: Vec<_> = splines.iter().filter_map(|(_, track)| core_track(&track.target, &track.curve)).collect();
    let reach = Reach::of(&motion, &moving, &probes);
    let most = GROWTH.0 * floats([animation]) + GROWTH.1;
    for share in SHARES {
        // What is too much for one share is too much for all that follow.
        let times = times(&splines, &reach.even(share * bound))?;
        let within = |curve: &Curve| times.iter().filter(|t| (curve.start()..=curve.end()).contains(t)).count();
        if splines.iter().map(|(_, track)| track.curve.width() * within(&track.curve)).sum::<usize>() > most {
            return None;
        }
        let mut tracks = animation.tracks.clone();
        for (index, track) in &splines {
            tracks[*index].curve = sampled(track, &times)?;
        }
        let straight = Animation { tracks, ..animation.clone() };
        let error = proof(&motion, &context.scene.motion(&straight), &probes).possible;
        if error <= MOST * bound {
            return Some((straight, error));
        }
    }
    None
}

/// Times that suit all splines: the keys of all of them, and so many between two of these that each stays within about its tolerance; `None` where that is too many.
fn times(splines: &[(usize, &Track)], tolerances: &[f64]) -> Option<Vec<f32>> {
    let keys = merged_times(splines.iter().map(|(_, track)| track.curve.times()));
    let mut times: Vec<f32> = keys.first().copied().into_iter().collect();
    for pair in keys.windows(2) {
        let needed =
            splines.iter().zip(tolerances).map(|((_, track), tolerance)| pieces(track, [pair[0], pair[1]], *tolerance));
        let pieces = Some(needed.fold(1.0, f64::max)).filter(|pieces| *pieces <= MOST_PIECES)? as usize;
        let (from, to) = (f64::from(pair[0]), f64::from(pair[1]));
        times.extend((1..=pieces).map(|i| (from + (to - from) * i as f64 / pieces as f64) as f32));
    }
    // Keys that no float lies between have no pieces.
    times.dedup();
    Some(times)
}

/// How many straight pieces between two times keep a track within about a tolerance: a curve strays from a chord as the square of its length.
fn pieces(track: &Track, [from, to]: [f32; 2], tolerance: f64) -> f64 {
    let Some(chord) = sampled(track, &[from, to]).filter(|_| tolerance > 0.0) else { return 1.0 };
    let kind = track.target.kind();
    let off = |quarter: usize| {
        let time = f64::from(from) + (f64::from(to) - f64::from(from)) * quarter as f64 / 4.0;
        difference(kind, &chord.at(kind, time), &track.curve.at(kind, time))
    };
    ((1..4).map(off).fold(0.0, f64::max) / tolerance).sqrt().ceil()
}

/// A spline at those of the times that it has.
fn sampled(track: &Track, times: &[f32]) -> Option<Curve> {
    let (start, end, width) = (track.curve.start(), track.curve.end(), track.curve.width());
    let times: Vec<f32> = times.iter().copied().filter(|t| (start..=end).contains(t)).collect();
    let value = |t: &f32| track.sample(f64::from(*t)).into_iter().map(|c| c as f32);
    let values: Vec<f32> = times.iter().flat_map(value).collect();
    Curve::new(Interpolation::Linear, width, times, values).ok()
}
