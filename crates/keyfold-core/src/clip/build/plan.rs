//! Which tracks are constant, exact or keyed, and which need not be stored at all.

use super::keys::{KeyTimes, duration, spatial};
use super::{Job, SourceTrack, range};
use crate::clip::coding::MAX_BITS;
use crate::clip::constant::ConstantGrid;
use crate::clip::directory::{Directory, Layout};
use crate::clip::step::StepTrack;
use crate::clip::track::{Form, Track};
use crate::curve::{Curve, Interpolation, difference};
use crate::quat::{self, Quat};
use crate::skeleton::Property;
use alloc::{string::ToString, vec::Vec};

/// The part of the bound that a constant may take: what hangs below makes up for most of it.
const CONSTANT_SHARE: f64 = 0.05;

/// What becomes of a track.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// A constant or steps, as they will be played.
    Held(Curve),
    /// A rotation at every key.
    Rotation(Vec<Quat>),
    /// Components at every key, row by row.
    Numbers(Vec<f64>),
}

/// A track that is stored.
#[derive(Clone, Debug)]
pub(super) struct Planned<'a> {
    pub(super) source: &'a SourceTrack<'a>,
    pub(super) role: Role,
}

/// All of a clip but its codes.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    pub(super) tracks: Vec<Planned<'a>>,
    /// What will be written; how the keys lie, and on which grids, is open.
    pub(super) directory: Directory,
}

impl<'a> Plan<'a> {
    pub(super) fn new(job: &Job<'a>, keys: &KeyTimes) -> Self {
        let directory = Directory {
            name: job.source.name.to_string(),
            index: job.source.index,
            duration: duration(job.source),
            timing: keys.timing.clone(),
            tracks: Vec::new(),
            constants: Vec::new(),
            grid: grid(job),
            steps: Vec::new(),
            rotations: Vec::new(),
            scalars: Vec::new(),
            layout: Layout::Fixed { bits: MAX_BITS },
        };
        let mut plan = Self { tracks: Vec::new(), directory };
        job.source.tracks.iter().for_each(|track| plan.add(job, keys, track));
        plan
    }

    /// Takes in a track, unless it never leaves its rest.
    fn add(&mut self, job: &Job<'_>, keys: &KeyTimes, source: &'a SourceTrack<'a>) {
        let (curve, directory) = (source.curve, &mut self.directory);
        let held = |times: &[f32], values: Vec<f32>| {
            Role::Held(Curve::new(Interpolation::Step, curve.width(), times, values).unwrap_or_else(|_| curve.clone()))
        };
        let values = keys.values(source);
        let (form, role) = if curve.interpolation() == Interpolation::Step && !curve.is_constant() {
            let step = StepTrack { times: curve.times().to_vec(), values: exact(source, curve.values().to_vec()) };
            directory.steps.push(step.clone());
            (Form::Step, held(&step.times, step.values))
        } else if let Some(value) = still(job, source, &values) {
            if is_rest(job, source, &value) {
                return;
            }
            let value = rounded(job, source, &value, &directory.grid);
            directory.constants.push(value.clone());
            (Form::Constant, held(&[0.0], value))
        } else if source.target.is_rotation() {
            (Form::Keyed, Role::Rotation(values.as_chunks().0.to_vec()))
        } else {
            (Form::Keyed, Role::Numbers(values))
        };
        let (target, width, offset) = (source.target.clone(), curve.width(), directory.pose_len());
        directory.tracks.push(Track { target, width, form, offset });
        self.tracks.push(Planned { source, role });
    }
}

/// Values that are stored as they are; rotations of length one.
fn exact(track: &SourceTrack<'_>, mut values: Vec<f32>) -> Vec<f32> {
    if track.target.is_rotation() {
        quat::normalize_keys(&mut values);
    }
    values
}

/// The one value that stands for all rows, where one does.
fn still(job: &Job<'_>, track: &SourceTrack<'_>, values: &[f64]) -> Option<Vec<f64>> {
    let width = track.curve.width();
    let ranges: Vec<_> = (0..width).map(|c| range(values.iter().copied().skip(c).step_by(width))).collect();
    // Half a unit of a quaternion is a radian.
    let apart = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    (apart <= allowed(job, track)).then(|| ranges.iter().map(|(low, high)| low + (high - low) / 2.0).collect())
}

fn is_rest(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f64]) -> bool {
    let Some(rest) = track.rest.as_ref().filter(|r| r.len() == value.len()) else { return false };
    let rest: Vec<f64> = rest.iter().map(|r| f64::from(*r)).collect();
    difference(track.target.kind(), value, &rest) <= allowed(job, track)
}

/// How far a constant may be off: an angle, a distance, or any component where it moves no points.
fn allowed(job: &Job<'_>, track: &SourceTrack<'_>) -> f64 {
    match spatial(track) {
        Some(moved) => CONSTANT_SHARE * job.bound() / job.reach(moved.node, moved.property).max(1e-12),
        None => 0.5 * track.tolerance,
    }
}

/// The grid of constants that move points: fine enough for whatever reaches farthest.
fn grid(job: &Job<'_>) -> ConstantGrid {
    let nodes = || 0..job.source.skeleton.len();
    let reach = |property| nodes().map(|node| job.reach(node, property)).fold(1e-12, f64::max);
    let allowed = |property| CONSTANT_SHARE * job.bound() / reach(property);
    ConstantGrid::within(allowed(Property::Rotation), allowed(Property::Translation).min(allowed(Property::Scale)))
}

/// A value on the grid, where it moves points and that is near enough; else as it is.
fn rounded(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f64], grid: &ConstantGrid) -> Vec<f32> {
    let near = match *value {
        [x, y, z, w] if track.target.is_rotation() => grid.rotation([x, y, z, w]).to_vec(),
        _ => value.iter().map(|v| grid.number(*v)).collect(),
    };
    let off = difference(track.target.kind(), value, &near.iter().map(|v| f64::from(*v)).collect::<Vec<_>>());
    match spatial(track).is_some() && off <= 2.0 * allowed(job, track) {
        true => near,
        false => exact(track, value.iter().map(|v| *v as f32).collect()),
    }
}
