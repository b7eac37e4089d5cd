//! `keyfold convert --storage` and `keyfold unpack` as people run them.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

fn keyfold(arguments: &[&str]) -> i32 {
    Command::cargo_bin("keyfold").unwrap().args(arguments).output().unwrap().status.code().unwrap()
}

/// A node that moves; its values are ones that no grid holds exactly.
fn moving() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "data:application/octet-stream;base64,AAAAAAAAgD/NzMw9zcxMPpqZmT7NzMw+AAAAP5qZGT8=", "byteLength": 32 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
        "nodes": [{ "name": "lever" }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 0, "output": 1 }] }]
    })
}

fn write(path: &Path, json: &Value) -> String {
    std::fs::write(path, json.to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn the_exit_code_is_1_only_where_something_was_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.gltf").display().to_string();
    // A channel without a node drives nothing: worth a note, and nothing is lost.
    let mut json = moving();
    json["animations"][0]["channels"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "sampler": 0, "target": { "path": "scale" } }));
    let noted = write(&folder.path().join("noted.gltf"), &json);
    // A path that nobody knows cannot be unpacked.
    json["animations"][0]["channels"][1]["target"] = json!({ "node": 0, "path": "colour" });
    let unknown = write(&folder.path().join("unknown.gltf"), &json);
    for storage in ["core", "meshopt", "stream", "quantization", "draco"] {
        assert_eq!(keyfold(&["convert", &noted, "-o", &out, "--storage", storage]), 0, "{storage}");
        assert_eq!(keyfold(&["convert", &unknown, "-o", &out, "--storage", storage]), 1, "{storage}");
    }
    let clip = folder.path().join("out.kfc").display().to_string();
    assert_eq!(keyfold(&["clip", "build", &noted, "-o", &clip]), 0);
    assert_eq!(keyfold(&["clip", "build", &unknown, "-o", &clip]), 1);
    assert_eq!(keyfold(&["inspect", &noted]), 0);
    assert_eq!(keyfold(&["inspect", &unknown]), 0);
    assert_eq!(keyfold(&["unpack", &noted, "-o", &out]), 0);
    assert_eq!(keyfold(&["unpack", &unknown, "-o", &out]), 1);
}

#[test]
fn an_option_that_would_have_no_effect_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(&folder.path().join("moving.gltf"), &moving());
    let out = folder.path().join("out.gltf").display().to_string();
    let code = |options: &str| {
        let options: Vec<&str> = options.split_whitespace().collect();
        keyfold(&[&["convert", &file, "-o", &out], &options[..]].concat())
    };
    for stray in [
        "--bits 8",
        "--bits 8 --storage core",
        "--bits 8 --storage meshopt",
        "--fallback",
        "--fallback --storage quantization",
        "--time-bits 12",
        "--time-bits 12 --storage quantization",
        "--draco-dialect draft",
        "--tolerance 0.1",
        "--tolerance 2 --storage quantization",
        "--store-rotation vec3 --storage draco",
        "--store-times u8",
        "--core-sampler",
    ] {
        assert_eq!(code(stray), 2, "{stray}");
        assert!(!Path::new(&out).exists(), "{stray}");
    }
    for sound in [
        "--bits 16 --storage quantization --store-times float",
        "--bits 16 --time-bits 16 --draco-dialect 2018 --fallback --storage draco",
        "--rotation cubicslerp --fallback",
        "--rotation cubicslerp --core-sampler",
    ] {
        assert_ne!(code(sound), 2, "{sound}");
    }
}

#[test]
fn meshopt_and_streams_keep_every_float() {
    keeps_every_float("meshopt", "EXT_meshopt_compression");
    keeps_every_float("stream", "KEYFOLD_animation_stream");
}

fn keeps_every_float(storage: &str, extension: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = write(&folder.path().join("moving.gltf"), &moving());
    let packed = folder.path().join("packed.glb").display().to_string();
    let back = folder.path().join("back.glb").display().to_string();
    assert_eq!(keyfold(&["convert", &file, "-o", &packed, "--storage", storage]), 0);
    let document = keyfold::Document::open(&packed).unwrap();
    assert!(document.requires(extension));
    assert_eq!(keyfold(&["diff", &file, &packed, "--max-error", "0"]), 0);
    assert_eq!(keyfold(&["validate", &packed]), 0);
    assert_eq!(keyfold(&["unpack", &packed, "-o", &back]), 0);
    let plain = keyfold::Document::open(&back).unwrap();
    // Nothing of the compressed form is left, its fallback buffer neither.
    assert_eq!(plain.json().get("extensionsUsed"), None);
    assert_eq!(plain.count("buffers"), 1);
    let tracks =
        |path: &str| keyfold::read(&keyfold::Document::open(path).unwrap()).unwrap().animations.remove(0).tracks;
    assert_eq!(tracks(&back)[0].curve, tracks(&file)[0].curve);
    assert_eq!(tracks(&packed)[0].curve, tracks(&file)[0].curve);
}

#[test]
fn a_stream_with_a_fallback_is_only_used_and_plays_without() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(&folder.path().join("moving.gltf"), &moving());
    let packed = folder.path().join("packed.glb").display().to_string();
    assert_eq!(keyfold(&["convert", &file, "-o", &packed, "--storage", "stream", "--fallback"]), 0);
    let document = keyfold::Document::open(&packed).unwrap();
    assert_eq!(document.json()["extensionsUsed"], json!(["KEYFOLD_animation_stream"]));
    assert!(!document.requires("KEYFOLD_animation_stream"));
    assert_eq!(keyfold(&["validate", &packed]), 0);
    let ignoring = keyfold::OpenOptions { ignore: vec!["KEYFOLD_animation_stream".into()], ..Default::default() };
    let plain = keyfold::Document::open_with(&packed, &ignoring).unwrap();
    let tracks = |document: &keyfold::Document| keyfold::read(document).unwrap().animations.remove(0).tracks;
    assert_eq!(tracks(&plain)[0].curve, tracks(&document)[0].curve);
}

/// The streams lie in a buffer that whoever plays the fallback need not fetch.
#[test]
fn streams_with_a_fallback_have_a_buffer_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
    let out = folder.path().join("out.gltf").display().to_string();
    assert_eq!(keyfold(&["convert", machine, "-o", &out, "--storage", "draco", "--fallback"]), 0);
    let json: Value = serde_json::from_slice(&std::fs::read(&out).unwrap()).unwrap();
    let streams = json["extensions"]["Draco_animation_compression"]["compressedAnimations"].as_array().unwrap();
    assert!(!streams.is_empty());
    let views = json["bufferViews"].as_array().unwrap();
    let own: Vec<u64> = streams.iter().map(|stream| stream["bufferView"].as_u64().unwrap()).collect();
    let buffer = &views[own[0] as usize]["buffer"];
    for (index, view) in views.iter().enumerate() {
        assert_eq!(view["buffer"] == *buffer, own.contains(&(index as u64)), "view {index}");
    }
    let uri = &json["buffers"][buffer.as_u64().unwrap() as usize]["uri"];
    assert_eq!(uri, "out.draco.bin");
    assert!(folder.path().join("out.draco.bin").is_file());
}
