//! Which keys of a lane are needed: the longest stretches that the player's own interpolation bridges within a tolerance.
//!
//! From each kept key on, the next one is put off as long as every key in between stays near the line, or the arc, from one to
//! the other. [`needed`] keeps values as they are; [`fitted`] lets keys lie beside the curve, which reaches farther, and on the storage's
//! lattice already, so that rounding and leaving out share one tolerance.

use super::lattice::{Lattice, played};
use crate::halves::NEAR_HALF;
use keyfold_core::quat::{self, Quat};

/// The values of a lane at its keys.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    /// Unit quaternions, neighbours on the same half of the sphere.
    Rotations(Vec<Quat>),
    /// Vectors; axes that are not used are zero.
    Vectors(Vec<[f64; 3]>),
}

impl Values {
    /// How far key `k` lies from what a player makes of keys `i` and `j` at a share `s` of the way: an angle or a distance.
    fn miss(&self, i: usize, j: usize, k: usize, s: f64) -> f64 {
        match self {
            Self::Rotations(q) => small_angle(quat::slerp(q[i], q[j], s), q[k]),
            Self::Vectors(v) => {
                let d = [0, 1, 2].map(|c| v[i][c] + (v[j][c] - v[i][c]) * s - v[k][c]);
                (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
            }
        }
    }

    /// Whether keys `i` and `j` make the ones between them unnecessary.
    pub(crate) fn bridges(&self, times: &[f64], i: usize, j: usize, tolerance: f64) -> bool {
        if let Self::Rotations(q) = self
            && quat::dot(q[i], q[j]) < 2.0 * NEAR_HALF
        {
            return false;
        }
        // The middle is where misses are largest: most failures show at once.
        let (span, middle) = (times[j] - times[i], (i + j) / 2);
        let ok = |k: usize| self.miss(i, j, k, (times[k] - times[i]) / span) <= tolerance;
        (j - i < 2 || ok(middle)) && (i + 1..middle).rev().all(ok) && (middle + 1..j).all(ok)
    }
}

/// The angle between two unit quaternions from the chord between them: what is measured here is small.
fn small_angle(a: Quat, b: Quat) -> f64 {
    let b = if quat::dot(a, b) < 0.0 { quat::negate(b) } else { b };
    let d = [0, 1, 2, 3].map(|c| a[c] - b[c]);
    2.0 * quat::dot(d, d).sqrt()
}

/// The keys that are needed, the first and the last among them. `bridges(i, j)` says whether the ones between can go.
pub(crate) fn needed(count: usize, bridges: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..count.min(1)).collect();
    let mut from = 0;
    while from + 1 < count {
        let mut to = from + 1;
        // One failure may be a key that fits badly itself; two in a row end the stretch.
        let mut next = to + 1;
        while next < count && next <= to + 2 {
            if bridges(from, next) {
                to = next;
            }
            next += 1;
        }
        kept.push(to);
        from = to;
    }
    kept
}

/// How many longer stretches are tried after one that fails.
const LOOKAHEAD: usize = 3;
/// How often a stretch's end is moved toward where it misses most.
const NUDGES: usize = 4;
/// The largest turn (radians) that one stretch may make: beyond, which way round it goes hangs on little.
const LARGEST_TURN: f64 = 2.6;

/// Keys on a lattice such that everything between them is bridged within a tolerance per key: which ones, and their values as stored.
pub(crate) fn fitted(
    values: &Values,
    times: &[f64],
    tolerances: &[f64],
    lattice: &Lattice,
) -> (Vec<usize>, Vec<[f32; 4]>) {
    let (mut kept, mut stored) = (Vec::new(), Vec::new());
    if times.is_empty() {
        return (kept, stored);
    }
    kept.push(0);
    stored.push(values.stored(lattice, 0));
    let mut from = 0;
    while from + 1 < times.len() {
        let stretch =
            Stretch { values, times, tolerances, lattice, from, start: values.decoded(stored[stored.len() - 1]) };
        let (to, end) = stretch.longest();
        kept.push(to);
        stored.push(end);
        from = to;
    }
    (kept, stored)
}

impl Values {
    /// A key's value on a lattice, as stored.
    pub(crate) fn stored(&self, lattice: &Lattice, k: usize) -> [f32; 4] {
        match self {
            Self::Rotations(q) => lattice.rotation(q[k]),
            Self::Vectors(v) => lattice.vector(v[k]),
        }
    }

    fn decoded(&self, stored: [f32; 4]) -> [f64; 4] {
        match self {
            Self::Rotations(_) => played(stored),
            Self::Vectors(_) => stored.map(f64::from),
        }
    }
}

/// All that begins with one kept key. Steps from its value are rotation vectors in its own frame, along which arcs are straight, or plain
/// differences.
struct Stretch<'a> {
    values: &'a Values,
    times: &'a [f64],
    tolerances: &'a [f64],
    lattice: &'a Lattice,
    from: usize,
    start: [f64; 4],
}

type Step = [f64; 3];

impl Stretch<'_> {
    /// The farthest key that can be the next one, and its value.
    fn longest(&self) -> (usize, [f32; 4]) {
        let next = self.from + 1;
        let mut best = (next, self.values.stored(self.lattice, next));
        let (mut steps, mut along, mut square) = (Vec::new(), [0.0; 3], 0.0);
        for to in next..self.times.len() {
            let (step, after) = (self.step(to), self.times[to] - self.times[self.from]);
            if matches!(self.values, Values::Rotations(_)) && length(step) > LARGEST_TURN {
                break;
            }
            (0..3).for_each(|c| along[c] += step[c] * after);
            square += after * after;
            steps.push(step);
            // The velocity that fits best on the whole.
            let end = along.map(|c| c / square * after);
            if let Some(end) = self.bridged(&steps, to, end) {
                best = (to, end);
            } else if to > best.0 + LOOKAHEAD {
                break;
            }
        }
        best
    }

    /// The value near `end` with which everything up to a key stays within its tolerance.
    fn bridged(&self, steps: &[Step], to: usize, mut end: Step) -> Option<[f32; 4]> {
        let span = self.times[to] - self.times[self.from];
        for _ in 0..NUDGES {
            let stored = self.moved(end);
            let reached = self.difference(self.values.decoded(stored));
            let (mut worst, mut nudge) = (1.0, None);
            for (i, step) in steps.iter().enumerate() {
                let share = (self.times[self.from + 1 + i] - self.times[self.from]) / span;
                let miss = [0, 1, 2].map(|c| step[c] - reached[c] * share);
                let used = length(miss) / self.tolerances[self.from + 1 + i].max(f64::MIN_POSITIVE);
                if used > worst {
                    (worst, nudge) = (used, Some(miss.map(|c| c * (1.0 - 1.0 / used) / share)));
                }
            }
            match nudge {
                None => return Some(stored),
                // So far off that no nudging helps.
                Some(_) if worst > 2.5 => return None,
                Some(by) => (0..3).for_each(|c| end[c] += by[c]),
            }
        }
        None
    }

    /// From the start to a key's wanted value.
    fn step(&self, k: usize) -> Step {
        match self.values {
            Values::Rotations(q) => self.difference(q[k]),
            Values::Vectors(v) => self.difference([v[k][0], v[k][1], v[k][2], 0.0]),
        }
    }

    fn difference(&self, value: [f64; 4]) -> Step {
        match self.values {
            Values::Rotations(_) => {
                let turn = quat::mul(quat::conjugate(self.start), value);
                let turn = if turn[3] < 0.0 { quat::negate(turn) } else { turn };
                quat::log(turn).map(|c| 2.0 * c)
            }
            Values::Vectors(_) => [0, 1, 2].map(|c| value[c] - self.start[c]),
        }
    }

    fn moved(&self, step: Step) -> [f32; 4] {
        match self.values {
            Values::Rotations(_) => self.lattice.rotation(quat::mul(self.start, quat::exp(step.map(|c| c / 2.0)))),
            Values::Vectors(_) => self.lattice.vector([0, 1, 2].map(|c| self.start[c] + step[c])),
        }
    }
}

fn length(v: Step) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_stretches_need_their_ends_only() {
        let times: Vec<f64> = (0..9).map(f64::from).collect();
        let ramp = |t: f64| if t < 4.0 { t } else { 8.0 - t };
        let values = Values::Vectors(times.iter().map(|t| [ramp(*t), 0.0, 1.0]).collect());
        assert_eq!(needed(9, |i, j| values.bridges(&times, i, j, 1e-9)), [0, 4, 8]);
        assert_eq!(needed(9, |i, j| values.bridges(&times, i, j, 10.0)), [0, 8]);
        assert_eq!(needed(1, |_, _| true), [0]);
        assert!(needed(0, |_, _| true).is_empty());
    }

    #[test]
    fn a_steady_turn_is_one_arc_though_its_components_bend() {
        let times: Vec<f64> = (0..20).map(f64::from).collect();
        let turn = |t: &f64| quat::exp([0.0, 0.06 * t, 0.0]);
        let values = Values::Rotations(times.iter().map(turn).collect());
        assert_eq!(needed(20, |i, j| values.bridges(&times, i, j, 1e-9)), [0, 19]);
    }

    #[test]
    fn what_is_kept_stays_within_the_tolerance() {
        let times: Vec<f64> = (0..200).map(|i| f64::from(i) / 30.0).collect();
        let values = Values::Rotations(times.iter().map(|t| quat::exp([t.sin(), (2.0 * t).cos(), 0.3 * t])).collect());
        let kept = needed(200, |i, j| values.bridges(&times, i, j, 0.01));
        assert!(kept.len() < 150 && kept[kept.len() - 1] == 199);
        for pair in kept.windows(2) {
            assert!(pair[1] == pair[0] + 1 || values.bridges(&times, pair[0], pair[1], 0.01));
        }
    }

    #[test]
    fn keys_beside_the_curve_reach_farther_and_stay_within() {
        let times: Vec<f64> = (0..300).map(|i| f64::from(i) / 30.0).collect();
        let wave = |t: &f64| quat::exp([0.5 * t.sin(), 0.3 * (2.0 * t).cos(), 0.1 * t]);
        let values = Values::Rotations(times.iter().map(wave).collect());
        let lattice = Lattice::Filtered { scale: 4095 };
        let (kept, stored) = fitted(&values, &times, &[0.01; 300], &lattice);
        assert!(kept.len() < needed(300, |i, j| values.bridges(&times, i, j, 0.01)).len());
        assert_eq!((kept[0], kept[kept.len() - 1]), (0, 299));
        for (i, pair) in kept.windows(2).enumerate() {
            for k in pair[0]..=pair[1] {
                let share = (times[k] - times[pair[0]]) / (times[pair[1]] - times[pair[0]]);
                let played = quat::slerp(played(stored[i]), played(stored[i + 1]), share);
                assert!(quat::angle(played, wave(&times[k])) <= 0.0101);
            }
        }
    }
}
