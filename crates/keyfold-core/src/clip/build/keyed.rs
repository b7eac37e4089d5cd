//! Tracks with a key at every time: their wanted values and the grids of their codes. The other tracks that
//! move points are added for the engine's jobs.

use super::codec::{FINEST_BYTE, Grids, number_level};
use super::frame::{Frame, axes, best_signs, mean};
use super::keys::spatial;
use super::plan::Planned;
use super::{Encoder, range};
use crate::curve::{Curve, Interpolation};
use crate::engine::{self, Level, leverage};
use crate::quat::{self, Quat};
use crate::skeleton::{Moment, Poses, Track};
use crate::vector::{AXES, Matrix, dot, form};
use alloc::vec::Vec;
use core::ops::Range;

/// A keyed track. A track that moves no points has one for each component, unless it is a rotation.
pub(super) struct Keyed {
    /// The number of components of a code.
    pub(super) components: usize,
    pub(super) grids: Grids,
    /// The wanted value of each key. Rotations have the signs for which their parameters are short.
    pub(super) values: Vec<[f64; 4]>,
    /// The level in all segments; `None` if the track moves points.
    pub(super) level: Option<u8>,
}

/// A track that moves points. The times of its curves are the numbers of keys.
pub(super) struct Moving<'a> {
    track: Track<'a>,
    /// The wanted values at the keys.
    values: Curve,
    /// The values as they are stored; `None` unless they are settled (constants, steps).
    held: Option<Curve>,
    /// The index of its keyed track; `None` if it is settled.
    pub(super) keyed: Option<usize>,
}

/// All tracks of a plan, as values at the keys.
pub(super) struct Tracks<'a> {
    /// Rotations first: the order in which codes are written.
    pub(super) keyed: Vec<Keyed>,
    pub(super) moving: Vec<Moving<'a>>,
}

/// The largest ratio between the quantization steps of a rotation's components.
const SPREAD: f64 = 3.3;
/// The most keys that are sampled for the axes of rotations.
const SAMPLES: usize = 32;
/// The quantization step of a rotation that moves no points, in radians, for each unit of tolerance of a
/// quaternion's component. The errors of three parameters add up.
const TURN: f64 = 2.3;
/// The quantization step of other components that move no points, for each unit of tolerance. Half a step is
/// the largest error, so 2 would be exact; floats round, so it is slightly less.
const STEP: f64 = 1.99;

impl<'a> Tracks<'a> {
    /// `turned`: rotations are in the axes in which they take the fewest bits.
    pub(super) fn new(encoder: &Encoder<'a>, turned: bool) -> Self {
        let every = encoder.keys.len().div_ceil(SAMPLES).max(1);
        let samples: Vec<Moment> = encoder.keys.times.iter().step_by(every).map(|time| Moment::at(*time)).collect();
        let poses = Poses::new(&encoder.job.source.motion(), &samples);
        let (rotations, others): (Vec<_>, Vec<_>) =
            encoder.plan.tracks.iter().partition(|track| track.source.target.is_rotation());
        let mut tracks = Self { keyed: Vec::new(), moving: Vec::new() };
        rotations.into_iter().chain(others).for_each(|track| tracks.add(encoder, track, turned, &poses));
        tracks
    }

    fn add(&mut self, encoder: &Encoder<'a>, planned: &Planned<'a>, turned: bool, poses: &Poses) {
        let Planned { source, rows, held, .. } = planned;
        let (moved, width, first) = (spatial(source), source.curve.width(), self.keyed.len());
        // The part of the tolerance that curves leave, but at least a tenth of it.
        let left = source.tolerance * (1.0 - encoder.keys.stray).max(0.1);
        match moved {
            _ if held.is_some() => {}
            _ if source.target.is_rotation() => {
                let metric = moved.map_or(AXES, |moved| metric(encoder, moved.node, poses));
                let step = moved.is_none().then_some(TURN * left);
                self.keyed.push(Keyed::rotation(rows.as_chunks().0, encoder.job.least_cosine, turned, &metric, step));
            }
            Some(_) => self.keyed.push(Keyed::numbers(rows, width, None)),
            None => {
                let component = |c: usize| rows.iter().skip(c).step_by(width).copied().collect::<Vec<f64>>();
                self.keyed.extend((0..width).map(|c| Keyed::numbers(&component(c), 1, Some(STEP * left))));
            }
        }
        let Some(track) = moved else { return };
        let own = |keyed: &Keyed| at_keys(width, keyed.values.iter().flat_map(|value| &value[..width]));
        self.moving.push(Moving {
            track,
            values: self.keyed.get(first).map_or_else(|| at_keys(width, rows), own),
            held: held.as_ref().map(|curve| at_keys(width, &encoder.keys.values(&source.target, curve))),
            keyed: held.is_none().then_some(first),
        });
    }

    /// Calls `run` with the engine's job for some keys.
    pub(super) fn job<T>(
        &self,
        encoder: &Encoder<'_>,
        keys: &Range<usize>,
        weights: &[Vec<f64>],
        run: impl FnOnce(&engine::Job<'_>) -> T,
    ) -> T {
        let curves: Vec<Curve> = self.moving.iter().map(|moving| part(&moving.values, keys)).collect();
        let held: Vec<Option<Curve>> =
            self.moving.iter().map(|moving| moving.held.as_ref().map(|held| part(held, keys))).collect();
        let tracks: Vec<Track<'_>> =
            self.moving.iter().zip(&curves).map(|(moving, curve)| Track { curve, ..moving.track }).collect();
        let settled: Vec<Option<&Curve>> = held.iter().map(Option::as_ref).collect();
        let part = |moving: &Moving<'_>| weights.get(encoder.part_of[moving.track.node]?).map(|own| &own[keys.clone()]);
        let weights: Vec<&[f64]> = self.moving.iter().filter_map(part).collect();
        run(&engine::Job {
            skeleton: encoder.job.source.skeleton,
            probe_radii: encoder.job.source.probe_radii,
            tracks: &tracks,
            settled: &settled,
            weights: &weights,
            end: keys.end.saturating_sub(1) as f32,
            bound: encoder.job.bound,
            level: Level::Default,
            keeps_keys: true,
            shares_times: true,
            is_estimate: false,
        })
    }
}

impl Keyed {
    fn rotation(rotations: &[Quat], least_cosine: f64, turned: bool, metric: &Matrix, step: Option<f64>) -> Self {
        let mean = mean(rotations, least_cosine);
        let frame = Frame::new(mean, &if turned { axes(&best_signs(rotations, mean), mean, metric) } else { AXES });
        // At level 0, one step of each component moves points by four times the bound.
        let coarsest = AXES.map(|axis| {
            let missed = libm::sqrt(form(metric, &quat::rotate(quat::conjugate(frame.right.quat()), axis)));
            libm::round(8.0 * libm::log2(missed.max(1e-9))).clamp(0.0, 168.0) as u8
        });
        let most = coarsest.iter().copied().fold(0, u8::max);
        let least = most.saturating_sub((8.0 * libm::log2(SPREAD)) as u8);
        let (values, bytes) = (best_signs(rotations, frame.middle()), coarsest.map(|byte| byte.max(least)));
        let finest = finest_byte(&values, frame.middle()).saturating_sub(most) / 2;
        let grids = Grids::Rotation { frame, bytes, finest };
        Self { components: 3, level: step.map(|step| grids.level(step)), grids, values }
    }

    fn numbers(rows: &[f64], width: usize, step: Option<f64>) -> Self {
        let column = |c: usize| range(rows.iter().copied().skip(c).step_by(width));
        let ranges = [0, 1, 2].map(|c| if c < width { column(c) } else { (0.0, 0.0) });
        let origin = ranges.map(|(low, high)| (low + (high - low) / 2.0) as f32);
        // Codes have 24 bits, and floats have no more. A difference may be as large as the range, and needs a
        // sign.
        let widest = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let finest = number_level((widest / f64::from(1 << 22)).max(f64::from(f32::MIN_POSITIVE)));
        let grids = Grids::Numbers { origin, finest };
        let value = |row: &[f64]| [0, 1, 2, 3].map(|c| row.get(c).copied().unwrap_or(0.0));
        let values = rows.chunks_exact(width).map(value).collect();
        Self { components: width, level: step.map(|step| grids.level(step)), grids, values }
    }
}

/// The byte of the finest step at which the codes of rotations have 23 bits, given the longest parameters.
/// Compensated codes may need one more.
fn finest_byte(rotations: &[Quat], middle: Quat) -> u8 {
    let longest = |longest: f64, q: &Quat| {
        let cosine = quat::dot(middle, *q);
        longest.max(libm::sqrt((1.0 - cosine) / (1.0 + cosine).max(1e-12)))
    };
    let longest = rotations.iter().fold(1.0, longest);
    libm::floor(8.0 * (22.0 - libm::log2(longest))).clamp(0.0, FINEST_BYTE.into()) as u8
}

/// How far points move when a node turns by a radian about axes of its own, squared, in squares of the bound:
/// the mean over sampled poses.
fn metric(encoder: &Encoder<'_>, node: usize, poses: &Poses) -> Matrix {
    let source = encoder.job.source;
    let samples = (0..poses.moments()).map(|sample| {
        let (of, _) = leverage(source.skeleton, source.probe_radii[node], poses, node, sample);
        let turn = poses.global(node, sample).to_transform().rotation;
        let own = AXES.map(|axis| quat::rotate(turn, axis));
        own.map(|a| own.map(|b| dot(a, of.map(|row| dot(row, b)))))
    });
    let sum = samples.fold([[0.0; 3]; 3], |sum, sample| [0, 1, 2].map(|i| [0, 1, 2].map(|j| sum[i][j] + sample[i][j])));
    let bound = encoder.job.bound;
    sum.map(|row| row.map(|sum| sum / (bound * bound * poses.moments() as f64)))
}

/// A curve through the rows of all keys, with the numbers of keys as its times. Splines may leave the range
/// of floats.
fn at_keys<'v>(width: usize, rows: impl IntoIterator<Item = &'v f64>) -> Curve {
    let float = |v: &f64| if v.is_nan() { 0.0 } else { v.clamp(f32::MIN.into(), f32::MAX.into()) as f32 };
    let values: Vec<f32> = rows.into_iter().map(float).collect();
    let times: Vec<f32> = (0..values.len() / width).map(|key| key as f32).collect();
    Curve::new(Interpolation::Linear, width, times, values).expect("times increase, values are finite")
}

/// The part of a curve at some of its keys.
fn part(curve: &Curve, keys: &Range<usize>) -> Curve {
    let values = &curve.values()[keys.start * curve.width()..keys.end * curve.width()];
    Curve::new(Interpolation::Linear, curve.width(), &curve.times()[keys.clone()], values)
        .expect("keys of a valid curve are valid")
}
