//! Decides which tracks are constant, exact or keyed, and which are not stored.

use super::keys::{KeyTimes, duration, spatial};
use super::{Job, SourceTrack, range};
use crate::clip::coding::MAX_BITS;
use crate::clip::constant::ConstantGrid;
use crate::clip::directory::{Directory, Layout};
use crate::clip::step::StepTrack;
use crate::clip::track::{Form, Track};
use crate::curve::{Curve, Interpolation, difference};
use crate::engine::farthest;
use crate::quat;
use alloc::{string::ToString, vec::Vec};

/// The share of the bound that a constant may take. The joints below compensate for most of it.
const CONSTANT_SHARE: f64 = 0.05;
/// The least distance by which a unit of a track is assumed to move points.
const LEAST_REACH: f64 = 1e-12;

/// A track that is stored.
#[derive(Clone, Debug)]
pub(super) struct Planned<'a> {
    pub(super) source: &'a SourceTrack<'a>,
    /// The curve that it should play.
    pub(super) wanted: &'a Curve,
    /// The source's values at the keys, row by row.
    pub(super) rows: Vec<f64>,
    /// The constant or the steps as they will be played; `None` if there are codes at every key.
    pub(super) held: Option<Curve>,
}

/// Everything of a clip except its codes.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    pub(super) tracks: Vec<Planned<'a>>,
    /// The directory that will be written. The layout of the keys and their grids are not yet decided.
    pub(super) directory: Directory,
}

impl<'a> Plan<'a> {
    /// `wanted` are the curves that the tracks of the source should play.
    pub(super) fn new(job: &Job<'a>, keys: &KeyTimes, wanted: &[&'a Curve]) -> Self {
        let allowed = allowed(job);
        let directory = Directory {
            name: job.source.name.to_string(),
            index: job.source.index,
            duration: duration(job.source),
            timing: keys.timing.clone(),
            tracks: Vec::new(),
            constants: Vec::new(),
            grid: grid(job, &allowed),
            steps: Vec::new(),
            rotations: Vec::new(),
            scalars: Vec::new(),
            layout: Layout::Fixed { bits: MAX_BITS },
        };
        let mut plan = Self { tracks: Vec::new(), directory };
        for ((source, wanted), allowed) in job.source.tracks.iter().zip(wanted).zip(allowed) {
            plan.add(Planned { source, wanted, rows: keys.values(&source.target, source.curve), held: None }, allowed);
        }
        plan
    }

    /// Adds a track, unless it never leaves its rest value. `allowed` is the largest error of a constant.
    fn add(&mut self, mut track: Planned<'a>, allowed: f64) {
        let (curve, target, directory) = (track.source.curve, &track.source.target, &mut self.directory);
        let held = |times: &[f32], values: Vec<f32>| {
            Curve::new(Interpolation::Step, curve.width(), times, values).unwrap_or_else(|_| curve.clone())
        };
        let form = if curve.interpolation() == Interpolation::Step && !curve.is_constant() {
            let step =
                StepTrack { times: curve.times().to_vec(), values: exact(track.source, curve.values().to_vec()) };
            track.held = Some(held(&step.times, step.values.clone()));
            directory.steps.push(step);
            Form::Step
        } else if let Some(value) = still(&track, allowed) {
            if is_rest(track.source, &value, allowed) {
                return;
            }
            let value = rounded(track.source, &value, allowed, &directory.grid);
            track.held = Some(held(&[0.0], value.clone()));
            directory.constants.push(value);
            Form::Constant
        } else {
            Form::Keyed
        };
        let (target, width, offset) = (target.clone(), curve.width(), directory.pose_len());
        directory.tracks.push(Track { target, width, form, offset });
        self.tracks.push(track);
    }
}

/// Values that are stored exactly. Rotations are normalized.
fn exact(track: &SourceTrack<'_>, mut values: Vec<f32>) -> Vec<f32> {
    if track.target.is_rotation() {
        quat::normalize_keys(&mut values);
    }
    values
}

/// The value that represents all rows; `None` if they are too far apart.
fn still(track: &Planned<'_>, allowed: f64) -> Option<Vec<f64>> {
    let width = track.source.curve.width();
    let ranges: Vec<_> = (0..width).map(|c| range(track.rows.iter().copied().skip(c).step_by(width))).collect();
    // Half a unit of a quaternion is a radian: the middle of a rotation's range is off by the range in
    // radians.
    let apart = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    (apart <= allowed).then(|| ranges.iter().map(|(low, high)| low + (high - low) / 2.0).collect())
}

fn is_rest(track: &SourceTrack<'_>, value: &[f64], allowed: f64) -> bool {
    let Some(rest) = track.rest.as_ref().filter(|r| r.len() == value.len()) else { return false };
    let rest: Vec<f64> = rest.iter().map(|r| f64::from(*r)).collect();
    difference(track.target.kind(), value, &rest) <= allowed
}

/// By track: the largest error of a constant, as an angle, as a distance, or of any component if the track
/// moves no points.
fn allowed(job: &Job<'_>) -> Vec<f64> {
    let moving: Vec<_> = job.source.tracks.iter().filter_map(spatial).collect();
    let mut reaches = farthest(&job.source.motion(), &moving, job.probes).into_iter();
    let allowed = |track| match spatial(track).and_then(|_| reaches.next()) {
        Some(reach) => CONSTANT_SHARE * job.bound / reach.max(LEAST_REACH),
        None => 0.5 * track.tolerance,
    };
    job.source.tracks.iter().map(allowed).collect()
}

/// The grid of constants that move points: fine enough for the track with the farthest reach.
fn grid(job: &Job<'_>, allowed: &[f64]) -> ConstantGrid {
    let [mut angle, mut distance] = [CONSTANT_SHARE * job.bound / LEAST_REACH; 2];
    for (track, allowed) in job.source.tracks.iter().zip(allowed).filter(|(track, _)| spatial(track).is_some()) {
        let least = if track.target.is_rotation() { &mut angle } else { &mut distance };
        *least = least.min(*allowed);
    }
    ConstantGrid::within(angle, distance)
}

/// The nearest value on the grid if the track moves points and the grid is near enough; otherwise the value
/// itself.
fn rounded(track: &SourceTrack<'_>, value: &[f64], allowed: f64, grid: &ConstantGrid) -> Vec<f32> {
    let near = match *value {
        [x, y, z, w] if track.target.is_rotation() => grid.rotation([x, y, z, w]).to_vec(),
        _ => value.iter().map(|v| grid.number(*v)).collect(),
    };
    let off = difference(track.target.kind(), value, &near.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
    match spatial(track).is_some() && off <= 2.0 * allowed {
        true => near,
        false => exact(track, value.iter().map(|v| *v as f32).collect()),
    }
}
