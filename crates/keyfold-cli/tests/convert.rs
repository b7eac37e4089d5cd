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
        "--bits 12 --storage quantization",
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

fn said(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("keyfold").unwrap().args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn spherical_splines_that_are_asked_for_stay_in_every_storage() {
    let folder = tempfile::tempdir().unwrap();
    let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let slerp = path("slerp.glb");
    assert_eq!(keyfold(&["convert", figure, "-o", &slerp, "--rotation", "cubicslerp", "--max-error", "0.1%"]), 0);
    let stored = |input: &str, output: &str, more: &[&str]| {
        let (code, _, err) = said(&[&["convert", input, "-o", output, "--max-error", "0.1%"], more].concat());
        assert_eq!(code, 0, "{more:?}: {err}");
        let (code, out, err) = said(&["validate", output, "-q"]);
        assert_eq!(code, 0, "{more:?}: {out}{err}");
        let report: Value = serde_json::from_str(&said(&["inspect", output, "--json"]).1).unwrap();
        let tracks = report["animations"].as_array().unwrap().iter().flat_map(|a| a["tracks"].as_array().unwrap());
        let slerps = tracks.filter(|track| track["interpolation"] == "CUBICSLERP");
        slerps.map(|track| track["storage"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let draco = path("draco.glb");
    let rotations = stored(figure, &path("both.glb"), &["--rotation", "cubicslerp", "--storage", "draco"]);
    assert!(rotations.iter().any(|storage| storage == "draco"), "{rotations:?}");
    let rotations = stored(&slerp, &draco, &["--storage", "draco"]);
    assert!(rotations.iter().any(|storage| storage == "draco"), "{rotations:?}");
    let rotations = stored(figure, &path("core.glb"), &["--rotation", "cubicslerp", "--storage", "core"]);
    assert!(!rotations.is_empty() && rotations.iter().all(|storage| storage == "core"), "{rotations:?}");
    // Not asked for, core's own splines take their place; that is said.
    let (code, _, err) =
        said(&["convert", &draco, "-o", &path("plain.glb"), "--storage", "core", "--max-error", "0.1%"]);
    assert!(code == 0 && err.contains("became CUBICSPLINE"), "{err}");
}

#[test]
fn what_a_storage_cannot_say_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/machine.glb");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (pointer, draft, out) = (path("pointer.glb"), path("draft.glb"), path("out.glb"));
    assert_eq!(keyfold(&["convert", machine, "-o", &pointer, "--targets", "pointer"]), 0);
    let (code, _, err) = said(&["convert", &pointer, "-o", &out, "--storage", "quantization"]);
    assert!(code == 0 && err.contains("the extension stores no pointers"), "{code} {err}");
    assert_eq!(keyfold(&["convert", machine, "-o", &draft, "--targets", "animation2"]), 0);
    let (code, _, err) = said(&["convert", &draft, "-o", &out, "--storage", "meshopt"]);
    assert!(code == 0 && err.contains("targets of drafts became"), "{code} {err}");
}
