//! `convert --targets` and `sample --apply` from the outside.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn keyfold(arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("keyfold").expect("the program").args(arguments).output().expect("it runs")
}

fn lamp() -> String {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../samples/lamp.gltf"].iter().collect();
    file.display().to_string()
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(file).expect("written")).expect("JSON")
}

#[test]
fn what_core_cannot_say_stays_a_pointer_is_told_of_and_exits_with_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("core.gltf");
    let done = keyfold(&["convert", &lamp(), "-o", &out.display().to_string(), "--targets", "core"]);
    assert_eq!(done.status.code(), Some(1));
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(told.contains("KHR_lights_punctual/lights/0/color cannot be said in core"), "{told}");
    let used = json(&out)["extensionsUsed"].to_string();
    assert!(used.contains("KHR_animation_pointer"), "{used}");
}

#[test]
fn there_and_back_the_samples_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let convert = |from: &str, to: &str, targets: &str| {
        let done = keyfold(&["convert", from, "-o", to, "--targets", targets]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    };
    convert(&lamp(), &place("draft.gltf"), "animation2");
    convert(&place("draft.gltf"), &place("back.gltf"), "pointer");
    let sample = |file: &str| keyfold(&["sample", file, "--fps", "7", "--json"]).stdout;
    let expected = sample(&lamp());
    assert!(!expected.is_empty());
    assert!(sample(&place("draft.gltf")) == expected);
    assert!(sample(&place("back.gltf")) == expected);
}

#[test]
fn a_frozen_document_has_the_values_and_animations_only_where_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("frozen.gltf");
    let frozen = out.display().to_string();
    let arguments = ["sample", &lamp(), "--time", "0", "--apply", "-o", &frozen];
    assert_eq!(keyfold(&arguments).status.code(), Some(0));
    assert_eq!(json(&out).get("animations"), None);
    assert_eq!(keyfold(&[&arguments[..], &["--keep-animations"]].concat()).status.code(), Some(0));
    assert!(json(&out).get("animations").is_some());
    let twice = ["sample", &lamp(), "--time", "0,1", "--apply", "-o", &frozen];
    assert_eq!(keyfold(&twice).status.code(), Some(2));
}
