//! Eight rotations at a time: from two keys to the rotation between them.
//!
//! A rotation is kept as `left * Q(m) * right`: `left` and `right` are fixed quaternions of the track, and `Q(m)` is the
//! rotation whose modified Rodrigues parameters are `m` (the vector part over one plus the scalar part). These need one
//! division to decode, no root, and keep lengths: a step in `m` turns by the same angle in every direction. Blending
//! commutes with `left` and `right`, so it happens before them, once.
//!
//! Neighbouring keys are blended as they stand: the encoder keeps them on one side of the sphere, or far on the other.
//! Only additions, multiplications and divisions of `f32`: the same bits on every machine.

use super::lanes::{LANES, Lanes};
use crate::quat;

/// Eight quaternions, by component.
pub(super) type Quats = [Lanes; 4];

/// The fixed quaternions of a group of tracks.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    pub(super) left: Quats,
    pub(super) right: Quats,
}

/// The rotations a part `t` of the way from `lo` to `hi`, into `out`. Without `RIGHT`, `right` is the identity.
///
/// Never inlined: among code that takes quaternions apart the compiler would lay its vectors across them instead of along.
#[inline(never)]
pub(super) fn rotations<const RIGHT: bool>(lo: &[Lanes; 3], hi: &[Lanes; 3], t: f32, frames: &Frames, out: &mut Quats) {
    let (a, b) = (unfold(lo), unfold(hi));
    let (mut inner, apart) = between(&a, &b, t);
    if apart.any_above(WIDE) {
        wide_turns(&a, &b, t, &mut inner);
    }
    let turned = mul(&frames.left, &inner);
    *out = if RIGHT { mul(&turned, &frames.right) } else { turned };
}

/// From one minus this cosine on the polynomial of [`between`] is not good enough: turns of 46 degrees between keys.
const WIDE: f32 = 0.08;

/// Does again, with sines, what turns too far between two keys for a polynomial. Rare: no animation turns like that for long.
#[cold]
#[inline(never)]
fn wide_turns(a: &Quats, b: &Quats, t: f32, out: &mut Quats) {
    for i in 0..LANES {
        let (a, b) = (a.map(|c| f64::from(c.0[i])), b.map(|c| f64::from(c.0[i])));
        let b = if quat::dot(a, b) < LONG_WAY.into() { quat::negate(b) } else { b };
        let q = quat::slerp_direct(a, b, t.into());
        (0..4).for_each(|k| out[k].0[i] = q[k] as f32);
    }
}

/// Two neighbours with a smaller cosine between them lie on different sides of the sphere, and the short way is from one to
/// the other's opposite. Less than zero: half a turn that rounding makes a little more than half still goes the way it was meant.
const LONG_WAY: f32 = -0.1;

/// The unit quaternions with these modified Rodrigues parameters.
#[inline(always)]
fn unfold(m: &[Lanes; 3]) -> Quats {
    let one = Lanes::all(1.0);
    let square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    let k = one / (one + square);
    let twice = k + k;
    [m[0] * twice, m[1] * twice, m[2] * twice, (one - square) * k]
}

/// Between unit quaternions at even speed, and one minus the cosines between them.
///
/// A straight line between them, at a place that makes up for its uneven speed: for an arc φ that place is
/// `sin(tφ) / (sin(tφ) + sin((1 - t)φ))`, here as a polynomial in `1 - cos φ` and `t`, within 1e-7 radians of the rotation
/// for turns of up to 23 degrees between keys, 2e-6 up to 46.
#[inline(always)]
fn between(a: &Quats, b: &Quats, t: f32) -> (Quats, Lanes) {
    let one = Lanes::all(1.0);
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let sign = dot.sign_from(LONG_WAY);
    let x = one - dot * sign;
    let u = place(t, x);
    let rest = one - u;
    // The length of the blend is known: 1 - 2 u (1 - u) x, squared.
    let r = inverse_root(one - 2.0 * (u * rest * x));
    let (ka, kb) = (rest * r, u * sign * r);
    ([a[0] * ka + b[0] * kb, a[1] * ka + b[1] * kb, a[2] * ka + b[2] * kb, a[3] * ka + b[3] * kb], x)
}

#[inline(always)]
fn place(t: f32, x: Lanes) -> Lanes {
    let all = Lanes::all;
    let centred = t - 0.5;
    let even = x * (all(0.666_993_5) + x * (all(0.123_685_44) + 0.059_241_746 * x));
    let skew = x * x * (all(0.654_374_66) + x * (all(-0.168_962_86) + 0.568_335_34 * x));
    all(t) + (t * centred * (t - 1.0)) * (even + (centred * centred) * skew)
}

/// One over the root of `x` from 0.9 to 1 (down to a half it loses a little): a chord to start, then Newton's steps.
#[inline(always)]
fn inverse_root(x: Lanes) -> Lanes {
    let mut y = Lanes::all(1.51) - 0.51 * x;
    for _ in 0..2 {
        y = y * (Lanes::all(1.5) - 0.5 * (x * y * y));
    }
    y
}

#[inline(always)]
fn mul(a: &Quats, b: &Quats) -> Quats {
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

    /// Blends in the lane of `at`; the others rest.
    fn blend(a: Quat, b: Quat, t: f64, at: usize) -> Quat {
        let lanes = |q: Quat| {
            let m = [0, 1, 2].map(|i| (q[i] / (1.0 + q[3])) as f32);
            m.map(|c| Lanes(core::array::from_fn(|i| if i == at { c } else { 0.0 })))
        };
        let one = [0.0, 0.0, 0.0, 1.0].map(Lanes::all);
        let mut out = Quats::default();
        rotations::<false>(&lanes(a), &lanes(b), t as f32, &Frames { left: one, right: one }, &mut out);
        out.map(|c| f64::from(c.0[at]))
    }

    #[test]
    fn follows_slerp() {
        for (turn, tolerance) in [(0.01f64, 4e-7), (0.4, 6e-7), (0.8, 3e-6), (1.6, 1e-6), (3.1, 1e-6)] {
            let a = quat::normalize([0.3, -0.2, 0.1, 0.9]);
            let b = quat::mul(quat::exp([turn / 2.0 * 0.6, 0.0, -turn / 2.0 * 0.8]), a);
            for i in 0..=20 {
                let t = f64::from(i) / 20.0;
                for (b, at) in [(b, 0), (b, 5), (if turn < 2.0 { quat::negate(b) } else { b }, LANES - 1)] {
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
        let frames = Frames { left: narrow(l).map(Lanes::all), right: narrow(r).map(Lanes::all) };
        let lanes = m.map(Lanes::all);
        let mut out = Quats::default();
        rotations::<true>(&lanes, &lanes, 0.3, &frames, &mut out);
        let q = out.map(|c| f64::from(c.0[LANES - 1]));
        let expected = quat::mul(quat::mul(l, unfold(&lanes).map(|c| f64::from(c.0[0]))), r);
        assert!(quat::angle(quat::normalize(q), expected) < 1e-6);
    }
}
