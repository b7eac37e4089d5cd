//! Interpolates four rotations at a time between two keys.
//!
//! A rotation is stored as `left * Q(m) * right`: `left` and `right` are fixed quaternions of the track, and
//! `Q(m)` is the rotation whose modified Rodrigues parameters are `m` (the vector part over one plus the
//! scalar part). They need one division to decode, and no root. They are conformal: a step in `m` turns by
//! the same angle in every direction. Interpolation commutes with `left` and `right`, so these are applied
//! once, after it.
//!
//! Neighbouring keys are interpolated as they are stored: the encoder keeps them on one side of the sphere,
//! or far on the other. All arithmetic is addition, multiplication and division of `f32`, so every machine
//! computes the same bits.

use super::lanes::{LANES, Lanes};
use crate::quat;

/// Four quaternions, by component.
pub(super) type Quats = [Lanes; 4];

/// The fixed quaternions of a group of tracks.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    pub(super) left: Quats,
    /// `None` in the `fixed` encoding.
    pub(super) right: Option<Quats>,
}

/// The parameters of a group at the key before a time and at the key after it.
#[derive(Default)]
pub(super) struct Pair {
    pub(super) lo: [Lanes; 3],
    pub(super) hi: [Lanes; 3],
}

/// The weights of two keys at a place between them. If their quaternions are an arc φ apart, the weights are
/// `sin((1 - t)φ) / sin φ` and `sin(tφ) / sin φ`, as polynomials in `x = 1 - cos φ`. The coefficients are the
/// same for all tracks of a pose.
///
/// The series is `t (1 + (1 - t²)/3 x (1 + (4 - t²)/10 x (1 + (9 - t²)/21 x ...)))`. The terms left out come
/// to 2e-7 at [`WIDE`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    t: f32,
    before: [f32; 4],
    after: [f32; 4],
}

impl Weights {
    /// The weights at `t` of the way, from 0 to 1.
    #[inline]
    pub(super) fn new(t: f32) -> Self {
        Self { t, before: series(1.0 - t), after: series(t) }
    }
}

#[inline(always)]
fn series(t: f32) -> [f32; 4] {
    let square = t * t;
    let first = t * (1.0 - square) * (1.0 / 3.0);
    let second = first * (4.0 - square) * (1.0 / 10.0);
    let third = second * (9.0 - square) * (1.0 / 21.0);
    // The next factor is (16 - t²) / 36 x. Here x is fixed at 0.08, which is right where it matters most.
    [t, first, second, third * (1.0 + 0.08 / 36.0 * (16.0 - square))]
}

#[inline(always)]
fn horner(c: &[f32; 4], x: Lanes) -> Lanes {
    Lanes::all(c[0]) + x * (Lanes::all(c[1]) + x * (Lanes::all(c[2]) + c[3] * x))
}

/// Above this value of `1 - cos φ`, the polynomials of [`Weights`] are not precise enough: turns of 52
/// degrees between keys.
const WIDE: f32 = 0.1;

/// Writes the rotations between two keys into `out`.
///
/// Never inlined: among code that takes quaternions apart, the compiler would vectorize within quaternions
/// instead of across tracks.
#[inline(never)]
pub(super) fn rotations(pair: &Pair, weights: &Weights, frames: &Frames, out: &mut Quats) {
    let Pair { lo, hi } = pair;
    let (mut inner, apart) = between(lo, hi, weights);
    if apart.any_above(WIDE) {
        wide_turns(lo, hi, weights.t, &apart, &mut inner);
    }
    let turned = mul(&frames.left, &inner);
    *out = frames.right.as_ref().map_or(turned, |right| mul(&turned, right));
}

/// The quaternions with the parameters `m`.
#[inline(always)]
pub(super) fn quats(m: &[Lanes; 3]) -> Quats {
    let (one, s) = (Lanes::all(1.0), square(m));
    let r = one / (one + s);
    [2.0 * m[0] * r, 2.0 * m[1] * r, 2.0 * m[2] * r, (one - s) * r]
}

#[inline(always)]
pub(super) fn scalar_product(a: &Quats, b: &Quats) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

/// Interpolates between the rotations with these parameters at constant speed. Also returns one minus the
/// cosines between their quaternions.
///
/// With `s = |m|²`, a quaternion is `(2m, 1 - s) / (1 + s)`. The squared distance of two is `4 |m - n|² / ((1
/// + s)(1 + z))`, so one division is enough for both.
#[inline(always)]
fn between(lo: &[Lanes; 3], hi: &[Lanes; 3], weights: &Weights) -> (Quats, Lanes) {
    let one = Lanes::all(1.0);
    let (s, z) = (square(lo), square(hi));
    let (p, q) = (one + s, one + z);
    let r = one / (p * q);
    let x = 2.0 * square(&[hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]]) * r;
    let a = horner(&weights.before, x) * r * q;
    let b = horner(&weights.after, x) * r * p;
    let (aa, bb) = (a + a, b + b);
    let vector = |k: usize| lo[k] * aa + hi[k] * bb;
    ([vector(0), vector(1), vector(2), (one - s) * a + (one - z) * b], x)
}

#[inline(always)]
fn square(m: &[Lanes; 3]) -> Lanes {
    m[0] * m[0] + m[1] * m[1] + m[2] * m[2]
}

/// If the cosine between two neighbours is smaller, they are on different sides of the sphere: the short way
/// leads from one to the opposite of the other. The limit is below zero, so that half a turn that rounding
/// makes slightly more than half still goes the intended way.
const LONG_WAY: f64 = -0.1;

/// Recomputes, with sines, turns that are too wide for a polynomial. They are rare: no animation turns like
/// that for long.
#[cold]
#[inline(never)]
fn wide_turns(lo: &[Lanes; 3], hi: &[Lanes; 3], t: f32, apart: &Lanes, out: &mut Quats) {
    for i in (0..LANES).filter(|i| apart.0[*i] > WIDE) {
        let (a, b) = (quat::unproject(lo.map(|c| c.0[i].into())), quat::unproject(hi.map(|c| c.0[i].into())));
        let b = if quat::dot(a, b) < LONG_WAY { quat::negate(b) } else { b };
        let q = quat::slerp_direct(a, b, t.into());
        (0..4).for_each(|k| out[k].0[i] = q[k] as f32);
    }
}

#[inline(always)]
pub(super) fn mul(a: &Quats, b: &Quats) -> Quats {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quat::Quat;

    fn narrow(q: Quat) -> [f32; 4] {
        q.map(|c| c as f32)
    }

    /// Interpolates in lane `at`. The other lanes hold the identity.
    fn blend(a: Quat, b: Quat, t: f64, at: usize) -> Quat {
        let lanes = |q: Quat| {
            let m = [0, 1, 2].map(|i| (q[i] / (1.0 + q[3])) as f32);
            m.map(|c| Lanes(core::array::from_fn(|i| if i == at { c } else { 0.0 })))
        };
        let one = [0.0, 0.0, 0.0, 1.0].map(Lanes::all);
        let mut out = Quats::default();
        let pair = Pair { lo: lanes(a), hi: lanes(b) };
        rotations(&pair, &Weights::new(t as f32), &Frames { left: one, right: None }, &mut out);
        out.map(|c| f64::from(c.0[at]))
    }

    #[test]
    fn follows_slerp() {
        for (turn, tolerance) in [(0.01f64, 4e-7), (0.4, 6e-7), (0.8, 6e-7), (0.9, 1e-6), (1.6, 1e-6), (3.1, 1e-6)] {
            let a = quat::normalize([0.3, -0.2, 0.1, 0.9]);
            let b = quat::mul(quat::exp([turn / 2.0 * 0.6, 0.0, -turn / 2.0 * 0.8]), a);
            for i in 0..=20 {
                let t = f64::from(i) / 20.0;
                for (b, at) in [(b, 0), (b, 2), (if turn < 2.0 { quat::negate(b) } else { b }, LANES - 1)] {
                    let ours = blend(a, b, t, at);
                    assert!((quat::dot(ours, ours) - 1.0).abs() < 1e-6);
                    let off = quat::angle(quat::normalize(ours), quat::slerp(a, b, t));
                    assert!(off < tolerance, "a turn of {turn} at {t}: {off}");
                }
            }
        }
    }

    #[test]
    fn a_little_more_than_half_a_turn_goes_on_the_way_it_was_meant() {
        let (a, b) = (quat::exp([0.0; 3]), quat::exp([0.0, core::f64::consts::FRAC_PI_2 + 1e-4, 0.0]));
        let middle = blend(a, b, 0.5, 3);
        assert!(
            quat::angle(quat::normalize(middle), quat::exp([0.0, core::f64::consts::FRAC_PI_4 + 5e-5, 0.0])) < 1e-6
        );
    }

    #[test]
    fn frames_are_applied_on_both_sides() {
        let (l, r) = (quat::normalize([0.1, 0.9, -0.2, 0.3]), quat::normalize([-0.5, 0.1, 0.2, 0.6]));
        let m = [0.2f32, -0.1, 0.4];
        let frames = Frames { left: narrow(l).map(Lanes::all), right: Some(narrow(r).map(Lanes::all)) };
        let lanes = m.map(Lanes::all);
        let mut out = Quats::default();
        rotations(&Pair { lo: lanes, hi: lanes }, &Weights::new(0.3), &frames, &mut out);
        let q = out.map(|c| f64::from(c.0[LANES - 1]));
        let expected = quat::mul(quat::mul(l, quat::unproject(m.map(f64::from))), r);
        assert!(quat::angle(quat::normalize(q), expected) < 1e-6);
    }
}
