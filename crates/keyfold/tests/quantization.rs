//! EXT_animation_quantization from end to end: the conformance set read and validated, every row of the draft's tables written and read back.

use keyfold::{
    Axis, Bound, Document, OpenOptions, Property, Severity,
    document::{ComponentType, Shape},
    quantization::{Encoding, LayoutOptions, Options, Path, ROTATION, RotationForm, UNSIGNED, VectorForm, quantize},
    validate,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples/conformance/quantization")
}

fn manifest() -> Value {
    serde_json::from_slice(&std::fs::read(folder().join("manifest.json")).unwrap()).unwrap()
}

fn open(entry: &Value) -> (String, Document) {
    let name = entry["file"].as_str().unwrap().to_owned();
    let document = Document::open(folder().join(&name)).unwrap();
    (name, document)
}

fn floats(value: &Value) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().flat_map(floats).collect(),
        None => vec![value.as_f64().unwrap()],
    }
}

#[test]
fn the_conformance_set_is_read_as_its_manifest_says() {
    let manifest = manifest();
    let tolerance = manifest["tolerance"].as_f64().unwrap();
    let close = |a: &[f32], b: &[f64]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (f64::from(*a) - b).abs() <= tolerance)
    };
    let mut read_rows = BTreeSet::new();
    for entry in manifest["read"].as_array().unwrap() {
        let (name, document) = open(entry);
        let read = keyfold::read(&document).unwrap();
        assert!(read.findings.is_empty(), "{name}: {:?}", read.findings);
        let (found, expected) = (&read.animations[0].tracks, entry["tracks"].as_array().unwrap());
        assert_eq!(found.len(), expected.len(), "{name}");
        for (track, expected) in found.iter().zip(expected) {
            assert_eq!(track.target.to_string(), expected["target"], "{name}");
            assert_eq!(track.curve.interpolation().name(), expected["interpolation"], "{name}");
            // Times are exact.
            let times: Vec<f64> = track.curve.times().iter().map(|t| f64::from(*t)).collect();
            let exact: Vec<f64> = floats(&expected["times"]).iter().map(|t| f64::from(*t as f32)).collect();
            assert_eq!(times, exact, "{name}");
            let values = floats(&expected["values"]);
            assert!(close(track.curve.values(), &values), "{name}: {:?} {values:?}", track.curve.values());
        }
        read_rows.extend(rows_in(&document));
    }
    println!("{} rows of the draft's tables read", read_rows.len());
    assert_eq!(read_rows, all_rows());
}

#[test]
fn good_files_have_no_finding_and_broken_ones_have_theirs() {
    let manifest = manifest();
    for entry in manifest["read"].as_array().unwrap() {
        let (name, document) = open(entry);
        let findings: Vec<_> =
            validate::validate(&document).into_iter().filter(|f| f.severity <= Severity::Warning).collect();
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
    for entry in manifest["broken"].as_array().unwrap() {
        let (name, document) = open(entry);
        let found: Vec<_> = validate::validate(&document)
            .into_iter()
            .filter(|f| f.severity <= Severity::Warning)
            .map(|f| (f.code.to_owned(), f.at))
            .collect();
        let expected = (entry["code"].as_str().unwrap().to_owned(), entry["at"].as_str().unwrap().to_owned());
        assert_eq!(found, [expected], "{name}");
    }
}

/// Rows as text: path, shape and encoding; times under the path `time`.
type Rows = BTreeSet<(String, &'static str, String)>;

fn all_rows() -> Rows {
    let mut rows = Rows::new();
    for property in [Property::Translation, Property::Rotation, Property::Scale] {
        for axis in [None, Some(Axis::X), Some(Axis::Y), Some(Axis::Z)] {
            let path = Path { property, axis };
            for shape in [Shape::Scalar, Shape::Vec2, Shape::Vec3, Shape::Vec4] {
                let encodings = path.encodings().iter().filter(|_| path.layout(shape).is_some());
                rows.extend(encodings.map(|encoding| (path.to_string(), shape.name(), encoding.to_string())));
            }
        }
    }
    assert_eq!(rows.len(), 85);
    let times = UNSIGNED.map(|encoding| ("time".to_owned(), Shape::Scalar.name(), encoding.to_string()));
    rows.into_iter().chain(times).collect()
}

fn rows_in(document: &Document) -> Rows {
    let mut rows = Rows::new();
    let animation = &document.json()["animations"][0];
    for channel in animation["channels"].as_array().unwrap() {
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let path = Path::from_name(channel["target"]["path"].as_str().unwrap()).unwrap();
        for (name, key) in [(path.to_string(), "output"), ("time".to_owned(), "input")] {
            let accessor = document.accessor(sampler[key].as_u64().unwrap() as usize).unwrap();
            let encoding = Encoding::new(accessor.component, accessor.normalized);
            rows.insert((name, accessor.shape.name(), encoding.to_string()));
        }
    }
    rows
}

/// Seven nodes: a translation, rotations about each axis and about a slanted one, a scale, and a uniform scale; floats at 30 frames a
/// second.
fn moving() -> Document {
    let keys = 20u32;
    let mut floats: Vec<f32> = (0..keys).map(|n| n as f32 / 30.0).collect();
    let mut accessors = vec![json!({ "bufferView": 0, "componentType": 5126, "count": keys, "type": "SCALAR",
        "min": [0], "max": [floats.last()] })];
    let mut channels = Vec::new();
    let mut add = |path: &str, shape: &str, value: &dyn Fn(f32) -> Vec<f32>| {
        accessors.push(json!({ "bufferView": 0, "byteOffset": floats.len() * 4, "componentType": 5126, "count": keys, "type": shape }));
        floats.extend((0..keys).flat_map(|n| value(n as f32 / keys as f32)));
        channels.push(json!({ "sampler": channels.len(), "target": { "node": channels.len(), "path": path } }));
    };
    let turn = |axis: [f32; 3], t: f32| vec![axis[0] * t.sin(), axis[1] * t.sin(), axis[2] * t.sin(), t.cos()];
    add("translation", "VEC3", &|t| vec![t * 3.0 - 1.0, (t * 5.0).sin(), t * t + 2.0]);
    add("rotation", "VEC4", &|t| turn([1.0, 0.0, 0.0], t));
    add("rotation", "VEC4", &|t| turn([0.0, 1.0, 0.0], t - 0.3));
    add("rotation", "VEC4", &|t| turn([0.0, 0.0, 1.0], 0.9 - t));
    add("rotation", "VEC4", &|t| turn([0.6, -0.48, 0.64], t * 1.1));
    add("scale", "VEC3", &|t| vec![1.0 + t, 1.0 - t / 2.0, 2.0 + t * t]);
    add("scale", "VEC3", &|t| vec![0.5 + t * t; 3]);
    let samplers: Vec<Value> = (0..channels.len()).map(|i| json!({ "input": 0, "output": i + 1 })).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": vec![json!({}); channels.len()],
        "buffers": [{ "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": accessors,
        "animations": [{ "channels": channels, "samplers": samplers }],
    });
    Document::from_bytes(glb(&json, &bytes), None, &OpenOptions::default()).unwrap()
}

fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let word = |n: usize| (n as u32).to_le_bytes();
    let header = [&b"glTF"[..], &word(2), &word(28 + text.len() + bin.len())].concat();
    [&header[..], &word(text.len()), b"JSON", &text, &word(bin.len()), b"BIN\0", bin].concat()
}

#[test]
fn every_row_is_written_and_read_back() {
    let document = moving();
    let mut written = Rows::new();
    let encodings: BTreeSet<Encoding> = UNSIGNED.into_iter().chain(ROTATION).collect();
    let rotations = [RotationForm::Vec4, RotationForm::Vec3, RotationForm::Vec2, RotationForm::Scalar];
    let vectors = [VectorForm::Vec3, VectorForm::Axes, VectorForm::Uniform];
    for (i, values) in encodings.iter().enumerate() {
        for (rotation, vector) in rotations.into_iter().zip(vectors.into_iter().cycle()) {
            let options = Options {
                layouts: LayoutOptions {
                    rotation: Some(rotation),
                    translation: Some(if vector == VectorForm::Uniform { VectorForm::Vec3 } else { vector }),
                    scale: Some(vector),
                    ..LayoutOptions::default()
                },
                values: Some(*values),
                times: Some(UNSIGNED[i % UNSIGNED.len()]),
                ..Options::default()
            };
            let quantized = quantize(&document, Bound::Relative(1.0), &options).unwrap().document;
            let diff = keyfold::diff(&document, &quantized, None).unwrap();
            let about = format!("{values} {rotation:?} {vector:?}");
            assert!(diff.unmatched.is_empty(), "{about}: {:?}", diff.unmatched);
            // Unsigned and signed 8-bit rotations may be off by a degree, 16-bit ones and floats hardly at all.
            let allowed = if values.component.size() == 1 { 0.02 } else { 1e-4 };
            assert!(diff.relative < allowed, "{about}: {}", diff.relative);
            let errors: Vec<_> =
                validate::validate(&quantized).into_iter().filter(|f| f.severity <= Severity::Warning).collect();
            assert!(errors.is_empty(), "{about}: {errors:?}");
            written.extend(rows_in(&quantized));
        }
    }
    println!("{} of {} rows of the draft's tables written and read back", written.len(), all_rows().len());
    assert_eq!(written, all_rows());
}

#[test]
fn unpacking_brings_core_gltf_back() {
    let document = moving();
    let axes = Some(VectorForm::Axes);
    let layouts = LayoutOptions { translation: axes, scale: axes, ..LayoutOptions::default() };
    let options = Options { layouts, ..Options::default() };
    let quantized = quantize(&document, Bound::default(), &options).unwrap().document;
    let kept = keyfold::kept(&document, &quantized, Bound::default()).unwrap();
    assert!(kept.broken.is_empty() && quantized.requires(keyfold::quantization::NAME), "{:?}", kept.broken);
    let keyfold::Changed { document: plain, findings, .. } = keyfold::unpack(&quantized, Bound::default()).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    assert!(plain.json().get("extensionsUsed").is_none() && plain.json().get("extensionsRequired").is_none());
    let float = |a: &Value| a["componentType"] == ComponentType::F32.code();
    assert!(plain.json()["accessors"].as_array().unwrap().iter().all(float));
    let diff = keyfold::diff(&quantized, &plain, None).unwrap();
    assert!(diff.unmatched.is_empty() && diff.relative < 1e-6, "{diff:?}");
}

#[test]
fn what_is_written_is_tight_aligned_and_without_duplicates() {
    let quantized = quantize(&moving(), Bound::default(), &Options::default()).unwrap().document;
    let json = quantized.json();
    let (mut seen, mut end) = (BTreeSet::new(), 0);
    for index in 0..quantized.count("accessors") {
        let accessor = quantized.accessor(index).unwrap();
        assert_eq!(accessor.offset % 4, 0);
        assert!(seen.insert((accessor.component, accessor.shape, quantized.elements(index).unwrap().bytes.to_vec())));
        end = end.max(accessor.offset + accessor.count * accessor.shape.stored_size(accessor.component));
    }
    assert_eq!(quantized.count("bufferViews"), 1);
    assert!(json["bufferViews"][0].get("byteStride").is_none());
    assert_eq!(json["buffers"][0]["byteLength"], end, "nothing is left behind of the old data");
    let input = json["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
    let times = &json["accessors"][input];
    assert_eq!((&times["min"], &times["max"]), (&json!([0]), &json!([19])), "bounds are in stored units");
}
