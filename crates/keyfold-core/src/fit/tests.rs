use super::*;
use crate::quat::{self, Quat};
use std::vec::Vec;

fn turn(axis: [f64; 3], angle: f64) -> Quat {
    quat::exp(axis.map(|c| c * angle / 2.0))
}

fn stored(q: Quat) -> [f32; 4] {
    q.map(|c| c as f32)
}

/// A wandering motion sampled at `rate` keys a second for four seconds.
fn captured(rate: usize) -> Curve {
    let times: Vec<f32> = (0..=4 * rate).map(|i| i as f32 / rate as f32).collect();
    let values: Vec<f32> = times
        .iter()
        .flat_map(|t| {
            let t = f64::from(*t);
            let swing = turn([1.0, 0.0, 0.0], libm::sin(2.0 * t));
            let twist = turn([0.0, 1.0, 0.0], 0.7 * libm::cos(3.1 * t) + 0.05 * libm::sin(11.0 * t));
            stored(quat::mul(swing, twist))
        })
        .collect();
    Curve::new(Interpolation::Linear, 4, times, values).unwrap()
}

/// A spline like an animator's: few keys, smooth at all but one.
fn animated() -> Curve {
    let keys = [
        turn([0.0, 1.0, 0.0], 0.0),
        turn([0.6, 0.8, 0.0], 1.4),
        turn([0.0, 0.6, 0.8], 0.9),
        turn([1.0, 0.0, 0.0], -0.6),
    ];
    let speeds = [[0.0; 3], [0.8, 0.4, -0.3], [-0.5, 0.9, 0.2], [0.0; 3]];
    let mut values = Vec::new();
    for (i, (q, speed)) in keys.into_iter().zip(speeds).enumerate() {
        let tangent = |v: [f64; 3]| stored(quat::mul(q, [v[0], v[1], v[2], 0.0]));
        let arrive = if i == 2 { [0.0; 3] } else { speed };
        values.extend([tangent(arrive), stored(q), tangent(speed)].concat());
    }
    Curve::new(Interpolation::CubicSpline, 4, [0.0, 0.8, 1.5, 3.0], values).unwrap()
}

fn at(curve: &Curve, t: f64) -> Quat {
    let mut q = [0.0; 4];
    curve.sample(Kind::Rotation, t, &mut q);
    q
}

/// The largest angle between two curves at 20,000 times that no fit has looked at.
fn apart(a: &Curve, b: &Curve) -> f64 {
    assert_eq!((a.start(), a.end()), (b.start(), b.end()));
    let (start, span) = (f64::from(a.start()), f64::from(a.end()) - f64::from(a.start()));
    let times = (0..=20_000).map(|i| start + span * f64::from(i) / 20_000.0);
    times.map(|t| quat::angle(at(a, t), at(b, t))).fold(0.0, f64::max)
}

const FORMS: [Interpolation; 3] = [Interpolation::Linear, Interpolation::CubicSpline, Interpolation::CubicSlerp];

#[test]
fn every_form_keeps_every_tolerance_from_every_form() {
    let spline = animated();
    let squad = refit(&spline, Kind::Rotation, Interpolation::CubicSlerp, 1e-3).unwrap();
    for source in [captured(30), spline, squad] {
        for form in FORMS {
            for tolerance in [3e-2, 1e-3, 3e-5] {
                let fitted = refit(&source, Kind::Rotation, form, tolerance).unwrap();
                let error = apart(&source, &fitted);
                assert_eq!(fitted.interpolation(), form);
                assert!(error <= tolerance * 1.001, "{:?} -> {form:?} {tolerance}: {error}", source.interpolation());
            }
        }
    }
}

#[test]
fn vectors_are_as_far_off_as_their_farthest_component() {
    let wide = |width: usize| {
        let element = |v: f32| core::iter::repeat_n(v, width);
        let values = [0.0, 0.0, 0.0, 2.0, 1.0, 0.0].into_iter().flat_map(element);
        Curve::new(Interpolation::CubicSpline, width, [0.0, 1.0], values.collect::<Vec<f32>>()).unwrap()
    };
    let keys = |width| refit(&wide(width), Kind::Vector, Interpolation::Linear, 1e-3).unwrap().keys();
    assert_eq!(keys(52), keys(1));
}

#[test]
fn a_parabola_takes_as_few_straight_segments_as_can_be() {
    // Within e of x² a segment with both keys beside the curve is sqrt(8 e) long, one with its keys on it sqrt(4 e).
    let parabola = Curve::new(Interpolation::CubicSpline, 1, [0.0, 1.0], [0.0, 0.0, 0.0, 2.0, 1.0, 0.0]).unwrap();
    for tolerance in [1e-2, 1e-3, 1e-4] {
        let fitted = refit(&parabola, Kind::Vector, Interpolation::Linear, tolerance).unwrap();
        let least = libm::ceil(1.0 / libm::sqrt(8.0 * tolerance));
        // The first key stays on the curve, and ends are searched for to a sixteenth.
        assert!(
            fitted.keys() as f64 - 1.0 <= 1.05 * least + 1.0,
            "{tolerance}: {} keys, {least} segments",
            fitted.keys()
        );
        for i in 0..=1000 {
            let (t, mut value) = (f64::from(i) / 1000.0, [0.0]);
            fitted.sample(Kind::Vector, t, &mut value);
            assert!((value[0] - t * t).abs() <= tolerance * 1.001);
        }
    }
}

#[test]
fn straight_lines_get_keys_where_they_have_some() {
    let source = captured(30);
    for form in [Interpolation::CubicSpline, Interpolation::CubicSlerp] {
        for tolerance in [3e-2, 1e-3, 3e-4, 3e-5] {
            let fitted = refit(&source, Kind::Rotation, form, tolerance).unwrap();
            assert!(fitted.times().iter().all(|t| source.times().contains(t)), "{form:?} {tolerance}");
        }
    }
}

#[test]
fn a_steady_turn_needs_two_keys_in_every_form() {
    let times: Vec<f32> = (0..=60).map(|i| i as f32 / 30.0).collect();
    let values: Vec<f32> = times.iter().flat_map(|t| stored(turn([0.0, 1.0, 0.0], f64::from(*t)))).collect();
    let steady = Curve::new(Interpolation::Linear, 4, times, values).unwrap();
    for form in FORMS {
        let fitted = refit(&steady, Kind::Rotation, form, 1e-3).unwrap();
        assert_eq!(fitted.keys(), 2, "{form:?}");
    }
}

#[test]
fn what_a_spline_does_smoothly_the_other_form_does_smoothly() {
    let spline = animated();
    let squad = refit(&spline, Kind::Rotation, Interpolation::CubicSlerp, 1e-4).unwrap();
    assert!(squad.keys() > 8);
    let velocity = |t: f32, ahead: f64| {
        let (here, there) = (at(&squad, f64::from(t)), at(&squad, f64::from(t) + ahead));
        let r = quat::mul(quat::conjugate(here), there);
        quat::log(if r[3] < 0.0 { quat::negate(r) } else { r }).map(|c| c / ahead)
    };
    for t in &squad.times()[1..squad.keys() - 1] {
        let (before, after) = (velocity(*t, -1e-5), velocity(*t, 1e-5));
        let jump = (0..3).map(|i| (after[i] - before[i]).abs()).fold(0.0, f64::max);
        // The one key where the original itself turns a corner stays a corner.
        assert_eq!(jump > 1e-2, *t == 1.5, "{t}: {jump}");
    }
    // Its keys are all there.
    assert!(spline.times().iter().all(|t| squad.times().contains(t)));
}

#[test]
fn straight_arcs_are_kept_to_the_bit_where_nothing_may_change() {
    let source = captured(30);
    let squad = refit(&source, Kind::Rotation, Interpolation::CubicSlerp, 0.0).unwrap();
    assert_eq!(squad.times(), source.times());
    assert!((0..source.keys()).all(|k| squad.value(k) == source.value(k)));
    assert!(apart(&source, &squad) < 1e-9);
}

#[test]
fn long_ways_round_come_along() {
    // Keys under opposite signs: the spline turns the long way, by more than half a turn.
    let (a, b, zero) = (stored(turn([0.0, 1.0, 0.0], 0.0)), stored(turn([0.0, 1.0, 0.0], 4.4)), [0.0f32; 4]);
    let long = Curve::new(Interpolation::CubicSpline, 4, [0.0, 1.0], [zero, a, zero, zero, b, zero].concat()).unwrap();
    for form in [Interpolation::Linear, Interpolation::CubicSlerp] {
        let fitted = refit(&long, Kind::Rotation, form, 1e-3).unwrap();
        assert!(apart(&long, &fitted) <= 1.001e-3);
    }
}

#[test]
fn what_no_keys_can_do_is_unfit_and_says_where() {
    let step = Curve::new(Interpolation::Step, 1, [0.5, 1.0], [0.0, 1.0]).unwrap();
    assert_eq!(refit(&step, Kind::Vector, Interpolation::Linear, 0.1), None);
    assert!(refit(&animated(), Kind::Rotation, Interpolation::Linear, 0.0).is_none());
    assert!(refit(&animated(), Kind::Vector, Interpolation::CubicSlerp, 0.1).is_none());
    let single = Curve::constant(2.0, [0.0, 0.0, 0.0, 1.0]).unwrap();
    assert_eq!(refit(&single, Kind::Rotation, Interpolation::CubicSlerp, 0.1).as_ref(), Some(&single));
}

#[test]
fn what_leaves_the_range_of_floats_is_not_fitted() {
    let values = [0.0, 3e38, 3e38, 3e38, 3e38, 0.0];
    let over = Curve::new(Interpolation::CubicSpline, 1, [0.0, 2.0], values).unwrap();
    for tolerance in [0.0, 1e30, 1e36] {
        if let Some(fitted) = refit(&over, Kind::Vector, Interpolation::Linear, tolerance) {
            assert!(fitted.values().iter().all(|v| v.is_finite()));
        }
    }
}
