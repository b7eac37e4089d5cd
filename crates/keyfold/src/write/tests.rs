use super::*;
use crate::{OpenOptions, document::uri, read};

fn animated() -> Document {
    let floats: Vec<f32> = vec![0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{}, {}],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" },
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] } ],
        "animations": [{ "extras": 1, "samplers": [
                { "input": 0, "output": 1, "interpolation": "BOUNCE" }, { "input": 0, "output": 1 }, { "input": 2, "output": 1 } ],
            "name": "wave", "channels": [
                { "sampler": 2, "extras": "mine", "target": { "node": 1, "path": "scale" } },
                { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "node": 1, "path": "translation" } } ] }],
    });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

#[test]
fn equal_data_is_written_once_and_what_is_not_understood_stays() {
    let before = animated();
    let animations = read(&before).unwrap().animations;
    let channels = animations[0].tracks.iter().map(|track| core_form(track).unwrap()).collect();
    let after = assemble(&before, &[AnimationForm::new(&animations[0], channels)], place_plain).unwrap();
    let animation = &after.json()["animations"][0];
    let keys: Vec<&String> = animation.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["extras", "samplers", "name", "channels"]);
    // The unknown interpolation keeps its sampler and its accessors; the two understood channels share one sampler.
    assert_eq!(animation["samplers"].as_array().unwrap().len(), 2);
    assert_eq!(animation["channels"][0]["extras"], "mine");
    assert_eq!(animation["channels"][0]["sampler"], animation["channels"][2]["sampler"]);
    assert_eq!(animation["samplers"][0]["interpolation"], "BOUNCE");
    assert_eq!(after.count("accessors"), 4);
    let again = read(&after).unwrap();
    for (a, b) in animations[0].tracks.iter().zip(&again.animations[0].tracks) {
        assert_eq!((&a.target, &a.curve), (&b.target, &b.curve));
    }
}

#[test]
fn a_dropped_track_leaves_nothing_behind() {
    let before = animated();
    let animation = &read(&before).unwrap().animations[0];
    let form = AnimationForm {
        index: 0,
        replaces: [0, 1, 2].into(),
        channels: vec![core_form(&animation.tracks[0]).unwrap()],
        ..AnimationForm::default()
    };
    let after = assemble(&before, &[form], place_plain).unwrap();
    assert_eq!(after.count("accessors"), 2);
    assert_eq!(after.count("bufferViews"), 1);
    assert_eq!(after.json()["buffers"][0]["byteLength"], 32);
    assert_eq!(after.json()["animations"][0]["channels"].as_array().unwrap().len(), 1);
}
