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

#[test]
fn nothing_is_written_over_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(&folder.path().join("bad.gltf"), 2.0);
    std::fs::create_dir(folder.path().join("other")).unwrap();
    let same = write(&folder.path().join("other/bad.gltf"), 2.0);
    let before = std::fs::read(&bad).unwrap();
    keyfold(&[&bad, "--fix", "-o", &bad]).assert().code(2);
    keyfold(&[&bad, &same, "--fix", "-o", folder.path().to_str().unwrap()]).assert().code(2);
    let out = folder.path().join("out").display().to_string();
    let said = keyfold(&[&bad, &same, "--fix", "-o", &out]).assert().code(2).get_output().stderr.clone();
    assert!(String::from_utf8(said).unwrap().contains("would both be written to"));
    assert_eq!(std::fs::read(&bad).unwrap(), before);
    assert!(!Path::new(&out).exists());
    keyfold(&["-", "--fix", "--in-place"]).write_stdin(before.clone()).assert().code(2);
    keyfold(&["-", "--fix", "-o", "-", "--json"]).write_stdin(before).assert().code(2);
}

#[test]
fn a_stream_is_fixed_to_a_stream() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = std::fs::read(write(&folder.path().join("bad.gltf"), 2.0)).unwrap();
    let output = keyfold(&["-", "--fix", "-o", "-"]).write_stdin(bytes).assert().code(0).get_output().clone();
    let fixed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(fixed["accessors"][0]["max"], json!([1]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("1 fix, written to -") && said.contains("MENDED_BOUNDS"), "{said}");
}

#[test]
fn a_folder_is_asked_for_by_its_slash() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(&folder.path().join("bad.gltf"), 2.0);
    let out = format!("{}/", folder.path().join("new").display());
    keyfold(&[&bad, "--fix", "-o", &out]).assert().code(0);
    assert!(folder.path().join("new/bad.gltf").is_file());
}

#[test]
fn findings_come_the_worst_first_without_colours_and_many_like_hints_are_folded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.gltf");
    let mut json: Value = serde_json::from_slice(&std::fs::read(write(&path, 2.0)).unwrap()).unwrap();
    // Five tracks that change nothing, and a path that nobody knows.
    json["accessors"].as_array_mut().unwrap().push(json!({ "componentType": 5126, "count": 2, "type": "VEC3" }));
    json["nodes"] = json!([{ "name": "lever" }, { "name": "n1" }, { "name": "n2" }, { "name": "n3" }, { "name": "n4" }, { "name": "n5" }]);
    let channels = json["animations"][0]["channels"].as_array_mut().unwrap();
    channels.extend((1..6).map(|node| json!({ "sampler": 1, "target": { "node": node, "path": "translation" } })));
    channels.push(json!({ "sampler": 1, "target": { "node": 0, "path": "colour" } }));
    json["animations"][0]["samplers"].as_array_mut().unwrap().push(json!({ "input": 0, "output": 2 }));
    std::fs::write(&path, json.to_string()).unwrap();
    let path = path.display().to_string();
    let said = |arguments: &[&str]| {
        let output = keyfold(&[&[path.as_str()], arguments].concat()).assert().code(1).get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    let text = said(&[]);
    let kinds: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(kinds[1..], ["error", "warning", "hint", "--fix"], "{text}");
    assert!(text.contains("; 4 more like it") && text.contains("(Pull: n1 translation)"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let kinds: Vec<String> =
        said(&["--verbose"]).lines().filter_map(|l| Some(l.split_whitespace().next()?.to_owned())).collect();
    assert_eq!(kinds.iter().filter(|kind| *kind == "hint").count(), 5);
    assert!(!said(&["--quiet"]).contains("hint"));
    assert_eq!(said(&["--max", "7"]).lines().filter(|line| line.contains("hint")).count(), 6);
    assert!(said(&["--max", "1"]).contains("... and 6 more"));
}

#[test]
fn what_can_be_fixed_is_told_once_and_mending_tells_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(&folder.path().join("bad.gltf"), 2.0);
    let said = |arguments: &[&str], code: i32| {
        let output = keyfold(&[&[bad.as_str()], arguments].concat()).assert().code(code).get_output().stdout.clone();
        String::from_utf8(output).unwrap()
    };
    assert_eq!(said(&[], 1).matches("--fix would fix 1 thing").count(), 1);
    let (report, _) = parsed(&mut keyfold(&[&bad, "--json"]));
    assert_eq!(report["mendable"], json!(1));
    let before = std::fs::metadata(&bad).unwrap().len();
    let text = said(&["--fix", "--in-place"], 0);
    let after = std::fs::metadata(&bad).unwrap().len();
    assert!(text.contains(&format!(": {before} -> {after} bytes")), "{text}");
    assert!(!said(&[], 0).contains("--fix"));
}
