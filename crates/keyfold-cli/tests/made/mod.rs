//! What tests of writing share: a small document, and the program.

use assert_cmd::Command;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Runs the program in a folder: its exit code, what it tells, and what it says beside that.
pub(crate) fn keyfold<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("keyfold").unwrap();
    let output = command
        .current_dir(folder)
        .args(arguments)
        .timeout(Duration::from_secs(60))
        .output()
        .expect("it ends by itself");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// A node that moves, with keys that no storage loses for free.
pub(crate) fn moving(uri: &str) -> (Value, Vec<u8>) {
    let times = (0..30).map(|i| i as f32 / 30.0);
    let values = times.clone().flat_map(|t| [t.sin(), 0.1 * t, t.cos()]);
    let bin: Vec<u8> = times.chain(values).flat_map(f32::to_le_bytes).collect();
    let json = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": uri, "byteLength": bin.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": 120 }, { "buffer": 0, "byteOffset": 120, "byteLength": 360 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 30, "type": "SCALAR", "min": [0], "max": [29.0f32 / 30.0] },
            { "bufferView": 1, "componentType": 5126, "count": 30, "type": "VEC3" }],
        "nodes": [{ "name": "lever" }],
        "animations": [{ "name": "pull", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
            "samplers": [{ "input": 0, "output": 1 }] }]
    });
    (json, bin)
}

/// `NAME.gltf` and `NAME.bin` in a folder.
pub(crate) fn make(folder: &Path, name: &str) {
    let (json, bin) = moving(&format!("{name}.bin"));
    fs::write(folder.join(format!("{name}.gltf")), json.to_string()).unwrap();
    fs::write(folder.join(format!("{name}.bin")), bin).unwrap();
}

/// The files directly in a folder.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}
