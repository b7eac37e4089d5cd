//! A document of one node that a stream moves and turns.

use base64::{Engine, engine::general_purpose::STANDARD};
use keyfold_core::stream::{Array, Clock, Coding, Limits, RotationGrid, Stream, encode};
use serde_json::{Value, json};

pub(super) const NAME: &str = "KEYFOLD_animation_stream";

/// A stream, the bytes that it stands for, and where translations and rotations begin in them.
pub(super) struct Content {
    pub(super) stream: Vec<u8>,
    pub(super) bytes: Vec<u8>,
    places: [usize; 2],
}

/// How many keys there are.
pub(super) const KEYS: usize = 21;

/// Times, translations and rotations in one stream of so many segments.
pub(super) fn content(segments: u32) -> Content {
    let each = KEYS as u32 / segments;
    let keys = (0..segments).map(|s| if s + 1 == segments { KEYS as u32 - each * s } else { each }).collect();
    let wave = |k: usize, c: usize, size: f64| (libm::sin(k as f64 * 0.3 + c as f64) * size) as i32;
    let waves = |size: f64| (0..KEYS).flat_map(move |k| (0..3).map(move |c| wave(k, c, size))).collect();
    let grid = RotationGrid { left: [1, 0, -1], right: [0, 2, 0], steps: [130; 3] };
    let arrays = [
        Array {
            clock: 0,
            width: 1,
            coding: Coding::Steps { multiplier: 1, divisor: 20, exponent: 0 },
            codes: (0..KEYS as i32).collect(),
        },
        Array {
            clock: 0,
            width: 3,
            coding: Coding::Steps { multiplier: 1, divisor: 1, exponent: -8 },
            codes: waves(200.0),
        },
        Array { clock: 0, width: 4, coding: Coding::Rotations(grid), codes: waves(60.0) },
    ];
    let stream = encode(&[Clock { keys }], &arrays).expect("the arrays fit their clock");
    let (bytes, places) = {
        let opened = Stream::open(&stream, &Limits::default()).expect("it was just encoded");
        let place = |array| opened.offset(array).expect("it has three arrays");
        (opened.decode().expect("it was just encoded"), [place(1), place(2)])
    };
    Content { stream, bytes, places }
}

/// A document whose only view comes from a stream; the plain bytes are there, too, where `fallback` says so.
pub(super) fn document(content: &Content, fallback: bool) -> Value {
    let uri = |bytes: &[u8]| format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes));
    let mut plain = json!({ "byteLength": content.bytes.len() });
    if fallback {
        plain["uri"] = json!(uri(&content.bytes));
    } else {
        plain["extensions"] = json!({ NAME: { "fallback": true } });
    }
    let [translations, rotations] = content.places;
    let mut document = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": [NAME],
        "extensionsRequired": [NAME],
        "buffers": [{ "byteLength": content.stream.len(), "uri": uri(&content.stream) }, plain],
        "bufferViews": [{ "buffer": 1, "byteLength": content.bytes.len(), "extensions": {
            NAME: { "buffer": 0, "byteOffset": 0, "byteLength": content.stream.len() } } }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": KEYS, "type": "SCALAR", "max": [1], "min": [0] },
            { "bufferView": 0, "byteOffset": translations, "componentType": 5126, "count": KEYS, "type": "VEC3" },
            { "bufferView": 0, "byteOffset": rotations, "componentType": 5126, "count": KEYS, "type": "VEC4" },
        ],
        "nodes": [{ "name": "moved" }],
        "scenes": [{ "nodes": [0] }],
        "scene": 0,
        "animations": [{
            "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "node": 0, "path": "rotation" } },
            ],
            "samplers": [{ "input": 0, "output": 1 }, { "input": 0, "output": 2 }],
        }],
    });
    if fallback {
        document.as_object_mut().map(|root| root.remove("extensionsRequired"));
    }
    document
}
