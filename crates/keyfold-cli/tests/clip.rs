//! `keyfold clip` from the outside: files, streams, exit codes, JSON.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use serde_json::{Value, json};
use std::path::Path;

const KEYS: usize = 61;

/// Two animations of an arm, `wave` and one without a name, as `arm.gltf`: half a turn to and fro in two seconds, by STEP at the hand.
fn arm(folder: &Path) {
    let times: Vec<f32> = (0..KEYS).map(|i| i as f32 / 30.0).collect();
    let turns = times.iter().flat_map(|t| {
        let half = 0.7 * (t * 3.0).sin();
        [0.0, 0.0, half.sin(), half.cos()]
    });
    let places = times.iter().flat_map(|t| [0.0, if *t < 1.0 { 1.0 } else { 1.25 }, 0.0]);
    let floats: Vec<f32> = times.iter().copied().chain(turns).chain(places).collect();
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    let accessor = |floats: usize, shape: &str| json!({ "bufferView": 0, "byteOffset": 4 * floats, "componentType": 5126, "count": KEYS, "type": shape });
    let turn = json!({ "sampler": 0, "target": { "node": 0, "path": "rotation" } });
    let place = json!({ "sampler": 1, "target": { "node": 1, "path": "translation" } });
    let samplers = json!([{ "input": 0, "output": 1 }, { "input": 0, "output": 2, "interpolation": "STEP" }]);
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "shoulder", "children": [1] }, { "name": "hand", "translation": [0, 1, 0] }],
        "buffers": [{ "uri": "arm.bin", "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [accessor(0, "SCALAR"), accessor(KEYS, "VEC4"), accessor(5 * KEYS, "VEC3")],
        "animations": [{ "name": "wave", "channels": [turn, place], "samplers": samplers }, { "channels": [turn], "samplers": samplers }],
    });
    std::fs::write(folder.join("arm.bin"), bytes).unwrap();
    std::fs::write(folder.join("arm.gltf"), json.to_string()).unwrap();
}

/// A folder with `arm.gltf`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    arm(folder.path());
    folder
}

fn keyfold(folder: &Path, args: &[&str]) -> Assert {
    Command::cargo_bin("keyfold").unwrap().current_dir(folder).arg("clip").args(args).assert()
}

fn json_of(assert: &Assert) -> Value {
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

fn complaint(assert: &Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}

/// A folder with `arm.gltf` and `arm.kfc`.
fn built() -> tempfile::TempDir {
    let folder = folder();
    keyfold(folder.path(), &["build", "arm.gltf", "-o", "arm.kfc", "--max-error", "0.1mm"]).code(0);
    folder
}

#[test]
fn one_animation_becomes_a_clip_within_the_bound() {
    let folder = folder();
    for encoding in ["variable", "fixed"] {
        let arguments = [
            "build",
            "arm.gltf",
            "-o",
            "new/arm.kfc",
            "--fps",
            "30",
            "--max-error",
            "0.1mm",
            "--json",
            "--encoding",
            encoding,
        ];
        let report = json_of(&keyfold(folder.path(), &arguments).code(0));
        assert_eq!(report["bytes"], folder.path().join("new/arm.kfc").metadata().unwrap().len());
        assert_eq!(
            (&report["tracks"], &report["duration"], &report["encoding"]),
            (&json!(2), &json!(2.0), &json!(encoding))
        );
        assert!(report["error"]["max"].as_f64().unwrap() <= 1e-4, "{report}");
        assert!(report["error"]["relative"].is_f64() && report["resampling"]["relative"].is_f64(), "{report}");
        assert_eq!(report["held"], true);
    }
}

#[test]
fn all_animations_become_clips_named_for_them() {
    let folder = folder();
    let report = json_of(&keyfold(folder.path(), &["build", "arm.gltf", "--all", "-o", "clips", "--json"]).code(0));
    assert_eq!(report["clips"].as_array().unwrap().len(), 2);
    let mut names: Vec<_> = folder.path().join("clips").read_dir().unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["000_wave.kfc", "001.kfc"]);
    keyfold(folder.path(), &["build", "arm.gltf", "--animation", "1", "-o", "second.kfc"]).code(0);
    let [one, other] = ["clips/001.kfc", "second.kfc"].map(|file| std::fs::read(folder.path().join(file)).unwrap());
    assert_eq!(one, other);
}

#[test]
fn samples_have_the_shape_and_the_values_of_the_file() {
    let folder = built();
    let clip = json_of(&keyfold(folder.path(), &["sample", "arm.kfc", "--time=-1,0.4,0.99,1.5,9", "--json"]).code(0));
    let mut file = Command::cargo_bin("keyfold").unwrap();
    file.current_dir(folder.path()).args([
        "sample",
        "arm.gltf",
        "--animation",
        "wave",
        "--time=-1,0.4,0.99,1.5,9",
        "--json",
    ]);
    let file = json_of(&file.assert().code(0));
    assert_eq!((&clip["animation"], &clip["times"]), (&file["animation"], &file["times"]));
    for (ours, theirs) in clip["tracks"].as_array().unwrap().iter().zip(file["tracks"].as_array().unwrap()) {
        assert_eq!(ours["target"], theirs["target"]);
        let floats = |rows: &Value| -> Vec<f64> {
            rows.as_array().unwrap().iter().flat_map(|r| r.as_array().unwrap()).map(|v| v.as_f64().unwrap()).collect()
        };
        let (ours, theirs) = (floats(&ours["values"]), floats(&theirs["values"]));
        assert_eq!(ours.len(), theirs.len());
        // Unit quaternions of either sign are one rotation.
        let apart = |sign: f64| ours.iter().zip(&theirs).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f64::max);
        assert!(apart(1.0).min(apart(-1.0)) < 1e-3, "{ours:?} against {theirs:?}");
    }
    let table = keyfold(folder.path(), &["sample", "arm.kfc", "--fps", "2", "--csv"]).code(0);
    assert_eq!(String::from_utf8_lossy(&table.get_output().stdout).lines().count(), 1 + 5);
}

#[test]
fn info_tells_what_is_in_a_clip() {
    let folder = built();
    let info = json_of(&keyfold(folder.path(), &["info", "arm.kfc", "--json"]).code(0));
    assert_eq!(info["animation"], json!({ "index": 0, "name": "wave" }));
    assert_eq!(
        (&info["encoding"], &info["duration"], &info["key_stride"]),
        (&json!("variable"), &json!(2.0), &Value::Null)
    );
    assert_eq!(info["tracks"][0], json!({ "target": "/nodes/0/rotation", "form": "keyed", "components": 4 }));
    assert_eq!(info["tracks"][1], json!({ "target": "/nodes/1/translation", "form": "step", "components": 3 }));
    keyfold(
        folder.path(),
        &["build", "arm.gltf", "--animation", "1", "-o", "sixteen.kfc", "--encoding", "fixed", "--bits", "16"],
    )
    .code(0);
    let info = json_of(&keyfold(folder.path(), &["info", "sixteen.kfc", "--json"]).code(0));
    assert_eq!(
        (&info["encoding"], &info["key_stride"], &info["animation"]["name"]),
        (&json!("fixed"), &json!(6), &Value::Null)
    );
    let text = keyfold(folder.path(), &["info", "sixteen.kfc"]).code(0);
    assert!(String::from_utf8_lossy(&text.get_output().stdout).contains("/nodes/0/rotation"));
}

#[test]
fn bench_has_its_shape() {
    let folder = built();
    let report = json_of(&keyfold(folder.path(), &["bench", "arm.kfc", "--poses", "300", "--json"]).code(0));
    assert_eq!((&report["tracks"], &report["moving"]), (&json!(2), &json!(2)));
    for figure in ["sequential", "random", "evicted"] {
        assert!(report["pose_ns"][figure].as_f64().unwrap() > 0.0, "{report}");
    }
    assert!(complaint(&keyfold(folder.path(), &["bench", "arm.kfc", "--poses", "0"]).code(2)).contains("--poses"));
}

#[test]
fn clips_go_through_pipes() {
    let folder = built();
    let written = keyfold(folder.path(), &["build", "arm.gltf", "-o", "-", "--max-error", "0.1mm"]).code(0);
    let bytes = &written.get_output().stdout;
    assert_eq!(*bytes, std::fs::read(folder.path().join("arm.kfc")).unwrap());
    let mut info = Command::cargo_bin("keyfold").unwrap();
    let info = json_of(&info.args(["clip", "info", "-", "--json"]).write_stdin(bytes.clone()).assert().code(0));
    assert_eq!(info["bytes"], bytes.len());
    for (arguments, word) in [(["--json", "-o", "-"], "standard output"), (["--all", "-o", "-"], "folder")] {
        let refused = keyfold(folder.path(), &[&["build", "arm.gltf"], &arguments[..]].concat()).code(2);
        assert!(
            refused.get_output().stdout.is_empty() && complaint(&refused).contains(word),
            "{}",
            complaint(&refused)
        );
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_written() {
    let folder = folder();
    for (arguments, word) in [
        (&["--animation", "jump"][..], "jump"),
        (&["--animation", "7"], "7"),
        (&["--fps", "0"], "rate"),
        (&["--max-error", "0"], "positive"),
        (&["--max-error", "wide"], "wide"),
        (&["--encoding", "zip"], "variable"),
        (&["--bits", "16"], "--encoding fixed"),
        (&["--encoding", "fixed", "--bits", "99"], "24"),
    ] {
        let refused = keyfold(folder.path(), &[&["build", "arm.gltf", "-o", "out.kfc"], arguments].concat()).code(2);
        assert!(complaint(&refused).contains(word), "{arguments:?}: {}", complaint(&refused));
        assert!(!folder.path().join("out.kfc").exists());
    }
    keyfold(folder.path(), &["build", "nowhere.glb", "-o", "out.kfc"]).code(2);
}

#[test]
fn a_bound_that_too_few_bits_break_is_told() {
    let folder = folder();
    let arguments =
        ["build", "arm.gltf", "-o", "rough.kfc", "--encoding", "fixed", "--bits", "4", "--max-error", "0.1mm"];
    let told = keyfold(folder.path(), &arguments).code(1);
    assert!(complaint(&told).contains("not held"), "{}", complaint(&told));
    assert!(folder.path().join("rough.kfc").exists());
}

/// Nothing is said to be where nothing is, and what was measured is told apart from what cannot be ruled out.
#[test]
fn a_clip_that_does_not_hold_is_not_written() {
    let folder = folder();
    let arguments = ["build", "arm.gltf", "-o", "out.kfc", "--max-error", "1e-8"];
    let told = keyfold(folder.path(), &arguments).code(1);
    assert!(String::from_utf8_lossy(&told.get_output().stdout).contains("not written"));
    let report = json_of(&keyfold(folder.path(), &[&arguments[..], &["--json"]].concat()).code(1));
    assert_eq!(report.get("output"), None);
    for what in ["error", "possible"] {
        let said = format!("{:.3e}", report[what]["max"].as_f64().unwrap());
        assert!(complaint(&told).contains(&said), "{what}: {}", complaint(&told));
    }
    assert!(complaint(&told).contains("nothing was written") && !folder.path().join("out.kfc").exists());
}

#[test]
fn damaged_clips_are_refused_with_a_reason() {
    let folder = built();
    let clip = std::fs::read(folder.path().join("arm.kfc")).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = clip.clone();
        bytes[at] = byte;
        bytes
    };
    let damaged = [
        (Vec::new(), "not a Keyfold clip"),
        (std::fs::read(folder.path().join("arm.gltf")).unwrap(), "not a Keyfold clip"),
        (clip[..clip.len() / 2].to_vec(), "cut short"),
        (with(4, 9), "version 9"),
        (with(30, !clip[30]), "checksum"),
    ];
    for (bytes, word) in damaged {
        std::fs::write(folder.path().join("bad.kfc"), bytes).unwrap();
        for arguments in [&["info", "bad.kfc"][..], &["sample", "bad.kfc", "--time", "0"], &["bench", "bad.kfc"]] {
            let refused = keyfold(folder.path(), arguments).code(2);
            let said = complaint(&refused);
            assert!(said.contains("bad.kfc") && said.contains(word), "{arguments:?}: {said}");
            assert!(refused.get_output().stdout.is_empty());
        }
    }
    assert!(complaint(&keyfold(folder.path(), &["info", "nowhere.kfc"]).code(2)).contains("nowhere.kfc"));
}

#[test]
fn help_teaches_by_examples() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in
        [&["--help"][..], &["build", "--help"], &["sample", "--help"], &["info", "--help"], &["bench", "--help"]]
    {
        let help = keyfold(folder.path(), arguments).code(0);
        assert!(String::from_utf8_lossy(&help.get_output().stdout).contains("Examples:"), "{arguments:?}");
    }
}
