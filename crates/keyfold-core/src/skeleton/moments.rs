//! At which times two motions are compared.
//!
//! Every key of both, [`BETWEEN`] times between neighbouring ones, and both sides of every `Step` key; afterwards
//! random times that no search has used.

use super::Motion;
use crate::curve::{Interpolation, merged_times, once};
use alloc::vec::Vec;

/// How many times are looked at between neighbouring keys.
pub const BETWEEN: usize = 4;

/// A time, and the side from which it is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds.
    pub time: f64,
    /// What the curves come up to from below, where a `Step` key sits at this very time.
    pub left: bool,
}

impl Moment {
    /// The time itself, as a player shows it.
    pub fn at(time: f64) -> Self {
        Self { time, left: false }
    }

    /// Just before the time.
    pub fn before(time: f64) -> Self {
        Self { time, left: true }
    }
}

/// The moments at which `motions` are compared: all their keys, `between` times between neighbouring ones, both sides
/// of `Step` keys. Ascending.
pub fn moments(motions: &[&Motion<'_>], between: usize) -> Vec<Moment> {
    let curves = || motions.iter().flat_map(|m| m.curves());
    let keys = merged_times(curves().map(|c| c.times()));
    let edges = merged_times(curves().filter(|c| c.interpolation() == Interpolation::Step).map(|c| c.times()));
    let (mut out, mut edges) =
        (Vec::with_capacity(keys.len() * (between + 1) + edges.len()), edges.into_iter().peekable());
    for (i, &key) in keys.iter().enumerate() {
        let time = f64::from(key);
        if edges.next_if_eq(&key).is_some() && i > 0 {
            out.push(Moment::before(time));
        }
        out.push(Moment::at(time));
        // Between two neighbouring floats there is no time.
        if let Some(&next) = keys.get(i + 1).filter(|next| key.next_up() != **next) {
            let span = f64::from(next) - time;
            out.extend((1..=between).map(|k| Moment::at(time + span * k as f64 / (between + 1) as f64)));
        }
    }
    out
}

/// `count` random moments between `start` and `end`, ascending: the same ones for the same seed on every platform.
pub fn random_moments(start: f64, end: f64, count: usize, seed: u64) -> Vec<Moment> {
    let mut state = seed;
    let mut times: Vec<f64> = (0..count).map(|_| start + (end - start) * unit(split_mix(&mut state))).collect();
    times.sort_by(f64::total_cmp);
    times.into_iter().map(Moment::at).collect()
}

/// Times whose successors are the next floats.
pub(super) fn edges<'a>(arrays: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let pairs = once(arrays).flat_map(|times| times.windows(2)).filter(|pair| pair[0].next_up() == pair[1]);
    pairs.map(|pair| pair[0]).collect()
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 53 random bits as a number from 0 to 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
