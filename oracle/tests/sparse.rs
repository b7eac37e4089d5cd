//! Splines whose tangents are zero, as `pack` stores them: sparse accessors without a buffer view, played by three.js and Babylon.js and accepted by gltf-validator; and what the
//! splines of the corpus come to in every storage.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold::pack::{Optimize, Options, choose};
use keyfold::{Document, Kind, OpenOptions, Storage, Track, inspect, read, validate};
use keyfold_oracle::{babylon, node_available, note, shared_dir, three, validator};
use serde_json::{Value, json};

const KEYS: usize = 12;
/// What a player's floats leave open.
const TOLERANCE: f64 = 1e-5;

/// Bytes of accessors that are made one after the other.
#[derive(Default)]
struct Data {
    bytes: Vec<u8>,
    accessors: Vec<Value>,
}

impl Data {
    fn add(&mut self, shape: &str, width: usize, values: &[f32]) {
        self.accessors.push(json!({ "bufferView": 0, "byteOffset": self.bytes.len(), "componentType": 5126, "type": shape, "count": values.len() / width }));
        self.bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }
}

/// A node that goes along lines, and others that move by splines: by the same values, by others, and turning.
fn made() -> Document {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 4.0).collect();
    let stops: Vec<f32> = (0..KEYS).flat_map(|i| [(i * i % 7) as f32, (i % 3) as f32, (i % 5) as f32 / 2.0]).collect();
    let others: Vec<f32> = stops.iter().map(|v| 1.5 - v / 4.0).collect();
    let turns: Vec<f32> = (0..KEYS).flat_map(|i| [0.0, (i as f32 / 5.0).sin(), 0.0, (i as f32 / 5.0).cos()]).collect();
    let spline = |values: &[f32], width: usize| -> Vec<f32> {
        let zeros = vec![0.0; width];
        values.chunks_exact(width).flat_map(|v| [&zeros, v, &zeros].concat()).collect()
    };
    let mut data = Data::default();
    data.add("SCALAR", 1, &times);
    data.accessors[0]["min"] = json!([times[0]]);
    data.accessors[0]["max"] = json!([times[KEYS - 1]]);
    data.add("VEC3", 3, &stops);
    data.add("VEC3", 3, &spline(&stops, 3));
    data.add("VEC3", 3, &spline(&others, 3));
    data.add("VEC4", 4, &spline(&turns, 4));
    let sampler = |output: usize| json!({ "input": 0, "output": output, "interpolation": if output == 1 { "LINEAR" } else { "CUBICSPLINE" } });
    let channel = |(node, path): (usize, &str)| json!({ "sampler": node, "target": { "node": node, "path": path } });
    let paths = [(0, "translation"), (1, "translation"), (2, "scale"), (3, "rotation")];
    let json = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0, 1, 2, 3] }], "nodes": [{}, {}, {}, {}],
        "buffers": [{ "byteLength": data.bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&data.bytes)) }],
        "bufferViews": [{ "buffer": 0, "byteLength": data.bytes.len() }],
        "accessors": data.accessors,
        "animations": [{ "samplers": [sampler(1), sampler(2), sampler(3), sampler(4)], "channels": paths.map(channel) }],
    });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

/// What `pack` writes at its default bound for a host that does not compress.
fn packed(document: &Document, storage: Storage) -> Document {
    let options = Options { storage, optimize: Optimize::Raw, ..Options::default() };
    choose(document, &options, &storage.into()).unwrap().packed.document
}

#[test]
fn sparse_outputs_are_played_and_accepted() {
    if !node_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let packed = packed(&made(), Storage::Core);
    let is_sparse = |accessor: &&Value| accessor.get("sparse").is_some() && accessor.get("bufferView").is_none();
    assert_eq!(packed.json()["accessors"].as_array().unwrap().iter().filter(is_sparse).count(), 3);
    assert_eq!(validate::validate(&packed).len(), 0);
    let files: Vec<PathBuf> =
        ["glb", "gltf"].iter().map(|kind| folder.path().join("sparse").with_extension(kind)).collect();
    files.iter().for_each(|file| packed.save(file).unwrap());
    for report in validator::validate(&files[..1]).expect("gltf-validator runs") {
        let serious: Vec<_> = report.issues.iter().filter(|issue| issue.severity < 2).collect();
        assert!(report.failure.is_none() && serious.is_empty(), "{serious:?}");
    }
    let times: Vec<f64> = (0..23).map(|i| f64::from(i) / 8.3).collect();
    let tracks = &read(&packed).unwrap().animations[0].tracks;
    let jobs = [three::Job { file: files[0].clone(), times: vec![times.clone()], world: false }];
    let played = three::play(&jobs).expect("three.js runs").remove(0);
    assert_eq!(played.failure, None);
    for (track, peer) in tracks.iter().zip(&played.animations[0]) {
        let rows: Vec<Vec<f64>> = peer.rows.iter().map(|row| row.iter().map(|v| f64::from(*v)).collect()).collect();
        hold_against(track, &times, &rows);
    }
    let job = |track: &Track| babylon::Job {
        file: files[1].clone(),
        pointer: track.target.to_string(),
        times: times.clone(),
    };
    let jobs: Vec<babylon::Job> = tracks.iter().map(job).collect();
    for (track, played) in tracks.iter().zip(babylon::play(&jobs).expect("Babylon.js runs")) {
        assert_eq!(played.failure, None, "{}", track.target);
        hold_against(track, &times, &played.rows);
    }
}

/// Whether a player shows at each time what we do. A quaternion and its negative are the same rotation.
fn hold_against(track: &Track, times: &[f64], rows: &[Vec<f64>]) {
    assert_eq!(rows.len(), times.len(), "{}", track.target);
    for (time, row) in times.iter().zip(rows) {
        let ours = track.sample(*time);
        let apart = |sign: f64| ours.iter().zip(row).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f64::max);
        let apart = if track.target.kind() == Kind::Rotation { apart(1.0).min(apart(-1.0)) } else { apart(1.0) };
        assert!(ours.len() == row.len() && apart <= TOLERANCE, "{} at {time}: {ours:?}, not {row:?}", track.target);
    }
}

#[test]
fn splines_of_the_corpus_take_three_fifths_of_their_floats_in_every_storage() {
    let Some(shared) = shared_dir() else { return };
    for name in ["interpolation_test", "aframe_left_hand"] {
        let document = Document::open(shared.join("corpus").join(name).with_extension("glb")).unwrap();
        let before = inspect::document_bytes(&document);
        for storage in Storage::ALL {
            let after = inspect::document_bytes(&packed(&document, storage));
            note(&format!("{name}, {storage}: {after} of {before} bytes"));
            assert!(after * 10 <= before * 6, "{name}, {storage}: {after} of {before} bytes");
        }
    }
}
