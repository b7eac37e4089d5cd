//! Sampling allocates nothing: every allocation of this process is counted.

use keyfold_core::clip::build::{Limits, Options, Source, SourceTrack, build};
use keyfold_core::clip::{Clip, Encoding, NodeProperty, Playback, Pose, Sampler, Target};
use keyfold_core::curve::{Curve, Interpolation};
use keyfold_core::skeleton::{Rest, Skeleton, Transform};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const NODES: usize = 20;
const KEYS: usize = 90;

fn curves() -> Vec<(Target, Curve)> {
    let times: Vec<f32> = (0..KEYS).map(|k| k as f32 / 30.0).collect();
    let half = |n: usize, k: usize| 0.2 * (k as f32 * 0.2 + n as f32).sin();
    let turn = |n: usize| (0..KEYS).flat_map(|k| [half(n, k).sin(), 0.0, 0.0, half(n, k).cos()]).collect::<Vec<f32>>();
    let linear = |width, values| Curve::new(Interpolation::Linear, width, times.clone(), values).unwrap();
    let mut curves: Vec<_> =
        (0..NODES).map(|n| (Target::Node(n as u32, NodeProperty::Rotation), linear(4, turn(n)))).collect();
    let way = (0..KEYS).flat_map(|k| [k as f32 * 0.01, 0.0, half(3, k)]).collect();
    curves.push((Target::Node(0, NodeProperty::Translation), linear(3, way)));
    let shown = Curve::new(Interpolation::Step, 1, [0.0, 1.0, 2.0], [1.0, 0.0, 1.0]).unwrap();
    curves.push((Target::Pointer("/nodes/0/extensions/KHR_node_visibility/visible".into(), false), shown));
    curves
}

#[test]
fn playing_allocates_nothing() {
    let rest = vec![Rest::Transform(Transform { translation: [0.0, 0.2, 0.0], ..Transform::IDENTITY }); NODES];
    let skeleton = Skeleton::new((0..NODES).map(|n| n.checked_sub(1)).collect(), &rest).unwrap();
    let curves = curves();
    let tracks: Vec<SourceTrack<'_>> = curves
        .iter()
        .map(|(target, curve)| SourceTrack { target: target.clone(), curve, rest: None, tolerance: 1e-3 })
        .collect();
    let source = Source { name: "", index: 0, skeleton: &skeleton, probe_radii: &[0.03; NODES], tracks: &tracks };
    for encoding in [Encoding::Variable, Encoding::Fixed] {
        let built = build(
            &source,
            &Options { rate: Some(30.0), encoding, bits: None, max_error: 1e-4, limits: Limits::NONE },
            &|_| true,
        )
        .unwrap();
        let clip = Clip::open(&built.bytes).unwrap();
        let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
        let region = Region::new(ALLOCATOR);
        for i in 0..2000 {
            sampler.sample(f64::from(i * 37 % 1000) / 300.0, &mut pose);
            sampler.sample_track(&clip.tracks()[i as usize % clip.tracks().len()], 0.5, &mut pose);
        }
        let change = region.change();
        assert_eq!((change.allocations, change.reallocations), (0, 0), "{encoding:?}: {change:?}");

        // A clip of its own bytes, and a place in it that borrows nothing, play the same.
        let (owned, mut playback): (Clip<'static>, _) = (Clip::open(built.bytes.clone()).unwrap(), Playback::default());
        let mut other = Pose::new(&owned);
        let region = Region::new(ALLOCATOR);
        for i in 0..200 {
            let t = f64::from(i * 37 % 100) / 30.0;
            sampler.sample(t, &mut pose);
            playback.sample(&owned, t, &mut other);
            assert_eq!(pose, other);
        }
        assert_eq!(region.change().allocations, 0, "{encoding:?}");
    }
}
