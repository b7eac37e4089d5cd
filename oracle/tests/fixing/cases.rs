//! Documents that are broken in one way each, or in several, and what becomes of them.

use super::made::{Made, le};
use keyfold::{Document, read};
use serde_json::{Value, json};
use std::path::Path;

const TIMES: &str = "MENDED_TIMES";
const ROTATIONS: &str = "MENDED_ROTATIONS";
const BOUNDS: &str = "MENDED_BOUNDS";
const STRIDE: &str = "MENDED_STRIDE";
const CHANNEL: &str = "MENDED_CHANNEL";
const DECLARATION: &str = "MENDED_DECLARATION";

/// A track's times and values, by animation and channel.
type Track = (usize, usize, Vec<f32>, Vec<f32>);

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) fixes: Vec<&'static str>,
    made: Made,
    /// The tracks that are to come out.
    tracks: Vec<Track>,
    /// Places of the fixed JSON, and what stands there.
    json: Vec<(&'static str, Value)>,
    /// Times to put into a compressed buffer view.
    compressed: Option<Vec<f32>>,
}

impl Case {
    fn new(name: &'static str, fixes: &[&'static str], make: impl FnOnce(&mut Made)) -> Self {
        let mut made = Made::new();
        make(&mut made);
        Self { name, fixes: fixes.to_vec(), made, tracks: Vec::new(), json: Vec::new(), compressed: None }
    }

    fn track(mut self, animation: usize, channel: usize, times: &[f32], values: &[f32]) -> Self {
        self.tracks.push((animation, channel, times.to_vec(), values.to_vec()));
        self
    }

    fn says(mut self, at: &'static str, value: Value) -> Self {
        self.json.push((at, value));
        self
    }

    pub(crate) fn write(&self, path: &Path) {
        match &self.compressed {
            Some(times) => self.made.write_compressed(path, times),
            None => self.made.write(path),
        }
    }

    pub(crate) fn check(&self, fixed: &Document) {
        let found = read(fixed).unwrap();
        assert_eq!(found.findings, [], "{}", self.name);
        assert_eq!(fixed.view(0).unwrap()[..], [0xAB; 12], "{}: unused data", self.name);
        for (animation, channel, times, values) in &self.tracks {
            let animation = found.animations.iter().find(|a| a.index == *animation).unwrap();
            let track = animation.tracks.iter().find(|track| track.source.channel == *channel).unwrap();
            assert_eq!(track.curve.times(), times, "{}: {}", self.name, track.target);
            let near = track.curve.values().iter().zip(values).all(|(a, b)| (a - b).abs() < 1e-4);
            let same = near && track.curve.values().len() == values.len();
            assert!(same, "{}: {} is {:?}", self.name, track.target, track.curve.values());
        }
        for (at, value) in &self.json {
            assert_eq!(fixed.json().pointer(at).unwrap_or(&Value::Null), value, "{}: {at}", self.name);
        }
    }
}

/// Values of three components that tell which key they belong to.
fn steps(keys: &[f32]) -> Vec<f32> {
    keys.iter().flat_map(|k| [*k, 10.0 * k, -k]).collect()
}

/// In-tangent, value and out-tangent that tell which key they belong to.
fn triples(keys: &[f32]) -> Vec<f32> {
    keys.iter().flat_map(|k| steps(&[100.0 + k, *k, 200.0 + k])).collect()
}

const UNIT: [f32; 4] = [0.0, 0.0, 0.6, 0.8];

fn times_three(q: [f32; 4]) -> [f32; 4] {
    q.map(|n| n * 3.0)
}

pub(crate) fn all() -> Vec<Case> {
    [bounds(), times(), shared_times(), rotations(), strides(), channels(), declarations(), combinations()]
        .into_iter()
        .flatten()
        .collect()
}

fn moved(made: &mut Made, times: &[f32], keys: &[f32]) {
    let keys = (made.times(times), made.floats("VEC3", &steps(keys)));
    made.animate(0, (0, "translation"), keys, "LINEAR");
}

fn bounds() -> Vec<Case> {
    let sound = |made: &mut Made| moved(made, &[0.0, 0.1], &[1.0, 2.0]);
    let wrong = Case::new("bounds_wrong", &[BOUNDS], |made| {
        sound(made);
        made.json["accessors"][0]["max"] = json!([7.5]);
        made.json["accessors"][0]["min"] = json!([0.05]);
    });
    let missing = Case::new("bounds_missing", &[BOUNDS], |made| {
        sound(made);
        made.json["accessors"][0].as_object_mut().unwrap().remove("min");
        made.json["accessors"][0].as_object_mut().unwrap().remove("max");
    });
    let values = Case::new("bounds_of_values", &[BOUNDS], |made| {
        sound(made);
        made.json["accessors"][1]["max"] = json!([2, 20, 0]);
        made.json["accessors"][1]["min"] = json!([1, 10, -2]);
    });
    let integers = Case::new("bounds_of_integers", &[BOUNDS], |made| {
        let input = made.times(&[0.0, 1.0]);
        let view = made.view(&[0, 0, 0, 127, 0, 0, 127, 0]);
        let output = made.accessor_in(view, 5120, "VEC4", 2);
        made.json["accessors"][output]["min"] = json!([0, 0, 0, 5]);
        made.animate(0, (0, "rotation"), (input, output), "LINEAR");
    });
    let sparse = Case::new("bounds_of_sparse", &[BOUNDS], |made| {
        sound(made);
        let (indices, values) = (made.view(&[1]), made.view(&le(&[0.5])));
        made.json["accessors"][0]["sparse"] = json!({ "count": 1,
            "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values } });
    });
    vec![
        wrong.says("/accessors/0/max", json!([0.1])).says("/accessors/0/min", json!([0])),
        missing.says("/accessors/0/max", json!([0.1])).track(0, 0, &[0.0, 0.1], &steps(&[1.0, 2.0])),
        values.says("/accessors/1/max", json!([2, 20, -1])).says("/accessors/1/min", json!([1, 10, -2])),
        integers.says("/accessors/1/min", json!([0, 0, 0, 0])),
        sparse.says("/accessors/0/max", json!([0.5])).track(0, 0, &[0.0, 0.5], &steps(&[1.0, 2.0])),
    ]
}

fn times() -> Vec<Case> {
    let unsorted = Case::new("times_unsorted", &[TIMES], |made| moved(made, &[0.0, 2.0, 1.0], &[1.0, 3.0, 2.0]));
    let equal = Case::new("times_equal", &[TIMES], |made| moved(made, &[0.0, 1.0, 1.0, 2.0], &[1.0, 8.0, 2.0, 3.0]));
    let negative = Case::new("times_negative", &[TIMES], |made| {
        moved(made, &[-1.0, 0.5], &[1.0, 2.0]);
        let keys = (made.times(&[0.0, 3.0]), made.floats("VEC3", &steps(&[5.0, 6.0])));
        made.animate(0, (1, "scale"), keys, "STEP");
    });
    let cubic = Case::new("times_of_splines", &[TIMES], |made| {
        let keys = (made.times(&[0.0, 2.0, 1.0, 2.0]), made.floats("VEC3", &triples(&[0.0, 9.0, 1.0, 2.0])));
        made.animate(0, (0, "translation"), keys, "CUBICSPLINE");
    });
    let weights = Case::new("times_of_weights", &[TIMES], |made| {
        let positions = made.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        made.json["accessors"][positions]["min"] = json!([0, 0, 0]);
        made.json["accessors"][positions]["max"] = json!([1, 1, 0]);
        made.mesh(positions);
        made.json["meshes"][0]["primitives"][0]["targets"] =
            json!([{ "POSITION": positions }, { "POSITION": positions }]);
        let keys = (made.times(&[1.0, 0.0]), made.floats("SCALAR", &[0.3, 0.4, 0.1, 0.2]));
        made.animate(0, (2, "weights"), keys, "LINEAR");
    });
    let zeros = Case::new("times_of_two_zeros", &[TIMES], |made| moved(made, &[0.0, -0.0, 1.0], &[8.0, 1.0, 2.0]));
    let bounds = Case::new("times_and_bounds_of_values", &[TIMES], |made| {
        moved(made, &[0.0, 1.0, 1.0], &[1.0, 8.0, 2.0]);
        made.json["accessors"][1]["max"] = json!([8, 80, -1]);
        made.json["accessors"][1]["min"] = json!([1, 10, -8]);
    });
    vec![
        // In its place: the same views, the same accessors.
        unsorted.track(0, 0, &[0.0, 1.0, 2.0], &steps(&[1.0, 2.0, 3.0])).says("/bufferViews/3", Value::Null),
        equal.track(0, 0, &[0.0, 1.0, 2.0], &steps(&[1.0, 2.0, 3.0])).says("/accessors/0/count", json!(3)),
        negative.track(0, 0, &[0.0, 1.5], &steps(&[1.0, 2.0])).track(0, 1, &[1.0, 4.0], &steps(&[5.0, 6.0])),
        cubic.track(0, 0, &[0.0, 1.0, 2.0], &triples(&[0.0, 1.0, 2.0])),
        weights.track(0, 0, &[0.0, 1.0], &[0.1, 0.2, 0.3, 0.4]),
        zeros.track(0, 0, &[0.0, 1.0], &steps(&[1.0, 2.0])),
        bounds.says("/accessors/1/max", json!([2, 20, -1])),
    ]
}

/// Times that several look at.
fn shared_times() -> Vec<Case> {
    let samplers = Case::new("input_of_two_samplers", &[TIMES], |made| {
        let input = made.times(&[1.0, 0.0]);
        for (node, key) in [(0, 1.0), (1, 5.0)] {
            let output = made.floats("VEC3", &steps(&[key + 1.0, key]));
            made.animate(0, (node, "translation"), (input, output), "LINEAR");
        }
    });
    let animations = Case::new("input_of_two_animations", &[TIMES], |made| {
        let input = made.times(&[-1.0, 1.0]);
        let output = made.floats("VEC3", &steps(&[1.0, 2.0]));
        made.animate(0, (0, "translation"), (input, output), "LINEAR");
        made.animate(1, (0, "translation"), (input, output), "LINEAR");
        let keys = (made.times(&[-3.0, 0.0]), made.floats("VEC3", &steps(&[3.0, 4.0])));
        made.animate(1, (1, "translation"), keys, "LINEAR");
    });
    let outputs = Case::new("output_of_two_inputs", &[TIMES], |made| {
        let output = made.floats("VEC3", &steps(&[1.0, 2.0, 3.0]));
        for (node, times) in [(0, [2.0, 1.0, 0.0]), (1, [0.0, 1.0, 1.0]), (2, [0.0, 1.0, 2.0])] {
            let input = made.times(&times);
            made.animate(0, (node, "translation"), (input, output), "LINEAR");
        }
    });
    let aliases = Case::new("two_accessors_on_the_same_bytes", &[TIMES], |made| {
        moved(made, &[1.0, 0.0, 2.0], &[2.0, 1.0, 3.0]);
        // The same three floats are the place of another node.
        let other = made.accessor_in(1, 5126, "VEC3", 1);
        let keys = (made.times(&[0.0]), other);
        made.animate(1, (1, "translation"), keys, "LINEAR");
    });
    let mesh = Case::new("values_that_are_positions_too", &[TIMES], |made| {
        moved(made, &[2.0, 1.0, 0.0], &[1.0, 2.0, 3.0]);
        // The same bytes, but a view of its own: one for both is an error that has no obvious cure.
        let same = made.json["bufferViews"][2].clone();
        let view = made.push("bufferViews", same);
        let positions = made.accessor_in(view, 5126, "VEC3", 3);
        made.json["accessors"][positions]["min"] = json!([1, 10, -3]);
        made.json["accessors"][positions]["max"] = json!([3, 30, -1]);
        made.mesh(positions);
    });
    let sparse = Case::new("times_in_sparse", &[TIMES], |made| {
        moved(made, &[0.0, 1.0, 2.0], &[1.0, 3.0, 2.0]);
        let (indices, values) = (made.view(&[1, 2]), made.view(&le(&[2.0, 1.0])));
        made.json["accessors"][0]["sparse"] = json!({ "count": 2,
            "indices": { "bufferView": indices, "componentType": 5121 }, "values": { "bufferView": values } });
    });
    let mut compressed = Case::new("times_in_compressed_view", &[TIMES], |made| moved(made, &[0.0, 1.0], &[2.0, 1.0]));
    compressed.compressed = Some(vec![1.0, 0.0]);
    let view = Case::new("one_view_for_all", &[TIMES], |made| {
        let data = [&[1.0, 0.0][..], &steps(&[2.0, 1.0]), &[9.0; 3]].concat();
        let view = made.view(&le(&data));
        let (input, output) = (made.accessor_in(view, 5126, "SCALAR", 2), made.accessor_in(view, 5126, "VEC3", 2));
        made.bound(input, &[0.0, 1.0]);
        made.json["accessors"][output]["byteOffset"] = json!(8);
        let last = made.accessor_in(view, 5126, "VEC3", 1);
        made.json["accessors"][last]["byteOffset"] = json!(32);
        made.animate(0, (0, "translation"), (input, output), "LINEAR");
        let input = made.times(&[0.0]);
        made.animate(0, (1, "translation"), (input, last), "LINEAR");
    });
    let sorted = steps(&[1.0, 2.0, 3.0]);
    vec![
        samplers.track(0, 0, &[0.0, 1.0], &steps(&[1.0, 2.0])).track(0, 1, &[0.0, 1.0], &steps(&[5.0, 6.0])),
        animations.track(0, 0, &[0.0, 2.0], &steps(&[1.0, 2.0])).track(1, 0, &[2.0, 4.0], &steps(&[1.0, 2.0])).track(
            1,
            1,
            &[0.0, 3.0],
            &steps(&[3.0, 4.0]),
        ),
        outputs
            .track(0, 0, &[0.0, 1.0, 2.0], &steps(&[3.0, 2.0, 1.0]))
            .track(0, 1, &[0.0, 1.0], &steps(&[1.0, 3.0]))
            .track(0, 2, &[0.0, 1.0, 2.0], &sorted),
        aliases.track(0, 0, &[0.0, 1.0, 2.0], &sorted).track(1, 0, &[0.0], &[1.0, 0.0, 2.0]),
        mesh.track(0, 0, &[0.0, 1.0, 2.0], &steps(&[3.0, 2.0, 1.0])),
        sparse.track(0, 0, &[0.0, 1.0, 2.0], &sorted),
        compressed.track(0, 0, &[0.0, 1.0], &steps(&[1.0, 2.0])),
        view.track(0, 0, &[0.0, 1.0], &steps(&[1.0, 2.0]))
            .track(0, 1, &[0.0], &[9.0; 3])
            .says("/bufferViews/3", Value::Null),
    ]
}

fn rotations() -> Vec<Case> {
    let turned = |made: &mut Made, output: usize, interpolation: &str| {
        let input = made.times(&[0.0, 1.0]);
        made.animate(0, (0, "rotation"), (input, output), interpolation);
    };
    let plain = Case::new("rotations", &[ROTATIONS], |made| {
        let output = made.floats("VEC4", &[times_three(UNIT), UNIT].concat());
        turned(made, output, "LINEAR");
    });
    let cubic = Case::new("rotations_of_splines", &[ROTATIONS], |made| {
        let key = |scale: f32| {
            [[3.0, 0.0, 0.0, 0.0], UNIT, [0.0, 6.0, 0.0, 0.0]].concat().into_iter().map(move |n| n * scale)
        };
        let output = made.floats("VEC4", &key(3.0).chain(key(1.0)).collect::<Vec<_>>());
        turned(made, output, "CUBICSPLINE");
    });
    let shorts = Case::new("rotations_in_shorts", &[ROTATIONS], |made| {
        let data: Vec<u8> = [0i16, 0, 12000, 16000, 0, 0, 0, 32767].iter().flat_map(|n| n.to_le_bytes()).collect();
        let view = made.view(&data);
        let output = made.accessor_in(view, 5122, "VEC4", 2);
        turned(made, output, "LINEAR");
    });
    let shared = Case::new("rotations_and_splines_of_one_accessor", &[ROTATIONS], |made| {
        let output = made.floats("VEC4", &[times_three(UNIT); 6].concat());
        turned(made, output, "CUBICSPLINE");
        let input = made.times(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        made.animate(0, (1, "rotation"), (input, output), "LINEAR");
    });
    let colour = Case::new("rotations_that_are_colours_too", &[ROTATIONS], |made| {
        let output = made.floats("VEC4", &[[0.0, 0.0, 0.3, 0.4], UNIT].concat());
        turned(made, output, "LINEAR");
        let input = made.times(&[0.0, 2.0]);
        made.animate(0, (0, "pointer"), (input, output), "LINEAR");
        made.json["materials"] = json!([{ "pbrMetallicRoughness": { "baseColorFactor": [1, 1, 1, 1] } }]);
        made.json["extensionsUsed"] = json!(["KHR_animation_pointer"]);
        made.json["animations"][0]["channels"][1]["target"] = json!({ "path": "pointer", "extensions": {
            "KHR_animation_pointer": { "pointer": "/materials/0/pbrMetallicRoughness/baseColorFactor" } } });
    });
    vec![
        plain.track(0, 0, &[0.0, 1.0], &[UNIT, UNIT].concat()).says("/bufferViews/3", Value::Null),
        cubic.track(0, 0, &[0.0, 1.0], &[[3.0, 0.0, 0.0, 0.0], UNIT, [0.0, 6.0, 0.0, 0.0]].concat().repeat(2)),
        shorts
            .track(0, 0, &[0.0, 1.0], &[UNIT, [0.0, 0.0, 0.0, 1.0]].concat())
            .says("/accessors/0/componentType", json!(5122)),
        shared.track(0, 0, &[0.0, 1.0], &UNIT.repeat(6)),
        colour.track(0, 0, &[0.0, 1.0], &[UNIT, UNIT].concat()).track(
            0,
            1,
            &[0.0, 2.0],
            &[[0.0, 0.0, 0.3, 0.4], UNIT].concat(),
        ),
    ]
}

fn strides() -> Vec<Case> {
    let tight = Case::new("stride_tight", &[STRIDE], |made| {
        moved(made, &[0.0, 1.0], &[1.0, 2.0]);
        made.json["bufferViews"][1]["byteStride"] = json!(4);
        made.json["bufferViews"][2]["byteStride"] = json!(12);
    });
    let spread = Case::new("stride_interleaved", &[STRIDE], |made| {
        let rows: Vec<f32> = [0.0f32, 1.0].iter().flat_map(|k| [&[*k][..], &steps(&[k + 1.0])].concat()).collect();
        let view = made.view(&le(&rows));
        made.json["bufferViews"][view]["byteStride"] = json!(16);
        let (input, output) = (made.accessor_in(view, 5126, "SCALAR", 2), made.accessor_in(view, 5126, "VEC3", 2));
        made.json["accessors"][output]["byteOffset"] = json!(4);
        made.bound(input, &[0.0, 1.0]);
        made.animate(0, (0, "translation"), (input, output), "LINEAR");
    });
    let mesh = Case::new("stride_of_positions", &[STRIDE], |made| {
        let rows: Vec<f32> = (0..3).flat_map(|i| [steps(&[i as f32]), steps(&[i as f32 + 5.0])].concat()).collect();
        let view = made.view(&le(&rows));
        made.json["bufferViews"][view]["byteStride"] = json!(24);
        let same = made.json["bufferViews"][view].clone();
        let other = made.push("bufferViews", same);
        let (positions, output) = (made.accessor_in(view, 5126, "VEC3", 3), made.accessor_in(other, 5126, "VEC3", 3));
        made.json["accessors"][output]["byteOffset"] = json!(12);
        made.json["accessors"][positions]["min"] = json!([0, 0, -2]);
        made.json["accessors"][positions]["max"] = json!([2, 20, 0]);
        made.mesh(positions);
        let input = made.times(&[0.0, 1.0, 2.0]);
        made.animate(0, (0, "translation"), (input, output), "LINEAR");
    });
    let skin = Case::new("stride_of_bind_matrices", &[STRIDE], |made| {
        let identity: Vec<f32> = (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect();
        let matrices = made.floats("MAT4", &identity);
        made.json["bufferViews"][1]["byteStride"] = json!(64);
        made.json["skins"] = json!([{ "joints": [0], "inverseBindMatrices": matrices }]);
        moved(made, &[0.0, 1.0], &[1.0, 2.0]);
    });
    let keys = steps(&[1.0, 2.0]);
    vec![
        tight.track(0, 0, &[0.0, 1.0], &keys).says("/bufferViews/3", Value::Null),
        spread.track(0, 0, &[0.0, 1.0], &keys),
        mesh.track(0, 0, &[0.0, 1.0, 2.0], &steps(&[5.0, 6.0, 7.0])).says("/bufferViews/1/byteStride", json!(24)),
        skin.track(0, 0, &[0.0, 1.0], &keys).says("/bufferViews/1/byteStride", Value::Null),
    ]
}

fn channels() -> Vec<Case> {
    let idle = json!({ "sampler": 0, "target": { "node": 7, "path": "translation" } });
    let sound = |made: &mut Made| moved(made, &[0.0, 1.0], &[1.0, 2.0]);
    let one = Case::new("channel_without_target", &[CHANNEL], |made| {
        sound(made);
        made.json["animations"][0]["channels"].as_array_mut().unwrap().insert(0, idle.clone());
    });
    let weights = Case::new("channel_of_weights_without_morphs", &[CHANNEL], |made| {
        sound(made);
        let keys = (made.times(&[0.0]), made.floats("SCALAR", &[0.5]));
        made.animate(0, (1, "weights"), keys, "LINEAR");
    });
    let all = Case::new("animation_without_targets", &[CHANNEL], |made| {
        let keys = (made.times(&[0.0]), made.floats("VEC3", &steps(&[1.0])));
        made.animate(0, (7, "scale"), keys, "STEP");
        let keys = (made.times(&[0.0, 1.0]), made.floats("VEC3", &steps(&[1.0, 2.0])));
        made.animate(1, (0, "translation"), keys, "LINEAR");
    });
    let only = Case::new("only_animation_without_targets", &[CHANNEL], |made| {
        let keys = (made.times(&[0.0]), made.floats("VEC3", &steps(&[1.0])));
        made.animate(0, (7, "scale"), keys, "STEP");
    });
    let keys = steps(&[1.0, 2.0]);
    vec![
        one.track(0, 0, &[0.0, 1.0], &keys),
        weights.track(0, 0, &[0.0, 1.0], &keys).says("/animations/0/channels/1", Value::Null),
        all.track(0, 0, &[0.0, 1.0], &keys).says("/animations/1", Value::Null),
        only.says("/animations", Value::Null),
    ]
}

fn declarations() -> Vec<Case> {
    let sound = |made: &mut Made| moved(made, &[0.0, 1.0], &[1.0, 2.0]);
    let lights = Case::new("extension_undeclared", &[DECLARATION], |made| {
        sound(made);
        made.json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [{ "type": "point" }] } });
        made.json["nodes"][1]["extensions"] = json!({ "KHR_lights_punctual": { "light": 0 } });
    });
    let required = Case::new("extension_required_and_not_used", &[DECLARATION], |made| {
        sound(made);
        made.json["nodes"][0]["extensions"] = json!({ "KHR_node_visibility": { "visible": true } });
        made.json["extensionsRequired"] = json!(["KHR_node_visibility"]);
    });
    let pointer = Case::new("pointer_undeclared", &[DECLARATION], |made| {
        sound(made);
        made.json["animations"][0]["channels"][0]["target"] = json!({ "path": "pointer", "extensions": {
            "KHR_animation_pointer": { "pointer": "/nodes/0/translation" } } });
    });
    vec![
        lights.says("/extensionsUsed", json!(["KHR_lights_punctual"])).track(0, 0, &[0.0, 1.0], &steps(&[1.0, 2.0])),
        required.says("/extensionsUsed", json!(["KHR_node_visibility"])),
        pointer.says("/extensionsUsed", json!(["KHR_animation_pointer"])),
    ]
}

fn combinations() -> Vec<Case> {
    let everything =
        Case::new("everything_at_once", &[BOUNDS, TIMES, ROTATIONS, STRIDE, CHANNEL, DECLARATION], |made| {
            let input = made.times(&[1.0, -1.0, 0.0, 0.0]);
            made.json["accessors"][input]["max"] = json!([5]);
            let output = made.floats("VEC4", &[times_three(UNIT), UNIT, [9.0; 4], [0.0, 0.0, 0.0, 2.0]].concat());
            made.json["bufferViews"][2]["byteStride"] = json!(16);
            made.animate(0, (0, "rotation"), (input, output), "LINEAR");
            let keys = (made.floats("SCALAR", &[2.0, 3.0]), made.floats("VEC3", &steps(&[1.0, 2.0])));
            made.animate(0, (1, "scale"), keys, "LINEAR");
            made.animate(0, (7, "scale"), keys, "LINEAR");
            made.json["extensions"] = json!({ "KHR_lights_punctual": { "lights": [{ "type": "point" }] } });
        });
    let twice = Case::new("unsorted_rotations_of_two", &[TIMES, ROTATIONS], |made| {
        let input = made.times(&[1.0, 0.0]);
        let output = made.floats("VEC4", &[times_three(UNIT), [0.0, 0.0, 0.0, 2.0]].concat());
        made.animate(0, (0, "rotation"), (input, output), "LINEAR");
        made.animate(1, (1, "rotation"), (input, output), "STEP");
    });
    let rows = [[0.0, 0.0, 0.0, 1.0], UNIT].concat();
    vec![
        everything.track(0, 0, &[0.0, 1.0, 2.0], &[UNIT, [0.0, 0.0, 0.0, 1.0], UNIT].concat()).track(
            0,
            1,
            &[3.0, 4.0],
            &steps(&[1.0, 2.0]),
        ),
        twice.track(0, 0, &[0.0, 1.0], &rows).track(1, 0, &[0.0, 1.0], &rows),
    ]
}
