//! The conformance set of Draco_animation_compression: a file for each thing that the draft's text and real files do, a file for each rule
//! broken, a manifest that says what to expect, and the JSON schemas of both layouts.

mod broken;
mod file;
mod good;

use super::{Sample, conformance::text};
use serde_json::json;

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
    let sample = |name: &str, bytes: Vec<u8>| Sample { path: format!("{FOLDER}/{name}"), bytes };
    let (mut read, mut refuse) = (Vec::new(), Vec::new());
    for good in good::all() {
        let file = format!("{}.gltf", good.name);
        let written = good.file.write(good.name);
        read.push(json!({ "file": file, "about": good.about, "tracks": good.file.expected() }));
        samples.extend(written.beside.into_iter().map(|(name, bytes)| sample(&name, bytes)));
        samples.push(sample(&file, text(&written.json)));
    }
    for broken in broken::all() {
        refuse.push(broken.entry());
        samples.extend(broken.samples(FOLDER, "DRACO_"));
    }
    let about = "What a reader of Draco_animation_compression should make of the files beside this one. `values` lists what was compressed, \
        element by element (for CUBICSPLINE in-tangent, value and out-tangent of each key); what is decoded lies within `tolerance`, times \
        within `timeTolerance`; zero is bit for bit. Files under `broken` each break one rule, at the JSON pointer `at`.";
    let manifest = json!({ "about": about, "extension": file::NAME, "read": read, "broken": refuse });
    samples.push(sample("manifest.json", text(&manifest)));
    samples.extend(SCHEMAS.map(|(name, schema)| sample(&format!("schema/{name}"), schema.into())));
    samples
}
