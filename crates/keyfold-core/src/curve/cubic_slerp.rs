//! Spherical cubic interpolation: Shoemake's quadrangle ("squad", SIGGRAPH 1987 course notes; the arcs it is made of
//! are from SIGGRAPH 1985), as the drafts EXT_animation_sqlerp and KHR_animation2 use it.
//!
//! The curve from `a` to `d` with the controls `b` and `c`, and the way from its controls to the velocities at its
//! ends and back. Velocities are half rotation vectors ([`quat::log`]) per segment, in the frame of the key they
//! belong to.

use crate::quat::{self, Quat};

type Vec3 = [f64; 3];

/// Spherical cubic interpolation from `a` to `d` with the controls `b` and `c`, all unit quaternions.
///
/// The draft leaves open which slerp is meant. Short-way slerps make the path jump inside a segment where signs are
/// mixed, and so do plain ones; aligning the four signs first and then never inverting has no jumps.
///
/// ```
/// use keyfold_core::{curve::cubic_slerp, quat};
/// let turn = |angle: f64| quat::exp([0.0, angle / 2.0, 0.0]);
/// // Controls on the keys: the arc between the keys, and nothing else.
/// let q = cubic_slerp(turn(0.0), turn(0.0), turn(1.2), turn(1.2), 0.25);
/// assert!(quat::angle(q, turn(0.3)) < 1e-12);
/// ```
pub fn cubic_slerp(a: Quat, b: Quat, c: Quat, d: Quat, t: f64) -> Quat {
    let [a, b, c, d] = align(a, b, c, d);
    quat::slerp_direct(quat::slerp_direct(a, d, t), quat::slerp_direct(b, c, t), 2.0 * t * (1.0 - t))
}

/// The signs under which the three arcs are taken as they stand.
pub(crate) fn align(a: Quat, b: Quat, c: Quat, d: Quat) -> [Quat; 4] {
    let d = quat::toward(a, d);
    [a, quat::toward(a, b), quat::toward(d, c), d]
}

/// The velocities with which the curve leaves `a` and arrives at `d`.
#[cfg(test)]
pub(crate) fn end_velocities(a: Quat, b: Quat, c: Quat, d: Quat) -> (Vec3, Vec3) {
    let [a, b, c, d] = align(a, b, c, d);
    let (arc, leave, arrive) = (between(a, d), between(a, b), between(d, c));
    (combine(arc, 2.0, leave), combine(arc, -2.0, arrive))
}

/// The controls with which the curve leaves `a` and arrives at `d` with the given velocities, where no control
/// lies more than a quarter of the sphere from its key.
pub fn controls(a: Quat, d: Quat, leave: Vec3, arrive: Vec3) -> (Quat, Quat) {
    let d = quat::toward(a, d);
    let arc = between(a, d);
    let half = |v: Vec3| v.map(|c| c / 2.0);
    let b = quat::mul(a, quat::exp(half(combine(leave, -1.0, arc))));
    let c = quat::mul(d, quat::exp(half(combine(arc, -1.0, arrive))));
    (b, c)
}

/// The half rotation vector that leads from `a` to `b`, in the frame of `a`.
fn between(a: Quat, b: Quat) -> Vec3 {
    quat::log(quat::mul(quat::conjugate(a), b))
}

fn combine(a: Vec3, k: f64, b: Vec3) -> Vec3 {
    [0, 1, 2].map(|i| a[i] + k * b[i])
}

#[cfg(test)]
mod tests;
