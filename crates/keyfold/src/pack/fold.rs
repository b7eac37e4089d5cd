//! The search for one animation: what stays exact, what has its own bound, and for the lanes every plan with its best budgets;
//! the smallest that holds wins.

use super::{
    Context,
    axes::splits,
    clip::Clip,
    cost::cost,
    cubic::shortened,
    encode::{Coded, Keys, LaneKeys, Plan, encode},
    exact::without_repeats,
    grid::Grid,
    lattice::Lattice,
    properties::shrunk,
    steps::{Reach, search},
    window::Window,
};
use crate::parallel::*;
use crate::{Animation, Curve, Interpolation, Storage, Target, diff::deviation_at, halves::settled};
use keyfold_core::{
    skeleton::{Deviation, moments},
    stream::RotationGrid,
};
use std::{collections::BTreeMap, sync::Arc};

/// How many of a clip's times are encoded at once.
const WINDOW: usize = 512;
/// A clip that is longer than this is searched by samples of it.
const SAMPLED: usize = 768;
/// How many samples, and how long each.
const SAMPLES: (usize, usize) = (6, 128);
/// How often a result that proved too coarse is made finer.
const REPAIRS: usize = 12;
/// After so many of these, everything is made finer.
const PATIENCE: usize = 6;
/// How often budgets are made finer where repairing fails.
const TIGHTENINGS: usize = 8;
/// The share of a budget that is left at least when it is made finer: as a rule, and where a few moments are tried again and again.
const LEAST: f64 = 0.3;
const GENTLE: f64 = 0.94;
/// How many moments that cannot be repaired are looked at on their own at once.
const HARD: usize = 256;
/// What is repaired is repaired to this share of the bound: between keys clips differ a little more.
const REPAIRED: f64 = 0.99;

/// What split tracks may take at most, as a share of what whole ones do.
const WORTH: f64 = 0.98;

/// The grids that tracks lie on, where the storage has any.
pub(crate) type Grids = BTreeMap<Target, Laid>;

/// A grid that a track's values lie on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Laid {
    Quantized(Grid),
    Projected(RotationGrid),
}

/// A folded animation.
#[derive(Clone)]
pub(crate) struct Folded {
    pub(crate) animation: Animation,
    pub(crate) grids: Grids,
}

impl Folded {
    /// An animation that stays as it is.
    pub(crate) fn untouched(animation: Animation) -> Self {
        Self { animation, grids: Grids::new() }
    }
}

/// The animation, folded so that it stays within `bound` (scene units) as far as the search can see: as it is or, where the storage
/// knows axes, split by them, whichever is smaller.
pub(crate) fn fold(context: &Context<'_>, animation: &Animation, bound: f64) -> Folded {
    let whole = fold_as_it_is(context, animation, bound);
    if !context.splits() {
        return whole;
    }
    let split = splits(animation, |target| context.keeps(target));
    let folded = split.iter().map(|animation| fold_as_it_is(context, animation, bound));
    let priced = folded.map(|folded| (price(context, &folded), folded)).min_by_key(|(price, _)| *price);
    // Prices are not exact: what is hardly smaller is left whole, with fewer channels.
    let most = price(context, &whole) as f64 * WORTH;
    priced.filter(|(price, _)| (*price as f64) < most).map_or(whole, |(_, folded)| folded)
}

fn fold_as_it_is(context: &Context<'_>, animation: &Animation, bound: f64) -> Folded {
    let base = exact_and_properties(context, animation);
    let (base, used) = if bound > 0.0 { shortened(context, &base, bound) } else { None }.unwrap_or((base, 0.0));
    let bound = bound - used;
    let clip = Clip::new(context.scene, &base, context.settings.storage, |target| context.keeps(target));
    if clip.lanes.is_empty() || bound <= 0.0 {
        return Folded::untouched(base);
    }
    let windows = sampled(&clip);
    let search = Search { context, clip: &clip, reach: Reach::new(&clip, &windows), windows, bound };
    let most = price(context, &Folded::untouched(base.clone()));
    let best = search.best().filter(|(price, _)| *price < most);
    best.map_or_else(|| Folded::untouched(base), |(_, folded)| folded)
}

/// The search for an animation's lanes.
struct Search<'a, 'c> {
    context: &'a Context<'a>,
    clip: &'a Clip<'c>,
    reach: Reach,
    windows: Vec<Arc<Window>>,
    bound: f64,
}

/// A plan with the budgets that samples of the clip hold under, and what they cost.
struct Candidate {
    plan: Plan,
    budgets: Vec<f64>,
    price: usize,
}

impl Search<'_, '_> {
    /// The cheapest of the level's plans on samples, on the whole clip; where samples hardly tell two apart, the better one there. Where
    /// that fails, the next.
    fn best(mut self) -> Option<(usize, Folded)> {
        let plans: Vec<Plan> = self.context.plans().iter().copied().filter(|plan| self.suits(*plan)).collect();
        let mut candidates: Vec<Candidate> = plans.par_iter().map(|plan| self.candidate(*plan)).collect();
        // The whole clip has windows of its own: those of the samples would only fill the memory.
        self.windows.clear();
        // Of equal prices the earlier plan wins, on any number of threads.
        candidates.sort_by_key(|candidate| candidate.price);
        let exact = self.clip.times.len() <= SAMPLED;
        let near = candidates.get(1).filter(|second| !exact && second.price * 10 < candidates[0].price * 11);
        let runner_up = near.and_then(|c| self.priced(c));
        let first = candidates.iter().find_map(|c| self.priced(c));
        first.into_iter().chain(runner_up).min_by_key(|(price, _)| *price)
    }

    /// Whether a plan is worth a try: in a stream, keys that follow each other evenly cost next to nothing, and times of each track a lot of JSON.
    fn suits(&self, plan: Plan) -> bool {
        self.clip.storage != Storage::Stream || plan.keys != Keys::PerLane || self.clip.times.len() > SAMPLED
    }

    fn priced(&self, candidate: &Candidate) -> Option<(usize, Folded)> {
        let folded = self.whole(candidate.plan, candidate.budgets.clone())?;
        Some((price(self.context, &folded), folded))
    }

    fn candidate(&self, plan: Plan) -> Candidate {
        let mut budgets =
            search(self.clip, &self.windows, &self.reach, self.bound, plan, self.context.rounds()).budgets;
        if self.context.repairs() {
            budgets.iter_mut().for_each(|b| *b *= plan.overload());
        }
        let mut coded = Vec::new();
        for _ in 0..TIGHTENINGS {
            coded = self.windows.par_iter().map(|w| self.coded(w, &budgets, plan)).collect();
            let worst = merged(self.clip, &coded);
            if worst.error() <= self.bound {
                break;
            }
            self.tighten(&mut budgets, &coded, &worst, plan);
        }
        let parts: Vec<Vec<LaneKeys>> = coded.into_iter().map(|c| c.lanes).collect();
        let price = price(self.context, &assembled(self.clip, &parts, &budgets, plan));
        Candidate { plan, budgets, price }
    }

    /// The whole clip so that it holds at all keys; `None` where it never does.
    fn whole(&self, plan: Plan, mut budgets: Vec<f64>) -> Option<Folded> {
        let count = self.clip.times.len();
        let starts: Vec<usize> = (0..count).step_by(WINDOW).collect();
        for round in 0..REPAIRS {
            if round > PATIENCE {
                budgets.iter_mut().for_each(|b| *b *= GENTLE);
            }
            let window = |start: &usize| self.clip.window(*start..(start + WINDOW).min(count));
            let mut coded: Vec<Coded> = starts.par_iter().map(|s| self.coded(&window(s), &budgets, plan)).collect();
            let parts: Vec<Vec<LaneKeys>> = coded.iter_mut().map(|c| std::mem::take(&mut c.lanes)).collect();
            let folded = assembled(self.clip, &parts, &budgets, plan);
            let deviation = self.deviation(&folded.animation);
            if deviation.error() <= self.bound {
                return Some(folded);
            }
            self.tighten(&mut budgets, &coded, &deviation, plan);
        }
        None
    }

    fn coded(&self, window: &Window, budgets: &[f64], plan: Plan) -> Coded {
        let limit = self.context.repairs().then_some(REPAIRED * self.bound);
        encode(self.clip, window, budgets, plan, limit)
    }

    /// Makes budgets finer: where every moment stands for itself, until those moments hold that did not; else once.
    fn tighten(&self, budgets: &mut [f64], coded: &[Coded], deviation: &Deviation, plan: Plan) {
        let mut failing: Vec<usize> = coded.iter().flat_map(|c| &c.failing).copied().collect();
        if plan.keys != Keys::All || failing.is_empty() {
            self.reach.tighten(budgets, deviation, self.bound, LEAST);
            return;
        }
        failing.truncate(HARD);
        let hard: Vec<Window> = failing.into_par_iter().map(|m| self.clip.window(m..m + 1)).collect();
        for _ in 0..3 * TIGHTENINGS {
            let coded: Vec<Coded> = hard.par_iter().map(|w| self.coded(w, budgets, plan)).collect();
            let worst = merged(self.clip, &coded);
            if worst.error() <= self.bound {
                break;
            }
            self.reach.tighten(budgets, &worst, self.bound, GENTLE);
        }
    }

    /// At all keys: between them both clips are straight, and the promise is checked there at last.
    fn deviation(&self, folded: &Animation) -> Deviation {
        let motion = self.clip.scene.motion(folded);
        deviation_at(&self.clip.motion, &motion, &self.clip.probes, &moments(&[&self.clip.motion, &motion], 0))
    }
}

fn merged(clip: &Clip<'_>, coded: &[Coded]) -> Deviation {
    let mut whole = Deviation::none(clip.probes.len());
    coded.iter().for_each(|part| whole.merge(&part.deviation));
    whole
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

/// A clip from the keys of all windows.
fn assembled(clip: &Clip<'_>, parts: &[Vec<LaneKeys>], budgets: &[f64], plan: Plan) -> Folded {
    let (mut tracks, mut grids) = (clip.animation.tracks.clone(), Grids::new());
    for (index, lane) in clip.lanes.iter().enumerate() {
        let track = &mut tracks[lane.track];
        let curve = joined(clip, parts.iter().map(|lanes| &lanes[index]), track.curve.width());
        track.curve = curve.unwrap_or_else(|| track.curve.clone());
        if let Some(shorter) = without_repeats(track, clip.animation.duration()) {
            *track = shorter;
        }
        let lattice = lane.stored_lattice(clip.storage, budgets[index], budgets[index] * plan.step_share());
        let laid = match (lattice, lane.held(clip.storage, budgets[index])) {
            (Lattice::Grid(grid), None) => Laid::Quantized(grid),
            (Lattice::Projected(grid, _), _) => Laid::Projected(grid),
            _ => continue,
        };
        grids.insert(track.target.clone(), laid);
    }
    Folded { animation: Animation { tracks, ..clip.animation.clone() }, grids }
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

fn price(context: &Context<'_>, folded: &Folded) -> usize {
    context.forms(&folded.animation, &folded.grids).map_or(usize::MAX, |forms| cost(&forms, context))
}

/// Each way to choose keys, the most promising first.
pub(crate) const PLANS: [Plan; 6] = [
    Plan { compensate: true, keys: Keys::All },
    Plan { compensate: false, keys: Keys::PerLane },
    Plan { compensate: true, keys: Keys::PerLane },
    Plan { compensate: false, keys: Keys::All },
    Plan { compensate: true, keys: Keys::Shared },
    Plan { compensate: false, keys: Keys::Shared },
];
