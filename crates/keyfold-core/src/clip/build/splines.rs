//! When the keys of a clip are that follows splines by straight lines.
//!
//! Smooth motion is followed at even steps by the fewest keys, motion with short bends by halving where those are. Both are tried, and judged by what keys are
//! likely to cost: what lines stray by is not left for codes.

use super::keys::{KeyTimes, duration, even, kind, spatial, table};
use super::{Budget, BuildError, Job, SourceTrack, memory};
use crate::clip::timing::Timing;
use crate::curve::{Curve, Interpolation, Kind, difference};
use crate::quat;
use crate::skeleton::BETWEEN;
use alloc::{vec, vec::Vec};

/// The shares of what is allowed beyond which halving goes on.
const HALVED: [f64; 3] = [0.4, 0.2, 0.1];
/// How often a span is halved at most.
const DEPTH: u32 = 12;
/// Even steps are tried from one for all of the clip up to this rate, and by how much each is faster than the one before.
const FASTEST: f32 = 20_000.0;
const FASTER: f32 = 1.25;
/// About how many bits a component of a key takes that may be off by all that is allowed, and how much of that straight lines leave at least.
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
    let mut search = Search { job, budget, components, best: None };
    for share in HALVED {
        let Ok(times) = halved(job, share) else { continue };
        search.weigh(table(times.into_iter()))?;
    }
    let length = duration(job.source);
    let slowest = (1.0 / length).clamp(1.0 / FASTEST, FASTEST);
    for rate in core::iter::successors(Some(slowest), |rate| Some(rate * FASTER)) {
        let steps = even(job.source, rate);
        let is_dear =
            search.best.as_ref().is_some_and(|(rank, _)| steps.keys() as f64 * components * BITS >= rank.cost());
        if rate > FASTEST || is_dear || memory(job.source, steps.keys()) > job.options.limits.memory {
            break;
        }
        for splines in [false, true] {
            let between = (0..steps.keys()).map(|k| steps.time(k, length) as f32);
            let all = table(own_times(job, splines).chain(between));
            search.weigh(if all.keys() == steps.keys() { steps.clone() } else { all })?;
        }
    }
    search.best.map(|(_, keys)| keys).ok_or(BuildError::Limit("memory"))
}

/// How good keys are: what they are likely to cost, where lines between them leave enough for codes.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Rank {
    Costs(f64),
    /// Lines alone stray by this share of what is allowed.
    Strays(f64),
}

impl Rank {
    fn cost(self) -> f64 {
        if let Self::Costs(cost) = self { cost } else { f64::INFINITY }
    }
}

struct Search<'a> {
    job: &'a Job<'a>,
    budget: &'a Budget<'a>,
    /// How many components keys have that are not constant.
    components: f64,
    best: Option<(Rank, KeyTimes)>,
}

impl Search<'_> {
    /// Keeps keys where they are better than the best so far. Those that limits leave no room for are none.
    fn weigh(&mut self, timing: Timing) -> Result<(), BuildError> {
        let Ok(keys) = KeyTimes::at(self.job, timing) else { return Ok(()) };
        let moments = keys.len() + self.job.source.tracks.iter().map(|track| track.curve.keys()).max().unwrap_or(0);
        self.budget.pay(self.job.source, (BETWEEN + 1) * moments, 0.0)?;
        let off = keys.stray(self.job);
        let bits = BITS - libm::log2((1.0 - off).max(LEFT));
        let time = if matches!(keys.timing, Timing::Table(_)) { TIME_BITS } else { 0.0 };
        let cost = keys.len() as f64 * (self.components * bits + time);
        let rank = if off <= 1.0 - LEFT { Rank::Costs(cost) } else { Rank::Strays(off) };
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, keys));
        }
        Ok(())
    }
}

/// The beginning, the end, and the keys of curves that run straight; of splines, too, where asked for.
pub(super) fn own_times<'a>(job: &'a Job<'_>, splines: bool) -> impl Iterator<Item = f32> + 'a {
    let blends = || job.source.tracks.iter().filter(|track| track.curve.interpolation() != Interpolation::Step);
    let own = blends().filter(move |track| splines || !is_spline(track)).flat_map(|track| track.curve.times());
    // Steps have times of their own.
    let end = if blends().next().is_some() { duration(job.source) } else { 0.0 };
    own.copied().filter(|time| *time > 0.0).chain([0.0, end])
}

/// The curves' own keys, and more where a spline lies farther from the line between two than a share of what is allowed.
fn halved(job: &Job<'_>, share: f64) -> Result<Vec<f32>, BuildError> {
    let mut times: Vec<f32> = own_times(job, true).collect();
    for track in job.source.tracks.iter().filter(|track| is_spline(track)) {
        let allowed = match spatial(track) {
            Some(_) => share * job.bound() / job.reach_of(track).max(1e-9),
            None => share * track.tolerance,
        };
        for pair in track.curve.times().windows(2) {
            halve(track, [pair[0], pair[1]], allowed, 0, &mut times);
            // Tracks may ask for the same times.
            if memory(job.source, times.len()) / 4 > job.options.limits.memory {
                return Err(BuildError::Limit("memory"));
            }
        }
    }
    Ok(times)
}

/// Halves a span until the curve lies near enough to the line.
fn halve(track: &SourceTrack<'_>, [from, to]: [f32; 2], allowed: f64, depth: u32, times: &mut Vec<f32>) {
    let middle = f32::midpoint(from, to);
    if depth < DEPTH && middle > from && middle < to && bulge(track, from.into(), to.into()) > allowed {
        times.push(middle);
        halve(track, [from, middle], allowed, depth + 1, times);
        halve(track, [middle, to], allowed, depth + 1, times);
    }
}

/// How far a curve lies from the line between two times, where looked at.
fn bulge(track: &SourceTrack<'_>, from: f64, to: f64) -> f64 {
    let (curve, kind): (&Curve, Kind) = (track.curve, kind(&track.target));
    let sample = |time: f64| {
        let mut value = vec![0.0; curve.width()];
        curve.sample(kind, time, &mut value);
        value
    };
    let (start, end) = (sample(from), sample(to));
    let line = |s: f64| match (kind, start.as_slice().try_into(), end.as_slice().try_into()) {
        (Kind::Rotation, Ok(a), Ok(b)) => quat::slerp(a, b, s).to_vec(),
        _ => start.iter().zip(&end).map(|(a, b)| a + (b - a) * s).collect(),
    };
    let off = |s: f64| difference(kind, &line(s), &sample(from + (to - from) * s));
    [0.25, 0.5, 0.75].map(off).into_iter().fold(0.0, f64::max)
}
