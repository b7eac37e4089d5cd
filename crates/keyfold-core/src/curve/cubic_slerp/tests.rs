use super::*;
use crate::curve::{Curve, Interpolation, Kind};
use arbtest::arbitrary::{Result, Unstructured};
use std::vec::Vec;

/// A number from -1 to 1.
fn unit(u: &mut Unstructured<'_>) -> Result<f64> {
    Ok(f64::from(u.arbitrary::<i32>()?) / f64::from(i32::MAX))
}

fn vector(u: &mut Unstructured<'_>, reach: f64) -> Result<Vec3> {
    Ok([unit(u)? * reach, unit(u)? * reach, unit(u)? * reach])
}

fn rotation(u: &mut Unstructured<'_>) -> Result<Quat> {
    Ok(quat::normalize([unit(u)?, unit(u)?, unit(u)?, unit(u)?]))
}

/// Four rotations that go on from one another by modest turns, under random signs: what animations look like.
fn segment(u: &mut Unstructured<'_>) -> Result<[Quat; 4]> {
    let a = rotation(u)?;
    let d = quat::mul(a, quat::exp(vector(u, 0.5)?));
    let b = quat::mul(a, quat::exp(vector(u, 0.4)?));
    let c = quat::mul(d, quat::exp(vector(u, 0.4)?));
    let mut signed = [a, b, c, d];
    for q in &mut signed {
        *q = if u.arbitrary()? { quat::negate(*q) } else { *q };
    }
    Ok(signed)
}

/// The rotation about the second axis by `angle`.
fn turn(angle: f64) -> Quat {
    quat::exp([0.0, angle / 2.0, 0.0])
}

#[test]
fn results_are_unit_quaternions_even_of_wild_segments() {
    arbtest::arbtest(|u| {
        let [a, b, c, d] = [rotation(u)?, rotation(u)?, rotation(u)?, rotation(u)?];
        let t = unit(u)?.abs();
        let q = cubic_slerp(a, b, c, d, t);
        assert!((quat::dot(q, q) - 1.0).abs() < 1e-14, "{q:?}");
        Ok(())
    });
}

#[test]
fn both_keys_are_met_exactly_under_any_signs() {
    arbtest::arbtest(|u| {
        let [a, b, c, d] = segment(u)?;
        assert!(quat::angle(cubic_slerp(a, b, c, d, 0.0), a) < 1e-14);
        assert!(quat::angle(cubic_slerp(a, b, c, d, 1.0), d) < 1e-14);
        Ok(())
    });
}

#[test]
fn about_one_axis_the_angle_has_a_closed_form() {
    arbtest::arbtest(|u| {
        let (end, b, c) = (unit(u)? * 3.0, unit(u)? * 2.9, unit(u)? * 2.9);
        // Each control is given from its own key, so that every sign stands.
        let c = end + c;
        if (c - b).abs() > 6.0 {
            return Ok(()); // the arc between the controls has no more than a turn
        }
        for i in 0..=16 {
            let t = f64::from(i) / 16.0;
            let h = 2.0 * t * (1.0 - t);
            let angle = (1.0 - h) * t * end + h * (b + (c - b) * t);
            let q = cubic_slerp(turn(0.0), turn(b), turn(c), turn(end), t);
            assert!(quat::angle(q, turn(angle)) < 1e-9, "T {end} b {b} c {c} t {t}: {}", quat::angle(q, turn(angle)));
        }
        Ok(())
    });
}

#[test]
fn slerp_is_the_special_case_of_controls_on_the_keys() {
    arbtest::arbtest(|u| {
        let [a, _, _, d] = segment(u)?;
        let t = unit(u)?.abs();
        assert!(quat::angle(cubic_slerp(a, a, d, d, t), quat::slerp(a, d, t)) < 1e-9);
        Ok(())
    });
}

#[test]
fn end_velocities_are_what_finite_differences_see() {
    arbtest::arbtest(|u| {
        let [a, b, c, d] = segment(u)?;
        let (leave, arrive) = end_velocities(a, b, c, d);
        const STEP: f64 = 1e-5;
        let seen = |from: f64, to: f64| {
            let (p, q) = (cubic_slerp(a, b, c, d, from), cubic_slerp(a, b, c, d, to));
            between(p, quat::toward(p, q)).map(|v| v / STEP)
        };
        let (first, last) = (seen(0.0, STEP), seen(1.0 - STEP, 1.0));
        for i in 0..3 {
            assert!((leave[i] - first[i]).abs() < 2e-4, "{leave:?} {first:?}");
            assert!((arrive[i] - last[i]).abs() < 2e-4, "{arrive:?} {last:?}");
        }
        Ok(())
    });
}

#[test]
fn controls_undo_end_velocities() {
    arbtest::arbtest(|u| {
        let [a, b, c, d] = segment(u)?;
        let (leave, arrive) = end_velocities(a, b, c, d);
        let (b2, c2) = controls(a, d, leave, arrive);
        assert!(quat::angle(b, b2) < 1e-9 && quat::angle(c, c2) < 1e-9);
        Ok(())
    });
}

#[test]
fn time_reversal_is_the_segment_turned_round() {
    arbtest::arbtest(|u| {
        let [a, b, c, d] = segment(u)?;
        let t = unit(u)?.abs();
        assert!(quat::angle(cubic_slerp(a, b, c, d, t), cubic_slerp(d, c, b, a, 1.0 - t)) < 1e-9);
        Ok(())
    });
}

/// SplitMix64, for tests that want a fixed number of random cases.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A direction on the sphere, every one as likely: each sign is random too.
    fn rotation(&mut self) -> Quat {
        loop {
            let q: Quat = core::array::from_fn(|_| (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
            if (0.01..1.0).contains(&quat::dot(q, q)) {
                return quat::normalize(q);
            }
        }
    }
}

/// What is left of a curve's largest step over `[0, 1]` when that step is halved over and over: nothing where the
/// curve is continuous, however quick it is; the jump itself where it jumps.
fn jump(at: impl Fn(f64) -> Quat) -> f64 {
    const STEPS: u32 = 128;
    let size = |(from, to): (f64, f64)| quat::angle(at(from), at(to));
    let time = |i: u32| f64::from(i) / f64::from(STEPS);
    let points: Vec<Quat> = (0..=STEPS).map(|i| at(time(i))).collect();
    let steps = (0..STEPS).zip(points.windows(2).map(|w| quat::angle(w[0], w[1])));
    let (largest, _) = steps.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let mut step = (time(largest), time(largest + 1));
    for _ in 0..36 {
        let middle = (step.0 + step.1) / 2.0;
        let (first, second) = ((step.0, middle), (middle, step.1));
        step = if size(first) > size(second) { first } else { second };
    }
    size(step)
}

/// How many of so many random segments, their four quaternions anywhere on the sphere, jump by more than a thousandth.
fn jumping(segments: usize, blend: impl Fn([Quat; 4], f64) -> Quat) -> usize {
    let mut random = Random(5);
    (0..segments)
        .filter(|_| {
            let quats = core::array::from_fn(|_| random.rotation());
            jump(|t| blend(quats, t)) > 1e-3
        })
        .count()
}

#[test]
fn none_of_ten_thousand_random_segments_jumps() {
    assert_eq!(jumping(10_000, |[a, b, c, d], t| cubic_slerp(a, b, c, d, t)), 0);
}

#[test]
fn short_way_slerps_jump_and_the_search_for_jumps_sees_it() {
    let short =
        |[a, b, c, d]: [Quat; 4], t| quat::slerp(quat::slerp(a, d, t), quat::slerp(b, c, t), 2.0 * t * (1.0 - t));
    assert!(jumping(1_000, short) > 10);
}

#[test]
fn a_curve_ignores_its_unused_ends_and_returns_its_keys() {
    let keys = [turn(0.2), turn(0.9), turn(0.4)];
    let curve = |unused: [f32; 4]| {
        let stored = |q: Quat| q.map(|c| c as f32);
        let values: Vec<f32> = [
            [unused, stored(keys[0]), stored(turn(0.5))],
            [stored(turn(0.8)), stored(keys[1]), stored(turn(1.0))],
            [stored(turn(0.6)), stored(keys[2]), unused],
        ]
        .iter()
        .flat_map(|key| key.concat())
        .collect();
        Curve::new(Interpolation::CubicSlerp, 4, [1.0, 2.0, 4.0], values).unwrap()
    };
    let (zeros, wild) = (curve([0.0; 4]), curve([7.0, -3.0, 2.0, 1.0]));
    let at = |curve: &Curve, t: f64| {
        let mut q = [0.0; 4];
        curve.sample(Kind::Rotation, t, &mut q);
        q
    };
    for i in 0..=40 {
        let t = f64::from(i) / 8.0;
        assert_eq!(at(&zeros, t), at(&wild, t));
    }
    for (t, key) in [1.0, 2.0, 4.0].into_iter().zip(keys) {
        assert!(quat::angle(at(&zeros, t), key) < 1e-7);
    }
}
