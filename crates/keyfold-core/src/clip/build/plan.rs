//! Which tracks are constant, exact or keyed, and which need not be stored at all.

use super::Job;
use super::SourceTrack;
use super::keys::{KeyTimes, spatial};
use crate::clip::constant::{Constant, ConstantGrid, Number};
use crate::clip::head::signed_bits;
use crate::clip::small_quat::SmallQuat;
use crate::clip::step::StepTrack;
use crate::clip::track::{Form, Track};
use crate::clip::{NodeProperty, Target};
use crate::curve::{Curve, Interpolation};
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

/// A track before its constant is rounded.
enum Draft {
    Still(Vec<f64>),
    Role(Role),
}

impl Plan {
    pub(super) fn new(job: &Job<'_>, keys: &KeyTimes) -> Self {
        let drafts: Vec<(usize, Draft)> =
            job.source.tracks.iter().enumerate().filter_map(|(i, t)| Some((i, draft(job, keys, t)?))).collect();
        let grid = grid(job, &drafts);
        let (mut tracks, mut offset) = (Vec::new(), 0);
        for (source, draft) in drafts {
            let of = &job.source.tracks[source];
            let role = match draft {
                Draft::Still(value) => Role::Constant(constant(job, of, &value, &grid)),
                Draft::Role(role) => role,
            };
            let width = of.curve.width();
            let track = Track { target: of.target.clone(), width, form: role.form(), offset };
            tracks.push(Planned { source, track, role });
            offset += width;
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

/// What a track becomes, or nothing where it never leaves its rest.
fn draft(job: &Job<'_>, keys: &KeyTimes, track: &SourceTrack<'_>) -> Option<Draft> {
    let step = track.curve.interpolation() == Interpolation::Step;
    if step && !track.curve.is_constant() {
        return Some(Draft::Role(Role::Step(exact(track))));
    }
    let values = keys.values(track);
    let width = track.curve.width();
    match still(job, track, &values, width) {
        Some(value) if at_rest(job, track, &value) => None,
        Some(value) => Some(Draft::Still(value)),
        None if track.target.is_rotation() => {
            Some(Draft::Role(Role::Rotation(values.chunks_exact(4).map(|q| [q[0], q[1], q[2], q[3]]).collect())))
        }
        None => Some(Draft::Role(Role::Numbers(values))),
    }
}

fn exact(track: &SourceTrack<'_>) -> StepTrack {
    let normal = |v: &[f32]| match (track.target.is_rotation(), v) {
        (true, [x, y, z, w]) => quat::normalize([*x, *y, *z, *w].map(f64::from)).map(|c| c as f32).to_vec(),
        _ => v.to_vec(),
    };
    let values = track.curve.values().chunks_exact(track.curve.width()).flat_map(normal).collect();
    StepTrack { times: track.curve.times().to_vec(), values }
}

/// The one value that stands for all rows, where one does.
fn still(job: &Job<'_>, track: &SourceTrack<'_>, values: &[f64], width: usize) -> Option<Vec<f64>> {
    let column = |c: usize| values.iter().skip(c).step_by(width);
    let ranges = (0..width).map(|c| {
        let least = column(c).copied().fold(f64::INFINITY, f64::min);
        (least, (column(c).copied().fold(f64::NEG_INFINITY, f64::max) - least) / 2.0)
    });
    let (least, apart): (Vec<f64>, Vec<f64>) = ranges.unzip();
    if apart.iter().all(|a| *a == 0.0) {
        return values.get(..width).map(<[f64]>::to_vec);
    }
    let share = match spatial(track) {
        // Half a unit of a quaternion is a radian.
        Some(_) => {
            let units = if track.target.is_rotation() { 2.0 } else { 1.0 };
            units * length4(&apart) * job.reach_of(track) / (CONSTANT_SHARE * job.bound())
        }
        None => apart.iter().fold(0.0, |m: f64, a| m.max(*a)) / (0.5 * track.tolerance),
    };
    (share < 1.0).then(|| least.iter().zip(&apart).map(|(least, apart)| least + apart).collect())
}

fn length4(v: &[f64]) -> f64 {
    libm::sqrt(v.iter().map(|c| c * c).sum())
}

fn at_rest(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f64]) -> bool {
    let Some(rest) = track.rest.as_ref().filter(|r| r.len() == value.len()) else { return false };
    let apart: Vec<f64> = value.iter().zip(rest).map(|(v, r)| v - f64::from(*r)).collect();
    if spatial(track).is_none() {
        return apart.iter().all(|a| *a == 0.0);
    }
    let off = match (track.target.is_rotation(), value, rest.as_slice()) {
        (true, [x, y, z, w], [rx, ry, rz, rw]) => {
            quat::angle(quat::normalize([*x, *y, *z, *w]), quat::normalize([*rx, *ry, *rz, *rw].map(f64::from)))
        }
        _ => length4(&apart),
    };
    off * job.reach_of(track) <= REST_SHARE * job.bound()
}

/// A grid fine enough for every constant that moves points.
fn grid(job: &Job<'_>, drafts: &[(usize, Draft)]) -> ConstantGrid {
    let stills = || {
        drafts.iter().filter_map(|(i, d)| match d {
            Draft::Still(value) => Some((&job.source.tracks[*i], value)),
            Draft::Role(_) => None,
        })
    };
    let (mut quat_bits, mut exponent, mut codes) = (2, -30, (0, 0));
    for (track, _) in stills().filter(|(t, _)| spatial(t).is_some()) {
        let allowed = CONSTANT_SHARE * job.bound() / job.reach_of(track).max(1e-12);
        if track.target.is_rotation() {
            // A step is 1.41 / 2^bits of a component; three off by half a step turn by up to three and a half.
            quat_bits = quat_bits.max(libm::ceil(libm::log2(5.0 / allowed)).clamp(2.0, 18.0) as u32);
        } else {
            exponent = exponent.max(libm::ceil(-libm::log2(allowed)).clamp(-30.0, 100.0) as i32);
        }
    }
    for (_, value) in stills().filter(|(t, _)| spatial(t).is_some() && !t.target.is_rotation()) {
        for v in value {
            let code = libm::round(libm::ldexp(*v, exponent)).clamp(-1e9, 1e9) as i32;
            codes = (codes.0.min(code), codes.1.max(code));
        }
    }
    ConstantGrid { quat_bits, bits: signed_bits(codes.0, codes.1).min(31), exponent }
}

fn constant(job: &Job<'_>, track: &SourceTrack<'_>, value: &[f64], grid: &ConstantGrid) -> Constant {
    let allowed = CONSTANT_SHARE * job.bound() / job.reach_of(track).max(1e-12);
    if let (true, [x, y, z, w]) = (track.target.is_rotation(), value) {
        let q = quat::normalize([*x, *y, *z, *w]);
        let small = SmallQuat::new(q, grid.quat_bits);
        return match spatial(track).is_some() && quat::angle(small.quat(), q) <= 2.0 * allowed {
            true => Constant::Rotation(small),
            false => Constant::Numbers(q.map(|c| Number::Exact(c as f32)).to_vec()),
        };
    }
    let number = |v: &f64| match spatial(track) {
        _ if v.to_bits() == 0 => Number::Zero,
        _ if *v == 1.0 => Number::One,
        Some(_) if grid.bits < 31 => Number::Grid(libm::round(libm::ldexp(*v, grid.exponent)) as i32),
        _ => Number::Exact(*v as f32),
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
