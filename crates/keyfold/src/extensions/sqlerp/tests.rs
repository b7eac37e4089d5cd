use crate::{Document, Interpolation, OpenOptions, document::uri, read};
use keyfold_core::quat;
use serde_json::{Value, json};

/// Accessors 0 and 1: two CUBICSLERP keys at 1 s and 3 s that turn about Y, one axis only. Accessors 2 and 3: LINEAR keys.
fn document(animation: Value, used: &[&str], required: &[&str]) -> Document {
    let turn = |angle: f64| quat::exp([0.0, angle / 2.0, 0.0]).map(|c| c as f32);
    let (b, c) = (turn(0.6), turn(0.2));
    let slerp = [[0.0; 4], turn(0.0), b, c, turn(1.0), [0.0; 4]].concat();
    let linear = [turn(0.0), turn(1.0)].concat();
    let bytes: Vec<u8> = [&[1.0, 3.0][..], &slerp, &linear].concat().iter().flat_map(|f| f.to_le_bytes()).collect();
    let accessor = |offset: usize, count: usize, shape: &str| json!({ "bufferView": 0, "byteOffset": offset * 4, "componentType": 5126, "count": count, "type": shape });
    let mut json = json!({
        "asset": { "version": "2.0" }, "nodes": [{}],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [accessor(0, 2, "SCALAR"), accessor(2, 6, "VEC4"), accessor(26, 2, "VEC4")],
        "animations": [animation],
    });
    for (list, names) in [("extensionsUsed", used), ("extensionsRequired", required)] {
        if !names.is_empty() {
            json[list] = json!(names);
        }
    }
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn samplers() -> Value {
    json!([{ "input": 0, "output": 1, "interpolation": "CUBICSLERP" }, { "input": 0, "output": 2 }])
}

const SQLERP: &[&str] = &["EXT_animation_sqlerp"];

/// The angle about Y at `s` of the way, from the closed form.
fn expected(s: f64) -> f64 {
    let h = 2.0 * s * (1.0 - s);
    (1.0 - h) * s * 1.0 + h * (0.6 + (0.2 - 0.6) * s)
}

fn assert_cubic(document: &Document) {
    let found = read(document).unwrap();
    assert!(found.findings.is_empty(), "{:?}", found.findings);
    let track = &found.animations[0].tracks[0];
    assert_eq!(track.curve.interpolation(), Interpolation::CubicSlerp);
    for s in [0.0, 0.25, 0.5, 0.9, 1.0] {
        let q = track.sample(1.0 + 2.0 * s);
        let angle = 2.0 * q[1].atan2(q[3]);
        assert!((angle - expected(s)).abs() < 1e-6, "{angle} {}", expected(s));
    }
}

#[test]
fn with_a_fallback_the_extension_is_heard_and_without_it_the_fallback() {
    let channel = json!({ "sampler": 1, "target": { "node": 0, "path": "rotation" }, "extensions": { "EXT_animation_sqlerp": { "sampler": 0 } } });
    let document = document(json!({ "channels": [channel], "samplers": samplers() }), SQLERP, &[]);
    assert_cubic(&document);
    let options = OpenOptions { ignore: vec![SQLERP[0].into()], ..OpenOptions::default() };
    let plain = Document::from_bytes(document.json().to_string().as_bytes(), None, &options).unwrap();
    let track = &read(&plain).unwrap().animations[0].tracks[0];
    assert_eq!(track.curve.interpolation(), Interpolation::Linear);
}

#[test]
fn without_a_fallback_the_channel_needs_no_sampler() {
    let channel = json!({ "target": { "node": 0, "path": "rotation" }, "extensions": { "EXT_animation_sqlerp": { "sampler": 0 } } });
    assert_cubic(&document(json!({ "channels": [channel], "samplers": samplers() }), SQLERP, SQLERP));
}

#[test]
fn a_sampler_equal_to_the_extensions_is_read_once() {
    let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "rotation" }, "extensions": { "EXT_animation_sqlerp": { "sampler": 0 } } });
    assert_cubic(&document(json!({ "channels": [channel], "samplers": samplers() }), SQLERP, SQLERP));
}

#[test]
fn the_interpolation_alone_is_enough() {
    let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "rotation" } });
    assert_cubic(&document(json!({ "channels": [channel], "samplers": samplers() }), &[], &[]));
}

#[test]
fn a_sampler_of_another_kind_or_none_is_told_with_its_place() {
    for (index, what) in [(1, "not CUBICSLERP"), (7, "does not exist")] {
        let channel = json!({ "sampler": 1, "target": { "node": 0, "path": "rotation" }, "extensions": { "EXT_animation_sqlerp": { "sampler": index } } });
        let found = read(&document(json!({ "channels": [channel], "samplers": samplers() }), SQLERP, &[])).unwrap();
        assert!(found.animations[0].tracks.is_empty());
        assert_eq!(found.findings[0].at, "/animations/0/channels/0/extensions/EXT_animation_sqlerp/sampler");
        assert!(found.findings[0].message.contains(what), "{:?}", found.findings);
    }
}

#[test]
fn declarations_follow_what_the_channels_have() {
    let sqlerp = json!({ "EXT_animation_sqlerp": { "sampler": 0 } });
    let lists = |channel: Value, required: &[&str]| {
        let animation = json!({ "channels": [channel], "samplers": samplers() });
        let mut json = document(animation, SQLERP, required).json().clone();
        super::tidy(&mut json);
        (json.get("extensionsUsed").is_some(), json.get("extensionsRequired").is_some())
    };
    assert_eq!(lists(json!({ "sampler": 1, "extensions": sqlerp }), SQLERP), (true, false));
    assert_eq!(lists(json!({ "sampler": 0, "extensions": sqlerp }), &[]), (true, true));
    assert_eq!(lists(json!({ "extensions": sqlerp }), &[]), (true, true));
    let mut json =
        document(json!({ "channels": [{ "sampler": 0 }], "samplers": [{ "input": 0, "output": 2 }] }), SQLERP, SQLERP)
            .json()
            .clone();
    super::tidy(&mut json);
    assert!(json.get("extensionsUsed").is_none() && json.get("extensionsRequired").is_none());
}
