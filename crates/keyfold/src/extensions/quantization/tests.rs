use super::*;
use crate::{Animations, OpenOptions, document::uri, read};
use serde_json::{Value, json};

/// A document with one animation over two bytes per key of time (u16) and the given bytes of values.
fn document(times: &[u16], output: Value, bytes: &[u8], samplers: Value, channels: Value) -> Document {
    let mut data: Vec<u8> = times.iter().flat_map(|t| t.to_le_bytes()).collect();
    data.resize(data.len().next_multiple_of(4), 0);
    let start = data.len();
    data.extend_from_slice(bytes);
    let mut output = output;
    output["bufferView"] = json!(1);
    let json = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": [NAME], "extensionsRequired": [NAME],
        "nodes": [{}, {}],
        "buffers": [{ "byteLength": data.len(), "uri": uri::data_uri(&data) }],
        "bufferViews": [{ "buffer": 0, "byteLength": start },
            { "buffer": 0, "byteOffset": start, "byteLength": bytes.len() }],
        "accessors": [{ "bufferView": 0, "componentType": 5123, "count": times.len(), "type": "SCALAR" }, output],
        "animations": [{ "samplers": samplers, "channels": channels }],
    });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn accessor(component: usize, normalized: bool, count: usize, shape: &str) -> Value {
    json!({ "componentType": component, "normalized": normalized, "count": count, "type": shape })
}

fn channel(path: &str, parameters: Value) -> Value {
    json!([{ "sampler": 0, "target": { "node": 0, "path": path }, "extensions": { NAME: parameters } }])
}

fn linear() -> Value {
    json!([{ "input": 0, "output": 1 }])
}

fn values(found: &Animations) -> &[f32] {
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    found.animations[0].tracks[0].curve.values()
}

#[test]
fn frame_numbers_become_the_exact_times_of_their_rate() {
    let frames: Vec<u16> = (0..=65535).collect();
    let bytes = vec![0; frames.len()];
    for fps in [24.0, 25.0, 30.0, 60.0, 120.0] {
        let document = document(
            &frames,
            accessor(5121, true, frames.len(), "SCALAR"),
            &bytes,
            linear(),
            channel("scale", json!({ "timeScale": 1.0 / fps })),
        );
        let found = read(&document).unwrap();
        let times = found.animations[0].tracks[0].curve.times();
        assert!(frames.iter().zip(times).all(|(n, t)| *t == (f64::from(*n) / fps) as f32), "{fps}");
    }
}

#[test]
fn scale_comes_before_offset_and_after_normalizing() {
    let parameters = json!({ "offset": [-0.5, 10, 0], "scale": [1, 2, 255] });
    let bytes = [0, 51, 255, 255, 0, 1];
    let document =
        document(&[0, 9], accessor(5121, true, 2, "VEC3"), &bytes, linear(), channel("translation", parameters));
    assert_eq!(values(&read(&document).unwrap()), [-0.5, 10.4, 255.0, 0.5, 10.0, 1.0]);
}

#[test]
fn one_axis_leaves_the_others_alone_and_a_rotation_sets_them_to_zero() {
    let of = |path: &str, shape: &str, bytes: &[u8]| {
        let document = document(&[0], accessor(5120, true, 1, shape), bytes, linear(), channel(path, json!({})));
        let found = read(&document).unwrap();
        let track = &found.animations[0].tracks[0];
        (track.target.to_string(), track.curve.values().to_vec())
    };
    assert_eq!(of("rotation.y", "SCALAR", &[127]), ("/nodes/0/rotation".into(), vec![0.0, 1.0, 0.0, 0.0]));
    assert_eq!(of("rotation.z", "VEC2", &[0, 129]), ("/nodes/0/rotation".into(), vec![0.0, 0.0, 0.0, -1.0]));
    assert_eq!(of("translation.y", "SCALAR", &[127]), ("/nodes/0/translation.y".into(), vec![1.0]));
    assert_eq!(of("scale.z", "SCALAR", &[0]), ("/nodes/0/scale.z".into(), vec![0.0]));
    assert_eq!(of("scale", "SCALAR", &[127]), ("/nodes/0/scale".into(), vec![1.0; 3]));
}

#[test]
fn a_rotation_without_w_is_unit_even_where_quantizing_made_it_too_long() {
    let of = |bytes: [u8; 3]| {
        let document =
            document(&[0], accessor(5120, true, 1, "VEC3"), &bytes, linear(), channel("rotation", json!({})));
        read(&document).unwrap().animations[0].tracks[0].curve.values().to_vec()
    };
    let unit = |q: &[f32]| (q.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>() - 1.0).abs() < 1e-6;
    let q = of([127, 127, 0]);
    assert!(unit(&q) && q[3] == 0.0, "{q:?}");
    let q = of([64, 192, 30]);
    assert!(unit(&q) && q[3] > 0.6 && q[1] < -0.4, "{q:?}");
}

#[test]
fn channels_that_share_a_sampler_keep_their_own_parameters() {
    let one = |node: usize, path: &str, parameters: Value| json!({ "sampler": 0, "target": { "node": node, "path": path }, "extensions": { NAME: parameters } });
    let channels = json!([
        one(0, "scale", json!({ "scale": [2] })),
        one(1, "scale", json!({ "offset": [1], "timeScale": 0.5 })),
        { "sampler": 0, "target": { "node": 1, "path": "translation.x" } },
    ]);
    let document = document(&[0, 3], accessor(5121, false, 2, "SCALAR"), &[0, 7], linear(), channels);
    let found = read(&document).unwrap();
    let curves: Vec<_> =
        found.animations[0].tracks.iter().map(|t| (t.curve.end(), t.curve.values()[t.curve.width()])).collect();
    assert_eq!(curves, [(3.0, 14.0), (1.5, 8.0), (3.0, 7.0)]);
}

#[test]
fn cubic_tangents_are_scaled_and_offset_like_values_and_last_seconds_after_scaling() {
    let bytes = [0, 0, 3, 3, 4, 0];
    let samplers = json!([{ "input": 0, "output": 1, "interpolation": "CUBICSPLINE" }]);
    let parameters = json!({ "offset": [-1], "scale": [1], "timeScale": 2 });
    let document =
        document(&[0, 1], accessor(5121, false, 6, "SCALAR"), &bytes, samplers, channel("translation.x", parameters));
    let found = read(&document).unwrap();
    assert_eq!(values(&found), [-1.0, -1.0, 2.0, 2.0, 3.0, -1.0]);
    // Hermite at the middle of two seconds: -1/2 + 3/2 + 2 * (2 - 2) / 8.
    assert_eq!(found.animations[0].tracks[0].sample(1.0), [1.0]);
}

#[test]
fn what_the_table_does_not_list_is_read_where_its_meaning_is_plain() {
    let found = |output: Value, bytes: &[u8], path: &str, cubic: bool| {
        let interpolation = if cubic { "CUBICSPLINE" } else { "STEP" };
        let samplers = json!([{ "input": 0, "output": 1, "interpolation": interpolation }]);
        let document = document(&[0, 1], output, bytes, samplers, channel(path, json!({})));
        let found = read(&document).unwrap();
        let finding = found.findings.first().map(|f| (f.code, f.at.clone()));
        (found.animations[0].tracks.len(), finding)
    };
    let unread = |at: &str| (0, Some(("ANIMATION_CHANNEL_UNREADABLE", at.to_owned())));
    let noted = |code, at: &str| (1, Some((code, at.to_owned())));
    let (component, shape) = ("/accessors/1/componentType", "/accessors/1/type");
    assert_eq!(found(accessor(5120, false, 2, "VEC3"), &[0; 6], "scale", false), noted("QUANT_SIGNED_TYPE", component));
    assert_eq!(found(accessor(5120, false, 2, "VEC4"), &[0; 8], "rotation", false), unread(component));
    assert_eq!(found(accessor(5125, false, 2, "VEC3"), &[0; 24], "scale", false), unread(component));
    assert_eq!(found(accessor(5120, true, 2, "VEC2"), &[0; 4], "rotation", false), unread(shape));
    assert_eq!(found(accessor(5121, true, 2, "VEC2"), &[0; 4], "scale.x", false), unread(shape));
    assert_eq!(found(accessor(5120, true, 6, "VEC3"), &[0; 18], "rotation", true), unread(shape));
    assert_eq!(found(accessor(5120, true, 6, "SCALAR"), &[0; 6], "rotation.x", true), unread(shape));
    assert_eq!(
        found(accessor(5120, true, 6, "VEC2"), &[0; 12], "rotation.x", true),
        noted("QUANT_CUBIC_ROTATION_AXIS", shape)
    );
    assert_eq!(found(accessor(5120, true, 6, "VEC4"), &[0; 24], "rotation", true), (1, None));
    assert_eq!(found(accessor(5121, true, 4, "SCALAR"), &[0; 4], "weights", false), (1, None));
}

#[test]
fn bad_parameters_are_refused_with_their_place() {
    let at = |parameters: Value| {
        let document =
            document(&[0, 1], accessor(5121, true, 2, "SCALAR"), &[0, 9], linear(), channel("scale", parameters));
        let found = read(&document).unwrap();
        assert!(found.animations[0].tracks.is_empty());
        found.findings[0].at.strip_prefix(&format!("/animations/0/channels/0/extensions/{NAME}")).unwrap().to_owned()
    };
    assert_eq!(at(json!({ "offset": [0, 0, 0, 0] })), "/offset");
    assert_eq!(at(json!({ "scale": [] })), "/scale");
    assert_eq!(at(json!({ "scale": 1 })), "/scale");
    assert_eq!(at(json!({ "offset": ["0"] })), "/offset");
    for bad in [json!(0), json!(-1), json!("1"), json!(null)] {
        assert_eq!(at(json!({ "timeScale": bad })), "/timeScale");
    }
    assert_eq!(at(json!([])), "");
}

#[test]
fn times_that_collide_or_overflow_are_refused() {
    for (times, time_scale) in [([5, 5], 1.0), ([7, 5], 1.0), ([1, 2], 1e308), ([1, 2], 1e-300)] {
        let parameters = json!({ "timeScale": time_scale });
        let document =
            document(&times, accessor(5121, true, 2, "SCALAR"), &[0, 9], linear(), channel("scale", parameters));
        let found = read(&document).unwrap();
        assert_eq!((found.animations[0].tracks.len(), found.findings.len()), (0, 1));
    }
}

#[test]
fn a_file_that_does_not_declare_the_extension_is_read_as_core() {
    let document =
        document(&[0], accessor(5121, true, 1, "SCALAR"), &[255], linear(), channel("translation.x", json!({})));
    let mut json = document.json().clone();
    json.as_object_mut().unwrap().shift_remove("extensionsUsed");
    let document = Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap();
    assert_eq!(read(&document).unwrap().findings[0].code, "ANIMATION_PATH_UNKNOWN");
}

#[test]
fn numbers_that_are_spelled_as_floats_are_numbers_to_whoever_asks_what_is_needed() {
    let document = |times: f64| {
        json!({
            "accessors": [{ "componentType": times, "type": "SCALAR" }, { "componentType": 5126.0, "type": "VEC3" }],
            "animations": [{
                "samplers": [{ "input": 0.0, "output": 1.0 }],
                "channels": [{ "sampler": 0.0, "target": { "node": 0.0, "path": "translation" } }],
            }],
        })
    };
    assert!(needed::needed(&document(5123.0)), "frame numbers");
    assert!(!needed::needed(&document(5126.0)), "what core has");
}
