//! Frame numbers behind times: the coarsest step of which all times are multiples.
//!
//! Exporters sample at frame rates and write the times as floats, some of them summed up with drift. Readers multiply frame numbers by
//! their step in floats or in doubles. A step that is a float itself means the same to both: the product of two such numbers is exact in
//! doubles, and rounded once it is what floats make of it. Few frame rates have such a step, and times may come out a last bit away from
//! where they were: what that does has to be measured on the curves, and the edges of `Step` curves have to stay.

use super::{CodedTimes, Encoding};
use crate::document::ComponentType;

/// Rates that are tried first, in frames per second: whole ones are what exporters use.
const RATES: u32 = 240;
/// How finely the shortest gap is divided otherwise.
const PARTS: u32 = 12;

/// Times as frame numbers.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    pub(super) coded: CodedTimes,
    /// The largest distance from a time to its frame, in seconds.
    pub(super) drift: f64,
}

/// The frame numbers of `times` in an encoding, the nearest there are. The last time is always exact: animations keep their length.
pub(super) fn frames(times: &[f32], encoding: Encoding) -> Option<Frames> {
    let bit = last_bit(*times.last()?);
    let mut best: Option<Frames> = None;
    for step in steps(times) {
        for found in around(times, encoding, step, bit) {
            if best.as_ref().is_none_or(|b| found.drift < b.drift) {
                best = Some(found);
            }
        }
        if best.as_ref().is_some_and(|b| b.drift <= bit) {
            break;
        }
    }
    best.map(|b| Frames { coded: brief(b.coded), drift: b.drift })
}

/// Codes with a step that means the same to all readers, near the one that is given; with that itself where there is none.
pub(super) fn coarse(times: &[f32], encoding: Encoding, step: f64) -> Option<CodedTimes> {
    let near = around(times, encoding, step, f64::INFINITY).next().map(|frames| frames.coded);
    near.or_else(|| CodedTimes::steps(times, encoding, step))
}

/// A float's distance to the next one.
fn last_bit(time: f32) -> f64 {
    f64::from(time.abs().next_up()) - f64::from(time.abs())
}

/// Frame numbers for the floats around a step; only the nearest one where times are far from being its multiples.
fn around(times: &[f32], encoding: Encoding, step: f64, bit: f64) -> impl Iterator<Item = Frames> {
    let near = step as f32;
    let tried = move |step: f32| {
        let coded = CodedTimes::steps(times, encoding, f64::from(step)).filter(|_| step > 0.0)?;
        let decoded = coded.decode();
        let distance = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
        let drift = decoded.iter().zip(times).map(distance).fold(0.0, f64::max);
        let holds = decoded.windows(2).all(|w| w[0] < w[1]) && decoded.last() == times.last() && coded.is_plain();
        Some((Frames { coded, drift }, holds))
    };
    let first = tried(near);
    let fits = first.as_ref().is_some_and(|(frames, _)| frames.drift <= 4.0 * bit);
    let others = [near.next_up(), near.next_down()].into_iter().filter(move |_| fits).filter_map(tried);
    first.into_iter().chain(others).filter(|(_, holds)| *holds).map(|(frames, _)| frames)
}

/// Times as frame numbers.
pub(crate) struct FrameNumbers {
    /// One for each time.
    pub(crate) codes: Vec<u16>,
    /// The seconds of a frame, where they are not 1.
    pub(crate) scale: Option<f64>,
    /// The times as all readers will have them.
    pub(crate) decoded: Vec<f32>,
}

/// The frame numbers of `times`; only where every time comes back as it was, but for the last bit.
pub(crate) fn frame_numbers(times: &[f32]) -> Option<FrameNumbers> {
    let bit = last_bit(*times.last()?);
    let coded = frames(times, Encoding::new(ComponentType::U16, false)).filter(|f| f.drift <= bit)?.coded;
    let codes = coded.input.bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    Some(FrameNumbers { codes, scale: coded.time_scale, decoded: coded.decode() })
}

/// Steps to try, coarse ones first.
fn steps(times: &[f32]) -> impl Iterator<Item = f64> {
    let end = f64::from(times.last().copied().unwrap_or(0.0));
    let gaps = times.windows(2).map(|w| f64::from(w[1]) - f64::from(w[0]));
    let shortest = gaps.chain(times.first().map(|t| f64::from(*t)).filter(|t| *t > 0.0)).fold(f64::INFINITY, f64::min);
    let whole = (1..=RATES).map(|rate| 1.0 / f64::from(rate));
    // A step that divides the end exactly, near a part of the shortest gap.
    let parts = (1..=PARTS).map(move |n| end / libm::round(end / (shortest / f64::from(n))).max(1.0));
    // Finer than needed, but other floats.
    let finer = [3.0, 5.0, 7.0].into_iter().flat_map(|n| (1..=RATES).map(move |rate| 1.0 / (n * f64::from(rate))));
    whole.chain(parts).chain(finer).filter(move |step| *step > 0.0 && step.is_finite() && *step <= shortest * 1.01)
}

/// The same codes with a time scale of as few digits as give the same times.
fn brief(coded: CodedTimes) -> CodedTimes {
    let Some(scale) = coded.time_scale else { return coded };
    let times = coded.decode();
    let shorter = (5..17).filter_map(|digits| format!("{scale:.digits$e}").parse().ok());
    let candidates = shorter.map(|s| CodedTimes { time_scale: Some(s), ..coded.clone() });
    candidates.into_iter().find(|c| c.is_plain() && c.decode() == times).unwrap_or(coded)
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
            assert!(found.drift <= last_bit(times[399]) && found.coded.is_plain(), "{rate}: {}", found.drift);
            assert_eq!(found.coded.decode().last(), times.last());
        }
        let times: Vec<f32> = (0..250).map(|n| n as f32 / 30.0).collect();
        assert!(frames(&times, Encoding::new(ComponentType::U8, false)).is_some_and(|f| f.drift < 1e-6));
        assert!(frames(&times, U16).unwrap().coded.time_scale.unwrap().to_string().len() <= 20);
    }

    #[test]
    fn drifting_sums_are_near_and_end_exactly() {
        let mut times = vec![0.0f32];
        (0..500).for_each(|_| times.push(times.last().unwrap() + 1.0 / 30.0));
        let found = frames(&times, U16).unwrap();
        assert!(found.drift > 0.0 && found.drift < 1e-4, "{}", found.drift);
        assert_eq!(found.coded.decode().last(), times.last());
    }

    #[test]
    fn odd_times_keep_their_order_or_are_refused() {
        let times = [0.0f32, 1e-7, 1.0, 2.0];
        assert!(frames(&times, U16).is_none());
        assert_eq!(frames(&[0.0], U16).unwrap().coded.decode(), [0.0]);
        assert_eq!(frames(&[0.7], U16).unwrap().coded.decode(), [0.7]);
    }
}
