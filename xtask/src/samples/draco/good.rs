//! Files that a reader should read, one for each thing that the draft's text says or real files do.

use super::file::{File, Group, LOSSLESS, Storage, Track};

/// A file and what it shows.
pub(super) struct Good {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) file: File,
}

pub(super) fn all() -> Vec<Good> {
    let good = |name, about, file| Good { name, about, file };
    let in_bits = |bits, time_bits| Storage::Stream { time_bits, bits: Some(bits), predict: true, entropy: true };
    let with = |storage| File::new(vec![Group { storage, ..motion() }]);
    vec![
        good("lossless", "Times and values as exact floats in one stream.", base()),
        good("quantized", "Values in 16 bits, times exact.", with(in_bits(16, None))),
        good("quantized_times", "Values in 12 bits, times in 16.", with(in_bits(12, Some(16)))),
        good(
            "without_prediction",
            "Quantized values that no prediction was applied to.",
            with(Storage::Stream { time_bits: None, bits: Some(14), predict: false, entropy: true }),
        ),
        good(
            "without_entropy",
            "Quantized values as plain integers.",
            with(Storage::Stream { time_bits: None, bits: Some(14), predict: true, entropy: false }),
        ),
        good(
            "layout_2018",
            "The layout of the files of 2018: a bare array, ids in `attributesId`.",
            File { is_2018: true, ..with(in_bits(16, Some(16))) },
        ),
        good(
            "name_in_capitals",
            "The extension's name as the draft's folder has it.",
            File { name: "DRACO_animation_compression", ..base() },
        ),
        good("ids", "Ids that are neither in order nor without gaps: attributes are found by id, not by place.", ids()),
        good("shared_input", "Tracks of two animations with one input in one stream.", shared_input()),
        good("two_streams", "Two inputs, two streams; ids count from 1 in each.", two_streams()),
        good("weights", "Weights of two morph targets: two components for each key.", weights(2)),
        good("cubicspline", "CUBICSPLINE: three times the components for each key.", cubicspline(LOSSLESS)),
        good("cubicspline_quantized", "CUBICSPLINE in 16 bits.", cubicspline(in_bits(16, None))),
        good("beside_plain", "A stream beside a track that is not compressed.", beside_plain()),
        good(
            "optional",
            "The floats are there too: compressed data, fallback and shared data in three buffers. Nothing requires the extension.",
            File { fallback: true, ..weights(2) },
        ),
        good(
            "optional_2018",
            "A fallback in the layout of 2018.",
            File { fallback: true, is_2018: true, targets: 1, ..with(in_bits(16, None)) },
        ),
    ]
}

/// What most files hold: node 0 moves, node 1 turns and grows in steps.
pub(super) fn base() -> File {
    File::new(vec![motion()])
}

const TIMES: [f32; 5] = [0.0, 0.25, 0.5, 1.0, 1.5];

pub(super) fn motion() -> Group {
    let places = [[0.0, 0.0, 0.0], [0.5, 1.25, -2.0], [1.0, 2.5, -1.0], [1.0, 0.75, 0.1], [-3.0, 0.0, 0.3]];
    let sizes = [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [0.5, 2.0, 1.0], [0.5, 2.0, 3.0], [1.0, 1.0, 1.0]];
    let turns = [0.0, 0.4, 1.1, 1.9, 2.6].map(about_y);
    Group {
        times: TIMES.to_vec(),
        tracks: vec![
            track(0, "translation", "LINEAR", 1, places.as_flattened()),
            track(1, "rotation", "LINEAR", 2, turns.as_flattened()),
            track(1, "scale", "STEP", 3, sizes.as_flattened()),
        ],
        storage: LOSSLESS,
    }
}

fn track(node: usize, path: &'static str, interpolation: &'static str, id: u32, values: &[f32]) -> Track {
    Track { animation: 0, node, path, interpolation, id, values: values.to_vec() }
}

/// A turn about Y.
fn about_y(angle: f64) -> [f32; 4] {
    [0.0, libm::sin(angle / 2.0) as f32, 0.0, libm::cos(angle / 2.0) as f32]
}

fn ids() -> File {
    let mut group = motion();
    group.tracks.iter_mut().zip([9, 4, 200]).for_each(|(track, id)| track.id = id);
    File::new(vec![group])
}

fn shared_input() -> File {
    let mut group = motion();
    let mut second = group.tracks[0].clone();
    second.values.iter_mut().for_each(|value| *value = 1.0 - *value);
    group.tracks.push(Track { animation: 1, id: 4, ..second });
    File::new(vec![group])
}

/// Two groups with times of their own.
pub(super) fn two_streams() -> File {
    let (mut first, mut second) = (motion(), motion());
    first.tracks.truncate(1);
    second.tracks.remove(0);
    second.tracks.iter_mut().for_each(|track| track.id -= 1);
    second.times.iter_mut().for_each(|time| *time *= 0.5);
    File::new(vec![first, second])
}

/// Weights of so many morph targets.
pub(super) fn weights(targets: usize) -> File {
    let values: Vec<f32> = (0..TIMES.len() * targets).map(|i| (i * 7 % 11) as f32 / 16.0).collect();
    let group =
        Group { times: TIMES.to_vec(), tracks: vec![track(0, "weights", "LINEAR", 1, &values)], storage: LOSSLESS };
    File { targets, ..File::new(vec![group]) }
}

fn cubicspline(storage: Storage) -> File {
    let places = [[0.0, 1.0, 0.0], [2.0, 0.0, 0.5], [1.0, -1.0, 0.25]];
    let slopes = [[0.0, 0.0, 0.0], [1.0, -0.5, 0.0], [-1.0, 0.25, 2.0]];
    let turns = [0.2, 0.9, 1.4].map(about_y);
    let (mut moving, mut turning) = (Vec::new(), Vec::new());
    for key in 0..3 {
        [slopes[key], places[key], slopes[2 - key]].iter().for_each(|element| moving.extend(element));
        let slope = [0.0, 0.25 * key as f32, 0.0, -0.125];
        [slope, turns[key], slope].iter().for_each(|element| turning.extend(element));
    }
    let tracks =
        vec![track(0, "translation", "CUBICSPLINE", 1, &moving), track(1, "rotation", "CUBICSPLINE", 2, &turning)];
    File::new(vec![Group { times: vec![0.5, 1.0, 2.0], tracks, storage }])
}

fn beside_plain() -> File {
    let mut file = two_streams();
    file.groups[1].storage = Storage::Plain;
    file
}
