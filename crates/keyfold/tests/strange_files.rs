//! Files that are wrong, or that hold what Keyfold does not know: bytes and members that are not understood are not lost.

use keyfold::{
    Bound, Document, OpenOptions, Severity, read, unpack, validate,
    write::{MeshoptVersion, write_meshopt, write_stream},
};
use serde_json::{Value, json};
use std::fs;

/// A buffer of three pieces, each of 32 bytes of its own.
fn bytes() -> Vec<u8> {
    [[1; 32], [2; 32], [3; 32]].concat()
}

/// A mesh for each piece of the buffer.
fn meshes() -> Value {
    let view = |i: usize| json!({ "buffer": 0, "byteOffset": 32 * i, "byteLength": 32 });
    let accessor = |i: usize| json!({ "bufferView": i, "componentType": 5121, "count": 32, "type": "SCALAR" });
    let mesh = |i: usize| json!({ "primitives": [{ "attributes": { "_PIECE": i } }] });
    json!({
        "asset": { "version": "2.0" },
        "meshes": (0..3).map(mesh).collect::<Vec<_>>(),
        "accessors": (0..3).map(accessor).collect::<Vec<_>>(),
        "bufferViews": (0..3).map(view).collect::<Vec<_>>(),
        "buffers": [{ "byteLength": 96 }],
    })
}

fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let chunk = |kind: &[u8; 4], data: &[u8]| [&(data.len() as u32).to_le_bytes(), &kind[..], data].concat();
    let chunks = [chunk(b"JSON", &text), chunk(b"BIN\0", bin)].concat();
    [b"glTF", &2u32.to_le_bytes()[..], &(12 + chunks.len() as u32).to_le_bytes(), &chunks].concat()
}

fn open(json: &Value, bin: &[u8]) -> Document {
    Document::from_bytes(glb(json, bin), None, &OpenOptions::default()).unwrap()
}

/// The document without its first mesh, and with a view of new bytes.
fn edited(document: &Document) -> Document {
    without(document, 0)
}

fn without(document: &Document, mesh: usize) -> Document {
    let mut edit = document.edit();
    edit.json()["meshes"].as_array_mut().unwrap().remove(mesh);
    edit.push_view(vec![9; 4]);
    edit.finish().unwrap()
}

fn assert_valid(document: &Document, what: &str) {
    let errors: Vec<_> = validate::validate(document).into_iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{what}: {errors:?}");
}

/// The bytes of the pieces that the meshes of a document mean.
fn pieces(document: &Document) -> Vec<Vec<u8>> {
    let json = document.json();
    let index = |value: &Value| value.as_u64().unwrap() as usize;
    let piece = |mesh: &Value| {
        let accessor = &json["accessors"][index(&mesh["primitives"][0]["attributes"]["_PIECE"])];
        document.view(index(&accessor["bufferView"])).unwrap().to_vec()
    };
    json["meshes"].as_array().unwrap().iter().map(piece).collect()
}

#[test]
fn a_wrong_byte_length_cuts_nothing_off() {
    let folder = tempfile::tempdir().unwrap();
    let all: Vec<Vec<u8>> = bytes().chunks(32).map(<[u8]>::to_vec).collect();
    for wrong in [json!(40), json!(0), json!("96"), json!(-1), Value::Null] {
        for apart in [false, true] {
            let what = format!("{wrong}, {apart}");
            let mut json = meshes();
            json["buffers"][0]["byteLength"] = wrong.clone();
            let document = if apart {
                fs::write(folder.path().join("data.bin"), bytes()).unwrap();
                json["buffers"][0]["uri"] = json!("data.bin");
                fs::write(folder.path().join("in.gltf"), json.to_string()).unwrap();
                Document::open(folder.path().join("in.gltf")).unwrap()
            } else {
                open(&json, &bytes())
            };
            for name in ["out.gltf", "out.glb"] {
                let path = folder.path().join(name);
                document.save(&path).unwrap();
                assert_eq!(pieces(&Document::open(&path).unwrap()), all, "{what}, {name}");
                edited(&document).save(&path).unwrap();
                assert_eq!(pieces(&Document::open(&path).unwrap()), all[1..], "{what}, {name}, edited");
            }
        }
    }
}

#[test]
fn new_bytes_do_not_fill_what_views_miss() {
    let cut = open(&meshes(), &bytes()[..80]);
    assert!(cut.view(2).is_err());
    let after = edited(&cut);
    let lost = after.json()["accessors"][1]["bufferView"].as_u64().unwrap() as usize;
    assert!(after.view(lost).is_err(), "what was missing is still missing");
}

#[test]
fn bytes_of_a_container_that_nobody_understands_stay_in_it() {
    let folder = tempfile::tempdir().unwrap();
    for strange in
        [json!([null]), json!([{ "byteLength": 96, "uri": null }]), json!([{ "uri": 5 }]), json!({ "a": {} })]
    {
        let mut json = meshes();
        json["buffers"] = strange.clone();
        let document = open(&json, &bytes());
        let mut edit = document.edit();
        edit.json()["meshes"][0]["name"] = json!("new");
        let after = edit.finish().unwrap();
        let written = after.to_bytes().unwrap();
        assert!(written.windows(96).any(|piece| piece == bytes()), "{strange}");
        let error = document.save(folder.path().join("out.gltf")).unwrap_err();
        assert!(error.at().starts_with("/buffers"), "{strange}: {error}");
    }
    // A list in its place would be another one.
    let mut json = meshes();
    json["buffers"] = json!({ "a": {} });
    let document = open(&json, &bytes());
    let mut edit = document.edit();
    edit.push_view(vec![1; 4]);
    assert_eq!(edit.finish().unwrap_err().at(), "/buffers");
}

#[test]
fn compressed_bytes_are_found_again_whatever_their_extension_is_called() {
    for name in ["MESHOPT_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let mut json = meshes();
        json["extensionsUsed"] = json!([name]);
        json["bufferViews"][2] = json!({ "buffer": 1, "byteLength": 32, "extensions": { name:
            { "buffer": 0, "byteOffset": 64, "byteLength": 32, "byteStride": 4, "count": 8, "mode": "ATTRIBUTES" } } });
        json["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 32 }));
        let after = edited(&open(&json, &bytes()));
        let object = &after.json()["bufferViews"][1]["extensions"][name];
        let offset = object["byteOffset"].as_u64().unwrap() as usize;
        assert_eq!(offset, 32, "{name}");
        assert_eq!(after.buffer(0).unwrap()[offset..offset + 32], [3; 32], "{name}");
    }
}

#[test]
fn bytes_that_an_unknown_extension_may_mean_stay_in_their_place() {
    let hidden = [bytes(), b"hidden".to_vec()].concat();
    for unknown in [
        json!({ "buffer": 0, "byteOffset": 96 }),
        json!({ "bufferIndex": 0, "byteOffset": 96, "byteLength": 6 }),
        json!({ "ranges": [[0, 96.0, 6]] }),
        json!({ "data": "/buffers/0", "from": 98 }),
        json!({ "view": 64 }),
    ] {
        let mut json = meshes();
        json["extensionsUsed"] = json!(["ACME_bytes"]);
        json["extensions"] = json!({ "ACME_bytes": unknown });
        json["buffers"][0]["byteLength"] = json!(hidden.len());
        let after = without(&open(&json, &hidden), 1);
        assert_eq!(after.buffer(0).unwrap()[64..102], hidden[64..], "{unknown}");
    }
    // Numbers that can mean no such bytes keep nothing.
    let mut json = meshes();
    json["extensions"] = json!({ "ACME_bytes": { "seed": 7, "weight": 0.5 } });
    assert_eq!(edited(&open(&json, &bytes())).buffer(0).unwrap()[..32], [2; 32]);
}

/// Two nodes that move; the second has a matrix. Two samplers that are understood, and one behind them that is not.
fn animated() -> Value {
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let times = floats(&(0..20).map(|i| i as f32).collect::<Vec<_>>());
    let moving = |scale: f32| floats(&(0..60).map(|i| scale * (i as f32).sin()).collect::<Vec<_>>());
    let data = [times, moving(1.0), moving(2.0), moving(3.0)].concat();
    let hex: String = data.iter().map(|byte| format!("%{byte:02x}")).collect();
    let view = |i: usize| match i {
        0 => json!({ "buffer": 0, "byteLength": 80 }),
        i => json!({ "buffer": 0, "byteOffset": 80 + 240 * (i - 1), "byteLength": 240 }),
    };
    let accessor = |i: usize| match i {
        0 => json!({ "bufferView": 0, "componentType": 5126, "count": 20, "type": "SCALAR", "min": [0], "max": [19] }),
        i => json!({ "bufferView": i, "componentType": 5126, "count": 20, "type": "VEC3" }),
    };
    json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [{}, {}],
        "animations": [{
            "channels": [
                { "sampler": 0, "target": { "node": 0, "path": "translation" } },
                { "sampler": 1, "target": { "node": 1, "path": "translation" } },
                { "sampler": 2.0, "target": { "node": 1, "path": "ACME_glow" } },
            ],
            "samplers": (1..4).map(|i| json!({ "input": 0, "output": i })).collect::<Vec<_>>(),
        }],
        "accessors": (0..4).map(accessor).collect::<Vec<_>>(),
        "bufferViews": (0..4).map(view).collect::<Vec<_>>(),
        "buffers": [{ "uri": format!("data:application/octet-stream,{hex}"), "byteLength": data.len() }],
    })
}

fn text(json: &Value) -> Document {
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

/// The bytes that a sampler of the animation plays.
fn played(document: &Document, sampler: &Value) -> Vec<u8> {
    let json = document.json();
    let sampler = &json["animations"][0]["samplers"][sampler.as_f64().unwrap() as usize];
    let accessor = &json["accessors"][sampler["output"].as_u64().unwrap() as usize];
    document.view(accessor["bufferView"].as_u64().unwrap() as usize).unwrap().to_vec()
}

#[test]
fn a_channel_that_is_left_alone_plays_what_it_played() {
    let mut json = animated();
    let before = text(&json);
    let expected = played(&before, &json!(2));
    let after = write_meshopt(&before, MeshoptVersion::Ext).unwrap().document;
    assert_eq!(played(&after, &after.json()["animations"][0]["channels"][2]["sampler"]), expected);
    // An extension that is not known may name it in its own way.
    json["animations"][0]["extensions"] = json!({ "ACME_glow": { "plays": 2 } });
    json["animations"][0]["channels"].as_array_mut().unwrap().pop();
    json["extensionsUsed"] = json!(["ACME_glow"]);
    let after = write_meshopt(&text(&json), MeshoptVersion::Ext).unwrap().document;
    assert_eq!(played(&after, &json!(2)), expected);
    assert_valid(&after, "with a sampler that an extension names");
}

#[test]
fn members_of_targets_and_samplers_survive_another_storage() {
    let mut json = animated();
    let channel = &mut json["animations"][0]["channels"][0];
    channel["target"]["extras"] = json!({ "bone": "hip" });
    channel["target"]["extensions"] = json!({ "ACME_target": { "a": 1.5 } });
    json["animations"][0]["samplers"][0]["name"] = json!("walk");
    json["animations"][0]["samplers"][0]["extras"] = json!([1, 2]);
    json["extensionsUsed"] = json!(["ACME_target"]);
    for (what, after) in [
        ("meshopt", write_meshopt(&text(&json), MeshoptVersion::Ext).unwrap().document),
        ("stream", write_stream(&text(&json), false).unwrap().document),
    ] {
        let animation = &after.json()["animations"][0];
        let channel = &animation["channels"][0];
        assert_eq!(channel["target"], json["animations"][0]["channels"][0]["target"], "{what}");
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        assert_eq!((&sampler["name"], &sampler["extras"]), (&json!("walk"), &json!([1, 2])), "{what}");
    }
}

#[test]
fn a_storage_leaves_nothing_behind_beside_an_unknown_extension() {
    for unknown in [json!({}), json!({ "number": 1 })] {
        let mut json = animated();
        json["animations"][0]["channels"].as_array_mut().unwrap().pop();
        json["animations"][0]["samplers"].as_array_mut().unwrap().pop();
        json["extensionsUsed"] = json!(["ACME_other"]);
        json["extensions"] = json!({ "ACME_other": unknown });
        let before = text(&json);
        for (what, packed) in [
            ("meshopt", write_meshopt(&before, MeshoptVersion::Ext).unwrap().document),
            ("stream", write_stream(&before, false).unwrap().document),
        ] {
            assert_valid(&packed, what);
            let plain = unpack(&packed, Bound::default()).unwrap().document;
            assert_valid(&plain, what);
            assert_eq!(plain.json().get("extensionsRequired"), None, "{what}");
            assert_eq!(plain.count("buffers"), if unknown == json!({}) { 1 } else { 2 }, "{what}");
            let curve = |document: &Document| read(document).unwrap().animations[0].tracks[0].curve.clone();
            assert_eq!(curve(&plain), curve(&before), "{what}");
        }
    }
}

#[test]
fn a_node_with_a_matrix_is_driven_by_a_pointer_where_core_cannot() {
    let mut json = animated();
    json["animations"][0]["channels"].as_array_mut().unwrap().pop();
    json["animations"][0]["samplers"].as_array_mut().unwrap().pop();
    json["nodes"][1]["matrix"] = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    json["extensionsUsed"] = json!(["KHR_animation2"]);
    json["animations"][0]["channels"][1]["target"] =
        json!({ "path": "pointer", "extensions": { "KHR_animation2": { "path": "/nodes/1/translation" } } });
    let after = write_meshopt(&text(&json), MeshoptVersion::Ext).unwrap().document;
    let spelled = after.json()["animations"][0]["channels"].to_string();
    assert!(!spelled.contains(r#""node":1"#), "{spelled}");
    let errors = validate::validate(&after).into_iter().filter(|f| f.code == "ANIMATION_CHANNEL_TARGET_NODE_MATRIX");
    assert_eq!(errors.count(), 0, "{spelled}");
}
