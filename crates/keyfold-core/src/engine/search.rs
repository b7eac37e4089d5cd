//! The search loop of every storage. Each plan gets its best budgets on samples of the clip. The cheapest one
//! is carried out on the whole clip, measured and refined until it holds.

use super::{
    Codec, Encoded, Executor, Level,
    between::raised,
    budgets::{self, Prices},
    clip::{Clip, Job, Part},
    encode::{Encoder, Measured, TrackKeys, quantizers},
    grid::Grid,
    plan::{PLANS, Plan},
    reach::Reach,
    track::{Quantizer, Track},
    window::Window,
};
use crate::curve::{Curve, Interpolation};
use alloc::{sync::Arc, vec, vec::Vec};
use core::ops::Range;

/// How many times of a clip are encoded at once.
const WINDOW: usize = 512;
/// Clips with more times than this are represented by samples.
const SAMPLED: usize = 768;
/// The number of samples, and the length of each.
const SAMPLES: (usize, usize) = (6, 128);
/// How often a result over the bound is refined.
const REPAIRS: usize = 12;
/// After this many refinements, all budgets shrink.
const PATIENCE: usize = 6;
/// How often budgets shrink if repair fails.
const TIGHTENINGS: usize = 8;
/// The least share of a budget that remains when it shrinks.
const LEAST: f64 = 0.3;
/// The same while few moments are tried repeatedly.
const GENTLE: f64 = 0.94;
/// The most that remains at once if codes are relative to others.
const GENTLEST: f64 = 0.97;
/// The most moments beyond repair that are tried separately.
const HARD: usize = 256;
/// The share of the bound that repair aims at.
const REPAIRED: f64 = 0.985;
/// The share of the bound up to which keys are dropped.
const THINNED: f64 = 0.993;
/// The share of the bound for errors at keys: they are a little larger between keys.
const AT_KEYS: f64 = 0.996;

/// The result of a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// Tracks as a storage will hold them, one entry for each of the job's; `None` if it stays as it is.
    pub tracks: Vec<Option<Encoded>>,
    /// Their cost, in the codec's bytes.
    pub cost: usize,
    /// The decisions that led to them.
    pub choice: Choice,
}

/// The decisions of a search for an animation.
#[derive(Clone, Debug)]
pub struct Choice {
    bound: f64,
    clips: Vec<Chosen>,
}

/// The decisions for a clip: its plan, the budget of each track, and the weight of errors at each time.
#[derive(Clone, Debug)]
struct Chosen {
    plan: Plan,
    budgets: Vec<f64>,
    weights: Vec<f64>,
}

/// An earlier result that measured over the bound: its decisions, and its curves by track of the job.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    /// The decisions.
    pub choice: &'a Choice,
    /// By track of the job; `None` if unchanged.
    pub curves: &'a [Option<&'a Curve>],
}

/// Encodes tracks within the job's bound at all keys; `None` if nothing is cheaper than the original tracks.
///
/// The caller measures errors between keys. If they are over the bound, a job with a smaller bound and the
/// result `before` redoes as little as possible.
pub fn search<E: Executor>(
    job: &Job<'_>,
    codec: &dyn Codec,
    executor: &E,
    before: Option<Before<'_>>,
) -> Option<Found> {
    let parts = Part::all(job);
    let mut clips = clips(&parts, job);
    if clips.is_empty() || job.bound.is_nan() || job.bound <= 0.0 {
        return None;
    }
    let samples = executor.map(&clips, |clip| Sampled::new(clip, job.bound));
    if let Some(choice) = before.filter(|before| before.choice.fits(&clips)).and_then(|b| b.again(&clips, job.bound)) {
        let job = &Job { bound: choice.bound, ..*job };
        clips.iter_mut().zip(&choice.clips).for_each(|(clip, chosen)| clip.weights.clone_from(&chosen.weights));
        let reach: Vec<Reaches> = samples.into_iter().map(|sampled| sampled.reach).collect();
        return Search { job, codec, executor, clips: &clips }.whole(choice, &reach, None);
    }
    let search = Search { job, codec, executor, clips: &clips };
    let found = match job.is_estimate && job.level.repairs() && !search.is_sampled() {
        true => search.about(&samples)?,
        false => search.best(samples)?,
    };
    codec.exceeds(job.tracks.len(), found.cost).then_some(found)
}

/// Encodes tracks that keep all keys, each part of the hierarchy on its own and as near as codes get: parts of
/// `before` are repaired, what that does not bring within the bound is searched, and what no search brings within
/// it is [`rounded`]. All `None` if cancelled.
pub fn nearest<E: Executor>(
    job: &Job<'_>,
    codec: &dyn Codec,
    executor: &E,
    before: Option<&[Option<Encoded>]>,
) -> Vec<Option<Encoded>> {
    each_part(job, codec, executor, |search, clip| {
        let repaired = before.and_then(|tracks| search.repaired(clip, tracks));
        repaired.or_else(|| search.alone(clip)).or_else(|| search.rounded(clip))
    })
}

/// Encodes tracks on grids that ignore the bound, with compensation and repair; all `None` if cancelled.
pub fn rounded<E: Executor>(job: &Job<'_>, codec: &dyn Codec, executor: &E) -> Vec<Option<Encoded>> {
    each_part(job, codec, executor, |search, clip| search.rounded(clip))
}

fn each_part<E: Executor>(
    job: &Job<'_>,
    codec: &dyn Codec,
    executor: &E,
    run: impl Fn(&Search<'_, '_, E>, &Clip<'_>) -> Option<Vec<Encoded>> + Send + Sync,
) -> Vec<Option<Encoded>> {
    let parts = Part::all(job);
    let clips = clips(&parts, job);
    let search = Search { job, codec, executor, clips: &clips };
    let made: Option<Vec<_>> = search.each_clip(|index| run(&search, &clips[index])).into_iter().collect();
    made.map_or_else(|| vec![None; job.tracks.len()], |made| search.in_order(made.into_iter()))
}

/// The parts of a job that have tracks to change.
fn clips<'a>(parts: &'a [Part<'a>], job: &Job<'a>) -> Vec<Clip<'a>> {
    parts.iter().map(|part| Clip::new(part, job)).filter(|clip| !clip.tracks.is_empty()).collect()
}

impl Before<'_> {
    /// The next decisions: errors weigh more beside moments over the bound. Without such moments, budgets
    /// shrink with the bound. But if all keys stay, repaired codes tell nothing about errors between keys at
    /// another bound.
    fn again(&self, clips: &[Clip<'_>], bound: f64) -> Option<Choice> {
        let mut choice = self.choice.clone();
        let mut stricter = false;
        for (clip, chosen) in clips.iter().zip(&mut choice.clips) {
            if let Some(weights) = raised(clip, &chosen.weights, self.curves, choice.bound) {
                (chosen.weights, stricter) = (weights, true);
            }
        }
        if stricter {
            return Some(choice);
        }
        choice.clips.iter().all(|chosen| chosen.plan.drops_keys).then(|| choice.scaled(bound))
    }
}

impl Choice {
    /// The bound that it was made for, in scene units.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Whether it was made for clips with as many tracks and times.
    fn fits(&self, clips: &[Clip<'_>]) -> bool {
        let same = |(clip, chosen): (&Clip<'_>, &Chosen)| {
            clip.tracks.len() == chosen.budgets.len() && clip.times.len() == chosen.weights.len()
        };
        self.clips.len() == clips.len() && clips.iter().zip(&self.clips).all(same)
    }

    /// The same decisions for another bound.
    fn scaled(mut self, bound: f64) -> Self {
        let by = bound / self.bound;
        self.clips.iter_mut().flat_map(|chosen| &mut chosen.budgets).for_each(|budget| *budget *= by);
        Self { bound, ..self }
    }
}

struct Search<'a, 'c, E> {
    job: &'a Job<'a>,
    codec: &'a dyn Codec,
    executor: &'a E,
    clips: &'a [Clip<'c>],
}

/// Ranges of a clip that represent it.
struct Sampled {
    windows: Vec<Window>,
    reach: Reaches,
}

/// How far tracks move probes: as rigid bodies, and with compensation by the joints below.
struct Reaches {
    rigid: Reach,
    compensated: Reach,
}

impl Reaches {
    fn of(&self, plan: Plan) -> &Reach {
        if plan.compensate { &self.compensated } else { &self.rigid }
    }
}

impl Sampled {
    fn new(clip: &Clip<'_>, bound: f64) -> Self {
        let windows: Vec<Window> = ranges(clip).map(|range| Window::new(clip, range)).collect();
        let rigid = Reach::new(clip, &windows);
        let compensated = rigid.compensated(clip, &windows, bound);
        Self { reach: Reaches { rigid, compensated }, windows }
    }
}

fn ranges(clip: &Clip<'_>) -> impl Iterator<Item = Range<usize>> {
    let count = clip.times.len();
    let (samples, length) = if count <= SAMPLED { (1, count) } else { SAMPLES };
    (0..samples).map(move |i| (count - length) * i / (samples - 1).max(1)).map(move |start| start..start + length)
}

/// A clip under a plan, with budgets that hold on its samples and the keys that they lead to.
struct Tried {
    plan: Plan,
    prices: Prices,
    budgets: Vec<f64>,
    keys: Vec<Vec<TrackKeys>>,
    /// Whether the keys are known to hold at all times of the samples.
    holds: bool,
}

/// All clips under a plan, and their cost.
struct Candidate {
    clips: Vec<Tried>,
    cost: usize,
}

impl Candidate {
    /// The plan of all clips.
    fn plan(&self) -> Plan {
        self.clips[0].plan
    }
}

impl<E: Executor> Search<'_, '_, E> {
    /// The cheapest of the level's plans on samples, carried out on the whole clip; if that fails, the next.
    fn best(&self, samples: Vec<Sampled>) -> Option<Found> {
        let mut candidates = self.candidates(&samples);
        // Of equal costs the earlier plan wins.
        candidates.sort_by_key(|candidate| candidate.cost);
        let reach: Vec<Reaches> = samples.into_iter().map(|sampled| sampled.reach).collect();
        let whole = |candidate: &Candidate| self.whole(self.choice(&candidate.clips), &reach, Some(candidate));
        candidates.iter().find_map(whole)
    }

    /// The most promising plan, if samples cover everything.
    fn about(&self, samples: &[Sampled]) -> Option<Found> {
        let held = |tried: Candidate| if tried.plan().drops_keys { self.held(samples, &tried) } else { tried };
        let least = self.promising(samples).into_iter().map(held).min_by_key(|candidate| candidate.cost)?;
        Some(Found { cost: least.cost, tracks: self.assembled(&least.clips), choice: self.choice(&least.clips) })
    }

    fn choice(&self, clips: &[Tried]) -> Choice {
        let chosen = |(clip, tried): (&Clip<'_>, &Tried)| Chosen {
            plan: tried.plan,
            budgets: tried.budgets.clone(),
            weights: clip.weights.clone(),
        };
        Choice { bound: self.job.bound, clips: self.clips.iter().zip(clips).map(chosen).collect() }
    }

    /// Whether any clip is only sampled.
    fn is_sampled(&self) -> bool {
        self.clips.iter().any(|clip| clip.times.len() > SAMPLED)
    }

    /// How many times of the clips each sampled time represents.
    fn times(&self) -> f64 {
        let all: usize = self.clips.iter().map(|clip| clip.times.len()).sum();
        let sampled: usize = self.clips.iter().flat_map(|clip| ranges(clip)).map(|range| range.len()).sum();
        all as f64 / sampled as f64
    }

    /// The level's promising plans on samples, with budgets that hold.
    fn candidates(&self, samples: &[Sampled]) -> Vec<Candidate> {
        let promising = self.promising(samples);
        match self.job.level.repairs() {
            true => self.executor.map(&promising, |tried| self.held(samples, tried)),
            false => promising,
        }
    }

    /// The candidate with budgets that hold on samples after repair.
    fn held(&self, samples: &[Sampled], tried: &Candidate) -> Candidate {
        self.candidate(|index| self.held_clip(&self.clips[index], &samples[index], &tried.clips[index]))
    }

    /// The level's promising plans on samples.
    fn promising(&self, samples: &[Sampled]) -> Vec<Candidate> {
        let tried = |index: usize| self.tried(&self.clips[index], &samples[index], PLANS[0], None);
        if self.job.level == Level::Fast {
            // There is nothing to compare its cost with.
            return vec![Candidate { clips: self.each_clip(tried), cost: 0 }];
        }
        let first = self.candidate(tried);
        // What the first plan learns about its probes also holds for the others.
        let prices: Vec<Prices> = first.clips.iter().map(|tried| tried.prices.clone()).collect();
        let tried = |plan: &Plan| {
            self.candidate(|index| self.tried(&self.clips[index], &samples[index], *plan, Some(&prices[index])))
        };
        if self.counts() {
            return vec![first];
        }
        let drops_keys = !self.job.keeps_keys && (self.is_sampled() || !self.job.shares_times);
        // The first two indicate what the best will cost.
        let plans = &PLANS[1..if self.job.is_estimate { 2 } else { PLANS.len() }];
        let plans: Vec<Plan> = plans.iter().copied().filter(|plan| drops_keys || !plan.drops_keys).collect();
        let mut candidates: Vec<Candidate> = core::iter::once(first).chain(self.executor.map(&plans, tried)).collect();
        let least = candidates.iter().map(|candidate| candidate.cost).min().unwrap_or(0) as f64;
        candidates.retain(|candidate| candidate.cost as f64 <= candidate.plan().promising() * least);
        candidates
    }

    /// All clips as `run` makes them, and their cost.
    fn candidate(&self, run: impl Fn(usize) -> Tried + Send + Sync) -> Candidate {
        let clips = self.each_clip(run);
        Candidate { cost: self.codec.cost(&self.assembled(&clips), self.times()), clips }
    }

    fn assembled(&self, clips: &[Tried]) -> Vec<Option<Encoded>> {
        self.in_order(self.clips.iter().zip(clips).map(|(clip, tried)| self.encoded(clip, tried)))
    }

    /// The tracks of all clips in the order of the job.
    fn in_order(&self, clips: impl Iterator<Item = Vec<Encoded>>) -> Vec<Option<Encoded>> {
        let mut tracks = vec![None; self.job.tracks.len()];
        for (clip, encoded) in self.clips.iter().zip(clips) {
            clip.tracks.iter().zip(encoded).for_each(|(track, encoded)| tracks[track.index] = Some(encoded));
        }
        tracks
    }

    fn each_clip<T: Send>(&self, run: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        let indices: Vec<usize> = (0..self.clips.len()).collect();
        self.executor.map(&indices, |index| run(*index))
    }

    /// A plan with budgets that hold on samples, made coarser by the overload. It is not repaired yet.
    fn tried(&self, clip: &Clip<'_>, sampled: &Sampled, plan: Plan, known: Option<&Prices>) -> Tried {
        let mut encoders = encoders(clip, &sampled.windows, plan, None);
        let mut prices = known.cloned().unwrap_or_else(|| Prices::new(sampled.reach.of(plan)));
        // Known prices need half the rounds, and estimates half of that.
        let halvings = u32::from(known.is_some()) + u32::from(self.job.is_estimate);
        let rounds = self.job.level.rounds().div_ceil(1 << halvings);
        let mut budgets = budgets::search(sampled.reach.of(plan), &mut prices, self.job.bound, rounds, |budgets| {
            if self.executor.is_cancelled() {
                return None;
            }
            let quantizers = quantizers(clip, self.codec, budgets);
            let measured = encoders.iter_mut().map(|encoder| encoder.encode(&quantizers));
            Some(merged(clip, measured).errors)
        });
        if !self.job.level.repairs() {
            return Tried { plan, prices, budgets, keys: Vec::new(), holds: false };
        }
        budgets.iter_mut().for_each(|b| *b *= plan.overload());
        let quantizers = quantizers(clip, self.codec, &budgets);
        let keys = encoders.iter_mut().map(|encoder| {
            encoder.encode(&quantizers);
            core::mem::take(&mut encoder.decoded.keys)
        });
        Tried { plan, prices, budgets, keys: keys.collect(), holds: false }
    }

    /// A plan with budgets that hold on samples after repair.
    fn held_clip(&self, clip: &Clip<'_>, sampled: &Sampled, tried: &Tried) -> Tried {
        let (mut budgets, plan) = (tried.budgets.clone(), tried.plan);
        let mut encoders = encoders(clip, &sampled.windows, plan, self.limit(plan));
        let mut holds = false;
        for _ in 0..TIGHTENINGS {
            let quantizers = quantizers(clip, self.codec, &budgets);
            let worst = merged(clip, encoders.iter_mut().map(|e| e.encode(&quantizers)));
            holds = worst.error() <= self.most();
            if holds {
                encoders.iter_mut().for_each(|e| e.relax(&quantizers));
            }
            if holds || self.executor.is_cancelled() {
                break;
            }
            self.tighten(clip, sampled.reach.of(plan), &mut budgets, &worst, plan);
        }
        let keys = encoders.into_iter().map(|encoder| encoder.decoded.keys).collect();
        Tried { plan, prices: tried.prices.clone(), budgets, keys, holds }
    }

    /// Carries out a choice on all clips; `None` if one never holds. Short clips come from `held`, where
    /// their sample is the whole clip.
    fn whole(&self, mut choice: Choice, reach: &[Reaches], held: Option<&Candidate>) -> Option<Found> {
        let whole = |index: usize| {
            let (clip, Chosen { plan, budgets, .. }) = (&self.clips[index], &choice.clips[index]);
            let is_whole = |tried: &&Tried| tried.holds && clip.times.len() <= WINDOW;
            match held.map(|candidate| &candidate.clips[index]).filter(is_whole) {
                Some(tried) => Some((self.encoded(clip, tried), budgets.clone())),
                None => self.whole_clip(clip, reach[index].of(*plan), *plan, budgets.clone()),
            }
        };
        let whole: Option<Vec<(Vec<Encoded>, Vec<f64>)>> = self.each_clip(whole).into_iter().collect();
        let (encoded, budgets): (Vec<_>, Vec<_>) = whole?.into_iter().unzip();
        let tracks = self.in_order(encoded.into_iter());
        choice.clips.iter_mut().zip(budgets).for_each(|(chosen, budgets)| chosen.budgets = budgets);
        Some(Found { cost: self.codec.cost(&tracks, 1.0), tracks, choice })
    }

    fn encoded(&self, clip: &Clip<'_>, tried: &Tried) -> Vec<Encoded> {
        self.assemble(clip, &tried.keys, &quantizers(clip, self.codec, &tried.budgets))
    }

    /// Refines a clip until it holds at all keys, and returns its budgets as well; `None` if it never does.
    fn whole_clip(
        &self,
        clip: &Clip<'_>,
        reach: &Reach,
        plan: Plan,
        mut budgets: Vec<f64>,
    ) -> Option<(Vec<Encoded>, Vec<f64>)> {
        for round in 0..REPAIRS {
            if round > PATIENCE {
                budgets.iter_mut().for_each(|b| *b *= GENTLE);
            }
            let quantizers = quantizers(clip, self.codec, &budgets);
            let (worst, keys) = self.windows(clip, plan, &quantizers)?;
            if worst.error() <= self.most() {
                return Some((self.assemble(clip, &keys, &quantizers), budgets));
            }
            self.tighten(clip, reach, &mut budgets, &worst, plan);
        }
        None
    }

    /// Encodes and measures all windows of a clip; `None` if cancelled.
    fn windows(
        &self,
        clip: &Clip<'_>,
        plan: Plan,
        quantizers: &[Quantizer],
    ) -> Option<(Measured, Vec<Vec<TrackKeys>>)> {
        let count = clip.times.len();
        let starts: Vec<usize> = (0..count).step_by(WINDOW).collect();
        let encoded = self.executor.map(&starts, |start| {
            if self.executor.is_cancelled() {
                return None;
            }
            let window = Window::new(clip, *start..(start + WINDOW).min(count));
            let mut encoder = Encoder::new(clip, &window, plan, self.limit(plan));
            let measured = encoder.encode(quantizers);
            if measured.error() <= self.most() {
                encoder.relax(quantizers);
            }
            Some((measured, encoder.decoded.keys))
        });
        let encoded: Option<Vec<_>> = encoded.into_iter().collect();
        let (measured, keys): (Vec<Measured>, Vec<_>) = encoded?.into_iter().unzip();
        Some((merged(clip, measured.into_iter()), keys))
    }

    /// Repairs a clip's tracks; `None` if that is not enough.
    fn repaired(&self, clip: &Clip<'_>, tracks: &[Option<Encoded>]) -> Option<Vec<Encoded>> {
        let stored = || clip.tracks.iter().map(|track| tracks[track.index].as_ref());
        let quantizer = |track: &Encoded| Quantizer { budget: 0.0, grid: track.grid, held: None };
        let quantizers: Option<Vec<Quantizer>> = stored().map(|track| track.map(quantizer)).collect();
        let (window, quantizers) = (Window::new(clip, 0..clip.times.len()), quantizers?);
        let mut encoder = Encoder::new(clip, &window, PLANS[0], self.limit(PLANS[0]));
        encoder.given = stored().flatten().map(|track| track.codes.clone()).collect();
        let measured = encoder.encode(&quantizers);
        (measured.error() <= self.most()).then(|| self.assemble(clip, &[encoder.decoded.keys], &quantizers))
    }

    /// A clip's tracks, searched as if there were no other.
    fn alone(&self, clip: &Clip<'_>) -> Option<Vec<Encoded>> {
        let search = Search { clips: core::slice::from_ref(clip), ..*self };
        let found = search.best(vec![Sampled::new(clip, self.job.bound)])?;
        clip.tracks.iter().map(|track| found.tracks[track.index].clone()).collect()
    }

    /// A clip's tracks on grids that do not depend on budgets.
    fn rounded(&self, clip: &Clip<'_>) -> Option<Vec<Encoded>> {
        let quantizers = quantizers(clip, self.codec, &vec![0.0; clip.tracks.len()]);
        let (_, keys) = self.windows(clip, PLANS[0], &quantizers)?;
        Some(self.assemble(clip, &keys, &quantizers))
    }

    /// Whether codes are relative to those of other keys.
    fn counts(&self) -> bool {
        let mut tracks = self.clips.iter().flat_map(|clip| &clip.tracks);
        tracks.any(|track| matches!(self.codec.grid(track, self.job.bound), Grid::Parameters(_)))
    }

    /// The error bound at keys.
    fn most(&self) -> f64 {
        AT_KEYS * self.job.bound
    }

    /// The error beyond which codes or keys are chosen again.
    fn limit(&self, plan: Plan) -> Option<f64> {
        let share = if plan.drops_keys { THINNED } else { REPAIRED };
        self.job.level.repairs().then_some(share * self.job.bound)
    }

    /// Shrinks budgets. If moments are independent, that is repeated until the failing ones hold.
    fn tighten(&self, clip: &Clip<'_>, reach: &Reach, budgets: &mut [f64], worst: &Measured, plan: Plan) {
        if plan.drops_keys || worst.failing.is_empty() || !clip.tracks.iter().all(Track::is_linear) {
            reach.tighten(budgets, &worst.errors, self.most(), LEAST);
            return;
        }
        if self.counts() {
            // A single moment tells little.
            let least = libm::sqrt(self.most() / worst.error()).clamp(LEAST, GENTLEST);
            reach.tighten(budgets, &worst.errors, self.most(), least);
            return;
        }
        let failing = &worst.failing[..worst.failing.len().min(HARD)];
        let hard: Vec<Window> = failing.iter().map(|m| Window::new(clip, *m..m + 1)).collect();
        let mut encoders = encoders(clip, &hard, plan, self.limit(plan));
        for _ in 0..3 * TIGHTENINGS {
            let quantizers = quantizers(clip, self.codec, budgets);
            let worst = merged(clip, encoders.iter_mut().map(|e| e.encode(&quantizers)));
            if worst.error() <= self.most() || self.executor.is_cancelled() {
                break;
            }
            reach.tighten(budgets, &worst.errors, self.most(), GENTLE);
        }
    }

    /// A clip's tracks from the keys of all windows.
    fn assemble(&self, clip: &Clip<'_>, windows: &[Vec<TrackKeys>], quantizers: &[Quantizer]) -> Vec<Encoded> {
        quantizers.iter().enumerate().map(|(index, quantizer)| self.joined(clip, index, quantizer, windows)).collect()
    }

    /// A track from its keys in all windows. A constant has one key at the end, which keeps the duration.
    fn joined(&self, clip: &Clip<'_>, index: usize, quantizer: &Quantizer, windows: &[Vec<TrackKeys>]) -> Encoded {
        let (track, windows) = (&clip.tracks[index], windows.iter().map(|tracks| &tracks[index]));
        let codes: Vec<_> = windows.clone().flat_map(|keys| &keys.codes).copied().collect();
        let counts = matches!(quantizer.grid, Grid::Parameters(_));
        let alone = quantizer.held.is_some() || !track.is_spline() && !counts;
        if let Some(code) = codes.first().filter(|first| alone && codes.iter().all(|code| code == *first)) {
            let one = track.encoded(quantizer, Arc::from([self.job.end]), vec![*code]);
            return Encoded { interpolation: Interpolation::Linear, ..one };
        }
        let times = match windows.clone().map(|keys| keys.places.len()).sum::<usize>() == clip.times.len() {
            true => clip.times.clone(),
            false => windows.flat_map(|keys| &keys.places).map(|place| clip.times[*place]).collect(),
        };
        track.encoded(quantizer, times, codes)
    }
}

impl Measured {
    fn error(&self) -> f64 {
        self.errors.iter().copied().fold(0.0, f64::max)
    }
}

fn encoders<'a, 'c>(clip: &'a Clip<'c>, windows: &'a [Window], plan: Plan, limit: Option<f64>) -> Vec<Encoder<'a, 'c>> {
    windows.iter().map(|window| Encoder::new(clip, window, plan, limit)).collect()
}

fn merged(clip: &Clip<'_>, parts: impl Iterator<Item = Measured>) -> Measured {
    let mut whole = Measured { errors: vec![0.0; clip.probes.len()], failing: Vec::new() };
    for part in parts {
        whole.errors.iter_mut().zip(&part.errors).for_each(|(mine, other)| *mine = mine.max(*other));
        whole.failing.extend(part.failing);
    }
    whole
}
