//! Times as frame numbers: multiples of the coarsest step that all times have in common.
//!
//! Exporters sample at frame rates and write times as floats, sometimes as sums that drift. Readers multiply frame
//! numbers by the step, in `f32` or in `f64`. A step that is an `f32` gives the same times in both: the product is
//! exact in `f64`, and `f32` rounds the same product once. Few frame rates have such a step, so times may change by
//! their last bit. The caller measures the effect on curves and keeps the edges of `Step` curves.

use super::Encoding;
use crate::document::ComponentType;

/// The highest of the whole rates that are tried first, in frames per second: exporters use whole rates.
const RATES: u32 = 240;
/// The finest division of the shortest gap between two times.
const PARTS: u32 = 12;

/// Times as frame numbers.
pub(crate) struct FrameNumbers {
    /// One for each time.
    pub(crate) codes: Vec<u16>,
    /// The seconds of a stored 1.
    pub(crate) scale: f64,
    /// The times that readers get.
    pub(crate) decoded: Vec<f32>,
}

impl FrameNumbers {
    fn new(codes: Vec<u16>, encoding: Encoding, scale: f64) -> Self {
        let decoded = numbers(&codes, encoding).map(|number| (number * scale) as f32).collect();
        Self { codes, scale, decoded }
    }

    /// Times as multiples of `step` seconds; `None` if two of them have the same code, or one has none.
    fn multiples(times: &[f32], encoding: Encoding, step: f64) -> Option<Self> {
        let most = encoding.component.one()?;
        let code = |time: &f32| Some(libm::round(f64::from(*time) / step)).filter(|code| *code <= most);
        let codes = times.iter().map(|time| u16::try_from(code(time)? as i64).ok()).collect::<Option<Vec<_>>>()?;
        let scale = if encoding.normalized { step * most } else { step };
        codes.is_sorted_by(|a, b| a < b).then(|| Self::new(codes, encoding, scale))
    }

    /// Whether multiplying in `f32` gives the same times as multiplying in `f64`.
    fn is_plain(&self, encoding: Encoding) -> bool {
        let scaled = numbers(&self.codes, encoding).map(|number| number as f32 * self.scale as f32);
        scaled.eq(self.decoded.iter().copied())
    }

    /// The largest distance from a time to its frame, in seconds.
    fn drift(&self, times: &[f32]) -> f64 {
        let distance = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
        self.decoded.iter().zip(times).map(distance).fold(0.0, f64::max)
    }

    /// The same codes with the shortest time scale that gives the same times.
    fn brief(self, encoding: Encoding) -> Self {
        let shorter = (5..17).filter_map(|digits| format!("{:.digits$e}", self.scale).parse().ok());
        let mut shorter = shorter.map(|scale| Self::new(self.codes.clone(), encoding, scale));
        shorter.find(|brief| brief.is_plain(encoding) && brief.decoded == self.decoded).unwrap_or(self)
    }
}

/// The numbers of codes before they are scaled.
fn numbers(codes: &[u16], encoding: Encoding) -> impl Iterator<Item = f64> {
    let one = encoding.component.one().filter(|_| encoding.normalized).unwrap_or(1.0);
    codes.iter().map(move |code| f64::from(*code) / one)
}

/// The frame numbers of `times`; `None` if a time changes by more than its last bit.
pub(crate) fn frame_numbers(times: &[f32]) -> Option<FrameNumbers> {
    let bit = last_bit(*times.last()?);
    frames(times, Encoding::new(ComponentType::U16, false)).filter(|frames| frames.drift(times) <= bit)
}

/// The nearest frame numbers of `times` in an encoding. The last time is exact, so that animations keep their length.
pub(super) fn frames(times: &[f32], encoding: Encoding) -> Option<FrameNumbers> {
    let bit = last_bit(*times.last()?);
    let mut best: Option<(f64, FrameNumbers)> = None;
    for step in steps(times) {
        let found = around(times, encoding, step, bit).map(|found| (found.drift(times), found));
        best = best.into_iter().chain(found).min_by(|(a, _), (b, _)| a.total_cmp(b));
        if best.as_ref().is_some_and(|(drift, _)| *drift <= bit) {
            break;
        }
    }
    best.map(|(_, frames)| frames.brief(encoding))
}

/// Frame numbers whose last one is the largest code. If possible, their step means the same to all readers.
pub(super) fn coarse(times: &[f32], encoding: Encoding) -> Option<FrameNumbers> {
    let step = f64::from(*times.last()?) / encoding.component.one()?;
    around(times, encoding, step, f64::INFINITY).next().or_else(|| FrameNumbers::multiples(times, encoding, step))
}

/// A float's distance to the next one.
fn last_bit(time: f32) -> f64 {
    f64::from(time.abs().next_up()) - f64::from(time.abs())
}

/// Frame numbers for the floats next to a step; only for the nearest one if times are far from its multiples.
fn around(times: &[f32], encoding: Encoding, step: f64, bit: f64) -> impl Iterator<Item = FrameNumbers> {
    let near = step as f32;
    let tried = move |step: f32| FrameNumbers::multiples(times, encoding, f64::from(step)).filter(|_| step > 0.0);
    let first = tried(near);
    let fits = first.as_ref().is_some_and(|frames| frames.drift(times) <= 4.0 * bit);
    let others = [near.next_up(), near.next_down()].into_iter().filter(move |_| fits).filter_map(tried);
    let holds = move |frames: &FrameNumbers| {
        let decoded = &frames.decoded;
        decoded.is_sorted_by(|a, b| a < b) && decoded.last() == times.last() && frames.is_plain(encoding)
    };
    first.into_iter().chain(others).filter(holds)
}

/// The steps that are tried, coarse ones first.
fn steps(times: &[f32]) -> impl Iterator<Item = f64> {
    let end = f64::from(times.last().copied().unwrap_or(0.0));
    let gaps = times.windows(2).map(|w| f64::from(w[1]) - f64::from(w[0]));
    let shortest = gaps.chain(times.first().map(|t| f64::from(*t)).filter(|t| *t > 0.0)).fold(f64::INFINITY, f64::min);
    let whole = (1..=RATES).map(|rate| 1.0 / f64::from(rate));
    // Steps near a part of the shortest gap that divide the end exactly.
    let parts = (1..=PARTS).map(move |n| end / libm::round(end / (shortest / f64::from(n))).max(1.0));
    // Finer than necessary, but other floats.
    let finer = [3.0, 5.0, 7.0].into_iter().flat_map(|n| (1..=RATES).map(move |rate| 1.0 / (n * f64::from(rate))));
    whole.chain(parts).chain(finer).filter(move |step| *step > 0.0 && step.is_finite() && *step <= shortest * 1.01)
}

#[cfg(test)]
mod tests {
    use super::*;

    const U16: Encoding = Encoding::new(ComponentType::U16, false);

    #[test]
    fn frames_of_whole_rates_are_exact_and_small() {
        for rate in [24.0, 25.0, 29.0, 30.0, 60.0, 120.0] {
            let times: Vec<f32> = (0..400).map(|n| (f64::from(3 * n) / rate) as f32).collect();
            let found = frames(&times, U16).unwrap();
            assert!(found.drift(&times) <= last_bit(times[399]) && found.is_plain(U16), "{rate}");
            assert_eq!(found.decoded.last(), times.last());
        }
        let times: Vec<f32> = (0..250).map(|n| n as f32 / 30.0).collect();
        assert!(frames(&times, Encoding::new(ComponentType::U8, false)).is_some_and(|f| f.drift(&times) < 1e-6));
        assert!(frames(&times, U16).unwrap().scale.to_string().len() <= 20);
    }

    #[test]
    fn drifting_sums_are_near_and_end_exactly() {
        let mut times = vec![0.0f32];
        (0..500).for_each(|_| times.push(times.last().unwrap() + 1.0 / 30.0));
        let found = frames(&times, U16).unwrap();
        let drift = found.drift(&times);
        assert!(drift > 0.0 && drift < 1e-4, "{drift}");
        assert_eq!(found.decoded.last(), times.last());
    }

    #[test]
    fn odd_times_keep_their_order_or_are_refused() {
        let times = [0.0f32, 1e-7, 1.0, 2.0];
        assert!(frames(&times, U16).is_none());
        assert_eq!(frames(&[0.0], U16).unwrap().decoded, [0.0]);
        assert_eq!(frames(&[0.7], U16).unwrap().decoded, [0.7]);
    }
}
