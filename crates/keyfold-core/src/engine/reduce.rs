//! Key reduction: the longest segments that the player's own interpolation bridges within a tolerance.
//!
//! From each kept key, the next is put off while all keys between stay near the line or arc. Kept keys may
//! lie beside the curve, which extends their reach. They are on the storage's grid, so rounding uses the same
//! tolerance.

use super::grid::{Code, Grid, played};
use crate::{curve::NEAR_HALF_TURN, quat, vector::dot};
use alloc::{vec, vec::Vec};

/// Keys with a smaller dot product are not bridged: the direction of the arc would be uncertain.
pub(super) const LEAST_COSINE: f64 = 2.0 * NEAR_HALF_TURN;

/// How often the end of a segment is moved to reduce its largest error.
const NUDGES: usize = 4;
/// Beyond this multiple of the tolerance, moving the end is not worth a try.
const HOPELESS: f64 = 2.5;
/// The largest rotation (radians) of one segment. Beyond, its direction would be uncertain.
const LARGEST_TURN: f64 = 2.6;

/// Chooses keys on a grid so that everything between them stays within a tolerance per key, and returns their
/// indices and codes. Unused components are zero; rotations (`turns`) are on the same half of the sphere as
/// their neighbours.
pub(super) fn fitted(
    values: &[[f64; 4]],
    turns: bool,
    times: &[f64],
    tolerances: &[f64],
    grid: &Grid,
) -> (Vec<usize>, Vec<Code>) {
    let Some(first) = values.first() else { return Default::default() };
    let (mut kept, mut codes) = (vec![0], vec![grid.encode(*first)]);
    let (mut from, mut ends) = (0, Vec::new());
    while from + 1 < times.len() {
        let start = played(grid.decode(codes[codes.len() - 1]), turns);
        let stretch = Stretch { values, turns, times, tolerances, grid, from, start };
        stretch.survey(&mut ends);
        let (length, code) = stretch.longest(&ends);
        from += length;
        kept.push(from);
        codes.push(code);
    }
    (kept, codes)
}

/// The segments that begin with a kept key. Steps from its value are plain differences or, for rotations,
/// rotation vectors in its frame, along which arcs are straight.
struct Stretch<'a> {
    values: &'a [[f64; 4]],
    turns: bool,
    times: &'a [f64],
    tolerances: &'a [f64],
    grid: &'a Grid,
    from: usize,
    start: [f64; 4],
}

type Step = [f64; 3];

/// A possible end of a segment: the step to it, and a velocity that nearly bridges everything before it.
struct End {
    step: Step,
    velocity: Step,
}

impl Stretch<'_> {
    /// Finds the keys up to which, per component, some velocity bridges everything. No segment is longer.
    fn survey(&self, ends: &mut Vec<End>) {
        ends.clear();
        let (mut low, mut high) = ([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);
        for to in self.from + 1..self.times.len() {
            let (step, after) = (self.difference(self.values[to]), self.times[to] - self.times[self.from]);
            if self.turns && dot(step, step) > LARGEST_TURN * LARGEST_TURN {
                break;
            }
            for c in 0..3 {
                low[c] = low[c].max((step[c] - self.tolerances[to]) / after);
                high[c] = high[c].min((step[c] + self.tolerances[to]) / after);
            }
            if (0..3).any(|c| low[c] > high[c]) {
                break;
            }
            ends.push(End { step, velocity: [0, 1, 2].map(|c| low[c] + (high[c] - low[c]) / 2.0) });
        }
    }

    /// Approximately the longest segment, in keys, and its last code. Searches backward from the farthest end
    /// in growing strides, then by bisection.
    fn longest(&self, ends: &[End]) -> (usize, Code) {
        let mut best = (1, self.grid.encode(self.values[self.from + 1]));
        let (mut fails, mut stride) = (ends.len() + 1, 1);
        while best.0 + 1 < fails {
            let length = if best.0 > 1 { best.0.midpoint(fails) } else { fails.saturating_sub(stride).max(2) };
            match self.bridged(&ends[..length]) {
                Some(code) => best = (length, code),
                None => (fails, stride) = (length, 2 * stride),
            }
        }
        best
    }

    /// The code at the end of a segment with which it stays within its tolerances.
    fn bridged(&self, ends: &[End]) -> Option<Code> {
        let (start, keys) = (self.times[self.from], self.from + 1..=self.from + ends.len());
        let (times, tolerances) = (&self.times[keys.clone()], &self.tolerances[keys]);
        let duration = times.last()? - start;
        let mut end = ends.last()?.velocity.map(|c| c * duration);
        for _ in 0..NUDGES {
            let code = self.grid.encode_beside(self.start, end, self.turns);
            let reached = self.difference(played(self.grid.decode(code), self.turns));
            let velocity = reached.map(|c| c / duration);
            let (mut worst, mut nudge) = (1.0, None);
            for ((End { step, .. }, time), tolerance) in ends.iter().zip(times).zip(tolerances) {
                let after = time - start;
                let miss = [0, 1, 2].map(|c| step[c] - velocity[c] * after);
                let (square, most) = (dot(miss, miss), tolerance * worst);
                if square > most * most {
                    worst = libm::sqrt(square) / tolerance.max(f64::MIN_POSITIVE);
                    if worst > HOPELESS {
                        return None;
                    }
                    nudge = Some(miss.map(|c| c * (1.0 - 1.0 / worst) * duration / after));
                }
            }
            match nudge {
                None => return Some(code),
                Some(by) => (0..3).for_each(|c| end[c] += by[c]),
            }
        }
        None
    }

    /// The step from the start to a value.
    fn difference(&self, value: [f64; 4]) -> Step {
        if !self.turns {
            return [0, 1, 2].map(|c| value[c] - self.start[c]);
        }
        let turn = quat::mul(quat::conjugate(self.start), value);
        let turn = if turn[3] < 0.0 { quat::negate(turn) } else { turn };
        quat::log(turn).map(|c| 2.0 * c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_beside_the_curve_reach_farther_and_stay_within() {
        let times: Vec<f64> = (0..300).map(|i| f64::from(i) / 30.0).collect();
        let wave = |t: &f64| quat::exp([0.5 * libm::sin(*t), 0.3 * libm::cos(2.0 * t), 0.1 * t]);
        let values: Vec<_> = times.iter().map(wave).collect();
        let grid = Grid::QuaternionFilter { scale: 4095, left_out: None };
        let (kept, codes) = fitted(&values, true, &times, &[0.01; 300], &grid);
        assert!(kept.len() < 100);
        assert_eq!((kept[0], kept[kept.len() - 1]), (0, 299));
        let played = |code: Code| played(grid.decode(code), true);
        for (i, pair) in kept.windows(2).enumerate() {
            for k in pair[0]..=pair[1] {
                let share = (times[k] - times[pair[0]]) / (times[pair[1]] - times[pair[0]]);
                let turned = quat::slerp(played(codes[i]), played(codes[i + 1]), share);
                assert!(quat::angle(turned, wave(&times[k])) <= 0.0101);
            }
        }
    }
}
