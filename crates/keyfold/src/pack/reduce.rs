//! Which keys of a lane are needed: the longest stretches that the player's own interpolation bridges within a tolerance.
//!
//! From each kept key on, the next one is put off as long as every key in between stays near the line, or the arc, from one to
//! the other. Greedy, and for given key values within a key or two of the fewest possible.

use super::halves::NEAR_HALF;
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
}
