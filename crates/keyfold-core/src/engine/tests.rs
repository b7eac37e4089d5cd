use super::{clip::*, compensate::compensated, reach::samples, response::Response, window::Window, *};
use crate::{
    curve::{Curve, Interpolation},
    quat,
    skeleton::{Motion, Property, Rest, Skeleton, Track as Driven, Transform, compare, moments, probes},
    vector::{AXES, Vector, distance},
};
use std::{vec, vec::Vec};

const KEYS: usize = 120;
const RADIUS: f64 = 0.1;

/// A storage of bytes: every byte that is not zero costs.
struct Plain;

impl Codec for Plain {
    fn grid(&self, track: &Track, step: f64) -> Grid {
        match track.property {
            Property::Rotation if track.is_spline() => Grid::multiples(step / 2.0, track.largest()),
            Property::Rotation => Grid::unit_shorts(step / 2.0),
            Property::Translation | Property::Scale => Grid::multiples(step, track.largest()),
        }
    }

    fn constant(&self, _: &Track, _: f64) -> Grid {
        Grid::Float
    }

    fn cost(&self, tracks: &[Option<Encoded>], _: f64) -> usize {
        let bytes = |e: &Encoded| {
            let values: usize = e.codes.iter().flatten().flat_map(|c| c.to_le_bytes()).filter(|b| *b != 0).count();
            values + 4 * e.times.len()
        };
        tracks.iter().map(|track| track.as_ref().map_or(KEYS * 20, bytes)).sum()
    }
}

/// `actors` arms of four joints each.
fn arms(actors: usize) -> Skeleton {
    let parents = (0..actors * 4).map(|i| (i % 4 > 0).then(|| i - 1)).collect();
    let joint = |i: usize| Transform {
        translation: [0.0, if !i.is_multiple_of(4) { 1.0 } else { 0.0 }, 0.0],
        ..Transform::IDENTITY
    };
    Skeleton::new(parents, &(0..actors * 4).map(|i| Rest::Transform(joint(i))).collect::<Vec<_>>()).unwrap()
}

/// Each joint swings differently, in the same way for all actors.
fn swings() -> Vec<Curve> {
    swings_at(1.3)
}

fn swings_at(least: f64) -> Vec<Curve> {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let swing = |joint: usize| {
        let turn = |t: &f32| {
            let (t, speed) = (f64::from(*t), least + joint as f64);
            quat::exp([0.4 * libm::sin(speed * t), 0.2 * libm::cos(2.3 * t), 0.05 * t]).map(|c| c as f32)
        };
        let values: Vec<f32> = times.iter().flat_map(turn).collect();
        Curve::new(Interpolation::Linear, 4, times.clone(), values).unwrap()
    };
    (0..4).map(swing).collect()
}

fn searched(
    skeleton: &Skeleton,
    curves: &[Curve],
    kept: &[bool],
    bound: f64,
    level: Level,
) -> Option<Vec<Option<Encoded>>> {
    found(skeleton, curves, kept, bound, level, false, None).map(|found| found.tracks)
}

fn found(
    skeleton: &Skeleton,
    curves: &[Curve],
    kept: &[bool],
    bound: f64,
    level: Level,
    keeps_keys: bool,
    before: Option<Before<'_>>,
) -> Option<Found> {
    let (tracks, radii) = (tracks(skeleton, curves), vec![RADIUS; skeleton.len()]);
    let settled: Vec<Option<&Curve>> =
        kept.iter().zip(&tracks).map(|(kept, track)| kept.then_some(track.curve)).collect();
    let job = Job { settled: &settled, bound, level, keeps_keys, ..job(skeleton, &radii, &tracks) };
    search(&job, &Plain, &Sequential, before)
}

/// A job of tracks that may all change.
fn job<'a>(skeleton: &'a Skeleton, probe_radii: &'a [f64], tracks: &'a [Driven<'a>]) -> Job<'a> {
    Job {
        skeleton,
        probe_radii,
        tracks,
        settled: &[None; 4],
        weights: &[],
        end: tracks[0].curve.end(),
        bound: 0.01,
        level: Level::Default,
        keeps_keys: false,
        shares_times: false,
        is_estimate: false,
    }
}

fn tracks<'c>(skeleton: &Skeleton, curves: &'c [Curve]) -> Vec<Driven<'c>> {
    let track = |node| Driven { node, property: Property::Rotation, axis: None, curve: &curves[node % 4] };
    (0..skeleton.len()).map(track).collect()
}

#[test]
fn every_level_keeps_the_bound_at_keys_and_saves() {
    let (skeleton, curves) = (arms(1), swings());
    let original = Motion::new(&skeleton, tracks(&skeleton, &curves));
    for level in [Level::Fast, Level::Default, Level::Max] {
        for bound in [0.1, 0.01, 0.001] {
            let found = searched(&skeleton, &curves, &[false; 4], bound, level).unwrap();
            let decoded: Vec<Curve> = found.iter().map(|track| track.as_ref().unwrap().curve().unwrap()).collect();
            let motion = Motion::new(&skeleton, tracks(&skeleton, &decoded));
            let probes = probes(&skeleton, &original.moved(), |_| 0.1);
            let error = compare(&original, &motion, &probes, &moments(&[&original, &motion], 0)).error();
            assert!(error <= bound && error > 0.3 * bound, "{level:?} {bound}: {error}");
        }
    }
}

#[test]
fn what_is_too_far_off_between_keys_comes_nearer_within_the_same_bound() {
    let (skeleton, curves, bound) = (arms(1), swings_at(39.0), 0.01);
    let original = Motion::new(&skeleton, tracks(&skeleton, &curves));
    let probes = probes(&skeleton, &original.moved(), |_| 0.1);
    let search = |before| found(&skeleton, &curves, &[false; 4], bound, Level::Default, false, before).unwrap();
    let decoded = |found: &Found| found.tracks.iter().map(|t| t.as_ref().unwrap().curve().unwrap()).collect();
    let error = |decoded: &[Curve]| {
        let motion = Motion::new(&skeleton, tracks(&skeleton, decoded));
        compare(&original, &motion, &probes, &moments(&[&original, &motion], 2)).error()
    };
    let first = search(None);
    let before: Vec<Curve> = decoded(&first);
    let again = search(Some(Before { choice: &first.choice, curves: &before.iter().map(Some).collect::<Vec<_>>() }));
    let after: Vec<Curve> = decoded(&again);
    assert!(error(&before) > 1.01 * bound && error(&after) <= bound, "{} {}", error(&before), error(&after));
    // Most keys stay the same.
    let codes = |found: &Found| found.tracks.iter().flat_map(|t| t.as_ref().unwrap().codes.clone()).collect::<Vec<_>>();
    let same = codes(&first).iter().zip(codes(&again)).filter(|(a, b)| *a == b).count();
    assert!(again.choice.bound() == bound && same > codes(&first).len() / 2, "{same}");
}

#[test]
fn points_move_as_far_as_the_response_says() {
    let (skeleton, curves, radii) = (arms(1), swings(), [RADIUS; 4]);
    let tracks = tracks(&skeleton, &curves);
    let job = job(&skeleton, &radii, &tracks);
    let parts = Part::all(&job);
    let clip = Clip::new(&parts[0], &job);
    let windows = [Window::new(&clip, 0..KEYS)];
    let said = Response::new(&clip, &windows, &[0.0; 4]).squares(&clip.tracks[0], &[0.0; 4]);
    let mut found = [0.0f64; 4];
    for (moment, axis) in samples(&windows[0]).flat_map(|moment| AXES.map(|axis| (moment, axis))) {
        let moved = moved(&windows[0], moment, axis);
        found.iter_mut().zip(moved).for_each(|(found, moved)| *found = found.max(moved));
    }
    for (said, found) in said.iter().zip(found) {
        assert!(libm::fabs(libm::sqrt(*said) / found - 1.0) < 0.01, "{} {found}", libm::sqrt(*said));
    }
    // A lever would move the last one by three.
    assert!(found[3] < 1.0, "{found:?}");
}

/// How far points around the joints of an arm move per radian of the first joint, with compensation.
fn moved(window: &Window, moment: usize, axis: Vector) -> [f64; 4] {
    const SMALL: f64 = 1e-5;
    let (mut above, mut origin) = (quat::exp(axis.map(|c| c * SMALL / 2.0)), [0.0; 3]);
    [0, 1, 2, 3].map(|joint| {
        let original = window.turns[joint][moment];
        let turn = match joint {
            0 => quat::mul(above, original),
            _ => {
                let bone = quat::rotate(above, [0.0, 1.0, 0.0]);
                origin = [0, 1, 2].map(|k| origin[k] + bone[k]);
                quat::mul(above, compensated(window, joint, moment, above, origin))
            }
        };
        above = turn;
        let point = |turn, origin: Vector, axis: Vector| {
            let out = quat::rotate(turn, axis.map(|c| c * RADIUS));
            [0, 1, 2].map(|k| origin[k] + out[k])
        };
        let before = window.poses.global(joint, moment).origin;
        let far = AXES.map(|axis| distance(point(turn, origin, axis), point(original, before, axis)) / SMALL);
        far.into_iter().fold(0.0, f64::max)
    })
}

#[test]
fn actors_do_not_know_of_each_other() {
    let curves = swings();
    let [one, three] =
        [1, 3].map(|actors| searched(&arms(actors), &curves, &vec![false; actors * 4], 0.01, Level::Default).unwrap());
    assert!((0..3).all(|actor| three[actor * 4..][..4] == one[..]));
}

#[test]
fn kept_tracks_stay_and_nothing_is_found_without_a_bound() {
    let (skeleton, curves) = (arms(1), swings());
    let found = searched(&skeleton, &curves, &[false, true, false, false], 0.01, Level::Default).unwrap();
    assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true, true]);
    assert!(searched(&skeleton, &curves, &[false; 4], 0.0, Level::Default).is_none());
    assert!(searched(&skeleton, &curves, &[true; 4], 0.01, Level::Default).is_none());
}

#[test]
fn what_holds_the_rest_pose_is_one_key_at_the_end() {
    let (skeleton, mut curves) = (arms(1), swings());
    let still = [0.0, 0.0, 0.0, 1.0f32].repeat(KEYS);
    curves[2] = Curve::new(Interpolation::Linear, 4, curves[0].shared_times().clone(), still).unwrap();
    let found = searched(&skeleton, &curves, &[false; 4], 0.01, Level::Default).unwrap();
    let track = found[2].as_ref().unwrap();
    assert_eq!((&track.times[..], track.codes.len()), (&[curves[0].end()][..], 1));
    assert_eq!(track.curve().unwrap().value(0), [0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn keys_and_interpolation_stay_where_that_is_asked_for() {
    let (skeleton, mut curves) = (arms(1), swings());
    // The third joint jumps, the last one follows a spline.
    let held = curves[2].values().to_vec();
    curves[2] = Curve::new(Interpolation::Step, 4, curves[2].shared_times().clone(), held).unwrap();
    let elements = |k: usize| [[0.0; 4].as_slice(), curves[3].value(k), &[0.0; 4]].concat();
    let spline: Vec<f32> = (0..KEYS).flat_map(elements).collect();
    curves[3] = Curve::new(Interpolation::CubicSpline, 4, curves[3].shared_times().clone(), spline).unwrap();
    let original = Motion::new(&skeleton, tracks(&skeleton, &curves));
    let probes = probes(&skeleton, &original.moved(), |_| 0.1);
    for bound in [0.1, 0.001] {
        let found = found(&skeleton, &curves, &[false; 4], bound, Level::Default, true, None).unwrap().tracks;
        let decoded: Vec<Curve> = found.iter().map(|track| track.as_ref().unwrap().curve().unwrap()).collect();
        for (decoded, curve) in decoded.iter().zip(&curves) {
            assert_eq!((decoded.times(), decoded.interpolation()), (curve.times(), curve.interpolation()));
            assert_ne!(decoded.values(), curve.values());
        }
        let motion = Motion::new(&skeleton, tracks(&skeleton, &decoded));
        let error = compare(&original, &motion, &probes, &moments(&[&original, &motion], 1)).error();
        assert!(error <= 1.05 * bound, "{bound}: {error}");
    }
}

#[test]
fn a_chain_of_thousands_is_not_repaired_for_ever() {
    let joint = Rest::Transform(Transform { translation: [0.0, 0.01, 0.0], ..Transform::IDENTITY });
    let parents = (0..2000usize).map(|i| i.checked_sub(1)).collect();
    let skeleton = Skeleton::new(parents, &vec![joint; 2000]).unwrap();
    let bends = [1e-3, 2e-3, -1e-3, 3e-3].map(|turn| {
        let values: Vec<f32> =
            [quat::IDENTITY, quat::exp([turn, 0.0, 0.0])].iter().flatten().map(|c| *c as f32).collect();
        Curve::new(Interpolation::Linear, 4, [0.0, 1.0], values).unwrap()
    });
    // Each repair would recompute some two thousand joints per code that it tries.
    let found = searched(&skeleton, &bends, &[false; 2000], 1e-3, Level::Default);
    assert!(found.is_some_and(|tracks| tracks.iter().all(Option::is_some)));
}
