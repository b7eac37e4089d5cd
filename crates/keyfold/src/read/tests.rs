use super::*;
use crate::{OpenOptions, document::uri};
use serde_json::{Value, json};

/// A document with the given floats in one buffer, accessors over them, and one animation.
fn document(floats: &[f32], accessors: Value, animation: Value) -> Document {
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{}, {}],
        "buffers": [{ "byteLength": bytes.len(), "uri": uri::data_uri(&bytes) }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": accessors,
        "animations": [animation],
    });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn accessor(offset: usize, count: usize, shape: &str) -> Value {
    json!({ "bufferView": 0, "byteOffset": offset * 4, "componentType": 5126, "count": count, "type": shape })
}

#[test]
fn channels_become_tracks_in_order_and_share_times() {
    let document = document(
        &[0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        json!([accessor(0, 2, "SCALAR"), accessor(2, 2, "VEC3")]),
        json!({ "name": "wave", "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 1, "interpolation": "STEP" }],
            "channels": [
                { "sampler": 1, "target": { "node": 1, "path": "scale" } },
                { "sampler": 0, "target": { "node": 0, "path": "translation" } } ] }),
    );
    let read = read(&document).unwrap();
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    let animation = &read.animations[0];
    assert_eq!(animation.name.as_deref(), Some("wave"));
    let targets: Vec<String> = animation.tracks.iter().map(|t| t.target.to_string()).collect();
    assert_eq!(targets, ["/nodes/1/scale", "/nodes/0/translation"]);
    assert!(Arc::ptr_eq(animation.tracks[0].curve.shared_times(), animation.tracks[1].curve.shared_times()));
    assert_eq!(animation.tracks[0].sample(0.5), [1.0, 2.0, 3.0]);
    assert_eq!(animation.tracks[1].sample(0.5), [2.5, 3.5, 4.5]);
}

#[test]
fn what_cannot_be_read_is_reported_with_its_place_and_the_rest_is_read() {
    let sampler = json!({ "input": 0, "output": 1 });
    let document = document(
        &[0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        json!([accessor(0, 2, "SCALAR"), accessor(2, 2, "VEC3")]),
        json!({ "samplers": [sampler, { "input": 0, "output": 1, "interpolation": "BOUNCE" },
                { "input": 0, "output": 1, "interpolation": 0 }, { "input": 1, "output": 1 }, { "input": 0, "output": 77 },
                { "input": 0, "output": 1, "interpolation": "CUBICSLERP" }],
            "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "colour" } },
                { "sampler": 1, "target": { "node": 0, "path": "scale" } },
                { "sampler": 2, "target": { "node": 0, "path": "scale" } },
                { "sampler": 3, "target": { "node": 0, "path": "scale" } },
                { "sampler": 4, "target": { "node": 0, "path": "scale" } },
                { "sampler": 9, "target": { "node": 0, "path": "scale" } },
                { "sampler": 0, "target": { "node": 9, "path": "scale" } },
                { "sampler": 0, "target": { "path": "scale" } },
                { "sampler": 0, "target": { "node": 0, "path": "rotation" } },
                { "sampler": 5, "target": { "node": 0, "path": "scale" } },
                { "target": { "node": 0, "path": "scale" } },
                7 ] }),
    );
    let read = read(&document).unwrap();
    assert_eq!(read.animations[0].tracks.len(), 1);
    assert_eq!(read.animations[0].tracks[0].source.channel, 2);
    let found: Vec<(&str, &str)> = read.findings.iter().map(|f| (f.code, f.at.as_str())).collect();
    assert_eq!(
        found,
        [
            ("ANIMATION_PATH_UNKNOWN", "/animations/0/channels/0/target/path"),
            ("ANIMATION_INTERPOLATION_UNKNOWN", "/animations/0/samplers/1/interpolation"),
            ("TYPE_MISMATCH", "/animations/0/samplers/2/interpolation"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/accessors/1/type"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/accessors/77"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/animations/0/channels/5/sampler"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/animations/0/channels/6/target/node"),
            ("ANIMATION_CHANNEL_WITHOUT_NODE", "/animations/0/channels/7/target"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/accessors/1/type"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/animations/0/samplers/5/interpolation"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/animations/0/channels/10"),
            ("ANIMATION_CHANNEL_UNREADABLE", "/animations/0/channels/11"),
        ]
    );
}

#[test]
fn weights_take_their_width_from_the_values() {
    let document = document(
        &[0.0, 1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        json!([accessor(0, 2, "SCALAR"), accessor(2, 6, "SCALAR"), accessor(2, 5, "SCALAR")]),
        json!({ "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2 }], "channels": [
            { "sampler": 0, "target": { "node": 0, "path": "weights" } },
            { "sampler": 1, "target": { "node": 1, "path": "weights" } } ] }),
    );
    let read = read(&document).unwrap();
    assert_eq!(read.animations[0].tracks[0].curve.width(), 3);
    assert_eq!(read.findings.len(), 1);
    assert_eq!(read.findings[0].at, "/accessors/2");
}

#[test]
fn many_channels_on_one_accessor_do_not_multiply_memory() {
    let channel = json!({ "sampler": 0, "target": { "node": 0, "path": "translation" } });
    let document = document(
        &[0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        json!([accessor(0, 2, "SCALAR"), accessor(2, 2, "VEC3")]),
        json!({ "samplers": [{ "input": 0, "output": 1 }], "channels": vec![channel; 10] }),
    );
    let text = document.json().to_string();
    let within = |memory: u64| {
        let limits = crate::Limits { memory: crate::Allowance::exactly(memory), ..Default::default() };
        let document = Document::from_bytes(text.as_bytes(), None, &OpenOptions { limits, ..Default::default() });
        document.and_then(|document| read(&document))
    };
    // Two accessors, then ten channels of six floats each: what is over the limit is no shorter list of channels.
    let least = (0..).find(|memory| within(1000 * memory).is_ok()).unwrap() * 1000;
    assert_eq!(within(least).unwrap().animations[0].tracks.len(), 10);
    let error = within(least - 2000).unwrap_err();
    assert!(matches!(&error, crate::Error::Limit { .. }), "{error}");
}
