//! Which tracks are constant, exact or keyed, and which need not be stored at all.

use super::code::range;
use super::keys::{KeyTimes, kind, spatial};
use super::{Job, SourceTrack};
use crate::clip::constant::{Constant, ConstantGrid, Number};
use crate::clip::head::signed_bits;
use crate::clip::small_quat::SmallQuat;
use crate::clip::step::StepTrack;
use crate::clip::track::{Form, Track};
use crate::clip::{NodeProperty, Target};
use crate::curve::{Curve, Interpolation, difference};
use crate::quat::{self, Quat};
use crate::skeleton::Skeleton;
use alloc::vec::Vec;

/// The part of the bound that a constant may take: what hangs below makes up for most of it.
const CONSTANT_SHARE: f64 = 0.05;
/// The part of the bound within which a value counts as the rest pose.
const REST_SHARE: f64 = 0.01;

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
pub(super) struct Planned {
    /// Which of the source's tracks.
    pub(super) source: usize,
    pub(super) track: Track,
    pub(super) role: Role,
}

/// All tracks that are stored.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) tracks: Vec<Planned>,
    pub(super) grid: ConstantGrid,
}

impl Planned {
    /// What is played of a track that has no keys of its own.
    pub(super) fn held(&self, grid: &ConstantGrid) -> Option<Curve> {
        match &self.role {
            Role::Constant(constant) => Curve::constant(0.0, constant.values(grid)).ok(),
            Role::Step(step) => Curve::new(Interpolation::Step, self.track.width, &*step.times, &*step.values).ok(),
            Role::Rotation(_) | Role::Numbers(_) => None,
        }
    }
}

impl Plan {
    pub(super) fn new(job: &Job<'_>, keys: &KeyTimes) -> Self {
        let (mut tracks, mut offset) = (Vec::new(), 0);
        for (source, track) in job.source.tracks.iter().enumerate() {
            let Some(role) = role(job, keys, track) else { continue };
            let (target, width) = (track.target.clone(), track.curve.width());
            tracks.push(Planned { source, track: Track { target, width, form: role.form(), offset }, role });
            offset += width;
        }
        let grid = grid(job, &tracks);
        for Planned { source, role, .. } in &mut tracks {
            if let Role::Constant(constant) = role {
                *constant = rounded(job, &job.source.tracks[*source], &constant.values(&grid), &grid);
            }
        }
        Self { tracks, grid }
    }
}

impl Role {
    fn form(&self) -> Form {
        match self {
            Self::Constant(_) => Form::Constant,
            Self::Step(_) => Form::Step,
            Self::Rotation(_) | Self::Numbers(_) => Form::Keyed,
        }
    }
}

/// What a track becomes, constants exact as yet, or nothing where it never leaves its rest.
fn role(job: &Job<'_>, keys: &KeyTimes, track: &SourceTrack<'_>) -> Option<Role> {
    if track.curve.interpolation() == Interpolation::Step && !track.curve.is_constant() {
        return Some(Role::Step(exact(track)));
    }
    let values = keys.values(track);
    match still(job, track, &values) {
        Some(value) if at_rest(job, track, &value) => None,
        Some(value) => {
            Some(Role::Constant(Constant::Numbers(value.iter().map(|v| Number::Exact(*v as f32)).collect())))
        }
        None if track.target.is_rotation() => Some(Role::Rotation(values.as_chunks().0.to_vec())),
        None => Some(Role::Numbers(values)),
    }
}

fn exact(track: &SourceTrack<'_>) -> StepTrack {
    let mut values = track.curve.values().to_vec();
    if track.target.is_rotation() {
        values.as_chunks_mut().0.iter_mut().for_each(|q| *q = quat::normalize(q.map(f64::from)).map(|c| c as f32));
    }
    StepTrack { times: track.curve.times().to_vec(), values }
}

/// The one value that stands for all rows, where one does.
fn still(job: &Job<'_>, track: &SourceTrack<'_>, values: &[f64]) -> Option<Vec<f64>> {
    let width = track.curve.width();
    let ranges: Vec<_> = (0..width).map(|c| range(values.iter().copied().skip(c).step_by(width))).collect();
    let apart = || ranges.iter().map(|(low, high)| (high - low) / 2.0);
    let (off, allowed) = match spatial(track) {
        // Half a unit of a quaternion is a radian.
        Some(_) if track.target.is_rotation() => (2.0 * length(apart()), allowed(job, track)),
        Some(_) => (length(apart()), allowed(job, track)),
        None => (apart().fold(0.0, f64::max), 0.5 * track.tolerance),
    };
    (off == 0.0 || off < allowed).then(|| ranges.iter().map(|(low, high)| low + (high - low) / 2.0).collect())
}

fn length(v: impl Iterator<Item = f64>) -> f64 {
    libm::sqrt(v.map(|c| c * c).sum())
}

fn at_rest(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f64]) -> bool {
    let Some(rest) = track.rest.as_ref().filter(|r| r.len() == value.len()) else { return false };
    let rest: Vec<f64> = rest.iter().map(|r| f64::from(*r)).collect();
    let allowed = spatial(track).map_or(0.0, |_| REST_SHARE * job.bound());
    difference(kind(&track.target), value, &rest) * job.reach_of(track).max(1e-12) <= allowed
}

/// How far a constant that moves points may be off.
fn allowed(job: &Job<'_>, track: &SourceTrack<'_>) -> f64 {
    CONSTANT_SHARE * job.bound() / job.reach_of(track).max(1e-12)
}

/// A grid fine enough for every constant that moves points.
fn grid(job: &Job<'_>, tracks: &[Planned]) -> ConstantGrid {
    let mut grid = ConstantGrid { quat_bits: 2, bits: 0, exponent: -30 };
    let mut numbers = Vec::new();
    for planned in tracks {
        let (Role::Constant(constant), track) = (&planned.role, &job.source.tracks[planned.source]) else { continue };
        if spatial(track).is_none() {
            continue;
        }
        if track.target.is_rotation() {
            // A step is 1.41 / 2^bits of a component; three off by half a step turn by up to three and a half.
            let bits = libm::ceil(libm::log2(5.0 / allowed(job, track))).clamp(2.0, 18.0) as u32;
            grid.quat_bits = grid.quat_bits.max(bits);
        } else {
            let exponent = libm::ceil(-libm::log2(allowed(job, track))).clamp(-30.0, 100.0) as i32;
            grid.exponent = grid.exponent.max(exponent);
            numbers.extend(constant.values(&grid));
        }
    }
    let code = |v: &f32| libm::round(libm::ldexp((*v).into(), grid.exponent)).clamp(-1e9, 1e9) as i32;
    let (least, most) = numbers.iter().map(code).fold((0, 0), |(a, b), code| (a.min(code), b.max(code)));
    ConstantGrid { bits: signed_bits(least, most).min(31), ..grid }
}

/// A value on the grid, where that is near enough.
fn rounded(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f32], grid: &ConstantGrid) -> Constant {
    if let (true, [x, y, z, w]) = (track.target.is_rotation(), value) {
        let q = quat::normalize([*x, *y, *z, *w].map(f64::from));
        let small = SmallQuat::new(q, grid.quat_bits);
        return match spatial(track).is_some() && quat::angle(small.quat(), q) <= 2.0 * allowed(job, track) {
            true => Constant::Rotation(small),
            false => Constant::Numbers(q.map(|c| Number::Exact(c as f32)).to_vec()),
        };
    }
    let number = |v: &f32| match spatial(track) {
        _ if v.to_bits() == 0 => Number::Zero,
        _ if *v == 1.0 => Number::One,
        Some(_) if grid.bits < 31 => Number::Grid(libm::round(libm::ldexp((*v).into(), grid.exponent)) as i32),
        _ => Number::Exact(*v),
    };
    Constant::Numbers(value.iter().map(number).collect())
}

/// Whether a track's node exists and its curve has as many components as its target.
pub(super) fn fits(skeleton: &Skeleton, track: &SourceTrack<'_>) -> bool {
    let width = track.curve.width();
    match track.target {
        Target::Pointer(_, rotation) => !rotation || width == 4,
        Target::Node(node, property) => {
            (node as usize) < skeleton.len()
                && match property {
                    NodeProperty::Translation | NodeProperty::Scale => width == 3,
                    NodeProperty::Rotation => width == 4,
                    NodeProperty::Weights => true,
                    NodeProperty::TranslationAxis(a) | NodeProperty::ScaleAxis(a) => width == 1 && a < 3,
                }
        }
    }
}
