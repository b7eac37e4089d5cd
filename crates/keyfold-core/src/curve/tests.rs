use super::*;
use crate::quat;
use alloc::vec::Vec;
use std::vec;

fn at(curve: &Curve, kind: Kind, t: f64) -> Vec<f64> {
    let mut out = vec![0.0; curve.width()];
    curve.sample(kind, t, &mut out);
    out
}

#[test]
fn times_outside_the_keys_clamp_to_the_nearest() {
    let c = Curve::new(Interpolation::Linear, 1, [1.0, 2.0], [5.0, 7.0]).unwrap();
    assert_eq!(at(&c, Kind::Vector, -3.0), [5.0]);
    assert_eq!(at(&c, Kind::Vector, 0.5), [5.0]);
    assert_eq!(at(&c, Kind::Vector, 9.0), [7.0]);
    assert_eq!(at(&c, Kind::Vector, f64::NAN), [5.0]);
}

#[test]
fn step_at_a_key_is_that_key_and_just_before_it_the_one_before() {
    // A Khronos renderer returns the previous key here.
    let c = Curve::new(Interpolation::Step, 1, [0.0, 1.0, 2.0], [1.0, 2.0, 3.0]).unwrap();
    assert_eq!(at(&c, Kind::Vector, 1.0), [2.0]);
    assert_eq!(at(&c, Kind::Vector, 0.999_999_999), [1.0]);
    let mut left = [0.0];
    c.sample_left(Kind::Vector, 1.0, &mut left);
    assert_eq!(left, [1.0]);
    c.sample_left(Kind::Vector, 0.0, &mut left);
    assert_eq!(left, [1.0]);
}

#[test]
fn one_key_is_a_constant_in_every_interpolation() {
    let cubic = vec![9.0, 4.0, 9.0];
    for (i, values) in
        [(Interpolation::Step, vec![4.0]), (Interpolation::Linear, vec![4.0]), (Interpolation::CubicSpline, cubic)]
    {
        let c = Curve::new(i, 1, [1.5], values).unwrap();
        [0.0, 1.5, 3.0].iter().for_each(|t| assert_eq!(at(&c, Kind::Vector, *t), [4.0]));
    }
}

#[test]
fn hermite_tangents_are_per_second() {
    // A straight line of slope 3 through 2 seconds has both tangents 3: a player that forgets the span bends it.
    let c = Curve::new(Interpolation::CubicSpline, 1, [0.0, 2.0], [99.0, 0.0, 3.0, 3.0, 6.0, 99.0]).unwrap();
    for t in [0.25, 0.5, 1.0, 1.9] {
        assert!((at(&c, Kind::Vector, t)[0] - 3.0 * t).abs() < 1e-12);
    }
}

#[test]
fn hermite_tangents_are_no_bezier_control_points() {
    // Zero tangents ease in and out: at a quarter the Hermite has 5/32 of the way.
    let c = Curve::new(Interpolation::CubicSpline, 1, [0.0, 1.0], [0.0, 0.0, 0.0, 0.0, 32.0, 0.0]).unwrap();
    assert_eq!(at(&c, Kind::Vector, 0.25), [5.0]);
}

#[test]
fn cubic_rotations_are_normalized_and_no_hemisphere_is_flipped() {
    // Keys on opposite halves, zero tangents: the blend goes the long way, halfway at (q0 + q1) / 2.
    let (a, b, zero) = ([0.0f32, 0.0, 0.0, 1.0], [0.0f32, 0.6, 0.0, -0.8], [0.0f32; 4]);
    let c = Curve::new(Interpolation::CubicSpline, 4, [0.0, 1.0], [zero, a, zero, zero, b, zero].concat()).unwrap();
    let q = at(&c, Kind::Rotation, 0.5);
    let expected = quat::normalize([0.0, 0.3, 0.0, 0.1]);
    (0..4).for_each(|i| assert!((q[i] - expected[i]).abs() < 1e-6, "{q:?}"));
}

#[test]
fn opposite_cubic_keys_that_meet_in_zero_hold_the_key_before() {
    let (a, b, zero) = ([0.0f32, 0.0, 0.0, 1.0], [0.0f32, 0.0, 0.0, -1.0], [0.0f32; 4]);
    let c = Curve::new(Interpolation::CubicSpline, 4, [0.0, 1.0], [zero, a, zero, zero, b, zero].concat()).unwrap();
    assert_eq!(at(&c, Kind::Rotation, 0.5), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn rotations_are_slerped_as_rotations_and_lerped_as_vectors() {
    let h = core::f32::consts::FRAC_1_SQRT_2;
    let c = Curve::new(Interpolation::Linear, 4, [0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 0.0, h, 0.0, h]).unwrap();
    let q = at(&c, Kind::Rotation, 1.0 / 3.0);
    assert!((q[1] - (core::f64::consts::PI / 12.0).sin()).abs() < 1e-7);
    assert!((at(&c, Kind::Vector, 0.5)[1] - f64::from(h) / 2.0).abs() < 1e-12);
}

#[test]
fn linear_rotation_keys_are_normalized_before_blending() {
    let c = Curve::new(Interpolation::Linear, 4, [0.0, 1.0], [0.0, 0.0, 0.0, 2.0, 0.0, 3.0, 0.0, 0.0]).unwrap();
    let q = at(&c, Kind::Rotation, 0.5);
    assert!((q[1] - q[3]).abs() < 1e-12 && q[1] > 0.7);
    assert_eq!(at(&c, Kind::Rotation, 1.0), [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn cubic_weights_are_grouped_per_key() {
    // Two targets: a a v v b b per key.
    let values = [8.0, 8.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0, 6.0, 8.0, 8.0];
    let c = Curve::new(Interpolation::CubicSpline, 2, [0.0, 1.0], values).unwrap();
    assert_eq!(at(&c, Kind::Vector, 0.0), [1.0, 2.0]);
    assert_eq!(at(&c, Kind::Vector, 0.5), [2.0, 4.0]);
    assert_eq!(at(&c, Kind::Vector, 1.0), [3.0, 6.0]);
}

#[test]
fn bad_keys_are_refused_with_their_place() {
    let new = |times: &[f32], values: &[f32]| Curve::new(Interpolation::Linear, 1, times, values);
    assert_eq!(new(&[], &[]), Err(CurveError::Empty));
    assert_eq!(new(&[0.0, 0.0], &[1.0, 2.0]), Err(CurveError::TimeNotIncreasing { key: 1 }));
    assert_eq!(new(&[0.0, f32::NAN], &[1.0, 2.0]), Err(CurveError::TimeNotFinite { key: 1 }));
    assert_eq!(new(&[0.0, 1.0], &[1.0]), Err(CurveError::Count { expected: 2, found: 1 }));
    assert_eq!(new(&[0.0, 1.0], &[1.0, f32::INFINITY]), Err(CurveError::ValueNotFinite { key: 1 }));
}

#[test]
fn a_cursor_finds_what_a_search_finds_in_any_order() {
    arbtest::arbtest(|u| {
        let count = u.int_in_range(1..=20)?;
        let mut times =
            (0..count).map(|_| Ok(f32::from(u.int_in_range(0..=50u8)?) / 8.0)).collect::<Result<Vec<_>, _>>()?;
        times.sort_by(f32::total_cmp);
        times.dedup();
        let mut cursor = Cursor::default();
        for _ in 0..30 {
            let t = f64::from(u.int_in_range(-8i8..=120)?) / 16.0;
            assert_eq!(cursor.locate(&times, t), locate(&times, t));
        }
        Ok(())
    });
}

#[test]
fn many_times_give_what_single_times_give() {
    let c = Curve::new(Interpolation::Linear, 2, [0.0, 0.3, 1.0], [0.0, 1.0, 2.0, 5.0, -1.0, 3.0]).unwrap();
    let times = [-1.0, 0.1, 0.3, 0.9, 0.2, 5.0];
    let mut out = vec![0.0; times.len() * 2];
    c.sample_many(Kind::Vector, &times, &mut out);
    for (t, row) in times.iter().zip(out.chunks(2)) {
        assert_eq!(at(&c, Kind::Vector, *t), row);
    }
}

#[test]
fn curves_that_never_change_are_constant() {
    let spline = |tangents: [f32; 4]| {
        let [before, out, into, after] = tangents;
        Curve::new(Interpolation::CubicSpline, 1, [0.0, 1.0], [before, 5.0, out, into, 5.0, after]).unwrap()
    };
    let linear = |values: [f32; 3]| Curve::new(Interpolation::Linear, 1, [0.0, 1.0, 2.0], values).unwrap();
    assert!(linear([2.0; 3]).is_constant() && !linear([2.0, 2.0, 3.0]).is_constant());
    assert!(Curve::constant(1.0, [1.0, 2.0]).unwrap().is_constant());
    // Tangents at the ends lead nowhere.
    assert!(spline([0.0; 4]).is_constant() && spline([9.0, 0.0, 0.0, 9.0]).is_constant());
    assert!(!spline([0.0, 1.0, 0.0, 0.0]).is_constant() && !spline([0.0, 0.0, 1.0, 0.0]).is_constant());
}
