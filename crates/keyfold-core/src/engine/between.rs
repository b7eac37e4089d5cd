//! Errors between keys, where the output may be farther off than at keys. If it is over the bound there,
//! errors at the two adjacent keys weigh more; a smaller bound for the whole clip would cost far more bytes.

use super::clip::Clip;
use crate::{
    curve::Curve,
    skeleton::{BLOCK, Moment, Poses},
};
use alloc::vec::Vec;

/// The share of the bound from which errors between keys are too large, and the share that is aimed at.
const MOST: f64 = 0.995;
const AIM: f64 = 0.985;
/// Moments per key: the key itself and two before the next one.
const SAMPLES: usize = 3;
/// A key's own error counts as at least this share of the bound.
const LEAST: f64 = 0.05;

/// The weights of a clip, raised beside moments with too large errors. `None` if there are none, or if
/// raising them did not help before. `curves` are the encoded tracks of the job.
pub(super) fn raised(clip: &Clip<'_>, weights: &[f64], curves: &[Option<&Curve>], bound: f64) -> Option<Vec<f64>> {
    let squares = squares(clip, curves, bound);
    let own: Vec<f64> = squares.iter().step_by(SAMPLES).copied().collect();
    let between: Vec<f64> =
        squares.chunks(SAMPLES).map(|samples| samples[1..].iter().copied().fold(0.0, f64::max)).collect();
    let (raised, beyond) = raise(weights, &own, &between, LEAST);
    (beyond.is_empty() && raised != weights).then_some(raised)
}

/// Raises the weights of keys beside too large errors. Also returns the keys after which that did not help
/// before. `own` has errors at keys and `between` those up to the next key, as squares in squares of the
/// bound. `own` counts as at least `least`.
pub(crate) fn raise(weights: &[f64], own: &[f64], between: &[f64], least: f64) -> (Vec<f64>, Vec<usize>) {
    let (mut raised, mut beyond) = (weights.to_vec(), Vec::new());
    for (key, most) in between.iter().enumerate().filter(|(_, most)| **most > MOST * MOST) {
        let beside = key..(key + 2).min(weights.len());
        if beside.clone().all(|key| weights[key] > 1.0) {
            beyond.push(key);
            continue;
        }
        for key in beside {
            let over = most / (AIM * AIM);
            raised[key] = raised[key].max(over / own[key].clamp(least * least, 1.0));
        }
    }
    (raised, beyond)
}

/// The largest squared distance at each moment, in squares of the bound.
fn squares(clip: &Clip<'_>, curves: &[Option<&Curve>], bound: f64) -> Vec<f64> {
    let motion = clip.motion_with(curves);
    let samples = clip.times.iter().enumerate().flat_map(|(key, time)| {
        let (from, to) = (f64::from(*time), f64::from(*clip.times.get(key + 1).unwrap_or(time)));
        (0..SAMPLES).map(move |sample| Moment::at(from + (to - from) * sample as f64 / SAMPLES as f64))
    });
    let (samples, mut squares): (Vec<Moment>, _) = (samples.collect(), Vec::new());
    for moments in samples.chunks(BLOCK) {
        let (a, b) = (Poses::new(&clip.motion, moments), Poses::new(&motion, moments));
        squares.extend((0..moments.len()).map(|moment| {
            let squares = clip.probes.iter().map(|p| p.squared_distance(a.global(p.a, moment), b.global(p.b, moment)));
            squares.fold(0.0, f64::max) / (bound * bound)
        }));
    }
    squares.truncate(squares.len() + 1 - SAMPLES);
    squares
}
