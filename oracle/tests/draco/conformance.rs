//! The conformance set of the extension before its peers: libdraco decodes its streams, gltf-validator finds no error, and both schemas
//! hold for it and for what we write.

use keyfold::{
    Bound, Document,
    draco::{Dialect, Options, StreamOptions, compress},
};
use keyfold_core::draco;
use keyfold_oracle::{draco::Libdraco, gltf_files, node_available, note, root, schema::keeps, validator};
use serde_json::{Value, json};
use std::path::PathBuf;

use super::content;

fn folder() -> PathBuf {
    root().join("samples/conformance/draco")
}

/// The good files of the set, and the broken ones.
fn files() -> (Vec<PathBuf>, Vec<PathBuf>) {
    gltf_files(&folder()).into_iter().partition(|file| !file.starts_with(folder().join("broken")))
}

fn open(file: &PathBuf) -> Document {
    Document::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The extension's object or array, by either name.
fn extension(json: &Value) -> &Value {
    let extensions = json["extensions"].as_object().expect("the root has extensions");
    extensions.iter().find(|(name, _)| name.eq_ignore_ascii_case("Draco_animation_compression")).expect("it is there").1
}

fn streams(document: &Document) -> Vec<Vec<u8>> {
    let value = extension(document.json());
    let list = value.get("compressedAnimations").unwrap_or(value).as_array().expect("a list of streams");
    let view = |stream: &Value| stream["bufferView"].as_u64().expect("an index") as usize;
    list.iter().map(|stream| document.view(view(stream)).expect("the bytes are there").to_vec()).collect()
}

#[test]
fn libdraco_decodes_the_set_to_the_same_floats() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let mut compared = 0;
    for file in files().0 {
        for stream in streams(&open(&file)) {
            let (theirs, _) = libdraco.decode(&stream).unwrap().done().expect("libdraco reads it");
            let ours = draco::decode(&stream, &draco::Limits::default()).unwrap();
            assert_eq!(content(&ours), content(&theirs), "{}", file.display());
            compared += 1;
        }
    }
    note(&format!("{compared} streams of the conformance set"));
    assert!(compared >= 16);
}

#[test]
fn the_validator_of_khronos_finds_no_error_but_the_array_of_2018() {
    if !node_available() {
        return;
    }
    for report in validator::validate(&files().0).unwrap() {
        // It takes no array for an extension: see DIFFERENCES.md.
        let is_2018 = report.file.to_string_lossy().contains("2018");
        let expected = is_2018.then_some("TYPE_MISMATCH /extensions/Draco_animation_compression");
        assert_eq!(report.errors(), Vec::from_iter(expected), "{}", report.file.display());
    }
}

/// Which of the two schemas a file keeps: the draft's, the one of 2018.
fn kept(json: &Value) -> [bool; 2] {
    let load = |name: &str| -> Value {
        let file = folder().join("schema").join(format!("glTF.Draco_animation_compression.{name}"));
        serde_json::from_slice(&std::fs::read(file).expect("a schema")).expect("JSON")
    };
    ["schema.json", "2018.schema.json"].map(|name| keeps(&load(name), extension(json)))
}

#[test]
fn the_set_keeps_the_schema_of_its_layout() {
    for file in files().0 {
        let is_2018 = file.to_string_lossy().contains("2018");
        assert_eq!(kept(open(&file).json()), [!is_2018, is_2018], "{}", file.display());
    }
    // What a schema can see of what is broken.
    for code in ["UNDEFINED_PROPERTY", "DUPLICATE_ELEMENTS", "VALUE_NOT_IN_RANGE"] {
        assert_eq!(kept(open(&folder().join(format!("broken/{code}.gltf"))).json()), [false, false], "{code}");
    }
}

#[test]
fn what_we_write_keeps_the_schema_of_its_layout() {
    for sample in ["machine.glb", "face.glb"] {
        let original = open(&root().join("samples").join(sample));
        for (dialect, expected) in [(Dialect::Draft, [true, false]), (Dialect::Year2018, [false, true])] {
            for fallback in [false, true] {
                let streams = StreamOptions { dialect, fallback, ..StreamOptions::default() };
                let options = Options { bits: Some(16), streams };
                let written = compress(&original, Bound::default(), &options).unwrap().document;
                assert_eq!(kept(written.json()), expected, "{sample} {dialect:?} {fallback}");
            }
        }
    }
}

#[test]
fn broken_members_keep_no_schema() {
    let good = open(&folder().join("two_streams.gltf")).json().clone();
    assert_eq!(kept(&good), [true, false]);
    let at = "/extensions/Draco_animation_compression/compressedAnimations";
    let changes = [
        ("", json!([])),
        ("", json!({})),
        ("/0", json!(3)),
        ("/0/input", json!(-1)),
        ("/0/input", json!("0")),
        ("/1/outputs", json!([])),
        ("/1/outputs", json!([4, 4])),
        ("/1/outputs", json!([0.5])),
        ("/1/attributeId", json!([0])),
        ("/1/attributeId", json!([4_294_967_296_u64])),
        ("/1/bufferView", json!(null)),
    ];
    for (place, value) in changes {
        let mut bad = good.clone();
        *bad.pointer_mut(&format!("{at}{place}")).expect("it is there") = value.clone();
        assert_eq!(kept(&bad), [false, false], "{place} {value}");
    }
}
