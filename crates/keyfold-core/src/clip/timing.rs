//! The times of a clip's keys, and the two keys around a time.

use super::ClipError;
use super::bits::{BitReader, BitWriter};
use alloc::vec::Vec;

/// The most keys at an even rate. They take no bytes of their own, so nothing else limits how many a clip can
/// claim.
pub(super) const MAX_EVEN_KEYS: usize = 1 << 24;

/// The times of the keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Timing {
    /// `key / rate` seconds, except that the last key is at the clip's end.
    Even { rate: f32, keys: usize },
    /// A time for each key, strictly increasing.
    Table(Vec<f32>),
}

/// A place between `key` and the next one, at `s` of the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeySpan {
    pub(super) key: usize,
    pub(super) s: f32,
}

impl Timing {
    /// `rate` keys per second until `duration`, where the last one always is. A remainder of a thousandth of
    /// a span counts as rounding of the times.
    pub(super) fn even(duration: f32, rate: f32) -> Self {
        let spans = libm::ceil(f64::from(duration) * f64::from(rate) - 1e-3).max(0.0) as usize;
        Self::Even { rate, keys: spans.saturating_add(1) }
    }

    pub(super) fn keys(&self) -> usize {
        match self {
            Self::Even { keys, .. } => *keys,
            Self::Table(times) => times.len(),
        }
    }

    /// The time of a key of a clip that lasts `duration` seconds.
    pub(super) fn time(&self, key: usize, duration: f32) -> f64 {
        match self {
            Self::Even { rate, keys } if key + 1 < *keys => key as f64 / f64::from(*rate),
            Self::Even { .. } => duration.into(),
            Self::Table(times) => times.get(key).copied().unwrap_or(duration).into(),
        }
    }

    pub(super) fn write(&self, out: &mut BitWriter) {
        match self {
            Self::Even { rate, keys } => {
                out.put(0, 1);
                out.put_count(*keys as u64);
                out.put_f32(*rate);
            }
            Self::Table(times) => {
                out.put(1, 1);
                out.put_count(times.len() as u64);
                times.iter().for_each(|t| out.put_f32(*t));
            }
        }
    }

    pub(super) fn read(from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        if from.flag()? {
            let count = from.paid_count(32)?;
            let times = (0..count).map(|_| from.f32()).collect::<Result<Vec<_>, _>>()?;
            return match times.windows(2).all(|w| w[0] < w[1]) && !times.is_empty() {
                true => Ok(Self::Table(times)),
                false => Err(ClipError::Malformed("the times of the keys do not increase")),
            };
        }
        let (keys, rate) = (from.count()?, from.f32()?);
        match (1..=MAX_EVEN_KEYS).contains(&keys) && rate > 0.0 {
            true => Ok(Self::Even { rate, keys }),
            false => Err(ClipError::Malformed("there are no keys, too many, or their rate is not positive")),
        }
    }
}

/// Finds places, and remembers the last one: in forward playback, the next place is there or right after it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    key: usize,
}

impl Cursor {
    /// The place of `t`. Times outside the keys are at the first or the last one, and NaN is at the first.
    #[inline]
    pub(super) fn place(&mut self, timing: &Timing, t: f64, duration: f32) -> KeySpan {
        let last = timing.keys().saturating_sub(2);
        self.key = match timing {
            // The cast turns negative numbers and NaN into zero.
            Timing::Even { rate, .. } => {
                let place = t * f64::from(*rate);
                let key = (place as usize).min(last);
                if key < last {
                    return KeySpan { key, s: if place > 0.0 { (place - key as f64) as f32 } else { 0.0 } };
                }
                key
            }
            Timing::Table(times) => self.search(times, t).min(last),
        };
        let start = timing.time(self.key, duration);
        let span = timing.time(self.key + 1, duration) - start;
        let s = if span > 0.0 { (t - start) / span } else { 0.0 };
        KeySpan { key: self.key, s: if s > 0.0 { s.min(1.0) as f32 } else { 0.0 } }
    }

    /// The last key that is not after `t`; the first if there is none.
    fn search(&self, times: &[f32], t: f64) -> usize {
        let holds = |key: usize| {
            let (here, next) = (times.get(key), times.get(key + 1));
            here.is_some_and(|k| f64::from(*k) <= t) && next.is_some_and(|k| t < f64::from(*k))
        };
        let near = [self.key, self.key + 1].into_iter().find(|key| holds(*key));
        near.unwrap_or_else(|| times.partition_point(|k| f64::from(*k) <= t).saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn the_last_span_ends_with_the_clip() {
        let timing = Timing::Even { rate: 10.0, keys: 4 };
        let place = |t| Cursor::default().place(&timing, t, 0.25);
        assert_eq!(place(0.0), KeySpan { key: 0, s: 0.0 });
        assert_eq!(place(0.15), KeySpan { key: 1, s: 0.5 });
        assert!((place(0.225).s - 0.5).abs() < 1e-6 && place(0.225).key == 2);
        assert_eq!(place(0.25), KeySpan { key: 2, s: 1.0 });
        assert_eq!(place(9.0), KeySpan { key: 2, s: 1.0 });
    }

    #[test]
    fn even_keys_are_no_more_than_allowed() {
        let read = |keys: usize| {
            let mut out = BitWriter::default();
            Timing::Even { rate: 30.0, keys }.write(&mut out);
            Timing::read(&mut BitReader::new(&out.into_bytes(), 0)).is_ok()
        };
        assert_eq!([0, 1, MAX_EVEN_KEYS, MAX_EVEN_KEYS + 1].map(read), [false, true, true, false]);
    }

    #[test]
    fn strange_times_are_at_an_end() {
        for timing in [Timing::Even { rate: 10.0, keys: 4 }, Timing::Table(vec![0.0, 0.1, 0.25])] {
            for t in [-1.0, f64::NAN, f64::NEG_INFINITY] {
                assert_eq!(Cursor::default().place(&timing, t, 0.25), KeySpan { key: 0, s: 0.0 });
            }
            assert_eq!(Cursor::default().place(&timing, f64::INFINITY, 0.25).s, 1.0);
        }
    }

    #[test]
    fn a_table_is_searched() {
        let timing = Timing::Table(vec![0.5, 1.0, 3.0]);
        let mut cursor = Cursor::default();
        for t in [0.0, 0.6, 2.0, 0.5, 1.0, 3.0, 9.0, f64::NAN, 0.75] {
            assert_eq!(cursor.place(&timing, t, 3.0), Cursor::default().place(&timing, t, 3.0), "at {t}");
        }
        assert_eq!(cursor.place(&timing, 2.0, 3.0), KeySpan { key: 1, s: 0.5 });
        assert_eq!(cursor.place(&timing, 0.0, 3.0), KeySpan { key: 0, s: 0.0 });
    }
}
