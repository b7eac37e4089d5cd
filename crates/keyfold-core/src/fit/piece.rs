//! What a segment is in each form: its two keys, its controls, and how it answers to small changes of them.
//!
//! Pieces are evaluated from what a file will hold: [`Piece::store`] rounds to `f32` first. Steps of rotations are rotation
//! vectors in the scene's frame, so that they mean the same at every place of a piece.

use super::minimax::{FREE, Sample};
use crate::{
    curve::{Interpolation, controls, cubic_slerp, hermite},
    quat::{self, Quat},
    vector::Vector,
};
use alloc::vec::Vec;

/// What leads from one key to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A straight line between vectors.
    Chord,
    /// The short arc between rotations.
    Arc,
    /// A Hermite spline of quaternions, normalized; its controls are tangents per second.
    Hermite,
    /// Shoemake's quadrangle.
    Quadrangle,
}

impl Form {
    pub(super) fn interpolation(self) -> Interpolation {
        match self {
            Self::Chord | Self::Arc => Interpolation::Linear,
            Self::Hermite => Interpolation::CubicSpline,
            Self::Quadrangle => Interpolation::CubicSlerp,
        }
    }

    /// How many vectors of a piece may be chosen: one for each control, the last one moves the end key.
    pub(super) fn free(self) -> usize {
        self.interpolation().elements_per_key()
    }

    /// How many times of the original are looked at, at least, along one piece: a few for each extremum its error can have.
    pub(super) fn samples(self) -> usize {
        if self.free() == 1 { 12 } else { 24 }
    }

    /// How much a residual is: the farthest component of vectors, an angle of rotations. What is no number is not little.
    pub(super) fn length(self, residual: &[f64]) -> f64 {
        match self {
            _ if !residual.iter().all(|r| r.is_finite()) => f64::INFINITY,
            Self::Chord => residual.iter().map(|r| libm::fabs(*r)).fold(0.0, f64::max),
            Self::Arc | Self::Hermite | Self::Quadrangle => libm::sqrt(residual.iter().map(|r| r * r).sum()),
        }
    }

    /// How much of a step of each free vector arrives at `s`.
    fn bases(self, s: f64) -> [f64; FREE] {
        match self {
            Self::Chord | Self::Arc => [s, 0.0, 0.0],
            Self::Hermite => {
                let [_, leave, to, arrive] = hermite(s, 1.0);
                [leave, arrive, to]
            }
            Self::Quadrangle => {
                let h = 2.0 * s * (1.0 - s);
                [h * (1.0 - s), h * s, (1.0 - h) * s]
            }
        }
    }
}

/// A segment of a new curve: keys `span` seconds apart, controls where the form has some.
pub(super) struct Piece {
    form: Form,
    span: f64,
    from: Vec<f64>,
    leave: Quat,
    arrive: Quat,
    to: Vec<f64>,
}

impl Piece {
    /// The plainest segment between two keys.
    pub(super) fn new(form: Form, from: &[f64], to: &[f64], span: f64) -> Self {
        match form {
            Form::Chord => Self { from: from.to_vec(), to: to.to_vec(), form, span, leave: [0.0; 4], arrive: [0.0; 4] },
            Form::Arc | Form::Quadrangle => {
                let (from, to) = (to_quat(from), quat::toward(to_quat(from), to_quat(to)));
                Self { from: from.to_vec(), to: to.to_vec(), form, span, leave: from, arrive: to }
            }
            Form::Hermite => {
                let (from, to) = (to_quat(from), to_quat(to));
                let velocity = turn(quat::toward(to, from), to).map(|c| c / span);
                // The axis of the arc is the same in the frames of both keys.
                let own = quat::rotate(quat::conjugate(quat::normalize(from)), velocity);
                Self::with_velocities(form, from, to, span, [own; 2])
            }
        }
    }

    /// The cubic segment that leaves and arrives with the given velocities: rotation vectors per second, in the keys' own frames.
    pub(super) fn with_velocities(form: Form, from: Quat, to: Quat, span: f64, [leave, arrive]: [Vector; 2]) -> Self {
        let to = quat::toward(from, to);
        let half = |v: Vector| v.map(|c| c * span / 2.0);
        let (leave, arrive) = match form {
            Form::Quadrangle => controls(quat::normalize(from), quat::normalize(to), half(leave), half(arrive)),
            _ => (tangent(from, leave), tangent(to, arrive)),
        };
        Self { form, span, from: from.to_vec(), leave, arrive, to: to.to_vec() }
    }

    /// What the piece lacks at `s` (0 to 1): from the value there to what is wanted, as a step.
    pub(super) fn sample(&self, s: f64, wanted: &[f64]) -> Sample {
        let unit = |key: &[f64]| quat::normalize(to_quat(key));
        let sample = |residual: Vec<f64>| Sample { bases: self.form.bases(s), residual };
        let there = match self.form {
            Form::Chord => {
                let ends = self.from.iter().zip(&self.to);
                return sample(ends.zip(wanted).map(|((a, b), w)| w - ((1.0 - s) * a + s * b)).collect());
            }
            Form::Arc => quat::slerp(unit(&self.from), unit(&self.to), s),
            Form::Hermite => {
                let (parts, weights) = ([&self.from[..], &self.leave, &self.to, &self.arrive], hermite(s, self.span));
                quat::normalize([0, 1, 2, 3].map(|i| parts.iter().zip(weights).map(|(v, w)| w * v[i]).sum()))
            }
            Form::Quadrangle => cubic_slerp(unit(&self.from), unit(&self.leave), unit(&self.arrive), unit(&self.to), s),
        };
        sample(turn(there, to_quat(wanted)).to_vec())
    }

    /// Takes a step with each free vector.
    pub(super) fn nudge(&mut self, steps: &[f64]) {
        if self.form == Form::Chord {
            return self.to.iter_mut().zip(steps).for_each(|(v, d)| *v += d);
        }
        let (steps, _) = steps.as_chunks::<3>();
        let (from, to) = (to_quat(&self.from), to_quat(&self.to));
        if let [leave, arrive, _] = *steps {
            // A tangent's change per segment, in the scene's frame: `ω q / 2`.
            let add = |a: Quat, step: Vector, q: Quat| {
                let [x, y, z] = step.map(|c| c / 2.0 / self.span);
                let change = quat::mul([x, y, z, 0.0], q);
                [0, 1, 2, 3].map(|i| a[i] + change[i])
            };
            (self.leave, self.arrive) = match self.form {
                Form::Hermite => (add(self.leave, leave, from), add(self.arrive, arrive, to)),
                _ => (turned(self.leave, leave), turned(self.arrive, arrive)),
            };
        }
        self.to = steps.last().map_or(to, |step| turned(to, *step)).to_vec();
    }

    /// Rounds to `f32`, and says what the file will hold: the control that leaves the first key and the one that arrives at the
    /// end, where the form has them, and the end.
    pub(super) fn store(&mut self) -> Vec<f32> {
        let controls = self.leave.iter_mut().chain(&mut self.arrive).filter(|_| self.form.free() > 1);
        let round = |v: &mut f64| {
            let stored = *v as f32;
            *v = f64::from(stored);
            stored
        };
        controls.chain(&mut self.to).map(round).collect()
    }
}

/// The first four components.
pub(super) fn to_quat(v: &[f64]) -> Quat {
    [v[0], v[1], v[2], v[3]]
}

/// The rotation vector that turns `a` into `b` the short way, in the scene's frame.
fn turn(a: Quat, b: Quat) -> Vector {
    let r = quat::mul(b, quat::conjugate(a));
    quat::log(quat::toward(quat::IDENTITY, r)).map(|c| 2.0 * c)
}

fn turned(q: Quat, step: Vector) -> Quat {
    quat::mul(quat::exp(step.map(|c| c / 2.0)), q)
}

/// The change per second of a quaternion that turns by `velocity`, in its own frame.
fn tangent(q: Quat, velocity: Vector) -> Quat {
    let [x, y, z] = velocity.map(|c| c / 2.0);
    quat::mul(q, [x, y, z, 0.0])
}
