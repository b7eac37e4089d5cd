//! The keys of a clip that approximates splines by parabolas or straight lines.
//!
//! Each span between keys of the source is divided into equally many parts, because a cubic bends alike
//! throughout. Or steps are even: fractions of the shortest span, or of any length. Keys are judged by their
//! probable cost: the part of the bound that curves take is not left for codes. Curves are measured only if
//! they may cost less than the best so far.

use super::keys::{KeyTimes, duration};
use super::{BuildError, Job, Source};
use crate::clip::{Encoding, timing::Timing};
use crate::curve::{Interpolation, merged_times};
use crate::skeleton::BETWEEN;
use alloc::vec::Vec;

/// The fastest even steps, in keys per second.
const FASTEST: f32 = 20_000.0;
/// The largest factor from one number of parts to the next.
const FASTER: f64 = 4.0;
/// The least factor while no number of parts was enough.
const SLOWEST: f64 = 1.2;
/// The approximate bits of a component of a key if its code may take the whole bound.
const BITS: f64 = 4.0;
/// The least share of the bound that curves leave for codes.
const LEFT: f64 = 0.3;
/// The bits of a time that is not at an even step.
const TIME_BITS: f64 = 32.0;

/// The keys with the least probable cost. Fails if the limits allow none.
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
    /// The number of components that are not constant, at least one.
    components: f64,
    /// The best keys so far, with their probable cost. It is infinite if curves through them leave too little
    /// for codes.
    best: Option<(f64, KeyTimes)>,
    /// Whether the limits did not allow the steps that were tried last.
    is_short: bool,
}

impl Search<'_> {
    /// Searches keys for parabolas, or for lines.
    fn run(&mut self, bends: bool) -> Result<(), BuildError> {
        let (job, own) = (self.job, own_times(self.job.source));
        let shortest = own.windows(2).map(|w| w[1] - w[0]).fold(f32::INFINITY, f32::min);
        let (spans, steps) = (own.len() - 1, libm::roundf(duration(job.source) / shortest) as usize);
        // Spans of equal length are even steps.
        if spans == 0 || spans != steps {
            self.fewest(bends, &|parts| cut(&own, parts))?;
        }
        if steps > 1 {
            self.fewest(bends, &|parts| even_steps(job, steps.saturating_mul(parts)))?;
        }
        self.fewest(bends, &|parts| even_steps(job, parts))
    }

    /// Searches the fewest parts of each span with which curves are near enough: tries more if they are not,
    /// fewer if they are.
    fn fewest(&mut self, bends: bool, timing: &dyn Fn(usize) -> Option<Timing>) -> Result<(), BuildError> {
        let (power, keys) = if bends { (3.0, 2) } else { (2.0, 1) };
        let (mut parts, mut few, mut many) = (1usize, 0, usize::MAX);
        while parts > few && parts < many {
            let Some(timing) = timing(parts.saturating_mul(keys)) else { break };
            let Some(stray) = self.weigh(timing, bends)? else { break };
            *(if stray <= 1.0 - LEFT { &mut many } else { &mut few }) = parts;
            // Because of floats, some curves deviate equally with any number of parts. This factor keeps such
            // a search short.
            let least = if many == usize::MAX { SLOWEST } else { 1.0 / FASTER };
            let more = libm::pow(stray / (1.0 - LEFT), 1.0 / power).clamp(least, FASTER);
            parts = libm::ceil(parts as f64 * more) as usize;
        }
        Ok(())
    }

    /// Keeps keys if they are better than the best so far, and returns how far curves through them deviate.
    /// `None` if the limits do not allow the keys, or if they cost more whatever the deviation.
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

/// The start, the end, and the keys of all curves between.
pub(super) fn own_times(source: &Source<'_>) -> Vec<f32> {
    // Steps store their own times.
    let blends = source.tracks.iter().filter(|track| track.curve.interpolation() != Interpolation::Step);
    let mut times = merged_times(blends.map(|track| track.curve.times()));
    times.extend(times.last().map(|_| duration(source)));
    times.retain(|time| *time > 0.0);
    times.insert(0, 0.0);
    times.dedup();
    times
}

/// Divides each span of `own` times into equal parts; `None` if floats cannot distinguish their times.
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
