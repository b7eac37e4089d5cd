//! When the keys of a clip are that follows splines by parabolas or straight lines.
//!
//! Smooth motion is followed at even steps by the fewest keys, motion with short bends by halving where those are, and tracks with keys in common at their own steps.
//! All are tried, and judged by what keys are likely to cost: what curves stray by is not left for codes.

use super::keys::{KeyTimes, duration, even, kind, spatial, table};
use super::{Budget, BuildError, Job, SourceTrack, memory};
use crate::clip::timing::Timing;
use crate::clip::{Encoding, bend};
use crate::curve::{Curve, Interpolation, Kind, difference};
use crate::quat;
use crate::skeleton::BETWEEN;
use alloc::{vec, vec::Vec};

/// The shares of what is allowed beyond which halving goes on: the first that is small enough is taken.
const HALVED: [f64; 3] = [0.4, 0.2, 0.1];
/// How often a span is halved at most.
const DEPTH: u32 = 12;
/// In how many parts steps that tracks have in common are cut at most.
const PARTS: usize = 4;
/// Even steps are tried from one for all of the clip up to this rate, and by how much each is faster than the one before, at least and at most.
const FASTEST: f32 = 20_000.0;
const FASTER: (f64, f64) = (1.2, 4.0);
/// About how many bits a component of a key takes that may be off by all that is allowed, and how much of that curves leave at least.
const BITS: f64 = 4.0;
const LEFT: f64 = 0.3;
/// What a time takes that is not at an even step.
const TIME_BITS: f64 = 32.0;

/// Whether a curve bends between keys.
pub(super) fn is_spline(track: &SourceTrack<'_>) -> bool {
    track.curve.interpolation().elements_per_key() > 1
}

/// The keys that are likely to cost least; an error where the limits leave no room for any.
pub(super) fn keys(job: &Job<'_>, budget: &Budget<'_>) -> Result<KeyTimes, BuildError> {
    let moving = job.source.tracks.iter().filter(|track| !track.curve.is_constant());
    let components = moving.map(|track| track.curve.width()).sum::<usize>() as f64;
    let mut search = Search { job, budget, components, best: None, is_short: false };
    if job.options.encoding == Encoding::Variable {
        search.run(true)?;
    }
    // Parabolas have corners at every other key only.
    let has_corners = job.source.tracks.iter().any(|track| !is_spline(track) && track.curve.keys() > 2);
    if has_corners || !search.is_found() {
        search.run(false)?;
    }
    match search.is_found() || !search.is_short {
        true => search.best.map(|(_, keys)| keys).ok_or(BuildError::Range),
        false => Err(BuildError::Limit("memory")),
    }
}

/// How good keys are: what they are likely to cost, where curves through them leave enough for codes.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Rank {
    Costs(f64),
    /// Curves alone stray by this share of what is allowed.
    Strays(f64),
}

struct Search<'a> {
    job: &'a Job<'a>,
    budget: &'a Budget<'a>,
    /// How many components keys have that are not constant.
    components: f64,
    best: Option<(Rank, KeyTimes)>,
    /// Limits left no room for the steps that were asked for last.
    is_short: bool,
}

impl Search<'_> {
    /// Looks for keys of parabolas, or of lines.
    fn run(&mut self, bends: bool) -> Result<(), BuildError> {
        self.halved(bends)?;
        self.own_steps(bends)?;
        self.even_steps(bends)
    }

    fn is_found(&self) -> bool {
        matches!(self.best, Some((Rank::Costs(_), _)))
    }

    /// Keys of the source, and more where splines lie farther from a line or parabola between two than a share of what is allowed.
    fn halved(&mut self, bends: bool) -> Result<(), BuildError> {
        for share in HALVED {
            let Some(times) = halved(self.job, share, bends) else { break };
            let Timing::Table(ends) = table(times.into_iter()) else { break };
            let middles = ends.windows(2).filter(|_| bends).map(|w| f32::midpoint(w[0], w[1]));
            let all = table(ends.iter().copied().chain(middles));
            // Between two neighbouring floats there is no middle.
            let is_whole = !bends || all.keys() + 1 == 2 * ends.len();
            // Smaller shares take more keys.
            if is_whole && self.weigh(all, bends)?.is_none_or(|stray| stray <= 1.0 - LEFT) {
                break;
            }
        }
        Ok(())
    }

    /// Steps as long as the shortest between keys of the source, and parts of them.
    fn own_steps(&mut self, bends: bool) -> Result<(), BuildError> {
        let Timing::Table(own) = table(own_times(self.job)) else { return Ok(()) };
        let shortest = own.windows(2).map(|w| w[1] - w[0]).fold(f32::INFINITY, f32::min);
        let steps = libm::roundf(duration(self.job.source) / shortest) as usize;
        for parts in 1..=PARTS {
            if self.steps(steps.saturating_mul(parts), bends)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// More and more even steps, until they would cost more than the best so far.
    fn even_steps(&mut self, bends: bool) -> Result<(), BuildError> {
        let mut steps = 1;
        while let Some(stray) = self.steps(steps, bends)? {
            let power = if bends { 3.0 } else { 2.0 };
            let more = libm::pow(stray / (1.0 - LEFT), 1.0 / power).clamp(FASTER.0, FASTER.1);
            steps = libm::ceil(steps as f64 * more) as usize;
        }
        Ok(())
    }

    /// So many lines or parabolas of equal length: how far they stray, unless they cost too much.
    fn steps(&mut self, steps: usize, bends: bool) -> Result<Option<f64>, BuildError> {
        let rate = steps.saturating_mul(if bends { 2 } else { 1 }) as f32 / duration(self.job.source);
        let timing = even(self.job.source, rate);
        let is_slow = rate.is_finite() && (steps == 1 || rate <= FASTEST);
        self.is_short = memory(self.job.source, timing.keys()) > self.job.options.limits.memory;
        if is_slow && !self.is_short { self.weigh(timing, bends) } else { Ok(None) }
    }

    /// Keeps keys where they are better than the best so far; how far curves through them stray. Keys that limits leave no room for are none, and those that
    /// cost more whatever they stray by are not looked at.
    fn weigh(&mut self, timing: Timing, bends: bool) -> Result<Option<f64>, BuildError> {
        let time = if matches!(timing, Timing::Table(_)) { TIME_BITS } else { 0.0 };
        let cost = |bits: f64| timing.keys() as f64 * (self.components * bits + time);
        let least = Rank::Costs(cost(BITS));
        if self.best.as_ref().is_some_and(|(best, _)| *best <= least) {
            return Ok(None);
        }
        let cost = |off: f64| cost(BITS - libm::log2((1.0 - off).max(LEFT)));
        let Ok(mut keys) = KeyTimes::at(self.job, timing.clone(), bends) else { return Ok(Some(f64::INFINITY)) };
        let moments = keys.len() + self.job.source.tracks.iter().map(|track| track.curve.keys()).max().unwrap_or(0);
        self.budget.pay(self.job.source, (BETWEEN + 1) * moments, 0.0)?;
        keys.stray = keys.strays(self.job);
        let stray = keys.stray;
        let rank = if stray <= 1.0 - LEFT { Rank::Costs(cost(stray)) } else { Rank::Strays(stray) };
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, keys));
        }
        Ok(Some(stray))
    }
}

/// The beginning, the end, and the keys of all curves between.
pub(super) fn own_times<'a>(job: &'a Job<'_>) -> impl Iterator<Item = f32> + 'a {
    let blends = || job.source.tracks.iter().filter(|track| track.curve.interpolation() != Interpolation::Step);
    let own = blends().flat_map(|track| track.curve.times());
    // Steps have times of their own.
    let end = if blends().next().is_some() { duration(job.source) } else { 0.0 };
    own.copied().filter(|time| *time > 0.0).chain([0.0, end])
}

/// The curves' own keys, and more where a spline lies farther off than a share of what is allowed; nothing where the limits leave no room for so many.
fn halved(job: &Job<'_>, share: f64, bends: bool) -> Option<Vec<f32>> {
    let mut times: Vec<f32> = own_times(job).collect();
    for track in job.source.tracks.iter().filter(|track| is_spline(track) && !track.curve.is_constant()) {
        let allowed = match spatial(track) {
            Some(_) => share * job.bound() / job.reach_of(track).max(1e-9),
            None => share * track.tolerance,
        };
        let bulge = |from: f32, to: f32| bulge(track, [from.into(), to.into()], bends);
        for pair in track.curve.times().windows(2) {
            halve(&bulge, [pair[0], pair[1]], allowed, 0, &mut times);
            // Tracks may ask for the same times.
            if memory(job.source, times.len()) / 4 > job.options.limits.memory {
                return None;
            }
        }
    }
    Some(times)
}

/// Halves a span until the curve lies near enough.
fn halve(bulge: &dyn Fn(f32, f32) -> f64, [from, to]: [f32; 2], allowed: f64, depth: u32, times: &mut Vec<f32>) {
    let middle = f32::midpoint(from, to);
    if depth < DEPTH && middle > from && middle < to && bulge(from, to) > allowed {
        times.push(middle);
        halve(bulge, [from, middle], allowed, depth + 1, times);
        halve(bulge, [middle, to], allowed, depth + 1, times);
    }
}

/// How far a curve lies from the line or parabola between two times, where looked at.
fn bulge(track: &SourceTrack<'_>, [from, to]: [f64; 2], bends: bool) -> f64 {
    let (curve, kind): (&Curve, Kind) = (track.curve, kind(&track.target));
    let sample = |s: f64| {
        let mut value = vec![0.0; curve.width()];
        curve.sample(kind, from + (to - from) * s, &mut value);
        value
    };
    let (start, middle, end) = (sample(0.0), sample(0.5), sample(1.0));
    let weighted = |[a, m, b]: [f64; 3]| -> Vec<f64> {
        let all = start.iter().zip(&middle).zip(&end);
        all.map(|((x, y), z)| a * x + m * y + b * z).collect()
    };
    let line = |s: f64| match (kind, start.as_slice().try_into(), end.as_slice().try_into()) {
        (Kind::Rotation, Ok(a), Ok(b)) if !bends => quat::slerp(a, b, s).to_vec(),
        _ => weighted(if bends { bend::weights(0.5, s) } else { [1.0 - s, 0.0, s] }),
    };
    [0.2, 0.5, 0.8].map(|s| difference(kind, &line(s), &sample(s))).into_iter().fold(0.0, f64::max)
}
