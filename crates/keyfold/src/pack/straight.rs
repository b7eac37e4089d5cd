//! Splines as `LINEAR` tracks, for which every storage has small codes. Keys are added until the path stays
//! within a share of the bound; the engine does the rest.

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

/// The shares of the bound tried as tolerance for the tracks, coarsest first.
const SHARES: [f64; 4] = [0.6, 0.3, 0.14, 0.06];
/// The share of the bound that all tracks together may use. The rest is for the engine.
const MOST: f64 = 0.4;
/// The most pieces between two keys.
const MOST_PIECES: f64 = 32.0;
/// The most floats of the result: a multiple of the original's plus a constant, which limits the work.
const GROWTH: (usize, usize) = (4, 1 << 16);

/// The animation with straight pieces in place of splines, and how far that moves points. `None` if there are
/// no splines, or if too many pieces are needed.
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
        // If one share needs too many pieces, so do all that follow.
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

/// Times for all splines: their keys, and enough between them for each spline to stay approximately within
/// its tolerance. `None` if those are too many.
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
    // Neighbouring floats leave no room for pieces.
    times.dedup();
    Some(times)
}

/// How many straight pieces between two times keep a track approximately within a tolerance. The distance of
/// a curve from a chord grows with the square of the chord's length.
fn pieces(track: &Track, [from, to]: [f32; 2], tolerance: f64) -> f64 {
    let Some(chord) = sampled(track, &[from, to]).filter(|_| tolerance > 0.0) else { return 1.0 };
    let kind = track.target.kind();
    let off = |quarter: usize| {
        let time = f64::from(from) + (f64::from(to) - f64::from(from)) * quarter as f64 / 4.0;
        difference(kind, &chord.at(kind, time), &track.curve.at(kind, time))
    };
    ((1..4).map(off).fold(0.0, f64::max) / tolerance).sqrt().ceil()
}

/// A spline sampled at those of the times that lie within it.
fn sampled(track: &Track, times: &[f32]) -> Option<Curve> {
    let (start, end, width) = (track.curve.start(), track.curve.end(), track.curve.width());
    let times: Vec<f32> = times.iter().copied().filter(|t| (start..=end).contains(t)).collect();
    let value = |t: &f32| track.sample(f64::from(*t)).into_iter().map(|c| c as f32);
    let values: Vec<f32> = times.iter().flat_map(value).collect();
    Curve::new(Interpolation::Linear, width, times, values).ok()
}
