//! Clips as a whole: built, opened, played, measured, and damaged.

use super::build::{BuildError, Built, Limits, Options, Source, SourceTrack, build};
use super::{Clip, ClipError, Encoding, Form, NodeProperty, Pose, Sampler, Target, Track};
use crate::curve::{Curve, Interpolation, Kind};
use crate::quat;
use crate::skeleton::{self, Moment, Motion, Probe, Property, Rest, Skeleton, Transform, probes};
use alloc::{string::ToString, vec, vec::Vec};
use core::cell::RefCell;

/// A chain of joints a tenth of a unit apart that wave, the root wandering as well.
struct Chain {
    skeleton: Skeleton,
    curves: Vec<(Target, Curve)>,
}

impl Chain {
    fn new(joints: usize, keys: usize, interpolation: Interpolation) -> Self {
        let parents = (0..joints).map(|j| j.checked_sub(1)).collect();
        let rest = vec![Rest::Transform(Transform { translation: [0.0, 0.1, 0.0], ..Transform::IDENTITY }); joints];
        let times: Vec<f32> = (0..keys).map(|k| k as f32 / 30.0).collect();
        let wave = |k: usize, phase: f64| libm::sin(k as f64 * 0.21 + phase);
        let turn = |j: usize| {
            let q = move |k: usize| {
                quat::exp([0.3 * wave(k, j as f64), 0.1 * wave(2 * k, 0.5), 0.05 * wave(k / 3, 2.0 * j as f64)])
            };
            (0..keys).flat_map(move |k| q(k).map(|c| c as f32)).collect::<Vec<_>>()
        };
        let mut curves: Vec<(Target, Curve)> = (0..joints)
            .map(|j| {
                let target = Target::Node(j as u32, NodeProperty::Rotation);
                (target, Curve::new(interpolation, 4, times.clone(), turn(j)).unwrap())
            })
            .collect();
        let walk: Vec<f32> = (0..keys).flat_map(|k| [k as f32 * 0.02, wave(k, 0.0) as f32 * 0.05, 0.5]).collect();
        curves.push((Target::Node(0, NodeProperty::Translation), Curve::new(interpolation, 3, times, walk).unwrap()));
        Self { skeleton: Skeleton::new(parents, &rest).unwrap(), curves }
    }

    fn with(mut self, target: Target, curve: Curve) -> Self {
        self.curves.push((target, curve));
        self
    }

    fn radii(&self) -> Vec<f64> {
        vec![0.03; self.skeleton.len()]
    }

    fn probes(&self) -> Vec<Probe> {
        probes(&self.skeleton, &vec![true; self.skeleton.len()], |_| 0.03)
    }

    fn build(&self, options: &Options) -> Result<Built, BuildError> {
        self.build_with(options, &|_| true)
    }

    fn build_with(&self, options: &Options, watch: &dyn Fn(f64) -> bool) -> Result<Built, BuildError> {
        let tracks: Vec<SourceTrack<'_>> = self
            .curves
            .iter()
            .map(|(target, curve)| SourceTrack { target: target.clone(), curve, rest: None, tolerance: 1e-3 })
            .collect();
        build(
            &Source { name: "wave", index: 3, skeleton: &self.skeleton, probe_radii: &self.radii(), tracks: &tracks },
            options,
            watch,
        )
    }

    fn curve(&self, target: &Target) -> &Curve {
        &self.curves.iter().find(|(t, _)| t == target).unwrap().1
    }

    /// The largest error of a clip against the curves at many times.
    fn error(&self, clip: &Clip<'_>) -> f64 {
        let times = skeleton::random_moments(0.0, clip.duration().into(), 2000, 7);
        let mut keys: Vec<f32> = times.iter().map(|moment| moment.time as f32).collect();
        keys.dedup();
        let tracks = self.curves.iter().filter_map(|(target, curve)| match target {
            Target::Node(node, NodeProperty::Rotation) => Some((*node, Property::Rotation, curve)),
            Target::Node(node, NodeProperty::Translation) => Some((*node, Property::Translation, curve)),
            _ => None,
        });
        let ours: Vec<Curve> = tracks.clone().map(|(node, property, _)| played(clip, node, property, &keys)).collect();
        let a = Motion::new(&self.skeleton, tracks.clone().map(|(node, property, curve)| bound(node, property, curve)));
        let b = Motion::new(&self.skeleton, tracks.zip(&ours).map(|((node, property, _), c)| bound(node, property, c)));
        let moments: Vec<Moment> = keys.iter().map(|time| Moment::at((*time).into())).collect();
        skeleton::compare(&a, &b, &self.probes(), &moments).error()
    }
}

fn bound(node: u32, property: Property, curve: &Curve) -> skeleton::Track<'_> {
    skeleton::Track { node: node as usize, property, axis: None, curve }
}

/// What a clip plays for a node at some times.
fn played(clip: &Clip<'_>, node: u32, property: Property, times: &[f32]) -> Curve {
    let wanted = match property {
        Property::Rotation => NodeProperty::Rotation,
        _ => NodeProperty::Translation,
    };
    let track = clip.tracks().iter().find(|t| *t.target() == Target::Node(node, wanted)).unwrap();
    let (mut sampler, mut pose, mut values) = (Sampler::new(clip), Pose::new(clip), Vec::new());
    for time in times {
        sampler.sample((*time).into(), &mut pose);
        values.extend_from_slice(pose.value(track));
    }
    Curve::new(Interpolation::Linear, track.width(), times, values).unwrap()
}

fn options(encoding: Encoding) -> Options {
    Options { rate: Some(30.0), encoding, bits: None, max_error: 1e-4, limits: Limits::NONE }
}

#[test]
fn both_encodings_hold_the_bound_whatever_the_number_of_keys() {
    for keys in [2, 3, 4, 5, 16, 17, 32, 33, 34, 75] {
        let chain = Chain::new(11, keys, Interpolation::Linear);
        for encoding in [Encoding::Variable, Encoding::Fixed] {
            let built = chain.build(&options(encoding)).unwrap();
            let clip = Clip::open(&built.bytes).unwrap();
            assert!(built.holds && built.error <= 1e-4, "{encoding:?}, {keys} keys: {}", built.error);
            assert!(chain.error(&clip) <= 1e-4, "{encoding:?}, {keys} keys: {}", chain.error(&clip));
            assert_eq!((clip.name(), clip.index(), clip.keys(), clip.encoding()), ("wave", 3, keys, encoding));
        }
    }
}

/// The tip grows to three times its size. It has no rotation of its own to compensate for the joint above it.
#[test]
fn what_grows_below_a_joint_that_turns_keeps_the_bound() {
    let scale = |k: usize| [1.0 + k as f32 / 30.0, 1.0, 2.0 - k as f32 / 60.0];
    let times: Vec<f32> = (0..61).map(|k| k as f32 / 30.0).collect();
    let values: Vec<f32> = (0..61).flat_map(scale).collect();
    let one_axis: Vec<f32> = (0..61).map(|k| scale(k)[0]).collect();
    for (property, width, values) in [(NodeProperty::Scale, 3, values), (NodeProperty::ScaleAxis(0), 1, one_axis)] {
        for interpolation in [Interpolation::Linear, Interpolation::Step] {
            let curve = Curve::new(interpolation, width, times.clone(), values.clone()).unwrap();
            let mut chain = Chain::new(3, 61, Interpolation::Linear).with(Target::Node(2, property), curve);
            chain.curves.retain(|(target, _)| *target != Target::Node(2, NodeProperty::Rotation));
            for encoding in [Encoding::Variable, Encoding::Fixed] {
                let built = chain.build(&options(encoding)).unwrap();
                assert!(built.holds, "{property:?} {interpolation:?} {encoding:?}: {}", built.possible);
            }
        }
    }
}

#[test]
fn variable_is_the_smaller() {
    let chain = Chain::new(11, 75, Interpolation::Linear);
    let [variable, fixed] =
        [Encoding::Variable, Encoding::Fixed].map(|e| chain.build(&options(e)).unwrap().bytes.len());
    assert!(variable * 10 < fixed * 7, "{variable} against {fixed}");
}

#[test]
fn fifty_rotations_of_sixteen_bits_have_a_stride_of_three_hundred_bytes() {
    let mut chain = Chain::new(50, 4, Interpolation::Linear);
    chain.curves.pop();
    let built = chain.build(&Options { bits: Some(16), ..options(Encoding::Fixed) }).unwrap();
    let clip = Clip::open(&built.bytes).unwrap();
    assert_eq!(clip.key_stride(), Some(50 * 3 * 2));
    assert_eq!(clip.key_stride().unwrap().div_ceil(64), 5);
}

#[test]
fn without_a_rate_cubic_curves_are_followed_themselves() {
    // In-tangent, value, out-tangent: an arc that a line does not follow.
    let times = [0.0, 0.4, 1.0];
    let keys = [[0.0, 0.0, 9.0], [1.0, 1.0, 1.0], [-5.0, 2.0, 0.0]];
    let values: Vec<f32> = keys.iter().flat_map(|k| k.iter().flat_map(|v| [*v, 0.0, v * 0.5])).collect();
    let target = Target::Node(0, NodeProperty::Translation);
    let mut chain = Chain::new(2, 2, Interpolation::Linear);
    chain.curves.pop();
    let chain = chain.with(target.clone(), Curve::new(Interpolation::CubicSpline, 3, times, values).unwrap());
    for encoding in [Encoding::Variable, Encoding::Fixed] {
        let built = chain.build(&Options { rate: None, max_error: 1e-3, ..options(encoding) }).unwrap();
        assert!(built.holds, "{}", built.error);
        let clip = Clip::open(&built.bytes).unwrap();
        let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
        let track = clip.tracks().iter().find(|t| *t.target() == target).unwrap();
        for i in 0..=500 {
            let t = f64::from(i) / 500.0;
            let mut expected = [0.0; 3];
            chain.curve(&target).sample(Kind::Vector, t, &mut expected);
            sampler.sample(t, &mut pose);
            (0..3).for_each(|c| assert!((f64::from(pose.value(track)[c]) - expected[c]).abs() < 1e-3));
        }
    }
}

#[test]
fn turning_splines_are_followed_by_parabolas() {
    let times = [0.0, 0.7, 1.1, 2.0];
    let mut chain = Chain::new(4, 2, Interpolation::Linear);
    chain.curves.clear();
    for joint in 0..4u32 {
        let key = |k: usize| {
            let q = quat::exp([libm::sin(f64::from(joint) + 2.0 * k as f64), 0.4 * k as f64, -0.3]);
            let tangent = quat::mul(q, [0.3, -0.5, 0.2 * k as f64, 0.0]);
            [tangent, q, tangent].map(|v| v.map(|c| c as f32)).concat()
        };
        let values: Vec<f32> = (0..times.len()).flat_map(key).collect();
        let curve = Curve::new(Interpolation::CubicSpline, 4, times, values).unwrap();
        chain = chain.with(Target::Node(joint, NodeProperty::Rotation), curve);
    }
    for (encoding, version) in [(Encoding::Variable, 2), (Encoding::Fixed, 1)] {
        let built = chain.build(&Options { rate: None, ..options(encoding) }).unwrap();
        let error = chain.error(&Clip::open(&built.bytes).unwrap());
        assert_eq!((built.bytes[4], built.holds), (version, true), "{encoding:?}");
        assert!(error <= 1e-4 && error > 5e-5, "{encoding:?}: {error}");
    }
}

/// A joint that eases from place to place, X alone, with level tangents.
fn eased(times: &[f32], places: &[f32]) -> Chain {
    let values: Vec<f32> = places.iter().flat_map(|x| [0.0, 0.0, 0.0, *x, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
    let curve = Curve::new(Interpolation::CubicSpline, 3, times.to_vec(), values).unwrap();
    let mut chain = Chain::new(2, 2, Interpolation::Linear);
    chain.curves.clear();
    chain.with(Target::Node(0, NodeProperty::Translation), curve)
}

#[test]
fn splines_take_as_many_keys_as_they_bend_however_long_they_last() {
    let options = Options { rate: None, max_error: 1e-3, ..options(Encoding::Variable) };
    let keys = |chain: &Chain| {
        let built = chain.build(&options).unwrap();
        assert!(built.holds, "{}", built.possible);
        Clip::open(built.bytes).unwrap().keys()
    };
    let (second, hour) = (eased(&[0.0, 1.0], &[0.0, 1.0]), eased(&[0.0, 3600.0], &[0.0, 1.0]));
    assert_eq!(keys(&second), keys(&hour));
    // Parabolas need fewer keys than lines. For an error e of x² (3 - 2x), lines are sqrt(8 e / 6) long where
    // it bends most.
    assert!(keys(&second) < 20, "{}", keys(&second));
    // A jump of a millisecond within a minute.
    let bend = eased(&[0.0, 30.0, 30.001, 60.0], &[0.0, 0.5, 1.0, 1.5]);
    assert!(keys(&bend) < 4 * keys(&second));
}

#[test]
fn splines_that_never_move_are_constants() {
    let level = Curve::new(Interpolation::Linear, 3, vec![0.0, 0.2, 1.0], vec![0.25; 9]).unwrap();
    let chain = eased(&[0.0, 0.3, 1.0], &[0.5; 3]).with(Target::Node(1, NodeProperty::Translation), level);
    let built = chain.build(&Options { rate: None, ..options(Encoding::Variable) }).unwrap();
    let clip = Clip::open(&built.bytes).unwrap();
    assert!(built.holds && clip.tracks().iter().all(|track| track.form() == Form::Constant));
}

#[test]
fn keys_next_to_each_other_are_no_reason_to_count_beyond_integers() {
    for near in [1.0842022e-19, 4.656_613e-10, 1e-30] {
        let chain = eased(&[0.0, near, 1.0], &[0.0, 0.0, 1.0]);
        let built = chain.build(&Options { rate: None, ..options(Encoding::Variable) }).unwrap();
        assert!(built.holds, "{near}: {}", built.possible);
    }
    let still = eased(&[0.0, 1.0842022e-19, 1.0], &[0.5; 3]);
    assert!(still.build(&Options { rate: None, ..options(Encoding::Variable) }).unwrap().holds);
}

#[test]
fn splines_that_limits_leave_no_room_for_are_refused() {
    let few = Limits { memory: 10_000, work: u64::MAX };
    let options = Options { rate: None, max_error: 1e-9, limits: few, ..options(Encoding::Variable) };
    let chain = eased(&[0.0, 1e30], &[0.0, 1.0]);
    assert_eq!(chain.build(&options).unwrap_err(), BuildError::Limit("memory"));
}

#[test]
fn steps_bools_weights_and_pointers() {
    let times = [0.0, 0.31, 0.5, 1.0];
    let visible = Target::Pointer("/nodes/0/extensions/KHR_node_visibility/visible".to_string(), false);
    let weights = Target::Node(1, NodeProperty::Weights);
    let colour = Target::Pointer("/materials/0/pbrMetallicRoughness/baseColorFactor".to_string(), false);
    let steps = Target::Node(1, NodeProperty::Scale);
    let axis = Target::Node(1, NodeProperty::TranslationAxis(1));
    let step_values = [1.0f32, 1.5, 0.1, 0.3, 0.7, 1.1, 1.9, 1.0, 1.0, 0.123_456_79, 2.0, 3.0];
    let chain = Chain::new(3, 31, Interpolation::Linear)
        .with(visible.clone(), Curve::new(Interpolation::Step, 1, times, [1.0, 0.0, 1.0, 0.0]).unwrap())
        .with(
            weights.clone(),
            Curve::new(Interpolation::Linear, 2, times, [0.0, 1.0, 0.5, 0.5, 1.0, 0.2, 0.3, 0.9]).unwrap(),
        )
        .with(colour.clone(), Curve::constant(0.0, [1.0, 0.25, 0.0, 1.0]).unwrap())
        .with(steps.clone(), Curve::new(Interpolation::Step, 3, times, step_values).unwrap())
        .with(axis.clone(), Curve::new(Interpolation::Linear, 1, times, [0.1, 0.2, 0.1, 0.3]).unwrap());
    for encoding in [Encoding::Variable, Encoding::Fixed] {
        let built = chain.build(&options(encoding)).unwrap();
        assert!(built.holds);
        let clip = Clip::open(&built.bytes).unwrap();
        let track = |target: &Target| clip.tracks().iter().find(|t| t.target() == target).unwrap();
        assert_eq!((track(&visible).form(), track(&colour).form()), (Form::Step, Form::Constant));
        assert_eq!(track(&axis).target().to_string(), "/nodes/1/translation.y");
        let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
        for (t, shown, scale) in
            [(-1.0, 1.0, 0), (0.3, 1.0, 0), (f64::from(0.31f32), 0.0, 1), (0.99, 1.0, 2), (2.0, 0.0, 3)]
        {
            sampler.sample(t, &mut pose);
            assert_eq!(pose.value(track(&visible)), [shown], "at {t}");
            assert_eq!(pose.value(track(&steps)), &step_values[scale * 3..scale * 3 + 3]);
            assert_eq!(pose.value(track(&colour)), [1.0, 0.25, 0.0, 1.0]);
        }
        sampler.sample(0.5, &mut pose);
        let off = pose
            .value(track(&weights))
            .iter()
            .zip([1.0, 0.2])
            .map(|(a, b): (&f32, f32)| (a - b).abs())
            .fold(0.0, f32::max);
        assert!(off < 1.1e-3, "{off}");
    }
}

#[test]
fn tracks_at_rest_are_not_stored_and_constants_take_few_bytes() {
    let chain = Chain::new(4, 20, Interpolation::Linear);
    let still = Curve::constant(0.0, [0.0, 0.1, 0.0]).unwrap();
    let moved = Curve::constant(0.0, [0.03, 0.1, -0.02]).unwrap();
    let size = |extra: Option<(&Curve, Option<Vec<f32>>)>| {
        let mut tracks: Vec<SourceTrack<'_>> = chain
            .curves
            .iter()
            .map(|(target, curve)| SourceTrack { target: target.clone(), curve, rest: None, tolerance: 1e-3 })
            .collect();
        tracks.extend(extra.map(|(curve, rest)| SourceTrack {
            target: Target::Node(2, NodeProperty::Translation),
            curve,
            rest,
            tolerance: 1e-3,
        }));
        let source =
            Source { name: "", index: 0, skeleton: &chain.skeleton, probe_radii: &chain.radii(), tracks: &tracks };
        build(&source, &options(Encoding::Variable), &|_| true).unwrap().bytes.len()
    };
    let plain = size(None);
    assert_eq!(size(Some((&still, Some(vec![0.0, 0.1, 0.0])))), plain);
    let constant = size(Some((&moved, Some(vec![0.0, 0.1, 0.0]))));
    assert!(constant < plain + 40, "{constant} against {plain}");
}

#[test]
fn random_access_single_tracks_and_batches_agree_with_playing_forward() {
    let chain = Chain::new(19, 70, Interpolation::Linear);
    for encoding in [Encoding::Variable, Encoding::Fixed] {
        let built = chain.build(&options(encoding)).unwrap();
        let clip = Clip::open(&built.bytes).unwrap();
        let times: Vec<f64> = (0..150).map(|i| f64::from(i) * 0.017).collect();
        let mut forward = vec![Pose::new(&clip); times.len()];
        Sampler::new(&clip).sample_many(&times, &mut forward);
        let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
        for i in (0..times.len()).map(|i| i * 67 % times.len()) {
            sampler.sample(times[i], &mut pose);
            assert_eq!(pose, forward[i]);
            let mut single = Pose::new(&clip);
            for track in clip.tracks() {
                sampler.sample_track(track, times[i], &mut single);
                assert_eq!(single.value(track), forward[i].value(track));
            }
        }
    }
}

#[test]
fn loops_wrap() {
    let built = Chain::new(2, 31, Interpolation::Linear).build(&options(Encoding::Variable)).unwrap();
    let clip = Clip::open(&built.bytes).unwrap();
    assert!((clip.duration() - 1.0).abs() < 1e-6);
    for (t, within) in [(0.25, 0.25), (1.25, 0.25), (-0.25, 0.75), (10.5, 0.5)] {
        assert!((clip.looped(t) - within).abs() < 1e-5);
    }
}

#[test]
fn a_wheel_turns_round_and_round() {
    // More than the engine encodes at once.
    let keys = 600;
    let times: Vec<f32> = (0..keys).map(|k| k as f32 / 30.0).collect();
    let turns: Vec<f32> =
        (0..keys).flat_map(|k| quat::exp([0.0, 0.0, 0.17 * f64::from(k)]).map(|c| c as f32)).collect();
    let mut chain = Chain::new(2, 2, Interpolation::Linear);
    chain.curves.clear();
    let chain = chain
        .with(Target::Node(0, NodeProperty::Rotation), Curve::new(Interpolation::Linear, 4, times, turns).unwrap());
    for encoding in [Encoding::Variable, Encoding::Fixed] {
        let built = chain.build(&options(encoding)).unwrap();
        assert!(built.holds, "{encoding:?}: {}", built.error);
    }
}

/// A random skeleton whose joints turn a little from key to key, and now and then by about half a turn.
fn flipping(seed: u64) -> Chain {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let (joints, keys, often) = (2 + (unit() * 14.0) as usize, 12 + (unit() * 40.0) as usize, 0.3 * unit());
    let parents = (0..joints).map(|j| (j > 0).then(|| (unit() * j as f64) as usize)).collect();
    let rest: Vec<Rest> = (0..joints)
        .map(|_| {
            let translation = [0, 1, 2].map(|_| 0.4 * unit() - 0.2);
            Rest::Transform(Transform { translation, ..Transform::IDENTITY })
        })
        .collect();
    let times: Vec<f32> = (0..keys).map(|k| k as f32 / 30.0).collect();
    let mut curves = Vec::new();
    for j in 0..joints {
        let (mut q, mut values) = (quat::IDENTITY, Vec::new());
        for _ in 0..keys {
            let axis = [0, 1, 2].map(|_| unit() - 0.5);
            let angle = if unit() < often { core::f64::consts::PI * (0.97 + 0.06 * unit()) } else { 0.3 * unit() };
            q = quat::normalize(quat::mul(q, quat::exp(axis.map(|c| c * angle / 2.0 / crate::vector::length(axis)))));
            values.extend(q.map(|c| c as f32));
        }
        let curve = Curve::new(Interpolation::Linear, 4, times.clone(), values).unwrap();
        curves.push((Target::Node(j as u32, NodeProperty::Rotation), curve));
    }
    Chain { skeleton: Skeleton::new(parents, &rest).unwrap(), curves }
}

#[test]
fn joints_that_flip_keep_the_bound_whatever_the_skeleton() {
    for seed in 0..60 {
        let built = flipping(seed).build(&options(Encoding::Variable)).unwrap();
        assert!(built.holds, "skeleton {seed}: {}", built.possible);
    }
}

/// Times are so large that a joint turns by more than the bound from one float to the next.
#[test]
fn joints_that_flip_fast_at_late_keys_of_their_own_keep_the_bound() {
    for seed in 0..20 {
        let mut chain = flipping(seed);
        for (_, curve) in &mut chain.curves {
            let late: Vec<f32> = curve.times().iter().map(|time| 60.0 + time / 4.0).collect();
            *curve = Curve::new(Interpolation::Linear, 4, late, curve.values()).unwrap();
        }
        for encoding in [Encoding::Variable, Encoding::Fixed] {
            let built = chain.build(&Options { rate: None, ..options(encoding) }).unwrap();
            assert!(built.holds, "skeleton {seed}, {encoding:?}: {}", built.possible);
        }
    }
}

/// Three joints that rest except at single keys, which are far away and turned by about half a circle.
fn spiking() -> Chain {
    const KEYS: usize = 22;
    let times: Vec<f32> = (0..KEYS).map(|k| k as f32 / 30.0).collect();
    let mut turns = [quat::IDENTITY; KEYS];
    turns[5] = quat::exp([0.36, 0.36, 0.0]);
    turns[6] = quat::normalize([0.0, 1.0, 0.0, 0.021]);
    let mut ways = [[0.0f32; 3]; KEYS];
    ways[3] = [0.0, 1.0, 2.0];
    let up = Transform { translation: [0.0, 1.0, 0.0], ..Transform::IDENTITY };
    let skeleton = Skeleton::new(vec![None, Some(0), Some(1)], &[Rest::Transform(up); 3]).unwrap();
    let curve = |width, values| Curve::new(Interpolation::Linear, width, times.clone(), values).unwrap();
    let curves = (0..3).flat_map(|joint| {
        let turned = curve(4, turns.iter().flatten().map(|c| *c as f32).collect::<Vec<f32>>());
        let moved = curve(3, ways.concat());
        [(Target::Node(joint, NodeProperty::Rotation), turned), (Target::Node(joint, NodeProperty::Translation), moved)]
    });
    Chain { skeleton, curves: curves.collect() }
}

#[test]
fn joints_that_leap_at_single_keys_keep_every_bound() {
    for max_error in [0.1, 0.02, 0.002, 0.0002] {
        let built = spiking().build(&Options { max_error, ..options(Encoding::Variable) }).unwrap();
        assert!(built.holds && built.possible <= max_error, "{max_error}: {}", built.possible);
    }
}

#[test]
fn equal_input_makes_equal_bytes() {
    let build = || Chain::new(5, 40, Interpolation::Linear).build(&options(Encoding::Variable)).unwrap().bytes;
    assert_eq!(build(), build());
}

#[test]
fn one_key_is_a_pose() {
    let built = Chain::new(3, 1, Interpolation::Linear).build(&options(Encoding::Variable)).unwrap();
    let clip = Clip::open(&built.bytes).unwrap();
    assert!(built.holds && clip.tracks().iter().all(|t| t.form() == Form::Constant));
}

#[test]
fn damage_is_noticed() {
    let built = Chain::new(9, 40, Interpolation::Linear).build(&options(Encoding::Variable)).unwrap();
    assert_eq!(Clip::open(&[0; 0]).err(), Some(ClipError::NotAClip));
    assert_eq!(Clip::open(&built.bytes[..9]).err(), Some(ClipError::Truncated));
    assert_eq!(Clip::open(&built.bytes[..built.bytes.len() - 1]).err(), Some(ClipError::Truncated));
    let with = |at: usize, byte: u8| {
        let mut bytes = built.bytes.clone();
        bytes[at] = byte;
        Clip::open(&bytes).err()
    };
    assert_eq!(with(0, b'k'), Some(ClipError::NotAClip));
    assert_eq!(with(4, 4), Some(ClipError::Version(4)));
    assert_eq!(with(4, 2), Some(ClipError::Malformed("an unknown encoding")));
    assert_eq!(with(40, !built.bytes[40]), Some(ClipError::Checksum));
    assert_eq!(with(6, 2), Some(ClipError::Malformed("an unknown encoding")));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let chain = Chain::new(2, 5, Interpolation::Linear);
    for rate in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        let refused = chain.build(&Options { rate: Some(rate), ..options(Encoding::Fixed) });
        assert!(matches!(refused, Err(BuildError::Options(_))));
    }
    for bits in [0, 25] {
        assert!(chain.build(&Options { bits: Some(bits), ..options(Encoding::Fixed) }).is_err());
    }
    assert!(chain.build(&Options { max_error: 0.0, ..options(Encoding::Fixed) }).is_err());
    let odd = chain.with(Target::Node(7, NodeProperty::Rotation), Curve::constant(0.0, [0.0, 0.0, 0.0, 1.0]).unwrap());
    assert_eq!(odd.build(&options(Encoding::Fixed)).err(), Some(BuildError::Target("/nodes/7/rotation".to_string())));
}

#[test]
fn values_that_no_code_reaches_are_refused() {
    let chain = Chain::new(2, 3, Interpolation::Linear);
    let far = Curve::new(Interpolation::Linear, 3, [0.0, 0.1, 0.2], [0.0, 0.0, 0.0, 1e20, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let far = chain.with(Target::Node(0, NodeProperty::Translation), far.unwrap());
    let built = far.build(&options(Encoding::Variable));
    assert_eq!(built.err(), Some(BuildError::Range));
}

#[test]
fn clips_that_would_play_no_numbers_are_refused_whatever_the_bits() {
    let ends: Vec<f32> = (0..5).flat_map(|k| [if k % 2 == 0 { f32::MAX } else { f32::MIN }, 0.0, 0.0]).collect();
    let times: Vec<f32> = (0..5).map(|k| k as f32 / 30.0).collect();
    let far = Curve::new(Interpolation::Linear, 3, times, ends).unwrap();
    let chain = Chain::new(2, 5, Interpolation::Linear).with(Target::Node(1, NodeProperty::Translation), far);
    for bits in [None, Some(12)] {
        let built = chain.build(&Options { bits, ..options(Encoding::Fixed) });
        assert_eq!(built.err(), Some(BuildError::Range), "{bits:?}");
    }
}

#[test]
fn building_tells_how_far_it_is_and_ends_when_it_is_told_to() {
    let chain = Chain::new(10, 40, Interpolation::Linear);
    for encoding in [Encoding::Variable, Encoding::Fixed] {
        let told = RefCell::new(Vec::new());
        let until = |most: usize| {
            told.borrow_mut().clear();
            let watch = |done| {
                told.borrow_mut().push(done);
                told.borrow().len() <= most
            };
            chain.build_with(&options(encoding), &watch)
        };
        assert!(until(usize::MAX).is_ok());
        assert!(told.borrow().len() > 2 && told.borrow().is_sorted() && told.borrow().iter().all(|d| *d < 1.0));
        assert_eq!(until(2).err(), Some(BuildError::Cancelled));
        assert_eq!(told.borrow().len(), 3, "no try begins afterwards");
    }
}

#[test]
fn what_opening_takes_is_paid_first() {
    let built = Chain::new(10, 40, Interpolation::Linear).build(&options(Encoding::Variable)).unwrap();
    assert!(Clip::open_within(&built.bytes, 100_000).is_ok());
    assert_eq!(Clip::open_within(&built.bytes, 2_000).err(), Some(ClipError::Limit));
}

/// A track takes seven bits in the list, and some hundred bytes once it is open.
#[test]
fn lists_of_tracks_that_are_not_paid_for_are_refused() {
    let track =
        Track { target: Target::Node(0, NodeProperty::TranslationAxis(0)), width: 1, form: Form::Constant, offset: 0 };
    let count = 1_000_000;
    let directory = super::directory::Directory {
        name: Default::default(),
        index: 0,
        duration: 0.0,
        timing: super::timing::Timing::Table(vec![0.0]),
        tracks: vec![track; count],
        constants: vec![vec![0.0]; count],
        grid: super::constant::ConstantGrid::within(1.0, 1.0),
        steps: Vec::new(),
        rotations: Vec::new(),
        scalars: Vec::new(),
        layout: super::directory::Layout::Fixed { bits: 8 },
    };
    let bytes = directory.write(&[]);
    assert!(bytes.len() < 2_000_000);
    assert_eq!(Clip::open(&bytes).err(), Some(ClipError::Limit));
    assert_ne!(Clip::open_within(&bytes, 1 << 30).err(), Some(ClipError::Limit));
}
