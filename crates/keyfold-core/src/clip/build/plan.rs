//! Which tracks are constant, exact or keyed, and which need not be stored at all.

use super::code::range;
use super::keys::{KeyTimes, kind, spatial};
use super::{Job, SourceTrack};
use crate::clip::constant::{Constant, ConstantGrid, Number};
use crate::clip::head::signed_bits;
use crate::clip::small_quat::SmallQuat;
use crate::clip::step::StepTrack;
use crate::clip::track::{Form, Track};
use crate::curve::{Curve, Interpolation, difference};
use crate::quat::{self, Quat};
use crate::skeleton::Property;
use alloc::vec::Vec;

/// The part of the bound that a constant may take: what hangs below makes up for most of it.
const CONSTANT_SHARE: f64 = 0.05;

/// What becomes of a track.
#[derive(Clone, Debug)]
pub(super) enum Role {
    Constant(Constant),
    Step(StepTrack),
    /// A rotation at every key.
    Rotation(Vec<Quat>),
    /// Components at every key, row by row.
    Numbers(Vec<f64>),
}

/// A track that is stored.
#[derive(Clone, Debug)]
pub(super) struct Planned<'a> {
    pub(super) source: &'a SourceTrack<'a>,
    pub(super) track: Track,
    pub(super) role: Role,
    /// What is played of a track that has no keys of the clip's.
    pub(super) held: Option<Curve>,
}

/// All tracks that are stored.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    pub(super) tracks: Vec<Planned<'a>>,
    pub(super) grid: ConstantGrid,
}

impl<'a> Plan<'a> {
    pub(super) fn new(job: &Job<'a>, keys: &KeyTimes) -> Self {
        let mut plan = Self { tracks: Vec::new(), grid: grid(job) };
        let mut offset = 0;
        for source in job.source.tracks {
            let Some(role) = role(job, keys, source, &plan.grid) else { continue };
            let (target, width) = (source.target.clone(), source.curve.width());
            let (form, held) = match &role {
                Role::Constant(constant) => (Form::Constant, Curve::constant(0.0, constant.values(&plan.grid)).ok()),
                Role::Step(step) => {
                    (Form::Step, Curve::new(Interpolation::Step, width, &*step.times, &*step.values).ok())
                }
                Role::Rotation(_) | Role::Numbers(_) => (Form::Keyed, None),
            };
            if let Role::Constant(Constant::Numbers(numbers)) = &role {
                plan.grid.bits = numbers.iter().map(code_bits).fold(plan.grid.bits, u32::max);
            }
            plan.tracks.push(Planned { source, track: Track { target, width, form, offset }, role, held });
            offset += width;
        }
        plan
    }
}

/// What a track becomes, or nothing where it never leaves its rest.
fn role(job: &Job<'_>, keys: &KeyTimes, track: &SourceTrack<'_>, grid: &ConstantGrid) -> Option<Role> {
    if track.curve.interpolation() == Interpolation::Step && !track.curve.is_constant() {
        let mut values = track.curve.values().to_vec();
        if track.target.is_rotation() {
            quat::normalize_keys(&mut values);
        }
        return Some(Role::Step(StepTrack { times: track.curve.times().to_vec(), values }));
    }
    let values = keys.values(track);
    match still(job, track, &values) {
        Some(value) if is_rest(job, track, &value) => None,
        Some(value) => Some(Role::Constant(rounded(job, track, &value, grid))),
        None if track.target.is_rotation() => Some(Role::Rotation(values.as_chunks().0.to_vec())),
        None => Some(Role::Numbers(values)),
    }
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
    difference(kind(&track.target), value, &rest) <= allowed(job, track)
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
    let allowed = |property: Property| {
        CONSTANT_SHARE * job.bound() / job.reach.iter().map(|reach| reach.of(property)).fold(1e-12, f64::max)
    };
    // A step is 1.41 / 2^bits of a component; three off by half a step turn by up to three and a half.
    let quat_bits = libm::ceil(libm::log2(5.0 / allowed(Property::Rotation))).clamp(2.0, 18.0) as u32;
    let off = allowed(Property::Translation).min(allowed(Property::Scale));
    ConstantGrid { quat_bits, bits: 0, exponent: libm::ceil(-libm::log2(off)).clamp(-30.0, 100.0) as i32 }
}

/// Bits of a number on the grid.
fn code_bits(number: &Number) -> u32 {
    match *number {
        Number::Grid(code) => signed_bits(code.min(0), code.max(0)),
        Number::Exact(_) => 0,
    }
}

/// Numbers of the grid are smaller: those of one clip have the same number of bits, 31 at most.
const GRID_END: f64 = (1 << 30) as f64;

/// A value on the grid, where that is near enough.
fn rounded(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f64], grid: &ConstantGrid) -> Constant {
    let is_spatial = spatial(track).is_some();
    if let (true, &[x, y, z, w]) = (track.target.is_rotation(), value) {
        let q = quat::normalize([x, y, z, w]);
        let small = SmallQuat::new(q, grid.quat_bits);
        return match is_spatial && quat::angle(small.quat(), q) <= 2.0 * allowed(job, track) {
            true => Constant::Rotation(small),
            false => Constant::Numbers(q.map(|c| Number::Exact(c as f32)).to_vec()),
        };
    }
    let number = |v: &f64| match libm::round(libm::ldexp(*v, grid.exponent)) {
        code if is_spatial && ![0.0, 1.0].contains(v) && libm::fabs(code) < GRID_END => Number::Grid(code as i32),
        _ => Number::Exact(*v as f32),
    };
    Constant::Numbers(value.iter().map(number).collect())
}
