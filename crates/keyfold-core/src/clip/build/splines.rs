//! When the keys of a clip are that follows splines by parabolas or straight lines.
//!
//! Each span between keys of the source is cut into as many parts, because a cubic bends alike throughout; or steps are even, parts of the shortest such span or any.
//! Keys are judged by what they are likely to cost (what curves stray by is not left for codes), and looked at only where that may be less than the best so far.

use super::keys::{KeyTimes, duration};
use super::{BuildError, Job, Source};
use crate::clip::{Encoding, timing::Timing};
use crate::curve::{Interpolation, merged_times};
use crate::skeleton::BETWEEN;
use alloc::vec::Vec;

/// The fastest even steps, and how many times as many parts are tried next: at most, and at least as long as none were enough.
const FASTEST: f32 = 20_000.0;
const FASTER: f64 = 4.0;
const SLOWEST: f64 = 1.2;
/// About how many bits a component of a key takes that may be off by all that is allowed, and how much of that curves leave at least.
const BITS: f64 = 4.0;
const LEFT: f64 = 0.3;
/// What a time takes that is not at an even step.
const TIME_BITS: f64 = 32.0;

/// The keys that are likely to cost least; an error where the limits leave no room for any.
pub(super) fn keys(job: &Job<'_>) -> Result<KeyTimes, BuildError> {
    let moving = job.source.tracks.iter().filter(|track| !track.curve.is_constant());
    let components = moving.map(|track| track.curve.width()).sum::<usize>().max(1) as f64;
    let mut search = Search { job, components, best: None, is_short: false };
    if job.options.encoding == Encoding::Variable {
        search.run(true)?;
    }
    if search.best.as_ref().is_none_or(|(cost, _)| cost.is_infinite()) {
        search.run(false)?;
    }
    match search.best {
        Some((cost, keys)) if cost.is_finite() || !search.is_short => Ok(keys),
        _ if search.is_short => Err(BuildError::Limit("memory")),
        _ => Err(BuildError::Range),
    }
}

struct Search<'a> {
    job: &'a Job<'a>,
    /// How many components keys have that are not constant, one at least.
    components: f64,
    /// With what they are likely to cost: infinite where curves through them leave too little for codes.
    best: Option<(f64, KeyTimes)>,
    /// Limits left no room for the steps that were asked for last.
    is_short: bool,
}

impl Search<'_> {
    /// Looks for keys of parabolas, or of lines.
    fn run(&mut self, bends: bool) -> Result<(), BuildError> {
        let (job, own) = (self.job, own_times(self.job.source));
        let shortest = own.windows(2).map(|w| w[1] - w[0]).fold(f32::INFINITY, f32::min);
        let (spans, steps) = (own.len() - 1, libm::roundf(duration(job.source) / shortest) as usize);
        // Spans that are all alike are even steps.
        if spans == 0 || spans != steps {
            self.fewest(bends, &|parts| cut(&own, parts))?;
        }
        if steps > 1 {
            self.fewest(bends, &|parts| even_steps(job, steps.saturating_mul(parts)))?;
        }
        self.fewest(bends, &|parts| even_steps(job, parts))
    }

    /// The fewest parts of each span through which curves are near enough: more where they are not, fewer where they are.
    fn fewest(&mut self, bends: bool, timing: &dyn Fn(usize) -> Option<Timing>) -> Result<(), BuildError> {
        let (power, keys) = if bends { (3.0, 2) } else { (2.0, 1) };
        let (mut parts, mut few, mut many) = (1usize, 0, usize::MAX);
        while parts > few && parts < many {
            let Some(timing) = timing(parts.saturating_mul(keys)) else { break };
            let Some(stray) = self.weigh(timing, bends)? else { break };
            *(if stray <= 1.0 - LEFT { &mut many } else { &mut few }) = parts;
            // What strays by as much whatever the parts, because of floats, would otherwise take them one by one.
            let least = if many == usize::MAX { SLOWEST } else { 1.0 / FASTER };
            let more = libm::pow(stray / (1.0 - LEFT), 1.0 / power).clamp(least, FASTER);
            parts = libm::ceil(parts as f64 * more) as usize;
        }
        Ok(())
    }

    /// Keeps keys where they are better than the best so far; how far curves through them stray. Keys that limits leave no room for are none, and those that
    /// cost more whatever they stray by are not looked at.
    fn weigh(&mut self, timing: Timing, bends: bool) -> Result<Option<f64>, BuildError> {
        let time = if matches!(timing, Timing::Table(_)) { TIME_BITS } else { 0.0 };
        let count = timing.keys();
        let cost = |bits: f64| count as f64 * (self.components * bits + time);
        self.is_short = self.job.memory(count) > self.job.options.limits.memory;
        if self.is_short || self.best.as_ref().is_some_and(|(best, _)| *best <= cost(BITS)) {
            return Ok(None);
        }
        let own = self.job.source.tracks.iter().map(|track| track.curve.keys()).max().unwrap_or(0);
        self.job.pay((BETWEEN + 1) * (count + own), 0.0)?;
        let Ok(mut keys) = KeyTimes::at(self.job, timing, bends) else { return Ok(Some(f64::INFINITY)) };
        let stray = keys.strays(self.job);
        keys.stray = stray;
        let cost = if stray <= 1.0 - LEFT { cost(BITS - libm::log2(1.0 - stray)) } else { f64::INFINITY };
        if self.best.as_ref().is_none_or(|(best, keys)| (cost, stray) < (*best, keys.stray)) {
            self.best = Some((cost, keys));
        }
        Ok(Some(stray))
    }
}

/// The beginning, the end, and the keys of all curves between.
pub(super) fn own_times(source: &Source<'_>) -> Vec<f32> {
    // Steps have times of their own.
    let blends = source.tracks.iter().filter(|track| track.curve.interpolation() != Interpolation::Step);
    let mut times = merged_times(blends.map(|track| track.curve.times()));
    times.extend(times.last().map(|_| duration(source)));
    times.retain(|time| *time > 0.0);
    times.insert(0, 0.0);
    times.dedup();
    times
}

/// Each span of `own` times in so many parts; nothing where floats cannot tell them apart.
fn cut(own: &[f32], parts: usize) -> Option<Timing> {
    let spans = own.windows(2).map(|w| (f64::from(w[0]), f64::from(w[1]) - f64::from(w[0])));
    let starts = spans.flat_map(|(from, span)| (0..parts).map(move |i| (from + span * i as f64 / parts as f64) as f32));
    let times: Vec<f32> = starts.chain(own.last().copied()).collect();
    times.windows(2).all(|w| w[0] < w[1]).then_some(Timing::Table(times))
}

fn even_steps(job: &Job<'_>, steps: usize) -> Option<Timing> {
    let (duration, rate) = (duration(job.source), steps as f32 / duration(job.source));
    (rate.is_finite() && (steps <= 2 || rate <= FASTEST)).then(|| Timing::even(duration, rate))
}
