//! Storage x interpolation x addressing: what `pack` writes says the same within the bound after a round trip, or names what it could
//! not read. The matrix is printed.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use keyfold::pack::{Options, pack};
use keyfold::{Document, Interpolation, OpenOptions, Severity, Storage, diff, inspect, read};
use keyfold_core::quat;
use keyfold_oracle::note;
use serde_json::{Value, json};

const INTERPOLATIONS: [Interpolation; 4] =
    [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline, Interpolation::CubicSlerp];
const ADDRESSES: [&str; 4] = ["core", "axis", "pointer", "animation2"];
const BOUND: &str = "0.1%";
const KEYS: usize = 90;

/// What a track of a cell drives: its pointer, core's path on node 0 where there is one, and its components.
const WHOLE: [(&str, Option<&str>, usize); 3] = [
    ("/nodes/0/rotation", Some("rotation"), 4),
    ("/nodes/0/translation", Some("translation"), 3),
    ("/materials/0/pbrMetallicRoughness/baseColorFactor", None, 4),
];
const AXES: [(&str, Option<&str>, usize); 3] =
    [("", Some("translation.x"), 1), ("", Some("translation.z"), 1), ("", Some("scale.y"), 1)];

#[test]
fn every_cell_holds_or_names_what_it_cannot() {
    note("pack: animation bytes after / before, within the bound after a round trip");
    for interpolation in INTERPOLATIONS {
        for address in ADDRESSES {
            let document = document(interpolation, address);
            let cells: Vec<String> =
                Storage::ALL.map(|storage| cell(&document, storage, interpolation, address)).into();
            note(&format!("  {:<11} {address:<10} {}", interpolation.name(), cells.join("  ")));
        }
    }
}

fn cell(document: &Document, storage: Storage, interpolation: Interpolation, address: &str) -> String {
    let what = format!("{} {} {address}", storage.name(), interpolation.name());
    let before = read(document).unwrap();
    let options = Options { storage, max_error: BOUND.parse().unwrap(), ..Options::default() };
    let packed = pack(document, &options).unwrap();
    // Only a rotation can turn about spheres: on an axis CUBICSLERP means nothing, and the reader says so.
    if interpolation == Interpolation::CubicSlerp && address == "axis" {
        let told = before.findings.iter().filter(|f| f.severity == Severity::Error).count();
        assert!(told == AXES.len() && !packed.left.is_empty(), "{what}: {:?}", packed.left);
        assert!(packed.left.iter().all(|l| l.starts_with("/animations")), "{what}: {:?}", packed.left);
        return format!("{:<24}", format!("{} named error", storage.name()));
    }
    assert!(before.findings.iter().all(|f| f.severity != Severity::Error), "{what}: {:?}", before.findings);
    let back = Document::from_bytes(packed.document.to_bytes().unwrap(), None, &OpenOptions::default()).unwrap();
    let found = diff(document, &back, None).unwrap();
    assert!(found.error <= packed.bound, "{what}: {} over {}", found.error, packed.bound);
    assert!(found.animations[0].properties.max <= 0.001, "{what}: {:?}", found.animations[0].properties);
    assert!(found.unmatched.is_empty() && packed.left.is_empty(), "{what}: {:?} {:?}", found.unmatched, packed.left);
    let after = read(&back).unwrap();
    assert_eq!(after.animations[0].duration(), before.animations[0].duration(), "{what}");
    assert!(after.animations[0].tracks.len() >= 2, "{what}");
    let share = weight(&back) as f64 / weight(document) as f64;
    // Core has no single axes: they are joined, and the program copies a file that would grow by it.
    assert!(share <= 1.0 || address == "axis", "{what}: grows to {share}");
    format!("{:<24}", format!("{} {share:.2}", storage.name()))
}

fn weight(document: &Document) -> usize {
    let animations = read(document).unwrap().animations;
    inspect::animation_bytes(document, animations.iter().flat_map(|a| &a.tracks))
}

/// Two joints of which the upper one moves, and a material that changes its colour where pointers can say so.
fn document(interpolation: Interpolation, address: &str) -> Document {
    let tracks = if address == "axis" { AXES } else { WHOLE };
    let tracks: Vec<_> = tracks.into_iter().filter(|t| address != "core" || t.1.is_some()).collect();
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let (mut bytes, mut accessors) = (le(&times), vec![accessor(0, KEYS, 1)]);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (pointer, path, width) in tracks {
        // Squads are for rotations; the other tracks of their files are LINEAR.
        let squad = interpolation == Interpolation::CubicSlerp && (width == 4 && path.is_some() || address == "axis");
        let own =
            if interpolation == Interpolation::CubicSlerp && !squad { Interpolation::Linear } else { interpolation };
        let values = curve(own, width, path == Some("rotation"), &times);
        accessors.push(accessor(bytes.len(), values.len() / width, width));
        bytes.extend(le(&values));
        let name = if squad && address == "animation2" { "CUBIC" } else { own.name() };
        samplers.push(json!({ "input": 0, "output": accessors.len() - 1, "interpolation": name }));
        let mut channel = json!({ "sampler": samplers.len() - 1, "target": target(address, pointer, path) });
        if squad && address != "animation2" {
            channel["extensions"] = json!({ "EXT_animation_sqlerp": { "sampler": samplers.len() - 1 } });
        }
        channels.push(channel);
    }
    let json = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_animation_pointer", "KHR_animation2", "EXT_animation_quantization", "EXT_animation_sqlerp"],
        "nodes": [{ "children": [1] }, { "translation": [0, 1, 0] }],
        "materials": [{ "pbrMetallicRoughness": {} }],
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes)) }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": accessors,
        "animations": [{ "channels": channels, "samplers": samplers }],
    });
    Document::from_bytes(json.to_string().as_bytes(), None, &OpenOptions::default()).unwrap()
}

fn target(address: &str, pointer: &str, path: Option<&str>) -> Value {
    match address {
        "pointer" => json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } }),
        "animation2" => json!({ "path": pointer, "extensions": { "KHR_animation2": {} } }),
        _ => json!({ "node": 0, "path": path }),
    }
}

fn accessor(offset: usize, count: usize, width: usize) -> Value {
    let shape = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
    json!({ "bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": count, "type": shape })
}

fn le(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|f| f.to_le_bytes()).collect()
}

/// Keys of a smooth movement; tangents where the interpolation has them.
fn curve(interpolation: Interpolation, width: usize, rotation: bool, times: &[f32]) -> Vec<f32> {
    let value = |t: f64| -> Vec<f64> {
        if rotation {
            return quat::exp([0.5 * (1.3 * t).sin(), 0.3 * (0.7 * t).cos(), 0.1 * t]).to_vec();
        }
        (0..width).map(|c| 0.5 + 0.4 * (t * (1.0 + 0.3 * c as f64)).sin()).collect()
    };
    let slope =
        |t: f64| -> Vec<f64> { value(t + 1e-3).iter().zip(value(t - 1e-3)).map(|(a, b)| (a - b) / 2e-3).collect() };
    let third = f64::from(times[1] - times[0]) / 3.0;
    let mut out = Vec::new();
    for t in times.iter().map(|t| f64::from(*t)) {
        let key = match interpolation {
            Interpolation::Step | Interpolation::Linear => vec![value(t)],
            Interpolation::CubicSpline => vec![slope(t), value(t), slope(t)],
            Interpolation::CubicSlerp => vec![value(t - third), value(t), value(t + third)],
        };
        out.extend(key.into_iter().flatten().map(|v| v as f32));
    }
    out
}
