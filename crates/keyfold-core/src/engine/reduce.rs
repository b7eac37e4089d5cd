//! Key reduction: the longest stretches that the player's own interpolation bridges within a tolerance.
//!
//! From each kept key on, the next one is put off as long as every key in between stays near the line, or the arc, from one to
//! the other. [`needed`] keeps values as they are; [`fitted`] lets keys lie beside the curve, which reaches farther, and on the storage's
//! grid already, so that rounding and leaving out share one tolerance.

use super::grid::{Code, Grid, played};
use crate::{
    curve::NEAR_HALF_TURN,
    quat::{self, Quat},
    vector::{dot, length},
};
use alloc::vec::Vec;

/// Keys whose quaternions have a smaller scalar product are not bridged: which way round the arc goes hangs on little.
pub(super) const LEAST_COSINE: f64 = 2.0 * NEAR_HALF_TURN;

/// The values of a track at its keys.
#[derive(Clone, Debug)]
pub(super) enum Values {
    /// Unit quaternions, neighbours on the same half of the sphere.
    Rotations(Vec<Quat>),
    /// Vectors; components that are not used are zero.
    Vectors(Vec<[f64; 4]>),
}

impl Values {
    fn get(&self, k: usize) -> [f64; 4] {
        match self {
            Self::Rotations(values) | Self::Vectors(values) => values[k],
        }
    }

    /// A key's value on a grid.
    pub(super) fn code(&self, grid: &Grid, k: usize) -> Code {
        grid.encode(self.get(k))
    }

    /// How far key `k` lies from what a player makes of keys `i` and `j` at a share `s` of the way: an angle or a distance.
    fn miss(&self, i: usize, j: usize, k: usize, s: f64) -> f64 {
        match self {
            Self::Rotations(q) => small_angle(quat::slerp(q[i], q[j], s), q[k]),
            Self::Vectors(v) => length([0, 1, 2].map(|c| v[i][c] + (v[j][c] - v[i][c]) * s - v[k][c])),
        }
    }

    /// Whether keys `i` and `j` make the ones between them unnecessary.
    pub(super) fn bridges(&self, times: &[f64], i: usize, j: usize, tolerance: f64) -> bool {
        if let Self::Rotations(q) = self
            && quat::dot(q[i], q[j]) < LEAST_COSINE
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
    2.0 * libm::sqrt(quat::dot(d, d))
}

/// The keys that are needed, the first and the last among them. `bridges(i, j)` says whether the ones between can go.
pub fn needed(count: usize, mut bridges: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
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
/// How many times its tolerance a stretch may miss so that moving its end is worth a try.
const HOPELESS: f64 = 2.5;
/// About how many times its tolerance a stretch's end moves when it is rounded to the grid.
const ROUNDING: f64 = 1.0;
/// The largest turn (radians) that one stretch may make: beyond, which way round it goes hangs on little.
const LARGEST_TURN: f64 = 2.6;

/// Keys on a grid such that everything between them is bridged within a tolerance per key: which ones, and their codes.
pub(super) fn fitted(values: &Values, times: &[f64], tolerances: &[f64], grid: &Grid) -> (Vec<usize>, Vec<Code>) {
    let (mut kept, mut codes) = (Vec::new(), Vec::new());
    if times.is_empty() {
        return (kept, codes);
    }
    kept.push(0);
    codes.push(values.code(grid, 0));
    let (mut from, mut length) = (0, 1);
    let mut steps = Vec::new();
    while from + 1 < times.len() {
        let start = values.decoded(grid.decode(codes[codes.len() - 1]));
        let stretch = Stretch { values, times, tolerances, grid, from, start };
        // Stretches are about as long as the one before: shorter ones need no try.
        let (to, code) = stretch.longest(from + length / 2, &mut steps);
        kept.push(to);
        codes.push(code);
        (from, length) = (to, to - from);
    }
    (kept, codes)
}

impl Values {
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
    grid: &'a Grid,
    from: usize,
    start: [f64; 4],
}

type Step = [f64; 3];

impl Stretch<'_> {
    /// The farthest key that can be the next one, and its codes. Those before `first` are not tried unless that fails.
    fn longest(&self, first: usize, steps: &mut Vec<Step>) -> (usize, Code) {
        let next = self.from + 1;
        let first = first.clamp(next, self.times.len() - 1);
        let mut best = (next, self.values.code(self.grid, next));
        let (mut along, mut square) = ([0.0; 3], 0.0);
        steps.clear();
        for to in next..self.times.len() {
            let (step, after) = (self.difference(self.values.get(to)), self.times[to] - self.times[self.from]);
            if matches!(self.values, Values::Rotations(_)) && dot(step, step) > LARGEST_TURN * LARGEST_TURN {
                // Nothing was tried yet: from the beginning.
                return if to <= first && first > next { self.longest(next, steps) } else { best };
            }
            (0..3).for_each(|c| along[c] += step[c] * after);
            square += after * after;
            steps.push(step);
            if to < first {
                continue;
            }
            // The velocity that fits best on the whole.
            let end = along.map(|c| c / square * after);
            if let Some(code) = self.bridged(steps, to, end) {
                best = (to, code);
            } else if to == first && first > next {
                return self.longest(next, steps);
            } else if to > best.0 + LOOKAHEAD {
                break;
            }
        }
        best
    }

    /// The codes near `end` with which everything up to a key stays within its tolerance.
    fn bridged(&self, steps: &[Step], to: usize, mut end: Step) -> Option<Code> {
        let start = self.times[self.from];
        let inverse = 1.0 / (self.times[to] - start);
        let (times, tolerances) = (&self.times[self.from + 1..=to], &self.tolerances[self.from + 1..=to]);
        let hopeless = |((step, time), tolerance): ((&Step, &f64), &f64)| {
            let share = (time - start) * inverse;
            let miss = [0, 1, 2].map(|c| step[c] - end[c] * share);
            let most = tolerance * (HOPELESS + ROUNDING);
            dot(miss, miss) > most * most
        };
        // Rounding takes most of the time, and most ends are hopeless before it.
        if steps.iter().zip(times).zip(tolerances).any(hopeless) {
            return None;
        }
        for _ in 0..NUDGES {
            let code = self.moved(end);
            let reached = self.difference(self.values.decoded(self.grid.decode(code)));
            let (mut worst, mut nudge) = (1.0, None);
            for ((step, time), tolerance) in steps.iter().zip(times).zip(tolerances) {
                let share = (time - start) * inverse;
                let miss = [0, 1, 2].map(|c| step[c] - reached[c] * share);
                let (square, most) = (dot(miss, miss), tolerance * worst);
                if square > most * most {
                    worst = libm::sqrt(square) / tolerance.max(f64::MIN_POSITIVE);
                    if worst > HOPELESS {
                        return None;
                    }
                    nudge = Some(miss.map(|c| c * (1.0 - 1.0 / worst) / share));
                }
            }
            match nudge {
                None => return Some(code),
                Some(by) => (0..3).for_each(|c| end[c] += by[c]),
            }
        }
        None
    }

    /// From the start to a value.
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

    fn moved(&self, step: Step) -> Code {
        match self.values {
            Values::Rotations(_) => self.grid.encode(quat::mul(self.start, quat::exp(step.map(|c| c / 2.0)))),
            Values::Vectors(_) => {
                let [x, y, z] = [0, 1, 2].map(|c| self.start[c] + step[c]);
                self.grid.encode([x, y, z, 0.0])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_stretches_need_their_ends_only() {
        let times: Vec<f64> = (0..9).map(f64::from).collect();
        let ramp = |t: f64| if t < 4.0 { t } else { 8.0 - t };
        let values = Values::Vectors(times.iter().map(|t| [ramp(*t), 0.0, 1.0, 0.0]).collect());
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
        let wave = |t: &f64| quat::exp([libm::sin(*t), libm::cos(2.0 * t), 0.3 * t]);
        let values = Values::Rotations(times.iter().map(wave).collect());
        let kept = needed(200, |i, j| values.bridges(&times, i, j, 0.01));
        assert!(kept.len() < 150 && kept[kept.len() - 1] == 199);
        for pair in kept.windows(2) {
            assert!(pair[1] == pair[0] + 1 || values.bridges(&times, pair[0], pair[1], 0.01));
        }
    }

    #[test]
    fn keys_beside_the_curve_reach_farther_and_stay_within() {
        let times: Vec<f64> = (0..300).map(|i| f64::from(i) / 30.0).collect();
        let wave = |t: &f64| quat::exp([0.5 * libm::sin(*t), 0.3 * libm::cos(2.0 * t), 0.1 * t]);
        let values = Values::Rotations(times.iter().map(wave).collect());
        let grid = Grid::QuaternionFilter { scale: 4095 };
        let (kept, codes) = fitted(&values, &times, &[0.01; 300], &grid);
        assert!(kept.len() < needed(300, |i, j| values.bridges(&times, i, j, 0.01)).len());
        assert_eq!((kept[0], kept[kept.len() - 1]), (0, 299));
        let played = |code: Code| played(grid.decode(code));
        for (i, pair) in kept.windows(2).enumerate() {
            for k in pair[0]..=pair[1] {
                let share = (times[k] - times[pair[0]]) / (times[pair[1]] - times[pair[0]]);
                let turned = quat::slerp(played(codes[i]), played(codes[i + 1]), share);
                assert!(quat::angle(turned, wave(&times[k])) <= 0.0101);
            }
        }
    }
}
