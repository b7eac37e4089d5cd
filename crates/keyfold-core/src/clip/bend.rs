//! Parabolas instead of straight lines: clips that bend (version 2 and later) follow them from anchor to
//! anchor, through the middle between.
//!
//! A parabola is a weighted sum of its three keys, with the same weights for all tracks. Rotations are summed
//! as quaternions on the middle's side of the sphere, and normalized. That is a CUBICSPLINE of `curve`, so
//! errors are proven as for any other.

use super::blend::{Frames, Quats, mul, quats, scalar_product};
use super::head::is_middle;
use super::lanes::Lanes;
use super::timing::{KeySpan, Timing};
use crate::curve::{Curve, Interpolation};
use alloc::{vec, vec::Vec};

/// The parameters of a group at an anchor, at the middle after it and at the next anchor.
pub(super) type Three = [[Lanes; 3]; 3];

/// The weights of the three keys at `u` of the parabola, whose middle is at `middle` (both from 0 to 1).
pub(super) fn weights(middle: f64, u: f64) -> [f64; 3] {
    let (before, after) = (u - middle, 1.0 - middle);
    [-before * (1.0 - u) / middle, u * (1.0 - u) / (middle * after), u * before / after]
}

/// The derivatives of the weights at the start and at the end.
fn slopes(middle: f64) -> [[f64; 3]; 2] {
    let (after, both) = (1.0 - middle, middle * (1.0 - middle));
    [[-(1.0 + middle) / middle, 1.0 / both, -middle / after], [after / middle, -1.0 / both, (1.0 + after) / after]]
}

/// The parabolas that a clip plays whose values at keys are `rows` of `width` components: a spline with a key
/// at each anchor.
pub(super) fn curve(times: &[f64], width: usize, rows: &[f64]) -> Option<Curve> {
    let row = |k: usize| &rows[k * width..(k + 1) * width];
    let anchors: Vec<usize> = (0..times.len()).filter(|k| !is_middle(*k, times.len())).collect();
    // The tangents before the first anchor and after the last are zero.
    let mut values = vec![0.0f32; width];
    values.extend(row(0).iter().map(|v| *v as f32));
    for pair in anchors.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let span = times[b] - times[a];
        let slopes = match b - a {
            1 => [[-1.0, 0.0, 1.0]; 2],
            _ => slopes((times[a + 1] - times[a]) / span),
        };
        for [x, y, z] in slopes {
            let all = row(a).iter().zip(row(a + 1)).zip(row(b));
            values.extend(all.map(|((a, m), b)| ((x * a + y * m + z * b) / span) as f32));
        }
        values.extend(row(b).iter().map(|v| *v as f32));
    }
    values.extend(core::iter::repeat_n(0.0, width));
    let times: Vec<f32> = anchors.iter().map(|k| times[*k] as f32).collect();
    Curve::new(Interpolation::CubicSpline, width, times, values).ok()
}

/// A middle makes no parabola if it is nearer to an anchor than this, as a fraction of the way between both
/// anchors.
const BESIDE: f64 = 1e-9;

/// The weights of the three keys around a place. The last pair of an even number of keys has no middle, and
/// runs straight. So does a pair with a middle beside an anchor, which no clip of Keyfold's own has.
pub(super) fn weights_at(timing: &Timing, place: KeySpan, duration: f32) -> [f32; 3] {
    let (anchor, s) = (place.key / 2 * 2, f64::from(place.s));
    if anchor + 2 >= timing.keys() {
        return [1.0 - place.s, 0.0, place.s];
    }
    let [start, middle, end] = [0, 1, 2].map(|k| timing.time(anchor + k, duration));
    let middle = (middle - start) / (end - start);
    if !(BESIDE..=1.0 - BESIDE).contains(&middle) {
        return if place.key == anchor { [1.0 - place.s, place.s, 0.0] } else { [0.0, 1.0 - place.s, place.s] };
    }
    let u = if place.key == anchor { s * middle } else { middle + s * (1.0 - middle) };
    weights(middle, u).map(|w| w as f32)
}

/// Prevents a division by zero if a sum is zero. Added to a squared length near 1, it changes nothing.
const LEAST: f32 = 1e-30;

/// Writes the rotations that are sums of `parts` of each key into `out`. Never inlined, for the reason given
/// at [`super::blend::rotations`].
#[inline(never)]
pub(super) fn bent(keys: &Three, parts: [f32; 3], frames: &Frames, out: &mut Quats) {
    let (start, middle, end) = (quats(&keys[0]), quats(&keys[1]), quats(&keys[2]));
    let (a, b) = (towards(&middle, &start, parts[0]), towards(&middle, &end, parts[2]));
    let sum: Quats = core::array::from_fn(|c| a * start[c] + parts[1] * middle[c] + b * end[c]);
    let scale = Lanes::all(1.0) / (scalar_product(&sum, &sum) + Lanes::all(LEAST)).root();
    let turned = mul(&frames.left, &sum.map(|c| c * scale));
    *out = frames.right.as_ref().map_or(turned, |right| mul(&turned, right));
}

/// The weight `part` for quaternions, negated for those whose opposites are nearer to `middle`.
#[inline(always)]
fn towards(middle: &Quats, q: &Quats, part: f32) -> Lanes {
    let cosine = scalar_product(middle, q);
    Lanes(core::array::from_fn(|i| if cosine.0[i] < 0.0 { -part } else { part }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_those_of_the_parabola_through_three_points() {
        for middle in [0.5, 0.3] {
            let parabola = |u: f64| 2.0 - 3.0 * u + 5.0 * u * u;
            let values = [0.0, middle, 1.0].map(parabola);
            let sum = |w: [f64; 3]| -> f64 { w.iter().zip(values).map(|(w, v)| w * v).sum() };
            for u in [0.0, 0.1, 0.3, 0.5, 0.9, 1.0] {
                assert!((sum(weights(middle, u)) - parabola(u)).abs() < 1e-12);
            }
            let [start, end] = slopes(middle).map(sum);
            assert!((start + 3.0).abs() < 1e-12 && (end - 7.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_middle_beside_an_anchor_leaves_numbers() {
        let table = Timing::Table(vec![0.0, 1e-45, 1e30]);
        for (timing, duration) in [(table, 1e30), (Timing::Even { rate: 30.0, keys: 3 }, 0.0)] {
            for (key, s) in [(0, 0.0), (0, 0.5), (1, 0.25), (1, 1.0)] {
                let weights = weights_at(&timing, KeySpan { key, s }, duration);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{weights:?}");
            }
        }
    }

    #[test]
    fn the_last_pair_of_an_even_number_of_keys_runs_straight() {
        let timing = Timing::Even { rate: 10.0, keys: 4 };
        assert_eq!(weights_at(&timing, KeySpan { key: 2, s: 0.25 }, 0.3), [0.75, 0.0, 0.25]);
        assert_eq!(weights_at(&timing, KeySpan { key: 1, s: 0.0 }, 0.3), [0.0, 1.0, 0.0]);
    }
}
