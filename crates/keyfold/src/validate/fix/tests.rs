use super::*;
use crate::{Severity, document::uri};
use serde_json::json;

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A document that animates one node: times, and values of `width` components behind them.
fn animated(times: &[f32], values: &[f32], path: &str) -> Value {
    let width = if path == "rotation" { 4 } else { 3 };
    let data = [bytes(times), bytes(values)].concat();
    let least = times.iter().copied().fold(f32::INFINITY, f32::min);
    let most = times.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": uri::data_uri(&data), "byteLength": data.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": times.len() * 4 },
            { "buffer": 0, "byteOffset": times.len() * 4, "byteLength": values.len() * 4 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": times.len(), "type": "SCALAR", "min": [least], "max": [most] },
            { "bufferView": 1, "componentType": 5126, "count": values.len() / width, "type": if width == 4 { "VEC4" } else { "VEC3" } }],
        "nodes": [{ "name": "n" }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": path } }],
            "samplers": [{ "input": 0, "output": 1 }] }],
        "extras": { "kept": 0.1 }
    })
}

fn document(json: &Value) -> Document {
    Document::from_bytes(json.to_string().as_bytes(), None, &Default::default()).unwrap()
}

fn errors(document: &Document) -> Vec<Finding> {
    validate(document).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

fn fixed(json: &Value) -> Fixed {
    let fixed = fix(&document(json)).unwrap().expect("something to fix");
    assert_eq!(errors(&fixed.document), [], "{:?}", fixed.done);
    assert_eq!(fixed.document.json()["extras"], json!({ "kept": 0.1 }));
    fixed
}

#[test]
fn what_is_sound_is_left_alone() {
    assert!(fix(&document(&animated(&[0.0, 1.0], &[0.0; 6], "translation"))).unwrap().is_none());
}

#[test]
fn times_are_sorted_and_the_last_of_equal_ones_stays() {
    let values = [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 4.0, 0.0, 0.0];
    let fixed = fixed(&animated(&[0.0, 2.0, 1.0, 2.0], &values, "translation"));
    let animation = &crate::read(&fixed.document).unwrap().animations[0];
    assert_eq!(animation.tracks[0].curve.times(), [0.0, 1.0, 2.0]);
    assert_eq!(animation.tracks[0].curve.values(), [1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
}

#[test]
fn negative_times_move_the_whole_animation() {
    let mut json = animated(&[-1.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], "translation");
    json["nodes"] = json!([{ "name": "n" }, {}]);
    json["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 0, "byteOffset": 4, "byteLength": 4 }));
    let late = json!({ "bufferView": 2, "componentType": 5126, "count": 1, "type": "SCALAR", "min": [1], "max": [1] });
    json["accessors"].as_array_mut().unwrap().push(late);
    let values = json!({ "bufferView": 1, "componentType": 5126, "count": 1, "type": "VEC3" });
    json["accessors"].as_array_mut().unwrap().push(values);
    json["animations"][0]["samplers"] = json!([{ "input": 0, "output": 1 }, { "input": 2, "output": 3 }]);
    let second = json!({ "sampler": 1, "target": { "node": 1, "path": "translation" } });
    json["animations"][0]["channels"].as_array_mut().unwrap().push(second);
    let animation = &crate::read(&fixed(&json).document).unwrap().animations[0];
    assert_eq!(animation.tracks[0].curve.times(), [0.0, 2.0]);
    assert_eq!(animation.tracks[1].curve.times(), [2.0]);
}

#[test]
fn rotations_get_unit_length_and_only_those_that_lack_it() {
    let fixed = fixed(&animated(&[0.0, 1.0], &[0.0, 0.0, 3.0, 4.0, 0.001, 0.0, 0.0, 1.0], "rotation"));
    let values = crate::read(&fixed.document).unwrap().animations[0].tracks[0].curve.values().to_vec();
    assert_eq!(values, [0.0, 0.0, 0.6, 0.8, 0.001, 0.0, 0.0, 1.0]);
}

#[test]
fn strides_go_and_spread_data_is_packed() {
    let mut json = animated(&[0.0, 9.0, 1.0, 9.0], &[0.0; 6], "translation");
    json["bufferViews"][0]["byteStride"] = json!(8);
    json["accessors"][0] =
        json!({ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] });
    json["bufferViews"][1]["byteStride"] = json!(12);
    let fixed = fixed(&json);
    assert_eq!(crate::read(&fixed.document).unwrap().animations[0].tracks[0].curve.times(), [0.0, 1.0]);
    let views = fixed.document.json()["bufferViews"].as_array().unwrap();
    assert!(views.iter().all(|view| view.get("byteStride").is_none()));
}

#[test]
fn bounds_are_computed() {
    let mut json = animated(&[0.0, 0.1], &[0.0; 6], "translation");
    json["accessors"][0]["max"] = json!([7]);
    json["accessors"][0].as_object_mut().unwrap().shift_remove("min");
    let fixed = fixed(&json);
    assert_eq!(fixed.document.json()["accessors"][0]["max"].to_string(), "[0.1]");
    assert_eq!(fixed.document.json()["accessors"][0]["min"].to_string(), "[0]");
}

#[test]
fn channels_that_drive_nothing_go_and_with_the_last_the_animation() {
    let mut json = animated(&[0.0, 1.0], &[0.0; 6], "translation");
    let idle = json!({ "sampler": 0, "target": { "node": 7, "path": "translation" } });
    json["animations"][0]["channels"].as_array_mut().unwrap().insert(0, idle.clone());
    let kept = fixed(&json);
    assert_eq!(kept.document.json()["animations"][0]["channels"].as_array().unwrap().len(), 1);
    json["animations"][0]["channels"] = json!([idle]);
    assert!(fixed(&json).document.json().get("animations").is_none());
}

#[test]
fn what_has_no_obvious_cure_stays() {
    let nan = animated(&[0.0, f32::NAN], &[0.0; 6], "translation");
    assert!(fix(&document(&nan)).unwrap().is_none_or(|fixed| !errors(&fixed.document).is_empty()));
    let zero = animated(&[0.0, 1.0], &[0.0; 8], "rotation");
    assert!(fix(&document(&zero)).unwrap().is_none());
}
