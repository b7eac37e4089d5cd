//! What a segment is in each form: its two keys, its controls, and how it answers to small changes of them.
//!
//! Pieces are evaluated from what a file will hold: [`Piece::store`] rounds to `f32` first. Steps of rotations are rotation
//! vectors in the scene's frame, so that they mean the same at every place of a piece.

use super::minimax::FREE;
use crate::{
    curve::{Interpolation, controls, cubic_slerp},
    quat::{self, Quat},
};
use alloc::vec::Vec;

type Vec3 = [f64; 3];

/// A segment of a new curve.
pub(super) trait Piece: Sized {
    /// The form that it is a segment of.
    const FORM: Interpolation;
    /// How many vectors may be chosen: the last one moves the end key.
    const FREE: usize;
    /// How many times of the original are looked at, at least, along one piece: a few for each extremum its error can have.
    const SAMPLES: usize;

    /// The plainest segment between two keys `span` seconds apart.
    fn new(from: &[f64], to: &[f64], span: f64) -> Self;
    /// From the value at `s` (0 to 1) to what is wanted there, as a step.
    fn residual(&self, s: f64, wanted: &[f64]) -> Vec<f64>;
    /// How much of a step of each free vector arrives at `s`.
    fn bases(s: f64) -> [f64; FREE];
    /// Takes a step with a free vector.
    fn nudge(&mut self, which: usize, step: &[f64]);
    /// The end key.
    fn to(&self) -> &[f64];
    /// Rounds to `f32`, and says what the file will hold: the control that leaves the first key, the one that arrives at the
    /// end, the end; controls are empty where the form has none.
    fn store(&mut self) -> [Vec<f32>; 3];
}

/// A piece that is determined by its keys and its velocities there.
pub(super) trait Smooth: Piece {
    /// The segment that leaves and arrives with the given velocities: rotation vectors per second, in the keys' own frames.
    fn with_velocities(from: Quat, to: Quat, span: f64, leave: Vec3, arrive: Vec3) -> Self;
}

fn round(values: &mut [f64]) -> Vec<f32> {
    let stored: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    values.iter_mut().zip(&stored).for_each(|(v, s)| *v = f64::from(*s));
    stored
}

fn to_quat(v: &[f64]) -> Quat {
    [v[0], v[1], v[2], v[3]]
}

fn to_vec3(v: &[f64]) -> Vec3 {
    [v[0], v[1], v[2]]
}

/// The rotation vector that turns `a` into `b` the short way, in the scene's frame.
fn turn(a: Quat, b: Quat) -> Vec<f64> {
    let r = quat::mul(b, quat::conjugate(a));
    let r = if r[3] < 0.0 { quat::negate(r) } else { r };
    quat::log(r).map(|c| 2.0 * c).to_vec()
}

fn turned(q: Quat, step: &[f64]) -> Quat {
    quat::mul(quat::exp(to_vec3(step).map(|c| c / 2.0)), q)
}

fn toward(to: Quat, q: Quat) -> Quat {
    if quat::dot(to, q) < 0.0 { quat::negate(q) } else { q }
}

/// A straight line between vectors.
pub(super) struct Chord {
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Piece for Chord {
    const FORM: Interpolation = Interpolation::Linear;
    const FREE: usize = 1;
    const SAMPLES: usize = 12;

    fn new(from: &[f64], to: &[f64], _: f64) -> Self {
        Self { from: from.to_vec(), to: to.to_vec() }
    }

    fn residual(&self, s: f64, wanted: &[f64]) -> Vec<f64> {
        let ends = self.from.iter().zip(&self.to);
        ends.zip(wanted).map(|((a, b), w)| w - ((1.0 - s) * a + s * b)).collect()
    }

    fn bases(s: f64) -> [f64; FREE] {
        [s, 0.0, 0.0]
    }

    fn nudge(&mut self, _: usize, step: &[f64]) {
        self.to.iter_mut().zip(step).for_each(|(v, d)| *v += d);
    }

    fn to(&self) -> &[f64] {
        &self.to
    }

    fn store(&mut self) -> [Vec<f32>; 3] {
        [Vec::new(), Vec::new(), round(&mut self.to)]
    }
}

/// The short arc between rotations.
pub(super) struct Arc {
    from: Quat,
    to: Quat,
}

impl Piece for Arc {
    const FORM: Interpolation = Interpolation::Linear;
    const FREE: usize = 1;
    const SAMPLES: usize = 12;

    fn new(from: &[f64], to: &[f64], _: f64) -> Self {
        let from = to_quat(from);
        Self { from, to: toward(from, to_quat(to)) }
    }

    fn residual(&self, s: f64, wanted: &[f64]) -> Vec<f64> {
        turn(quat::slerp(quat::normalize(self.from), quat::normalize(self.to), s), to_quat(wanted))
    }

    fn bases(s: f64) -> [f64; FREE] {
        [s, 0.0, 0.0]
    }

    fn nudge(&mut self, _: usize, step: &[f64]) {
        self.to = turned(self.to, step);
    }

    fn to(&self) -> &[f64] {
        &self.to
    }

    fn store(&mut self) -> [Vec<f32>; 3] {
        [Vec::new(), Vec::new(), round(&mut self.to)]
    }
}

/// Shoemake's quadrangle, with the controls `leave` and `arrive`.
pub(super) struct Quadrangle {
    from: Quat,
    leave: Quat,
    arrive: Quat,
    to: Quat,
}

impl Piece for Quadrangle {
    const FORM: Interpolation = Interpolation::CubicSlerp;
    const FREE: usize = 3;
    const SAMPLES: usize = 24;

    fn new(from: &[f64], to: &[f64], _: f64) -> Self {
        let from = to_quat(from);
        let to = toward(from, to_quat(to));
        Self { from, leave: from, arrive: to, to }
    }

    fn residual(&self, s: f64, wanted: &[f64]) -> Vec<f64> {
        let [a, b, c, d] = [self.from, self.leave, self.arrive, self.to].map(quat::normalize);
        turn(cubic_slerp(a, b, c, d, s), to_quat(wanted))
    }

    fn bases(s: f64) -> [f64; FREE] {
        let h = 2.0 * s * (1.0 - s);
        [h * (1.0 - s), h * s, (1.0 - h) * s]
    }

    fn nudge(&mut self, which: usize, step: &[f64]) {
        let moved = match which {
            0 => &mut self.leave,
            1 => &mut self.arrive,
            _ => &mut self.to,
        };
        *moved = turned(*moved, step);
    }

    fn to(&self) -> &[f64] {
        &self.to
    }

    fn store(&mut self) -> [Vec<f32>; 3] {
        [round(&mut self.leave), round(&mut self.arrive), round(&mut self.to)]
    }
}

impl Smooth for Quadrangle {
    fn with_velocities(from: Quat, to: Quat, span: f64, leave: Vec3, arrive: Vec3) -> Self {
        let to = toward(from, to);
        let half = |v: Vec3| v.map(|c| c * span / 2.0);
        let (leave, arrive) = controls(quat::normalize(from), quat::normalize(to), half(leave), half(arrive));
        Self { from, leave, arrive, to }
    }
}

/// A Hermite spline of quaternions, normalized; tangents are per second.
pub(super) struct Hermite {
    from: Quat,
    leave: Quat,
    arrive: Quat,
    to: Quat,
    span: f64,
}

impl Hermite {
    fn at(&self, s: f64) -> Quat {
        let (s2, s3) = (s * s, s * s * s);
        let keys = (2.0 * s3 - 3.0 * s2 + 1.0, -2.0 * s3 + 3.0 * s2);
        let tangents = (self.span * (s3 - 2.0 * s2 + s), self.span * (s3 - s2));
        quat::normalize([0, 1, 2, 3].map(|i| {
            keys.0 * self.from[i] + tangents.0 * self.leave[i] + keys.1 * self.to[i] + tangents.1 * self.arrive[i]
        }))
    }
}

/// The change per second of a quaternion that turns by `velocity`, in its own frame.
fn tangent(q: Quat, velocity: Vec3) -> Quat {
    let [x, y, z] = velocity.map(|c| c / 2.0);
    quat::mul(q, [x, y, z, 0.0])
}

impl Piece for Hermite {
    const FORM: Interpolation = Interpolation::CubicSpline;
    const FREE: usize = 3;
    const SAMPLES: usize = 24;

    fn new(from: &[f64], to: &[f64], span: f64) -> Self {
        let (from, to) = (to_quat(from), to_quat(to));
        let velocity = turn(toward(to, from), to).into_iter().map(|c| c / span).collect::<Vec<_>>();
        // The axis of the arc is the same in the frames of both keys.
        let own = quat::rotate(quat::conjugate(quat::normalize(from)), to_vec3(&velocity));
        Self::with_velocities(from, to, span, own, own)
    }

    fn residual(&self, s: f64, wanted: &[f64]) -> Vec<f64> {
        turn(self.at(s), to_quat(wanted))
    }

    fn bases(s: f64) -> [f64; FREE] {
        let (s2, s3) = (s * s, s * s * s);
        [s3 - 2.0 * s2 + s, s3 - s2, -2.0 * s3 + 3.0 * s2]
    }

    fn nudge(&mut self, which: usize, step: &[f64]) {
        // Per segment, in the scene's frame: `ω q / 2`.
        let change = |q: Quat| {
            let [x, y, z] = to_vec3(step).map(|c| c / 2.0 / self.span);
            quat::mul([x, y, z, 0.0], q)
        };
        let add = |a: Quat, b: Quat| [0, 1, 2, 3].map(|i| a[i] + b[i]);
        match which {
            0 => self.leave = add(self.leave, change(self.from)),
            1 => self.arrive = add(self.arrive, change(self.to)),
            _ => self.to = turned(self.to, step),
        }
    }

    fn to(&self) -> &[f64] {
        &self.to
    }

    fn store(&mut self) -> [Vec<f32>; 3] {
        [round(&mut self.leave), round(&mut self.arrive), round(&mut self.to)]
    }
}

impl Smooth for Hermite {
    fn with_velocities(from: Quat, to: Quat, span: f64, leave: Vec3, arrive: Vec3) -> Self {
        let to = toward(from, to);
        Self { from, leave: tangent(from, leave), arrive: tangent(to, arrive), to, span }
    }
}
