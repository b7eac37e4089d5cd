//! Damaged clips.

use keyfold_core::clip::build::{Limits, Options, Source, SourceTrack, build};
use keyfold_core::clip::{Clip, Encoding, NodeProperty, Target};
use keyfold_core::curve::{Curve, Interpolation};
use keyfold_core::skeleton::{Rest, Skeleton, Transform};
use keyfold_fuzz::{Mutator, clip, sealed};

/// Clips that between them have every kind of track, both encodings, both timings and both versions.
fn seeds() -> Vec<Vec<u8>> {
    let rest = vec![Rest::Transform(Transform { translation: [0.0, 0.2, 0.0], ..Transform::IDENTITY }); 10];
    let skeleton = Skeleton::new((0..10).map(|n: usize| n.checked_sub(1)).collect(), &rest).unwrap();
    let times: Vec<f32> = (0..40).map(|k| k as f32 / 30.0).collect();
    let turn = |n: usize| {
        let half = move |k: usize| 0.2 * (k as f32 * 0.2 + n as f32).sin();
        (0..40).flat_map(move |k| [half(k).sin(), 0.0, 0.0, half(k).cos()]).collect::<Vec<f32>>()
    };
    let linear = |width, values| Curve::new(Interpolation::Linear, width, times.clone(), values).unwrap();
    let mut curves: Vec<(Target, Curve)> =
        (0..10).map(|n| (Target::Node(n as u32, NodeProperty::Rotation), linear(4, turn(n)))).collect();
    curves.push((Target::Node(0, NodeProperty::Weights), linear(2, (0..80).map(|i| (i % 7) as f32 / 7.0).collect())));
    curves.push((Target::Node(3, NodeProperty::Translation), Curve::constant(0.0, [0.1, 0.2, 0.3]).unwrap()));
    let shown = Target::Pointer("/nodes/0/extensions/KHR_node_visibility/visible".into(), false);
    curves.push((shown, Curve::new(Interpolation::Step, 1, [0.0, 0.5, 1.0], [1.0, 0.0, 1.0]).unwrap()));
    let tracks: Vec<SourceTrack<'_>> = curves
        .iter()
        .map(|(target, curve)| SourceTrack { target: target.clone(), curve, rest: None, tolerance: 1e-3 })
        .collect();
    let source = Source { name: "seed", index: 1, skeleton: &skeleton, probe_radii: &[0.03; 10], tracks: &tracks };
    let with = |encoding, rate| {
        build(&source, &Options { rate, encoding, bits: None, max_error: 1e-4, limits: Limits::NONE }, &|_| true)
            .unwrap()
            .bytes
    };
    let all = [Encoding::Variable, Encoding::Fixed].into_iter().flat_map(|e| [(e, Some(30.0)), (e, None)]);
    let mut seeds: Vec<Vec<u8>> = all.map(|(encoding, rate)| with(encoding, rate)).collect();
    // Version 2 says in its header that the same keys are run through by parabolas.
    let mut bent = seeds[0].clone();
    (bent[4], bent[6]) = (2, 1);
    seeds.push(bent);
    seeds
}

#[test]
fn seeds_open_and_play() {
    for seed in seeds() {
        assert!(Clip::open(&seed).is_ok());
        assert_eq!(sealed(&seed), seed);
        clip(&seed);
    }
}

#[test]
fn mutated_clips_never_panic() {
    let mut opened = 0;
    Mutator::feed(9, 20_000, &seeds(), |broken| {
        opened += usize::from(Clip::open(sealed(broken)).is_ok());
        clip(broken);
    });
    println!("{opened} damaged clips with a right checksum were opened and played");
    assert!(opened > 0);
}

#[test]
fn every_beginning_of_a_clip_is_harmless() {
    Mutator::feed_beginnings(usize::MAX, &seeds(), clip);
}
