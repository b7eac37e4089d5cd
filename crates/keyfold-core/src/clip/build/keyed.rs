//! Tracks that have a key at every time: what they should have there, and the grids that their codes may be on; with what else moves points, as the engine is given it.

use super::codec::{FINEST_BYTE, Grids, number_level};
use super::frame::{Frame, axes, folded, mean};
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

/// A track, or of what moves no points one component of it.
pub(super) struct Keyed {
    /// How many components codes have.
    pub(super) components: usize,
    pub(super) grids: Grids,
    /// By key; rotations on the side of the sphere on which their parameters are.
    pub(super) values: Vec<[f64; 4]>,
    /// The level throughout of what moves no points.
    pub(super) level: Option<u8>,
}

/// A track that moves points. Times are the numbers of keys.
pub(super) struct Moving<'a> {
    track: Track<'a>,
    /// Its values at the keys.
    values: Curve,
    /// The same as they are stored, where that is settled.
    held: Option<Curve>,
    /// The number of its keyed track, where there is one.
    pub(super) keyed: Option<usize>,
}

/// All tracks of a plan that the keys are about.
pub(super) struct Tracks<'a> {
    /// Rotations first: the order in which codes are written.
    pub(super) keyed: Vec<Keyed>,
    pub(super) moving: Vec<Moving<'a>>,
}

/// How many times as coarse as its finest component another of a rotation may be.
const SPREAD: f64 = 3.3;
/// How many keys are looked at for the axes of rotations.
const LOOKS: usize = 32;
/// Radians that a step of a rotation may have which moves no points, for each unit that a component of the quaternion may be off: three parameters add up.
const TURN: f64 = 2.3;
/// The same of a component of anything else: short of twice that, for the rounding of floats.
const STEP: f64 = 1.99;

impl<'a> Tracks<'a> {
    /// `turned`: rotations in the axes in which they take the fewest bits.
    pub(super) fn new(encoder: &Encoder<'a>, turned: bool) -> Self {
        let every = encoder.keys.len().div_ceil(LOOKS).max(1);
        let looks: Vec<Moment> = encoder.keys.times.iter().step_by(every).map(|time| Moment::at(*time)).collect();
        let poses = Poses::new(&encoder.job.source.motion(), &looks);
        let (rotations, others): (Vec<_>, Vec<_>) =
            encoder.plan.tracks.iter().partition(|track| track.source.target.is_rotation());
        let mut tracks = Self { keyed: Vec::new(), moving: Vec::new() };
        rotations.into_iter().chain(others).for_each(|track| tracks.add(encoder, track, turned, &poses));
        tracks
    }

    fn add(&mut self, encoder: &Encoder<'a>, planned: &Planned<'a>, turned: bool, poses: &Poses) {
        let Planned { source, rows, held, .. } = planned;
        let (moved, width, first) = (spatial(source), source.curve.width(), self.keyed.len());
        // What curves leave of the tolerance, or a little where that is nothing.
        let left = source.tolerance * (1.0 - encoder.keys.stray).max(0.1);
        match moved {
            _ if held.is_some() => {}
            _ if source.target.is_rotation() => {
                let metric = moved.map_or(AXES, |moved| metric(encoder, moved.node, poses));
                let step = moved.is_none().then_some(TURN * left);
                self.keyed.push(Keyed::rotation(rows.as_chunks().0, turned, &metric, step));
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

    /// Calls `run` with the job of some keys.
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
    fn rotation(rotations: &[Quat], turned: bool, metric: &Matrix, step: Option<f64>) -> Self {
        let mean = mean(rotations);
        let frame = Frame::new(mean, &if turned { axes(&folded(rotations, mean), mean, metric) } else { AXES });
        // At level 0, one step of each component misses by four times the bound.
        let coarsest = AXES.map(|axis| {
            let missed = libm::sqrt(form(metric, &quat::rotate(quat::conjugate(frame.right.quat()), axis)));
            libm::round(8.0 * libm::log2(missed.max(1e-9))).clamp(0.0, 168.0) as u8
        });
        let most = coarsest.iter().copied().fold(0, u8::max);
        let least = most.saturating_sub((8.0 * libm::log2(SPREAD)) as u8);
        let (values, bytes) = (folded(rotations, frame.middle()), coarsest.map(|byte| byte.max(least)));
        let finest = finest_byte(&values, frame.middle()).saturating_sub(most) / 2;
        let grids = Grids::Rotation { frame, bytes, finest };
        Self { components: 3, level: step.map(|step| grids.level(step)), grids, values }
    }

    fn numbers(rows: &[f64], width: usize, step: Option<f64>) -> Self {
        let column = |c: usize| range(rows.iter().copied().skip(c).step_by(width));
        let ranges = [0, 1, 2].map(|c| if c < width { column(c) } else { (0.0, 0.0) });
        let origin = ranges.map(|(low, high)| (low + (high - low) / 2.0) as f32);
        // Codes have 24 bits, and floats no more; a difference may be as large as the range, with a sign.
        let widest = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let finest = number_level((widest / f64::from(1 << 22)).max(f64::from(f32::MIN_POSITIVE)));
        let grids = Grids::Numbers { origin, finest };
        let value = |row: &[f64]| [0, 1, 2, 3].map(|c| row.get(c).copied().unwrap_or(0.0));
        let values = rows.chunks_exact(width).map(value).collect();
        Self { components: width, level: step.map(|step| grids.level(step)), grids, values }
    }
}

/// The byte of the finest step with which codes of rotations have 23 bits: compensated ones may need one more.
fn finest_byte(rotations: &[Quat], middle: Quat) -> u8 {
    let longest = |longest: f64, q: &Quat| {
        let cosine = quat::dot(middle, *q);
        longest.max(libm::sqrt((1.0 - cosine) / (1.0 + cosine).max(1e-12)))
    };
    let longest = rotations.iter().fold(1.0, longest);
    libm::floor(8.0 * (22.0 - libm::log2(longest))).clamp(0.0, FINEST_BYTE.into()) as u8
}

/// How far points miss, in squares of the bound, where a node turns by a radian about axes of its own.
fn metric(encoder: &Encoder<'_>, node: usize, poses: &Poses) -> Matrix {
    let source = encoder.job.source;
    let looks = (0..poses.moments()).map(|look| {
        let (of, _) = leverage(source.skeleton, source.probe_radii[node], poses, node, look);
        let turn = poses.global(node, look).to_transform().rotation;
        let own = AXES.map(|axis| quat::rotate(turn, axis));
        own.map(|a| own.map(|b| dot(a, of.map(|row| dot(row, b)))))
    });
    let sum = looks.fold([[0.0; 3]; 3], |sum, look| [0, 1, 2].map(|i| [0, 1, 2].map(|j| sum[i][j] + look[i][j])));
    let bound = encoder.job.bound;
    sum.map(|row| row.map(|sum| sum / (bound * bound * poses.moments() as f64)))
}

/// Rows at all keys as a curve whose times are the numbers of keys. Splines may leave the range of floats.
fn at_keys<'v>(width: usize, rows: impl IntoIterator<Item = &'v f64>) -> Curve {
    let float = |v: &f64| if v.is_nan() { 0.0 } else { v.clamp(f32::MIN.into(), f32::MAX.into()) as f32 };
    let values: Vec<f32> = rows.into_iter().map(float).collect();
    let times: Vec<f32> = (0..values.len() / width).map(|key| key as f32).collect();
    Curve::new(Interpolation::Linear, width, times, values).expect("numbers ascend, values are finite")
}

/// A curve through some of its keys.
fn part(curve: &Curve, keys: &Range<usize>) -> Curve {
    let values = &curve.values()[keys.start * curve.width()..keys.end * curve.width()];
    Curve::new(Interpolation::Linear, curve.width(), &curve.times()[keys.clone()], values)
        .expect("keys of a curve make one")
}
