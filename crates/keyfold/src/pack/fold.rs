//! The search for one animation: what stays exact, what has its own bound, and for the lanes every plan with its best budgets;
//! the smallest that holds wins.

use super::{
    Context,
    clip::Clip,
    cost::cost,
    encode::{Keys, LaneKeys, Plan, encode},
    exact::without_repeats,
    forms::compact,
    properties::shrunk,
    steps::{Reach, search},
    window::Window,
};
use crate::{Animation, Curve, Interpolation, Track, diff::deviation_at};
use keyfold_core::skeleton::moments;
use rayon::prelude::*;

/// How many of a clip's times are encoded at once.
const WINDOW: usize = 1024;
/// A clip that is longer than this is searched by samples of it.
const SAMPLED: usize = 1536;
/// How many samples, and how long each.
const SAMPLES: (usize, usize) = (4, 320);
/// How often a result that proved too coarse is made finer.
const REPAIRS: usize = 5;

/// The animation, folded so that it stays within `bound` (scene units) as far as the search can see.
pub(crate) fn fold(context: &Context<'_>, animation: &Animation, bound: f64) -> Animation {
    let base = exact_and_properties(context, animation);
    let clip = Clip::new(context.scene, &base, context.settings.storage, |target| context.keeps(target));
    if clip.lanes.is_empty() || bound <= 0.0 {
        return base;
    }
    let windows = sampled(&clip);
    let reach = Reach::new(&clip, &windows);
    let candidates = context.plans().par_iter().filter_map(|plan| {
        let steps = search(&clip, &windows, &reach, bound, *plan, context.rounds());
        let folded = repaired(&clip, steps.budgets, *plan, bound)?;
        Some((price(context, &folded), folded))
    });
    // Of equal prices the earlier plan wins, on any number of threads.
    let best = candidates.collect::<Vec<_>>().into_iter().min_by_key(|(price, _)| *price);
    let original = price(context, &base);
    best.filter(|(price, _)| *price < original).map_or_else(|| base.clone(), |(_, folded)| folded)
}

/// What needs no search.
fn exact_and_properties(context: &Context<'_>, animation: &Animation) -> Animation {
    let end = animation.duration();
    let tracks = animation.tracks.iter().map(|track| {
        if context.keeps(&track.target) {
            return track.clone();
        }
        let spatial = track.target.moved_node().is_some();
        let shrunk = if spatial { None } else { shrunk(track, context.property_bound) };
        let track = shrunk.unwrap_or_else(|| track.clone());
        without_repeats(&track, end).unwrap_or(track)
    });
    Animation { tracks: tracks.collect(), ..animation.clone() }
}

/// Stretches of a clip that stand for it.
fn sampled(clip: &Clip<'_>) -> Vec<Window> {
    let count = clip.times.len();
    if count <= SAMPLED {
        return vec![clip.window(0..count)];
    }
    let (samples, length) = SAMPLES;
    (0..samples).map(|i| (count - length) * i / (samples - 1)).map(|start| clip.window(start..start + length)).collect()
}

/// A clip encoded with budgets, made finer until it holds at and between all keys; `None` where it never does.
fn repaired(clip: &Clip<'_>, mut budgets: Vec<f64>, plan: Plan, bound: f64) -> Option<Animation> {
    for _ in 0..REPAIRS {
        let folded = encoded(clip, &budgets, plan);
        let motion = clip.scene.motion(&folded);
        let all = moments(&[&clip.motion, &motion], 2);
        let error = deviation_at(&clip.motion, &motion, &clip.probes, &all).error();
        if error <= bound {
            return Some(folded);
        }
        let finer = (0.98 * bound / error).clamp(0.3, 0.95);
        budgets.iter_mut().for_each(|b| *b *= finer);
    }
    None
}

/// A clip encoded with budgets.
fn encoded(clip: &Clip<'_>, budgets: &[f64], plan: Plan) -> Animation {
    let count = clip.times.len();
    let starts: Vec<usize> = (0..count).step_by(WINDOW).collect();
    let parts: Vec<Vec<LaneKeys>> = starts
        .par_iter()
        .map(|start| encode(clip, &clip.window(*start..(start + WINDOW).min(count)), budgets, plan).lanes)
        .collect();
    let mut tracks = clip.animation.tracks.clone();
    for (index, lane) in clip.lanes.iter().enumerate() {
        let track = &mut tracks[lane.track];
        let curve = joined(clip, parts.iter().map(|lanes| &lanes[index]), track.curve.width());
        track.curve = curve.unwrap_or_else(|| track.curve.clone());
        if let Some(shorter) = without_repeats(track, clip.animation.duration()) {
            *track = shorter;
        }
    }
    Animation { tracks, ..clip.animation.clone() }
}

/// One curve from the keys of all windows.
fn joined<'k>(clip: &Clip<'_>, parts: impl Iterator<Item = &'k LaneKeys>, width: usize) -> Option<Curve> {
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for part in parts {
        times.extend(part.places.iter().map(|p| clip.times[*p]));
        values.extend_from_slice(&part.values);
    }
    Curve::new(Interpolation::Linear, width, times, values).ok()
}

fn price(context: &Context<'_>, animation: &Animation) -> usize {
    let forms: Vec<_> = animation.tracks.iter().filter_map(|t: &Track| compact(t).ok()).collect();
    cost(forms.iter(), context)
}

/// The plans of each level, the most promising first.
pub(crate) const PLANS: [Plan; 4] = [
    Plan { compensate: true, keys: Keys::All },
    Plan { compensate: false, keys: Keys::PerLane },
    Plan { compensate: false, keys: Keys::All },
    Plan { compensate: true, keys: Keys::PerLane },
];
