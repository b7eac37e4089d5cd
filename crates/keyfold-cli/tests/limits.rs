//! Small files that ask for huge things: each is refused with a place and exit code 2, in memory that stays small.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn keyfold(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("keyfold").unwrap().args(arguments).output().unwrap()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, json: &Value) -> String {
        std::fs::write(self.path(name), json.to_string()).unwrap();
        text(&self.path(name))
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn data(floats: &[f32]) -> String {
    use base64::Engine;
    let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
    format!("data:;base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes))
}

/// Accessors without a view are zeros: as many as they say.
fn zeros(accessors: usize, count: usize, path: &str) -> Value {
    let accessor = json!({ "componentType": 5126, "count": count, "type": "SCALAR" });
    let time = json!({ "componentType": 5126, "count": 1, "type": "SCALAR" });
    let list = [vec![accessor; accessors], vec![time]].concat();
    let channels: Vec<Value> =
        (0..accessors).map(|i| json!({ "sampler": i, "target": { "node": 0, "path": path } })).collect();
    let samplers: Vec<Value> = (0..accessors).map(|i| json!({ "input": accessors, "output": i })).collect();
    json!({ "asset": { "version": "2.0" }, "nodes": [{}], "accessors": list,
        "animations": [{ "channels": channels, "samplers": samplers }] })
}

/// Two keys, far apart.
fn long(seconds: f32) -> Value {
    let uri = data(&[0.0, seconds, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    json!({ "asset": { "version": "2.0" }, "nodes": [{}], "buffers": [{ "byteLength": 32, "uri": uri }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [seconds] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
        "animations": [{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 0, "output": 1 }] }] })
}

#[test]
fn zeros_without_data_are_paid_for_together() {
    let files = Files::new();
    let (file, out) = (files.write("zeros.gltf", &zeros(100, 1 << 22, "weights")), text(&files.path("out.glb")));
    for command in [
        vec!["inspect", &file],
        vec!["sample", &file, "--time", "0"],
        vec!["unpack", &file, "-o", &out],
        vec!["convert", &file, "-o", &out, "--storage", "quantization"],
        vec!["pack", &file, "-o", &out],
        vec!["diff", &file, &file],
        vec!["clip", "build", &file, "-o", &out],
    ] {
        let output = keyfold(&command);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        assert!(said.contains("/accessors/") && said.contains("--max-memory"), "{command:?}: {said}");
    }
    assert!(!files.path("out.glb").exists());
}

#[test]
fn wide_weights_are_paid_for() {
    let files = Files::new();
    let file = files.write("wide.gltf", &zeros(8, 1 << 24, "weights"));
    let output = keyfold(&["inspect", &file]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    // A user who knows better says so: this much is honest.
    let file = files.write("narrow.gltf", &zeros(8, 1 << 16, "weights"));
    assert_eq!(keyfold(&["inspect", &file]).status.code(), Some(0));
    assert_eq!(keyfold(&["inspect", &file, "--max-memory", "1MB"]).status.code(), Some(2));
    assert_eq!(keyfold(&["--max-memory", "100MB", "inspect", &file]).status.code(), Some(0));
    assert_eq!(keyfold(&["inspect", &file, "--max-work", "1000"]).status.code(), Some(2));
}

#[test]
fn keys_that_lie_far_apart_are_sampled_within_the_work_that_is_allowed() {
    let files = Files::new();
    let (file, out) = (files.write("long.gltf", &long(300_000.0)), text(&files.path("out.kfc")));
    for command in [
        vec!["sample", &file, "--fps", "30", "--json"],
        vec!["sample", &file, "--fps", "30", "--csv"],
        vec!["clip", "build", &file, "-o", &out, "--fps", "30"],
    ] {
        let output = keyfold(&[command.as_slice(), &["--max-work", "100M"]].concat());
        assert_eq!(output.status.code(), Some(2), "{command:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("/animations/0"), "{command:?}: {}", stderr(&output));
    }
    let output = keyfold(&["sample", &files.write("short.gltf", &long(10.0)), "--fps", "30", "--csv"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 302);
}

#[test]
fn keys_that_lie_far_apart_are_few_all_the_same() {
    let files = Files::new();
    for (i, seconds) in [300_000.0, 3e30].into_iter().enumerate() {
        let (file, out) = (files.write("long.gltf", &long(seconds)), text(&files.path(&format!("{i}.glb"))));
        for storage in ["core", "quantization", "draco", "meshopt", "stream"] {
            let output = keyfold(&["pack", &file, "-o", &out, "--storage", storage]);
            assert_eq!(output.status.code(), Some(0), "{seconds} {storage}: {}", stderr(&output));
        }
        assert_eq!(keyfold(&["diff", &file, &out]).status.code(), Some(0), "{seconds}");
    }
}

#[test]
fn one_file_over_its_budget_does_not_end_a_batch() {
    let files = Files::new();
    let broken = [
        files.write("a.gltf", &zeros(100, 1 << 22, "weights")),
        files.write("b.gltf", &json!({ "asset": { "version": "2.0" }, "animations": ["x"] })),
        files.write("c.gltf", &json!("no document")),
    ];
    let (good, folder) = (files.write("d.gltf", &long(10.0)), text(&files.path("out")));
    let output = keyfold(&["pack", &broken[0], &broken[1], &broken[2], &good, "--out-dir", &folder, "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["files"].as_array().unwrap().len(), 4);
    assert!(files.path("out/d.gltf").exists());
    assert!(!files.path("out/a.gltf").exists() && !files.path("out/c.gltf").exists());
}

#[test]
fn an_entry_of_animations_that_is_no_object_is_no_panic() {
    let files = Files::new();
    let file = files.write("x.gltf", &json!({ "asset": { "version": "2.0" }, "animations": ["x"] }));
    let cubic = json!({ "asset": { "version": "2.0" }, "animations": [
        { "samplers": [{ "interpolation": "CUBIC" }], "channels": [{ "sampler": 0, "extensions": "x" }] }] });
    let cubic = files.write("cubic.gltf", &cubic);
    let out = text(&files.path("out.gltf"));
    for file in [&file, &cubic] {
        for command in [
            vec!["pack", file, "-o", &out],
            vec!["pack", file, "--dry-run"],
            vec!["unpack", file, "-o", &out],
            vec!["convert", file, "-o", &out, "--storage", "meshopt"],
            vec!["convert", file, "-o", &out, "--targets", "core"],
            vec!["convert", file, "-o", &out, "--targets", "pointer"],
            vec!["validate", file],
        ] {
            let output = keyfold(&command);
            assert!(output.status.code().is_some_and(|code| code <= 2), "{command:?}: {}", stderr(&output));
            assert!(!stderr(&output).contains("panicked"), "{command:?}: {}", stderr(&output));
        }
    }
}

#[test]
fn so_many_poses_are_refused_before_they_are_sampled() {
    let files = Files::new();
    let (file, clip) = (files.write("short.gltf", &long(1.0)), text(&files.path("a.kfc")));
    assert_eq!(keyfold(&["clip", "build", &file, "-o", &clip]).status.code(), Some(0));
    let output = keyfold(&["clip", "bench", &clip, "--poses", "18446744073709551615"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(keyfold(&["clip", "bench", &clip, "--poses", "0"]).status.code(), Some(2));
    let output = keyfold(&["clip", "info", &clip, "--max-memory", "10"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("--max-memory"), "{}", stderr(&output));
}

/// Where memory runs out in spite of all limits, it is exit code 2 and no signal.
#[cfg(target_os = "linux")]
#[test]
fn running_out_of_memory_is_no_signal() {
    let files = Files::new();
    let file = files.write("zeros.gltf", &zeros(10, 1 << 24, "weights"));
    let program = assert_cmd::cargo::cargo_bin("keyfold");
    let command = "ulimit -v 400000 && exec \"$0\" \"$@\"";
    let output = std::process::Command::new("sh")
        .args(["-c", command, program.to_str().unwrap(), "inspect", &file, "--max-memory", "none"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{:?}: {}", output.status, stderr(&output));
}
