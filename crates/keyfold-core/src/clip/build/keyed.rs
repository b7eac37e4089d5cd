//! Tracks that have a key at every time: what they should have there, and the grids that their codes may be on.

use super::codec::{Grids, number_level};
use super::frame::{Frame, axes, folded, mean};
use super::keys::spatial;
use super::measure::Reference;
use super::plan::Role;
use super::{Encoder, Job, range};
use crate::engine::leverage;
use crate::quat::{self, Quat};
use crate::vector::{AXES, Matrix, form};
use alloc::vec::Vec;

/// A track, or of what moves no points one component of it.
pub(super) struct Keyed {
    /// Its number among the planned tracks.
    pub(super) planned: usize,
    /// How many components codes have.
    pub(super) components: usize,
    pub(super) grids: Grids,
    /// By key; rotations on the side of the sphere on which their parameters are.
    pub(super) values: Vec<[f64; 4]>,
    /// The level throughout of what moves no points.
    pub(super) level: Option<u8>,
}

/// How many times as coarse as its finest component another of a rotation may be.
const SPREAD: f64 = 3.3;
/// How many keys of a track are looked at for its axes.
const LOOKS: usize = 32;

impl Keyed {
    /// All of a plan; `turned`: rotations in the axes in which they take the fewest bits.
    pub(super) fn all(encoder: &Encoder<'_>, turned: bool) -> Vec<Self> {
        let Encoder { job, plan, keys, reference } = encoder;
        let mut all = Vec::new();
        for (planned, track) in plan.tracks.iter().enumerate() {
            // What curves leave of the tolerance, or a little where that is nothing.
            let left = track.source.tolerance * (1.0 - keys.stray).max(0.1);
            match (&track.role, spatial(track.source)) {
                (Role::Held(_), _) => {}
                (Role::Rotation(q), Some(moved)) => {
                    all.push(Self::rotation(planned, q, turned, &metric(job, reference, moved.node, q), None));
                }
                (Role::Rotation(q), None) => all.push(Self::rotation(planned, q, turned, &AXES, Some(TURN * left))),
                (Role::Numbers(rows), Some(_)) => {
                    all.push(Self::numbers(planned, rows, track.source.curve.width(), None))
                }
                (Role::Numbers(rows), None) => {
                    let width = track.source.curve.width();
                    let component = |c: usize| rows.iter().skip(c).step_by(width).copied().collect::<Vec<f64>>();
                    // Short of twice that, for the rounding of floats.
                    all.extend((0..width).map(|c| Self::numbers(planned, &component(c), 1, Some(1.99 * left))));
                }
            }
        }
        all
    }

    fn rotation(planned: usize, rotations: &[Quat], turned: bool, metric: &Matrix, step: Option<f64>) -> Self {
        let mean = mean(rotations);
        let frame = Frame::new(mean, &if turned { axes(rotations, mean, metric) } else { AXES });
        let inner: Vec<Quat> = rotations.iter().map(|q| frame.inner(*q)).collect();
        let values = folded(&inner).into_iter().map(|m| frame.outer(m)).collect();
        // At level 0, one step of each component misses by four times the bound.
        let coarsest = AXES.map(|axis| {
            let missed = libm::sqrt(form(metric, &quat::rotate(quat::conjugate(frame.right.quat()), axis)));
            libm::round(8.0 * libm::log2(missed.max(1e-9))).clamp(0.0, 168.0) as u8
        });
        let most = coarsest.iter().copied().fold(0, u8::max);
        let least = most.saturating_sub((8.0 * libm::log2(SPREAD)) as u8);
        let grids = Grids::Rotation { frame, bytes: coarsest.map(|byte| byte.max(least)) };
        Self { planned, components: 3, level: step.map(|step| grids.level(step)), grids, values }
    }

    fn numbers(planned: usize, rows: &[f64], width: usize, step: Option<f64>) -> Self {
        let ranges = [0, 1, 2].map(|c| range(rows.iter().copied().skip(c).step_by(width)));
        let ranges = [0, 1, 2].map(|c| if c < width { ranges[c] } else { (0.0, 0.0) });
        let origin = ranges.map(|(low, high)| (low + (high - low) / 2.0) as f32);
        // Codes have 24 bits, and floats no more; a difference may be as large as the range, with a sign.
        let widest = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let finest = number_level((widest / f64::from(1 << 22)).max(f64::from(f32::MIN_POSITIVE)));
        let grids = Grids::Numbers { origin, finest };
        let value = |row: &[f64]| [0, 1, 2, 3].map(|c| row.get(c).copied().unwrap_or(0.0));
        let values = rows.chunks_exact(width).map(value).collect();
        Self { planned, components: width, level: step.map(|step| grids.level(step)), grids, values }
    }
}

/// Radians that a step of a rotation may have which moves no points, for each unit that a component of the quaternion may be off: three parameters add up.
const TURN: f64 = 2.3;

/// How far points miss, in squares of the bound, where a node turns by a radian about axes of its own.
fn metric(job: &Job<'_>, reference: &Reference<'_>, node: usize, rotations: &[Quat]) -> Matrix {
    let (skeleton, poses) = (job.source.skeleton, &reference.at_keys);
    let every = rotations.len().div_ceil(LOOKS).max(1);
    let looks: Vec<Matrix> = (0..rotations.len())
        .step_by(every)
        .map(|key| {
            let (of, _) = leverage(skeleton, job.source.probe_radii[node], poses, node, key);
            let turn = poses.global(node, key).to_transform().rotation;
            let own = AXES.map(|axis| quat::rotate(turn, axis));
            own.map(|a| own.map(|b| (0..3).map(|i| a[i] * (0..3).map(|j| of[i][j] * b[j]).sum::<f64>()).sum::<f64>()))
        })
        .collect();
    let scale = 1.0 / (job.bound() * job.bound() * looks.len() as f64);
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| scale * looks.iter().map(|look| look[i][j]).sum::<f64>()))
}
