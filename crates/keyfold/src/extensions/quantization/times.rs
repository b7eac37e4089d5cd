//! Frame numbers behind times: the coarsest step of which all times are multiples.
//!
//! Exporters sample at frame rates and write the times as floats, some of them summed up with drift. A step is exact where every
//! multiple, rounded once, is the very float of the file; a step that is only near has to be measured on the curves.

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

/// The frame numbers of `times` in an encoding: exact ones where there are any, else the nearest. The last time is always exact:
/// animations keep their length.
pub(super) fn frames(times: &[f32], encoding: Encoding) -> Option<Frames> {
    let mut best: Option<Frames> = None;
    for step in steps(times) {
        let Some(found) = CodedTimes::steps(times, encoding, step).and_then(|coded| measured(coded, times)) else {
            continue;
        };
        if best.as_ref().is_none_or(|b| found.drift < b.drift) {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|b| b.drift == 0.0) {
            break;
        }
    }
    best.map(|b| Frames { coded: brief(b.coded), drift: b.drift })
}

/// The frame numbers of `times`, and the seconds of a frame where they are not 1; only where every time comes back as it was.
pub(crate) fn exact_frames(times: &[f32]) -> Option<(Vec<u16>, Option<f64>)> {
    let coded = frames(times, Encoding::new(ComponentType::U16, false)).filter(|f| f.drift == 0.0)?.coded;
    let codes = coded.input.bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    Some((codes, coded.time_scale))
}

fn measured(coded: CodedTimes, times: &[f32]) -> Option<Frames> {
    let decoded = coded.decode();
    let distance = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs();
    let drift = decoded.iter().zip(times).map(distance).fold(0.0, f64::max);
    let increasing = decoded.windows(2).all(|w| w[0] < w[1]);
    (increasing && decoded.last() == times.last()).then_some(Frames { coded, drift })
}

/// Steps to try, coarse ones first.
fn steps(times: &[f32]) -> impl Iterator<Item = f64> {
    let end = f64::from(times.last().copied().unwrap_or(0.0));
    let gaps = times.windows(2).map(|w| f64::from(w[1]) - f64::from(w[0]));
    let shortest = gaps.chain(times.first().map(|t| f64::from(*t)).filter(|t| *t > 0.0)).fold(f64::INFINITY, f64::min);
    let whole = (1..=RATES).map(|rate| 1.0 / f64::from(rate));
    // A step that divides the end exactly, near a part of the shortest gap.
    let parts = (1..=PARTS).map(move |n| end / libm::round(end / (shortest / f64::from(n))).max(1.0));
    whole.chain(parts).filter(move |step| *step > 0.0 && step.is_finite() && *step <= shortest * 1.01)
}

/// The same codes with a time scale of as few digits as give the same times.
fn brief(coded: CodedTimes) -> CodedTimes {
    let Some(scale) = coded.time_scale else { return coded };
    let times = coded.decode();
    let shorter = (5..17).filter_map(|digits| format!("{scale:.digits$e}").parse().ok());
    let candidates = shorter.map(|s| CodedTimes { time_scale: Some(s), ..coded.clone() });
    candidates.into_iter().find(|c| c.decode() == times).unwrap_or(coded)
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
            assert_eq!((found.drift, found.coded.decode()), (0.0, times), "{rate}");
        }
        let times: Vec<f32> = (0..250).map(|n| n as f32 / 30.0).collect();
        assert!(frames(&times, Encoding::new(ComponentType::U8, false)).is_some_and(|f| f.drift == 0.0));
        assert!(frames(&times, U16).unwrap().coded.time_scale.unwrap().to_string().len() <= 13);
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
