//! The conformance set of Draco_animation_compression: a file for each thing that the draft's text and real files do, a file for each rule
//! broken, a manifest that says what to expect, and the JSON schemas of both layouts.

mod broken;
mod file;
mod good;

use super::Sample;
use serde_json::{Value, json};

const FOLDER: &str = "samples/conformance/draco";
const SCHEMAS: [(&str, &str); 2] = [
    ("glTF.Draco_animation_compression.schema.json", include_str!("glTF.Draco_animation_compression.schema.json")),
    (
        "glTF.Draco_animation_compression.2018.schema.json",
        include_str!("glTF.Draco_animation_compression.2018.schema.json"),
    ),
];

/// All files of the set, and the pairs of files that the validator's tests want for each code.
pub(super) fn all() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut add = |path: String, bytes: Vec<u8>| samples.push(Sample { path, bytes });
    let (mut read, mut refuse) = (Vec::new(), Vec::new());
    for good in good::all() {
        let file = format!("{}.gltf", good.name);
        let written = good.file.write(good.name);
        read.push(json!({ "file": file, "about": good.about, "tracks": good.file.expected() }));
        written.beside.into_iter().for_each(|(name, bytes)| add(format!("{FOLDER}/{name}"), bytes));
        add(format!("{FOLDER}/{file}"), text(&written.json));
    }
    for broken in broken::all() {
        let file = format!("broken/{}.gltf", broken.code);
        refuse.push(json!({ "file": file, "about": broken.about, "code": broken.code, "at": broken.at }));
        add(format!("{FOLDER}/{file}"), text(&broken.bad));
        if broken.code.starts_with("DRACO_") {
            let test = |which: &str| format!("crates/keyfold/tests/codes/{}.{which}.gltf", broken.code);
            add(test("bad"), text(&broken.bad));
            add(test("good"), text(&broken.good));
        }
    }
    let about = "What a reader of Draco_animation_compression should make of the files beside this one. `values` lists what was compressed, \
        element by element (for CUBICSPLINE in-tangent, value and out-tangent of each key); what is decoded lies within `tolerance`, times \
        within `timeTolerance`; zero is bit for bit. Files under `broken` each break one rule, at the JSON pointer `at`.";
    let manifest = json!({ "about": about, "extension": file::NAME, "read": read, "broken": refuse });
    add(format!("{FOLDER}/manifest.json"), text(&manifest));
    SCHEMAS.iter().for_each(|(name, schema)| add(format!("{FOLDER}/schema/{name}"), schema.as_bytes().to_vec()));
    samples
}

fn text(json: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(json).expect("a JSON value can be written");
    text.push(b'\n');
    text
}
