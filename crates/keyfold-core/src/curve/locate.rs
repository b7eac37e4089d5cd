//! Finds a time among a curve's keys: glTF 2.0 appendix C, the part that every interpolation shares.
//!
//! Times outside the keys clamp to the nearest one. Nothing here looks at values.

/// The location of a time among keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Location {
    /// Exactly at a key, or clamped to the first or last one.
    At(usize),
    /// Between `key` and the one after it.
    Between {
        /// The earlier key.
        key: usize,
        /// How far along, 0 to 1.
        s: f64,
        /// Seconds between the two keys.
        span: f64,
    },
}

/// Finds `t` among `times` (strictly increasing, at least one) by binary search. NaN takes the first key.
pub fn locate(times: &[f32], t: f64) -> Location {
    place(times, t, times.partition_point(|k| f64::from(*k) <= t))
}

/// The place from which a curve comes up to `t`: as [`locate`], but a `t` on a key counts to the span before it or,
/// where no float lies in that span, to the key before it: two such keys are how an edge is written between keys that
/// blend.
pub(crate) fn locate_left(times: &[f32], t: f64) -> Location {
    match locate(times, t) {
        Location::At(key) if key > 0 && f64::from(times[key]) == t && times[key - 1].next_up() == times[key] => {
            Location::At(key - 1)
        }
        Location::At(key) if key > 0 && f64::from(times[key]) == t => {
            Location::Between { key: key - 1, s: 1.0, span: span(times, key - 1) }
        }
        place => place,
    }
}

fn place(times: &[f32], t: f64, at_or_before: usize) -> Location {
    if at_or_before == 0 {
        return Location::At(0);
    }
    let key = at_or_before - 1;
    let start = f64::from(times[key]);
    if at_or_before == times.len() || start == t {
        return Location::At(key);
    }
    let span = span(times, key);
    Location::Between { key, s: (t - start) / span, span }
}

fn span(times: &[f32], key: usize) -> f64 {
    f64::from(times[key + 1]) - f64::from(times[key])
}

/// Remembers where the last time was found: playing forward takes O(1) per sample, a jump takes a binary search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    at_or_before: usize,
}

impl Cursor {
    /// Like [`locate`], with the same result whatever was located before.
    pub fn locate(&mut self, times: &[f32], t: f64) -> Location {
        let from = self.at_or_before;
        self.at_or_before = match (from..from + 3).find(|n| parts(times, t, *n)) {
            Some(n) => n,
            None => times.partition_point(|k| f64::from(*k) <= t),
        };
        place(times, t, self.at_or_before)
    }
}

/// Whether exactly the first `n` keys lie at or before `t`.
fn parts(times: &[f32], t: f64, n: usize) -> bool {
    n <= times.len() && (n == 0 || f64::from(times[n - 1]) <= t) && times.get(n).is_none_or(|k| f64::from(*k) > t)
}
