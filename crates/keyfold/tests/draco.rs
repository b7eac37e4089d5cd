//! Draco_animation_compression from end to end: the conformance set read and validated, the four bullets of the draft's section on
//! conformance, and that what is written keeps the rules where tracks share accessors.

use base64::{Engine, prelude::BASE64_STANDARD};
use keyfold::{
    Bound, Document, Limits, OpenOptions, Severity, Track, diff,
    draco::{Options, StreamOptions, compress},
    validate,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

const NAME: &str = "Draco_animation_compression";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples/conformance/draco")
}

fn manifest() -> Value {
    serde_json::from_slice(&fs::read(folder().join("manifest.json")).unwrap()).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn name(entry: &Value) -> &str {
    entry["file"].as_str().expect("every entry has a file")
}

fn floats(value: &Value) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().flat_map(floats).collect(),
        None => vec![value.as_f64().expect("a number")],
    }
}

/// The tracks of all animations, each with its animation's index.
fn tracks(document: &Document) -> Vec<(usize, Track)> {
    let read = keyfold::read(document).unwrap();
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    read.animations.into_iter().flat_map(|a| a.tracks.into_iter().map(move |track| (a.index, track))).collect()
}

/// Whether floats are those of the manifest; a tolerance of zero means bit for bit.
fn are_close(found: &[f32], expected: &Value, tolerance: f64) -> bool {
    let expected = floats(expected);
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (f64::from(*a) - b).abs() <= tolerance)
}

fn assert_reads_as(entry: &Value, document: &Document, exactly: bool) {
    let (found, expected) = (tracks(document), list(&entry["tracks"]));
    assert_eq!(found.len(), expected.len(), "{}", name(entry));
    for ((animation, track), expected) in found.iter().zip(expected) {
        let about = format!("{}: {}", name(entry), track.target);
        assert_eq!((*animation as u64, track.target.to_string().as_str()), {
            (expected["animation"].as_u64().unwrap(), expected["target"].as_str().unwrap())
        });
        assert_eq!(track.curve.interpolation().name(), expected["interpolation"], "{about}");
        let tolerance = |key: &str| if exactly { 0.0 } else { expected[key].as_f64().unwrap() };
        assert!(are_close(track.curve.times(), &expected["times"], tolerance("timeTolerance")), "{about}");
        let values = track.curve.values();
        assert!(are_close(values, &expected["values"], tolerance("tolerance")), "{about}: {values:?}");
    }
}

fn entry(manifest: &Value, file: &str) -> Value {
    list(&manifest["read"]).iter().find(|entry| name(entry) == file).expect("the set has this file").clone()
}

#[test]
fn the_conformance_set_is_read_as_its_manifest_says() {
    let manifest = manifest();
    assert!(list(&manifest["read"]).len() >= 16);
    for entry in list(&manifest["read"]) {
        assert_reads_as(entry, &Document::open(folder().join(name(entry))).unwrap(), false);
    }
}

#[test]
fn good_files_break_no_rule_and_broken_ones_break_theirs() {
    let manifest = manifest();
    for entry in list(&manifest["read"]) {
        let found = validate::validate(&Document::open(folder().join(name(entry))).unwrap());
        let wrong: Vec<_> = found.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", name(entry));
        let older = found.iter().any(|f| f.code == "DRACO_LEGACY_LAYOUT");
        assert_eq!(older, name(entry).contains("2018"), "{}: {found:?}", name(entry));
    }
    for entry in list(&manifest["broken"]) {
        let found = validate::validate(&Document::open(folder().join(name(entry))).unwrap());
        let expected = (entry["code"].as_str().unwrap(), entry["at"].as_str().unwrap());
        let said = found.iter().any(|f| (f.code, f.at.as_str()) == expected);
        assert!(said, "{}: {expected:?} is not in {found:?}", name(entry));
    }
}

#[test]
fn an_unreadable_stream_is_told_with_its_element_and_byte() {
    let broken = Document::open(folder().join("broken/DRACO_STREAM_UNREADABLE.gltf")).unwrap();
    let found = validate::validate(&broken);
    let message = &found.iter().find(|f| f.code == "DRACO_STREAM_UNREADABLE").unwrap().message;
    assert_eq!(message, "Draco stream: version is not valid (at byte 5)");
}

#[test]
fn one_track_for_many_accessors_counts_as_often_as_it_is_asked_for() {
    let mut json: Value = serde_json::from_slice(&fs::read(folder().join("lossless.gltf")).unwrap()).unwrap();
    let places = json["accessors"][1].clone();
    json["accessors"].as_array_mut().unwrap().extend([places.clone(), places]);
    let stream = &mut json["extensions"][NAME]["compressedAnimations"][0];
    stream["outputs"] = json!([1, 2, 3, 4, 5]);
    stream["attributeId"] = json!([1, 2, 3, 1, 1]);
    let text = json.to_string();
    let within = |memory: u64| {
        let limits = Limits { memory: keyfold::Allowance::exactly(memory), ..Default::default() };
        let document = Document::from_bytes(text.as_bytes(), None, &OpenOptions { limits, ..OpenOptions::default() })?;
        Ok::<_, keyfold::Error>((document.floats(1)?, document.floats(4)?, document.floats(5)?))
    };
    // Each accessor that asks for the first track has fifteen floats of its own.
    let least = (0..).find(|bytes| within(*bytes).is_ok()).unwrap();
    let (first, second, third) = within(least).unwrap();
    assert!(first == second && first == third);
    let error = within(least - 1).unwrap_err();
    assert!(matches!(error, keyfold::Error::Limit { .. }), "{error}");
}

/// As a loader reads a file that does not support the extension, or will not process it.
fn open_without(path: &Path) -> keyfold::Result<Document> {
    Document::open_with(path, &OpenOptions { ignore: vec![NAME.into()], ..OpenOptions::default() })
}

#[test]
fn bullet_1_without_support_a_file_that_requires_the_extension_is_refused() {
    let manifest = manifest();
    let mut refused = 0;
    for entry in list(&manifest["read"]) {
        let path = folder().join(name(entry));
        let json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        if json["extensionsRequired"][0] == NAME {
            let error = open_without(&path).expect_err("the file requires what the loader does not have");
            assert!(error.to_string().contains(NAME), "{error}");
            refused += 1;
        }
    }
    assert!(refused >= 13);
}

#[test]
fn bullet_2_without_support_an_optional_extension_is_ignored() {
    let manifest = manifest();
    let here = tempfile::tempdir().unwrap();
    for stem in ["optional", "optional_2018"] {
        for ending in ["gltf", "bin", "fallback.bin"] {
            let file = format!("{stem}.{ending}");
            fs::copy(folder().join(&file), here.path().join(&file)).unwrap();
        }
        // The fallback is what was compressed, to the bit; the compressed buffer, which is not here, is not asked for.
        let document = open_without(&here.path().join(format!("{stem}.gltf"))).unwrap();
        assert_reads_as(&entry(&manifest, &format!("{stem}.gltf")), &document, true);
    }
}

#[test]
fn bullet_3_with_support_but_unwilling_the_extension_is_ignored() {
    let manifest = manifest();
    for stem in ["optional", "optional_2018"] {
        let file = format!("{stem}.gltf");
        let willing = Document::open(folder().join(&file)).unwrap();
        let unwilling = willing.ignoring(NAME).unwrap();
        assert_reads_as(&entry(&manifest, &file), &unwilling, true);
    }
    // Where there is no fallback, there is nothing to load.
    assert!(Document::open(folder().join("lossless.gltf")).unwrap().ignoring(NAME).is_err());
}

#[test]
fn bullet_4_with_support_accessors_are_filled_from_the_streams_and_their_buffer_views_are_ignored() {
    let manifest = manifest();
    for stem in ["optional", "optional_2018"] {
        let here = tempfile::tempdir().unwrap();
        for ending in ["gltf", "bin", "draco.bin"] {
            let file = format!("{stem}.{ending}");
            fs::copy(folder().join(&file), here.path().join(&file)).unwrap();
        }
        let file = format!("{stem}.gltf");
        let entry = entry(&manifest, &file);
        // Without the fallback's file: it is not asked for.
        assert_reads_as(&entry, &Document::open(here.path().join(&file)).unwrap(), false);
        // With other numbers in it: they are not taken.
        let length = fs::metadata(folder().join(format!("{stem}.fallback.bin"))).unwrap().len();
        fs::write(here.path().join(format!("{stem}.fallback.bin")), vec![0x40; length as usize]).unwrap();
        let document = Document::open(here.path().join(&file)).unwrap();
        assert_reads_as(&entry, &document, false);
        // And accessors as such are filled, not only tracks.
        let streams = &document.json()["extensions"][NAME];
        let input = streams.get("compressedAnimations").unwrap_or(streams)[0]["input"].as_u64().unwrap();
        let times = document.floats(input as usize).unwrap();
        assert!(are_close(&times, &entry["tracks"][0]["times"], 0.0));
    }
}

/// A document in which node i is moved along X by the i-th pair of times and places.
fn moving(tracks: &[(Vec<f32>, Vec<f32>)]) -> Document {
    let (mut bytes, mut views, mut accessors) = (Vec::<u8>::new(), Vec::new(), Vec::new());
    let mut store = |values: &[f32], shape: &str, count: usize| {
        let start = bytes.len();
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() - start }));
        let mut accessor =
            json!({ "bufferView": views.len() - 1, "componentType": 5126, "count": count, "type": shape });
        if shape == "SCALAR" {
            accessor["min"] = json!([values[0]]);
            accessor["max"] = json!([values[count - 1]]);
        }
        accessors.push(accessor);
    };
    for (times, places) in tracks {
        store(times, "SCALAR", times.len());
        store(&places.iter().flat_map(|x| [*x, 0.0, 0.0]).collect::<Vec<f32>>(), "VEC3", places.len());
    }
    let indices: Vec<usize> = (0..tracks.len()).collect();
    let channel = |i: &usize| json!({ "sampler": i, "target": { "node": i, "path": "translation" } });
    let sampler = |i: &usize| json!({ "input": 2 * i, "output": 2 * i + 1 });
    let document = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": indices }],
        "nodes": vec![json!({}); tracks.len()],
        "animations": [{
            "channels": indices.iter().map(channel).collect::<Value>(),
            "samplers": indices.iter().map(sampler).collect::<Value>(),
        }],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{
            "byteLength": bytes.len(),
            "uri": format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(&bytes)),
        }],
    });
    Document::from_bytes(document.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

/// How many streams a document is compressed to, and the document, which keeps every rule.
fn compressed(original: &Document, options: &Options) -> (usize, Document) {
    let written = compress(original, Bound::default(), options).unwrap().document;
    let wrong: Vec<_> = validate::validate(&written).into_iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(diff(original, &written, None).unwrap().relative < 1e-3);
    let streams = &written.json()["extensions"][NAME]["compressedAnimations"];
    (streams.as_array().map_or(0, Vec::len), written)
}

fn at_30_hz(keys: usize, start: f32) -> Vec<f32> {
    (0..keys).map(|key| start + key as f32 / 30.0).collect()
}

fn wave(keys: usize) -> Vec<f32> {
    (0..keys).map(|key| (key as f32 * 0.3).sin()).collect()
}

fn in_16_bits() -> Options {
    Options { bits: Some(16), ..Options::default() }
}

#[test]
fn equal_values_at_different_times_are_in_no_stream_that_has_only_one_of_the_times() {
    let track = |start| (at_30_hz(40, start), wave(40));
    let other = (at_30_hz(40, 0.0), wave(80)[40..].to_vec());
    let (streams, _) = compressed(&moving(&[track(0.0), track(1.0), other]), &in_16_bits());
    assert_eq!(streams, 1);
    // Exactly so where their floats survive compression.
    let two = |start: f32| (vec![start, start + 1.0], vec![0.0, 1.0]);
    compressed(&moving(&[two(0.0), two(0.5)]), &in_16_bits());
}

#[test]
fn times_that_become_equal_share_one_stream() {
    let even = at_30_hz(40, 0.0);
    let mut shaken = even.clone();
    shaken[20] = f32::from_bits(shaken[20].to_bits() + 1);
    let (streams, _) = compressed(&moving(&[(even, wave(40)), (shaken, wave(80)[40..].to_vec())]), &in_16_bits());
    assert_eq!(streams, 1);
}

#[test]
fn a_fallback_is_exact_also_for_tracks_that_become_equal() {
    let mut near = wave(40);
    near[20] += 1e-7;
    let original = moving(&[(at_30_hz(40, 0.0), wave(40)), (at_30_hz(40, 0.0), near)]);
    let (_, written) = compressed(
        &original,
        &Options { streams: StreamOptions { fallback: true, ..StreamOptions::default() }, ..in_16_bits() },
    );
    let values = |document: &Document| -> Vec<Vec<f32>> {
        tracks(document).iter().map(|(_, track)| track.curve.values().to_vec()).collect()
    };
    assert_eq!(values(&written.ignoring(NAME).unwrap()), values(&original));
}

#[test]
fn limits_may_be_as_large_as_numbers_get() {
    let options = OpenOptions { limits: Limits::NONE, ..OpenOptions::default() };
    for entry in list(&manifest()["read"]) {
        assert_reads_as(entry, &Document::open_with(folder().join(name(entry)), &options).unwrap(), false);
    }
}
