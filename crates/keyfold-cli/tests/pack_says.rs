//! What `keyfold pack` says of files: which storage it takes by itself, what others would save, what had to stay as it was.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name).display().to_string()
}

struct Said {
    code: i32,
    out: String,
    err: String,
}

impl Said {
    /// The report of the first file.
    fn file(&self) -> Value {
        let report: Value = serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{} {}", self.out, self.err));
        report["files"][0].clone()
    }
}

fn keyfold(folder: &Path, arguments: &[&str]) -> Said {
    let output = Command::cargo_bin("keyfold").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

/// The sample `face` with a second channel on one mesh's weights, which jumps from key to key.
fn twice_driven(folder: &Path) -> PathBuf {
    let path = folder.join("twice.gltf");
    assert_eq!(keyfold(folder, &["convert", &sample("face.glb"), "-o", "twice.gltf", "--embed"]).code, 0);
    let mut json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let animation = &mut json["animations"][0];
    let channels = animation["channels"].as_array().unwrap();
    let mut second = channels.iter().find(|c| c["target"]["path"] == "weights").unwrap().clone();
    let mut sampler = animation["samplers"][second["sampler"].as_u64().unwrap() as usize].clone();
    sampler["interpolation"] = json!("STEP");
    animation["samplers"].as_array_mut().unwrap().push(sampler);
    second["sampler"] = json!(animation["samplers"].as_array().unwrap().len() - 1);
    animation["channels"].as_array_mut().unwrap().push(second);
    fs::write(&path, json.to_string()).unwrap();
    path
}

#[test]
fn what_is_driven_twice_is_named_and_keeps_nothing_else_from_being_packed() {
    let folder = tempfile::tempdir().unwrap();
    twice_driven(folder.path());
    let itself = keyfold(folder.path(), &["diff", "twice.gltf", "twice.gltf", "--json", "--max-property-error", "0"]);
    let report: Value = serde_json::from_str(&itself.out).unwrap();
    assert_eq!((itself.code, &report["animations"][0]["properties"]["max"]), (0, &json!(0.0)), "{}", itself.err);
    let packed = keyfold(folder.path(), &["pack", "twice.gltf", "-o", "out.gltf", "--json"]);
    let file = packed.file();
    assert_eq!(packed.code, 1, "{}", packed.err);
    assert!(packed.err.contains("/weights") && packed.err.contains("more than one channel"), "{}", packed.err);
    let bytes = |when: &str| file["animation_bytes"][when].as_u64().unwrap();
    assert!(bytes("after") < bytes("before"), "{file}");
    assert_eq!(keyfold(folder.path(), &["diff", "twice.gltf", "out.gltf", "--max-error", "0.01%"]).code, 0);
}

#[test]
fn a_file_stays_in_its_storage_where_that_is_smaller() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| keyfold(folder.path(), arguments);
    assert_eq!(run(&["convert", &sample("figure.glb"), "-o", "meshopt.glb", "--storage", "meshopt"]).code, 0);
    let by_itself = run(&["pack", "meshopt.glb", "-o", "a.glb", "--json"]).file();
    let asked = run(&["pack", "meshopt.glb", "-o", "b.glb", "--json", "--storage", "meshopt"]).file();
    assert_eq!(by_itself["storage"], "meshopt");
    assert_eq!(by_itself["bytes"], asked["bytes"]);
    let core = run(&["pack", &sample("figure.glb"), "-o", "c.glb"]);
    assert!(core.out.contains("would save"), "{}", core.out);
    let core = run(&["pack", &sample("figure.glb"), "-o", "c.glb", "--json"]).file();
    assert_eq!(core["storage"], "core");
}

#[test]
fn raw_bytes_are_few_where_they_are_asked_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let raw = |optimize: &str| {
        let arguments =
            ["pack", &sample("figure.glb"), "-o", "a.glb", "--json", "--storage", "core", "--optimize", optimize];
        keyfold(folder.path(), &arguments).file()["bytes"]["after"].as_u64().unwrap()
    };
    assert!(raw("raw") <= raw("gzip"));
}

#[test]
fn a_file_that_takes_too_long_is_left_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let said =
        keyfold(folder.path(), &["pack", &sample("figure.glb"), "-o", "a.glb", "--timeout", "0.000001", "--json"]);
    let file = said.file();
    assert_eq!((said.code, &file["copied"]), (1, &json!(true)), "{}", said.err);
    assert!(said.err.contains("--timeout") && said.err.contains("stays as it was"), "{}", said.err);
    assert_eq!(fs::read(folder.path().join("a.glb")).unwrap(), fs::read(sample("figure.glb")).unwrap());
    let said = keyfold(folder.path(), &["pack", &sample("machine.glb"), "-o", "b.glb", "--timeout", "600"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(keyfold(folder.path(), &["pack", "a.glb", "--timeout", "0"]).code, 2);
}

#[test]
fn what_a_file_still_needs_is_told_where_it_plays() {
    let folder = tempfile::tempdir().unwrap();
    let converted =
        keyfold(folder.path(), &["convert", &sample("machine.glb"), "-o", "slerp.glb", "--rotation", "cubicslerp"]);
    assert_eq!(converted.code, 0, "{}", converted.err);
    let file = keyfold(folder.path(), &["pack", "slerp.glb", "-o", "a.glb", "--json", "--storage", "core"]).file();
    let plays = |file: &Value| file["candidates"][0]["plays"].as_str().unwrap().to_owned();
    assert!(plays(&file).contains("EXT_animation_sqlerp"), "{file}");
    let plain = keyfold(folder.path(), &["pack", &sample("figure.glb"), "-o", "a.glb", "--json", "--level", "fast"]);
    assert_eq!(plays(&plain.file()), "in every viewer");
}
