//! Where drafts meet: CUBICSLERP rotations (EXT_animation_sqlerp) whose keys and times are quantized (EXT_animation_quantization), in
//! every form that both allow. What is right has no error, what is wrong has one.

use base64::{Engine, prelude::BASE64_STANDARD};
use keyfold::{
    Bound, Document, Finding, Interpolation, OpenOptions, Severity,
    draco::{Options, StreamOptions, compress},
    read, validate,
};
use serde_json::{Value, json};

/// Two keys that turn about Y, with controls between them; the unused first and last control are zero.
const KEYS: [[f64; 4]; 6] = [
    [0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
    [0.0, 0.28, 0.0, 0.96],
    [0.0, 0.6, 0.0, 0.8],
    [0.0, 0.8, 0.0, 0.6],
    [0.0, 0.0, 0.0, 0.0],
];

/// How values are stored: component type, and how a number becomes bytes.
#[derive(Clone, Copy, Debug)]
enum Values {
    Float,
    Short,
    /// Unsigned with a scale of 65535 / 32767 and an offset of -1, which makes zero exact.
    Unsigned,
}

impl Values {
    fn bytes(self) -> Vec<u8> {
        let all = KEYS.iter().flatten();
        match self {
            Self::Float => all.flat_map(|v| (*v as f32).to_le_bytes()).collect(),
            Self::Short => all.flat_map(|v| ((v * 32767.0).round() as i16).to_le_bytes()).collect(),
            Self::Unsigned => all.flat_map(|v| (((v + 1.0) * 32767.0).round() as u16).to_le_bytes()).collect(),
        }
    }

    fn accessor(self) -> Value {
        let (component, normalized) = match self {
            Self::Float => (5126, false),
            Self::Short => (5122, true),
            Self::Unsigned => (5123, true),
        };
        let mut accessor = json!({ "bufferView": 1, "componentType": component, "count": 6, "type": "VEC4" });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        accessor
    }

    fn parameters(self) -> Value {
        let scale = 65535.0 / 32767.0;
        match self {
            Self::Unsigned => json!({ "scale": [scale, scale, scale, scale], "offset": [-1, -1, -1, -1] }),
            _ => json!({}),
        }
    }
}

/// A file whose one channel is a CUBICSLERP rotation; `same` gives it core's `sampler` besides the extension's.
fn file(values: Values, bytes_for_times: bool, same: bool) -> Value {
    let (times, input) = match bytes_for_times {
        true => (
            vec![0, 4, 0, 0],
            json!({ "bufferView": 0, "componentType": 5121, "count": 2, "type": "SCALAR", "min": [0], "max": [4] }),
        ),
        false => (
            [0.0_f32, 1.0].iter().flat_map(|t| t.to_le_bytes()).collect(),
            json!({ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] }),
        ),
    };
    let length = if bytes_for_times { 2 } else { 8 };
    let (offset, stored) = (times.len(), values.bytes());
    let buffer = [times, stored.clone()].concat();
    let mut parameters = values.parameters();
    if bytes_for_times {
        parameters["timeScale"] = json!(0.25);
    }
    let mut channel = json!({ "target": { "node": 0, "path": "rotation" },
        "extensions": { "EXT_animation_sqlerp": { "sampler": 0 }, "EXT_animation_quantization": parameters } });
    if same {
        channel["sampler"] = json!(0);
    }
    let drafts = json!(["EXT_animation_sqlerp", "EXT_animation_quantization"]);
    json!({
        "asset": { "version": "2.0" }, "extensionsUsed": drafts, "extensionsRequired": drafts, "nodes": [{}],
        "buffers": [{ "byteLength": buffer.len(), "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&buffer)) }],
        "bufferViews": [{ "buffer": 0, "byteLength": length }, { "buffer": 0, "byteOffset": offset, "byteLength": stored.len() }],
        "accessors": [input, values.accessor()],
        "animations": [{ "channels": [channel], "samplers": [{ "input": 0, "output": 1, "interpolation": "CUBICSLERP" }] }],
    })
}

fn open(json: &Value) -> Document {
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn errors(json: &Value) -> Vec<Finding> {
    validate::validate(&open(json)).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

fn forms() -> impl Iterator<Item = (Values, bool, bool)> {
    let values = [Values::Float, Values::Short, Values::Unsigned];
    values.into_iter().flat_map(|v| [(v, false, false), (v, false, true), (v, true, false), (v, true, true)])
}

#[test]
fn every_form_of_both_is_read_and_has_no_error() {
    for (values, bytes, same) in forms() {
        let json = file(values, bytes, same);
        assert_eq!(errors(&json), [], "{values:?}, times in bytes: {bytes}, core's sampler: {same}");
        let read = read(&open(&json)).unwrap();
        let track = &read.animations[0].tracks[0];
        assert_eq!(track.curve.interpolation(), Interpolation::CubicSlerp);
        assert_eq!(track.curve.end(), 1.0);
        for (sampled, key) in track.sample(1.0).iter().zip(KEYS[4]) {
            assert!((sampled - key).abs() < 1e-4, "{values:?}: {sampled} {key}");
        }
    }
}

/// What is wrong, how to make it so, and the code that must be among the errors.
type Fault = (&'static str, fn(&mut Value), &'static str);

const FAULTS: [Fault; 4] = [
    ("a scale for one component", |json| parameters(json)["scale"] = json!([2]), "QUANT_ARRAY_LENGTH"),
    ("a negative timeScale", |json| parameters(json)["timeScale"] = json!(-1), "QUANT_TIME_SCALE"),
    ("a second channel on the rotation", second_channel, "ANIMATION_DUPLICATE_TARGETS"),
    (
        "keys and controls of half the length",
        |json| parameters(json)["scale"] = json!([0.5, 0.5, 0.5, 0.5]),
        "SQLERP_CONTROL_NON_UNIT",
    ),
];

fn parameters(json: &mut Value) -> &mut Value {
    &mut json["animations"][0]["channels"][0]["extensions"]["EXT_animation_quantization"]
}

fn second_channel(json: &mut Value) {
    let channel = json["animations"][0]["channels"][0].clone();
    json["animations"][0]["channels"].as_array_mut().unwrap().push(channel);
}

#[test]
fn faults_are_found_in_every_form() {
    for (values, bytes, same) in forms() {
        for (what, spoil, code) in FAULTS {
            let mut json = file(values, bytes, same);
            spoil(&mut json);
            let found: Vec<_> = errors(&json).into_iter().map(|finding| finding.code).collect();
            assert!(
                found.contains(&code),
                "{what}, {values:?}, times in bytes: {bytes}, core's sampler: {same}: {found:?}"
            );
        }
    }
}

#[test]
fn members_that_a_draft_does_not_have_are_told_of() {
    let mut json = file(Values::Short, true, false);
    parameters(&mut json)["timescale"] = json!(2);
    let channel = &mut json["animations"][0]["channels"][0];
    channel["extensions"]["EXT_animation_sqlerp"]["fallback"] = json!(0);
    let findings = validate::validate(&open(&json)).into_iter().filter(|f| f.code == "UNEXPECTED_PROPERTY");
    let extensions = "/animations/0/channels/0/extensions";
    assert_eq!(
        findings.map(|f| f.at).collect::<Vec<_>>(),
        [
            format!("{extensions}/EXT_animation_sqlerp/fallback"),
            format!("{extensions}/EXT_animation_quantization/timescale")
        ]
    );
}

#[test]
fn a_rotation_without_w_is_no_longer_than_one() {
    // X, Y and Z of two keys; the second is too long for any W.
    let spoiled = |longest: f32| {
        let bytes: Vec<u8> =
            [0.0, 1.0, 0.6, 0.0, 0.0, longest, 0.0, 0.0].iter().flat_map(|f: &f32| f.to_le_bytes()).collect();
        let draft = json!(["EXT_animation_quantization"]);
        json!({
            "asset": { "version": "2.0" }, "extensionsUsed": draft, "extensionsRequired": draft, "nodes": [{}],
            "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)) }],
            "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
                { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3" }],
            "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }], "samplers": [{ "input": 0, "output": 1 }] }],
        })
    };
    assert_eq!(errors(&spoiled(1.005)), [], "what rounding makes of a half turn");
    let codes: Vec<_> = errors(&spoiled(1.2)).into_iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION"]);
}

#[test]
fn an_animated_near_plane_stays_before_the_far_one() {
    let file = |near: f32| {
        let bytes: Vec<u8> = [0.0, 1.0, 0.1, near].iter().flat_map(|f: &f32| f.to_le_bytes()).collect();
        json!({
            "asset": { "version": "2.0" }, "extensionsUsed": ["KHR_animation_pointer"],
            "cameras": [{ "type": "perspective", "perspective": { "yfov": 1, "znear": 0.1, "zfar": 100 } }],
            "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)) }],
            "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
                { "bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "SCALAR" }],
            "animations": [{ "samplers": [{ "input": 0, "output": 1 }], "channels": [{ "sampler": 0, "target": { "path": "pointer",
                "extensions": { "KHR_animation_pointer": { "pointer": "/cameras/0/perspective/znear" } } } }] }],
        })
    };
    assert_eq!(errors(&file(99.0)), []);
    assert_eq!(errors(&file(101.0)).into_iter().map(|f| f.code).collect::<Vec<_>>(), ["POINTER_VALUE_OUT_OF_RANGE"]);
}

#[test]
fn bounds_that_a_filter_rounded_are_told_once_and_wrong_ones_stay_errors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/codes/MESHOPT_FILTERED_BOUNDS.bad.gltf");
    let mut json: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let codes: Vec<_> = validate::validate(&open(&json)).into_iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["MESHOPT_FILTERED_BOUNDS"]);
    json["accessors"][1]["max"][0] = json!(2.8);
    let errors: Vec<_> = errors(&json).into_iter().map(|finding| finding.at).collect();
    assert_eq!(errors, ["/accessors/1/max/0"; 2]);
}

fn conformance(path: &str) -> Value {
    let path = format!("{}/../../samples/conformance/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// As the draft prints its accessors: shorts without bounds, whose values are in a stream.
#[test]
fn accessors_of_streams_need_not_say_what_core_asks_for() {
    let mut json = conformance("draco/lossless.gltf");
    let plain = read(&open(&json)).unwrap();
    for accessor in json["accessors"].as_array_mut().unwrap() {
        let accessor = accessor.as_object_mut().unwrap();
        accessor.insert("componentType".into(), json!(5123));
        accessor.remove("min");
        accessor.remove("max");
    }
    assert_eq!(errors(&json), []);
    let read = read(&open(&json)).unwrap();
    assert_eq!(read.findings, []);
    let curves = |animations: &[keyfold::Animation]| {
        animations.iter().flat_map(|a| &a.tracks).map(|track| track.curve.clone()).collect::<Vec<_>>()
    };
    assert_eq!(curves(&read.animations), curves(&plain.animations));
}

/// Only shorts without a buffer view are the draft's; gltf-validator has the same errors for all others.
#[test]
fn accessors_of_streams_with_any_other_type_are_wrong() {
    let plain = conformance("draco/lossless.gltf");
    let samplers = plain["animations"][0]["samplers"].as_array().unwrap();
    let used = |key: &str| samplers[0][key].as_u64().unwrap() as usize;
    for (key, code) in [
        ("input", "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT"),
        ("output", "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT"),
    ] {
        for (component, normalized) in [(5120, false), (5121, false), (5122, false), (5125, false), (5123, true)] {
            let mut json = plain.clone();
            let accessor = json["accessors"][used(key)].as_object_mut().unwrap();
            accessor.insert("componentType".into(), json!(component));
            accessor.insert("normalized".into(), json!(normalized));
            let codes: Vec<_> = errors(&json).into_iter().map(|finding| finding.code).collect();
            assert!(codes.contains(&code), "{key} {component} {normalized}: {codes:?}");
        }
    }
}

#[test]
fn an_optional_stream_that_cannot_be_read_gives_way_to_the_plain_data() {
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
    let streams = StreamOptions { fallback: true, ..StreamOptions::default() };
    let options = Options { streams, ..Options::default() };
    let written = compress(&Document::open(machine).unwrap(), Bound::default(), &options).unwrap().document;
    let streams = |json: &Value| json["extensions"]["Draco_animation_compression"]["compressedAnimations"].clone();
    let mut edit = written.edit();
    let garbage = edit.push_view(b"no stream".to_vec());
    let list = &mut edit.json()["extensions"]["Draco_animation_compression"]["compressedAnimations"];
    list.as_array_mut().unwrap().iter_mut().for_each(|stream| stream["bufferView"] = json!(garbage));
    let broken = edit.finish().unwrap();
    assert!(!streams(broken.json()).as_array().unwrap().is_empty());
    let (found, plain) =
        (read(&broken).unwrap(), read(&written.ignoring("Draco_animation_compression").unwrap()).unwrap());
    assert_eq!(found.findings, []);
    assert_eq!(found.animations.len(), plain.animations.len());
    for (found, plain) in found.animations.iter().zip(&plain.animations) {
        assert!(found.tracks.iter().zip(&plain.tracks).all(|(a, b)| a.curve == b.curve && a.target == b.target));
    }
    // Whoever requires the stream has nothing to fall back to.
    let mut edit = broken.edit();
    edit.declare("Draco_animation_compression", true);
    let required = read(&edit.finish().unwrap()).unwrap();
    assert!(required.findings.iter().any(|finding| finding.severity == Severity::Error));
}

/// A triangle on a skin of two joints.
fn skinned(joints: [[u8; 4]; 3], weights: [[f32; 4]; 3]) -> Value {
    let positions = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = positions.iter().chain(weights.as_flattened()).flat_map(|f| f.to_le_bytes()).collect();
    let bytes = [bytes, joints.as_flattened().to_vec()].concat();
    json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{ "mesh": 0, "skin": 0 }, { "children": [2] }, {}], "skins": [{ "joints": [1, 2] }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 2 } }] }],
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)) }],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36, "target": 34962 }, { "buffer": 0, "byteOffset": 36, "byteLength": 48, "target": 34962 },
            { "buffer": 0, "byteOffset": 84, "byteLength": 12, "target": 34962 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 2, "componentType": 5121, "count": 3, "type": "VEC4" }],
    })
}

#[test]
fn joints_and_weights_of_skinned_vertices_are_checked() {
    let (joints, weights) = ([[0, 1, 0, 0]; 3], [[0.25, 0.75, 0.0, 0.0]; 3]);
    assert_eq!(errors(&skinned(joints, weights)), []);
    let codes = |vertex: [u8; 4], weight: [f32; 4]| {
        let json = skinned([joints[0], vertex, joints[0]], [weights[0], weight, weights[0]]);
        let found = validate::validate(&open(&json)).into_iter();
        found.filter(|f| f.at.starts_with("/meshes")).map(|f| (f.code, f.at)).collect::<Vec<_>>()
    };
    let at = |attribute: &str| format!("/meshes/0/primitives/0/attributes/{attribute}_0");
    assert_eq!(
        codes([0, 2, 0, 0], [0.25, 0.75, 0.0, 0.0]),
        [("ACCESSOR_JOINTS_INDEX_OOB", at("JOINTS")), ("ACCESSOR_WEIGHTS_NON_NORMALIZED", at("WEIGHTS"))]
    );
    let single = [
        ([1, 1, 0, 0], [0.5, 0.5, 0.0, 0.0], "ACCESSOR_JOINTS_INDEX_DUPLICATE", "JOINTS"),
        ([0, 1, 0, 0], [1.0, 0.0, 0.0, 0.0], "ACCESSOR_JOINTS_USED_ZERO_WEIGHT", "JOINTS"),
        ([0, 1, 0, 0], [0.25, 0.5, 0.0, 0.0], "ACCESSOR_WEIGHTS_NON_NORMALIZED", "WEIGHTS"),
        ([0, 1, 0, 0], [1.25, -0.25, 0.0, 0.0], "ACCESSOR_WEIGHTS_NEGATIVE", "WEIGHTS"),
    ];
    for (vertex, weight, code, attribute) in single {
        assert!(codes(vertex, weight).contains(&(code, at(attribute))), "{code}: {:?}", codes(vertex, weight));
    }
}
