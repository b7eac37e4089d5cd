//! The conformance set of EXT_animation_quantization: a file for each row of the draft's tables and for what its text adds, a file for each
//! rule broken, a manifest that says what to expect, and the JSON schema of the extension's object.

mod broken;
mod file;
mod good;

use super::{Sample, conformance::text};
use serde_json::json;

const FOLDER: &str = "samples/conformance/quantization";
const SCHEMA: &str = include_str!("animation.channel.EXT_animation_quantization.schema.json");

/// All files of the set, and the pairs of files that the validator's tests want for each code.
pub(super) fn all() -> Vec<Sample> {
    let mut samples = Vec::new();
    let (mut read, mut refuse) = (Vec::new(), Vec::new());
    for good in good::all() {
        let file = format!("{}.gltf", good.name);
        read.push(json!({ "file": file, "about": good.about, "tracks": good.tracks }));
        samples.push(Sample { path: format!("{FOLDER}/{file}"), bytes: text(&good.document) });
    }
    for broken in broken::all() {
        refuse.push(broken.entry());
        samples.extend(broken.samples(FOLDER, "QUANT_"));
    }
    let about = "What a reader of EXT_animation_quantization should make of the files beside this one. `values` lists every stored \
        element with its layout undone (for CUBICSPLINE in-tangent, value and out-tangent of each key); compare within `tolerance`. \
        Files under `broken` each break one rule, at the JSON pointer `at`.";
    let manifest =
        json!({ "about": about, "extension": file::NAME, "tolerance": 1e-6, "read": read, "broken": refuse });
    samples.push(Sample { path: format!("{FOLDER}/manifest.json"), bytes: text(&manifest) });
    let schema = format!("{FOLDER}/schema/animation.channel.EXT_animation_quantization.schema.json");
    samples.push(Sample { path: schema, bytes: SCHEMA.into() });
    samples
}
