//! The search for one animation: what stays exact, what has its own bound, and for the lanes every plan with its best budgets;
//! the smallest that holds wins.

use super::{
    Context,
    clip::Clip,
    cost::cost,
    encode::{Keys, LaneKeys, Plan, encode},
    exact::without_repeats,
    halves::settled,
    properties::shrunk,
    steps::{Reach, search},
    window::Window,
};
use crate::{Animation, Curve, Interpolation, Track, diff::deviation_at};
use keyfold_core::skeleton::{Deviation, moments};
use rayon::prelude::*;
use std::sync::Arc;

/// How many of a clip's times are encoded at once.
const WINDOW: usize = 1024;
/// A clip that is longer than this is searched by samples of it.
const SAMPLED: usize = 768;
/// How many samples, and how long each.
const SAMPLES: (usize, usize) = (6, 128);
/// How often the place where a result proved too coarse joins the samples.
const LESSONS: usize = 1;
/// How often a result that proved too coarse is made finer.
const REPAIRS: usize = 6;

/// The animation, folded so that it stays within `bound` (scene units) as far as the search can see.
pub(crate) fn fold(context: &Context<'_>, animation: &Animation, bound: f64) -> Animation {
    let base = exact_and_properties(context, animation);
    let clip = Clip::new(context.scene, &base, context.settings.storage, |target| context.keeps(target));
    if clip.lanes.is_empty() || bound <= 0.0 {
        return base;
    }
    let windows = sampled(&clip);
    let search = Search { context, clip: &clip, reach: Reach::new(&clip, &windows), windows, bound };
    let original = price(context, &base);
    let best = search.best();
    best.filter(|(price, _)| *price < original).map_or_else(|| base.clone(), |(_, folded)| folded)
}

/// The search for an animation's lanes.
struct Search<'a, 'c> {
    context: &'a Context<'a>,
    clip: &'a Clip<'c>,
    reach: Reach,
    windows: Vec<Arc<Window>>,
    bound: f64,
}

impl Search<'_, '_> {
    /// The cheapest of the level's plans: each way to choose keys first, then the best of them the other way about compensation.
    fn best(&self) -> Option<(usize, Animation)> {
        let first = self.cheapest(self.context.plans());
        let (plan, price, folded) = first?;
        if !self.context.tries_both() {
            return Some((price, folded));
        }
        let other = Plan { compensate: !plan.compensate, ..plan };
        let second = self.cheapest(&[other]).filter(|(_, other, _)| *other < price);
        Some(second.map_or((price, folded), |(_, price, folded)| (price, folded)))
    }

    fn cheapest(&self, plans: &[Plan]) -> Option<(Plan, usize, Animation)> {
        let tried = plans.par_iter().filter_map(|plan| {
            let folded = self.attempt(*plan)?;
            Some((*plan, price(self.context, &folded), folded))
        });
        // Of equal prices the earlier plan wins, on any number of threads.
        tried.collect::<Vec<_>>().into_iter().min_by_key(|(_, price, _)| *price)
    }

    /// The clip folded by a plan so that it holds at all keys; `None` where it never does.
    fn attempt(&self, plan: Plan) -> Option<Animation> {
        let mut windows = self.windows.clone();
        let mut budgets = Vec::new();
        for repair in 0..LESSONS + REPAIRS {
            if repair <= LESSONS {
                budgets = search(self.clip, &windows, &self.reach, self.bound, plan, self.context.rounds()).budgets;
            }
            let folded = encoded(self.clip, &budgets, plan);
            let deviation = self.deviation(&folded);
            let (_, worst) = deviation.worst()?;
            if worst.error <= self.bound {
                return Some(folded);
            }
            if repair < LESSONS && self.clip.times.len() > SAMPLED && worst.error > 1.1 * self.bound {
                windows.push(Arc::new(self.around(worst.moment.time)));
            } else {
                self.reach.tighten(&mut budgets, &deviation, self.bound);
                if repair < LESSONS {
                    // There is nothing more to learn: go on with what was found.
                    return self.tightened(budgets, plan);
                }
            }
        }
        None
    }

    /// The clip with budgets made finer until it holds.
    fn tightened(&self, mut budgets: Vec<f64>, plan: Plan) -> Option<Animation> {
        for _ in 0..REPAIRS {
            let folded = encoded(self.clip, &budgets, plan);
            let deviation = self.deviation(&folded);
            if deviation.error() <= self.bound {
                return Some(folded);
            }
            self.reach.tighten(&mut budgets, &deviation, self.bound);
        }
        None
    }

    /// At all keys: between them both clips are straight, and the promise is checked there at last.
    fn deviation(&self, folded: &Animation) -> Deviation {
        let motion = self.clip.scene.motion(folded);
        deviation_at(&self.clip.motion, &motion, &self.clip.probes, &moments(&[&self.clip.motion, &motion], 0))
    }

    /// A stretch of the clip around a time.
    fn around(&self, time: f64) -> Window {
        let (count, half) = (self.clip.times.len(), SAMPLES.1 / 2);
        let middle = self.clip.times.partition_point(|t| f64::from(*t) < time);
        let start = middle.saturating_sub(half).min(count.saturating_sub(2 * half));
        self.clip.window(start..(start + 2 * half).min(count))
    }
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
        let track = settled(&track).unwrap_or(track);
        without_repeats(&track, end).unwrap_or(track)
    });
    Animation { tracks: tracks.collect(), ..animation.clone() }
}

/// Stretches of a clip that stand for it.
fn sampled(clip: &Clip<'_>) -> Vec<Arc<Window>> {
    let count = clip.times.len();
    if count <= SAMPLED {
        return vec![Arc::new(clip.window(0..count))];
    }
    let (samples, length) = SAMPLES;
    let starts = (0..samples).map(|i| (count - length) * i / (samples - 1));
    starts.map(|start| Arc::new(clip.window(start..start + length))).collect()
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
    let forms: Vec<_> = animation.tracks.iter().filter_map(|t: &Track| context.form(t).ok()).collect();
    cost(forms.iter(), context)
}

/// Each way to choose keys, the most promising first.
pub(crate) const PLANS: [Plan; 3] = [
    Plan { compensate: true, keys: Keys::All },
    Plan { compensate: false, keys: Keys::PerLane },
    Plan { compensate: false, keys: Keys::Shared },
];
