//! Segments of each form: two keys, their controls, and the effect of small changes.
//!
//! A piece is rounded to `f32`, as in a file, and blends as any curve does. Steps of rotations are rotation vectors in
//! the frame of the parent, the same everywhere in a piece.

use super::{
    minimax::{FREE, Sample},
    walk::Source,
};
use crate::{
    curve::{Curve, Interpolation, Kind, Location, controls, hermite},
    quat::{self, Quat},
    vector::Vector,
};
use alloc::{vec, vec::Vec};

/// The share of a step of each free vector at `s`: one for each control, then one for the end key.
fn bases(form: Interpolation, s: f64) -> [f64; FREE] {
    match form {
        Interpolation::Step | Interpolation::Linear => [s, 0.0, 0.0],
        Interpolation::CubicSpline => {
            let [_, leave, to, arrive] = hermite(s, 1.0);
            [leave, arrive, to]
        }
        Interpolation::CubicSlerp => {
            let h = 2.0 * s * (1.0 - s);
            [h * (1.0 - s), h * s, (1.0 - h) * s]
        }
    }
}

/// A segment of a new curve.
pub(super) struct Piece<'a> {
    source: &'a Source<'a>,
    /// Two keys and their controls. Its times are 0 and 1; the keys are `span` seconds apart.
    curve: Curve,
    span: f64,
}

impl<'a> Piece<'a> {
    /// The simplest segment between two keys; `None` if it leaves the range of floats.
    pub(super) fn new(source: &'a Source<'a>, span: f64, from: &[f64], to: &[f64]) -> Option<Self> {
        if source.kind == Kind::Vector {
            return Self::rounded(source, span, from, [quat::IDENTITY; 2], to);
        }
        let (from, to) = (to_quat(from), quat::toward(to_quat(from), to_quat(to)));
        if source.form == Interpolation::CubicSpline {
            let velocity = turn(from, to).map(|c| c / span);
            // The arc has the same axis in the frames of both keys.
            let own = quat::rotate(quat::conjugate(quat::normalize(from)), velocity);
            return Self::turning(source, span, [from, to], [own; 2]);
        }
        Self::rounded(source, span, &from, [from, to], &to)
    }

    /// The cubic segment with these velocities `at` its keys: rotation vectors per second in the keys' own frames.
    pub(super) fn turning(source: &'a Source<'a>, span: f64, [from, to]: [Quat; 2], at: [Vector; 2]) -> Option<Self> {
        let to = quat::toward(from, to);
        let [leave, arrive] = at.map(|velocity| velocity.map(|c| c / 2.0));
        let controls = match source.form {
            Interpolation::CubicSlerp => {
                let [leave, arrive] = [leave, arrive].map(|v| v.map(|c| c * span));
                controls(quat::normalize(from), quat::normalize(to), leave, arrive).into()
            }
            // The derivative of a quaternion.
            _ => [(from, leave), (to, arrive)].map(|(q, [x, y, z])| quat::mul(q, [x, y, z, 0.0])),
        };
        Self::rounded(source, span, &from, controls, &to)
    }

    /// A piece rounded to floats. Only splines have controls.
    fn rounded(source: &'a Source<'a>, span: f64, from: &[f64], controls: [Quat; 2], to: &[f64]) -> Option<Self> {
        let values = match source.form.is_spline() {
            true => [&[0.0; 4], from, &controls[0], &controls[1], to, &[0.0; 4]].concat(),
            false => [from, to].concat(),
        };
        let values: Vec<f32> = values.into_iter().map(|v| v as f32).collect();
        Some(Self { source, curve: Curve::new(source.form, from.len(), [0.0, 1.0], values).ok()?, span })
    }

    /// The step from the piece's value at `s` (0 to 1) to the wanted one.
    pub(super) fn sample(&self, s: f64, wanted: &[f64]) -> Sample {
        let mut there = vec![0.0; wanted.len()];
        self.curve.blend(self.source.kind, Location::Between { key: 0, s, span: self.span }, &mut there);
        let residual = match self.source.kind {
            Kind::Vector => wanted.iter().zip(there).map(|(wanted, there)| wanted - there).collect(),
            Kind::Rotation => turn(to_quat(&there), to_quat(wanted)).to_vec(),
        };
        Sample { bases: bases(self.source.form, s), residual }
    }

    /// The piece after a step with each free vector.
    pub(super) fn nudged(&self, steps: &[f64]) -> Option<Self> {
        let Self { source, ref curve, span } = *self;
        let wide = |values: &[f32]| values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
        let (from, to) = (wide(curve.value(0)), wide(curve.value(1)));
        if source.kind == Kind::Vector {
            let to: Vec<f64> = to.iter().zip(steps).map(|(v, step)| v + step).collect();
            return Self::rounded(source, span, &from, [quat::IDENTITY; 2], &to);
        }
        let (from, to) = (to_quat(&from), to_quat(&to));
        let (steps, _) = steps.as_chunks::<3>();
        let nudged = |control: Option<&[f32]>, step: Vector, key: Quat| {
            let control = control.map_or(key, |control| to_quat(&wide(control)));
            if source.form == Interpolation::CubicSlerp {
                return turned(control, step);
            }
            // The change of a tangent over a segment, in the parent's frame: `ω q / 2`.
            let [x, y, z] = step.map(|c| c / 2.0 / span);
            let change = quat::mul([x, y, z, 0.0], key);
            [0, 1, 2, 3].map(|i| control[i] + change[i])
        };
        let controls = match *steps {
            [leave, arrive, _] => [nudged(curve.out_tangent(0), leave, from), nudged(curve.in_tangent(1), arrive, to)],
            _ => [from, to],
        };
        Self::rounded(source, span, &from, controls, &turned(to, *steps.last()?))
    }

    /// Its numbers in a file after the first key: the controls between the keys, if the form has them, and the end.
    pub(super) fn behind_its_start(&self) -> &[f32] {
        let (width, elements) = (self.curve.width(), self.source.form.elements_per_key());
        &self.curve.values()[(elements / 2 + 1) * width..][..elements * width]
    }
}

/// The first four components.
pub(super) fn to_quat(v: &[f64]) -> Quat {
    [v[0], v[1], v[2], v[3]]
}

/// The rotation vector that turns `a` into `b` the short way, in the parent's frame.
fn turn(a: Quat, b: Quat) -> Vector {
    let r = quat::mul(b, quat::conjugate(a));
    quat::log(quat::toward(quat::IDENTITY, r)).map(|c| 2.0 * c)
}

fn turned(q: Quat, step: Vector) -> Quat {
    quat::mul(quat::exp(step.map(|c| c / 2.0)), q)
}
