//! Clips of version 1 as they were first written: whatever comes later opens them and plays the same values.
//!
//! Made from `samples/figure.glb` (`run`, 15 keys a second, `fixed`) and from `samples/lamp.gltf` (its own keys, `variable`).

use keyfold_core::clip::{Clip, Encoding, Pose, Sampler};

/// A time, a target, and the value there.
type Row = (f64, &'static str, &'static [f32]);

const FIXED: &[Row] = &[
    (-1.0, "/nodes/0/translation", &[0.003_839_708, 0.895_423_4, 0.0]),
    (0.21, "/nodes/0/translation", &[0.006_432_918, 0.872_400_1, 0.0]),
    (0.69, "/nodes/0/translation", &[0.003_065_956, 0.898_519_2, 0.0]),
    (-1.0, "/nodes/4/rotation", &[-0.033_601_92, -0.059_984_9, -0.000_549_182_5, 0.997_633_4]),
    (0.21, "/nodes/4/rotation", &[-0.033_575_37, 0.007_133_575, 0.002_714_049, 0.999_407_1]),
    (0.69, "/nodes/4/rotation", &[-0.033_593_36, -0.058_145_71, -0.000_778_344_7, 0.997_742_3]),
    (-1.0, "/nodes/21/rotation", &[0.664_073_6, 1.672_732e-05, -3.532_086e-06, 0.747_667_1]),
    (0.21, "/nodes/21/rotation", &[0.644_649_3, -3.338_507e-05, 8.156_17e-06, 0.764_478_3]),
    (0.69, "/nodes/21/rotation", &[0.618_210_6, 4.927_109e-05, -2.197_015e-05, 0.786_012_5]),
];

const VARIABLE: &[Row] = &[
    (0.0, "/extensions/KHR_lights_punctual/lights/0/color", &[0.999_218_8, 0.449_843_8, 0.149_218_7]),
    (1.37, "/extensions/KHR_lights_punctual/lights/0/color", &[0.999_218_8, 0.768_984_4, 0.515_078_1]),
    (5.9, "/extensions/KHR_lights_punctual/lights/0/color", &[0.957_421_9, 0.439_882_8, 0.207_421_9]),
    (0.0, "/nodes/9/extensions/KHR_node_visibility/visible", &[0.0]),
    (1.37, "/nodes/9/extensions/KHR_node_visibility/visible", &[1.0]),
    (5.9, "/nodes/9/extensions/KHR_node_visibility/visible", &[0.0]),
    (0.0, "/nodes/10/rotation", &[-0.000_104_159_1, -4.278_123e-05, -0.000_254_213_8, -1.0]),
    (1.37, "/nodes/10/rotation", &[1.614_168e-05, 0.835_820_9, 0.000_186_100_6, -0.549_002_3]),
    (5.9, "/nodes/10/rotation", &[2.339_482e-05, 0.156_397_6, -8.523_464e-06, -0.987_694_3]),
    (0.0, "/nodes/8/rotation", &[0.000_613_868_2, -0.000_114_530_3, -0.149_799_4, 0.988_716_2]),
    (1.37, "/nodes/8/rotation", &[0.000_344_529_7, -0.000_420_928, -0.180_770_8, 0.983_525]),
    (5.9, "/nodes/8/rotation", &[-0.000_222_384_9, -0.000_310_242_2, 0.010_699_47, 0.999_942_5]),
];

/// The values to seven digits.
fn plays(bytes: &[u8], expected: &[Row]) {
    let clip = Clip::open(bytes).unwrap();
    let (mut sampler, mut pose) = (Sampler::new(&clip), Pose::new(&clip));
    for (time, target, values) in expected {
        sampler.sample(*time, &mut pose);
        let track = clip.tracks().iter().find(|t| t.target().to_string() == *target).unwrap();
        let off = pose.value(track).iter().zip(*values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 1e-6, "{target} at {time}: {:?}", pose.value(track));
        assert_eq!(track.width(), values.len());
    }
}

#[test]
fn fixed_clips_play_as_they_did() {
    let bytes = include_bytes!("data/version-1-fixed.kfc");
    plays(bytes, FIXED);
    let clip = Clip::open(bytes).unwrap();
    assert_eq!((clip.name(), clip.index(), clip.encoding(), clip.keys()), ("run", 1, Encoding::Fixed, 12));
    assert_eq!((clip.duration(), clip.key_stride(), clip.tracks().len()), (0.7, Some(94), 25));
}

#[test]
fn variable_clips_play_as_they_did() {
    let bytes = include_bytes!("data/version-1-variable.kfc");
    plays(bytes, VARIABLE);
    let clip = Clip::open(bytes).unwrap();
    assert_eq!((clip.name(), clip.index(), clip.encoding(), clip.keys()), ("evening", 0, Encoding::Variable, 200));
    assert_eq!((clip.duration(), clip.segments(), clip.tracks().len()), (6.0, 13, 9));
}
