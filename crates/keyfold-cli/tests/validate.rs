//! `keyfold validate` as people run it.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

fn keyfold(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("keyfold").unwrap();
    command.arg("validate").args(arguments);
    command
}

/// A node that moves; `max` is what the times say of themselves.
fn write(path: &Path, max: f64) -> String {
    let json = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAA=", "byteLength": 32 }],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 24 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [max] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC3" }],
        "nodes": [{ "name": "lever" }],
        "animations": [{ "name": "Pull", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 0, "output": 1 }] }],
        "extras": { "mine": [0.1, 1e-7] }
    });
    std::fs::write(path, json.to_string()).unwrap();
    path.display().to_string()
}

fn parsed(command: &mut Command) -> (Value, i32) {
    let output = command.output().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), output.status.code().unwrap())
}

#[test]
fn the_exit_code_is_0_without_errors_1_with_and_2_for_what_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (write(&folder.path().join("good.gltf"), 1.0), write(&folder.path().join("bad.gltf"), 2.0));
    let text = folder.path().join("text.gltf");
    std::fs::write(&text, "nonsense").unwrap();
    let text = text.display().to_string();
    keyfold(&[&good]).assert().code(0);
    keyfold(&[&bad]).assert().code(1);
    keyfold(&[&text]).assert().code(2);
    keyfold(&["nowhere.glb"]).assert().code(2);
    keyfold(&[&good, &text]).assert().code(1);
    keyfold(&[]).assert().code(2);
    keyfold(&[&good, "--fix"]).assert().code(2);
}

#[test]
fn json_has_counts_and_findings_with_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(&folder.path().join("bad.gltf"), 2.0);
    let (report, code) = parsed(&mut keyfold(&[&bad, "--json", "--quiet"]));
    assert_eq!((code, &report["errors"], &report["warnings"]), (1, &json!(1), &json!(0)));
    let finding = &report["findings"][0];
    assert_eq!(finding["severity"], "error");
    assert_eq!(finding["code"], "ACCESSOR_MAX_MISMATCH");
    assert_eq!(finding["at"], "/accessors/0/max/0");
    assert_eq!(finding["subject"], "Pull: lever translation");
    let (report, _) = parsed(&mut keyfold(&[&bad, &bad, "--json", "--max", "0"]));
    assert_eq!(report["files"].as_array().unwrap().len(), 2);
    assert_eq!(report["files"][0]["findings"], json!([]));
    assert!(report["files"][0]["omitted"].as_u64().unwrap() > 0);
}

#[test]
fn codes_are_explained() {
    let said = keyfold(&["--explain", "accessor_max_mismatch"]).assert().code(0).get_output().stdout.clone();
    assert!(String::from_utf8(said).unwrap().starts_with("ACCESSOR_MAX_MISMATCH (error)"));
    keyfold(&["--explain", "NO_SUCH_CODE"]).assert().code(2);
}

#[test]
fn fixing_writes_a_copy_and_touches_the_original_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(&folder.path().join("bad.gltf"), 2.0);
    let before = std::fs::read(&bad).unwrap();
    let out = folder.path().join("out.gltf").display().to_string();
    let (report, code) = parsed(&mut keyfold(&[&bad, "--fix", "-o", &out, "--json"]));
    assert_eq!((code, &report["mended"][0]["code"]), (0, &json!("MENDED_BOUNDS")));
    assert_eq!(std::fs::read(&bad).unwrap(), before);
    keyfold(&[&out]).assert().code(0);
    let mut expected: Value = serde_json::from_slice(&before).unwrap();
    expected["accessors"][0]["max"] = json!([1]);
    assert_eq!(serde_json::from_slice::<Value>(&std::fs::read(&out).unwrap()).unwrap(), expected);

    let many = folder.path().join("many").display().to_string();
    keyfold(&[&bad, &out, "--fix", "-o", &many]).assert().code(0);
    assert!(Path::new(&many).join("bad.gltf").is_file() && Path::new(&many).join("out.gltf").is_file());
    keyfold(&[&bad, "--fix", "--in-place"]).assert().code(0);
    keyfold(&[&bad]).assert().code(0);
}
