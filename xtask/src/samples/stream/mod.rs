//! The conformance set of KEYFOLD_animation_stream: golden streams with the bytes that they stand for, documents, a document for each rule broken, a
//! manifest that says what to expect, and the JSON schemas.

mod broken;
mod file;
mod golden;

use super::{Sample, conformance::text};
use serde_json::json;

const FOLDER: &str = "samples/conformance/stream";
const VIEW_SCHEMA: &str = include_str!("bufferView.KEYFOLD_animation_stream.schema.json");
const BUFFER_SCHEMA: &str = include_str!("buffer.KEYFOLD_animation_stream.schema.json");

/// All files of the set, and the pairs of files that the validator's tests want for each code.
pub(super) fn all() -> Vec<Sample> {
    let mut samples = Vec::new();
    let mut sample = |path: &str, bytes: Vec<u8>| samples.push(Sample { path: format!("{FOLDER}/{path}"), bytes });
    let mut streams = Vec::new();
    for golden in golden::all() {
        let (stream, bytes) = (format!("golden/{}.kfs", golden.name), format!("golden/{}.bin", golden.name));
        streams.push(json!({ "stream": stream, "bytes": bytes, "about": golden.about }));
        sample(&stream, golden.stream);
        sample(&bytes, golden.bytes);
    }
    let good = [
        ("required", "the bytes are in the stream only", file::document(&file::content(1), false)),
        ("fallback", "the plain bytes are there, too", file::document(&file::content(1), true)),
        ("segments", "the stream has three segments", file::document(&file::content(3), false)),
    ];
    let mut read = Vec::new();
    for (name, about, document) in good {
        read.push(json!({ "file": format!("{name}.gltf"), "about": about }));
        sample(&format!("{name}.gltf"), text(&document));
    }
    let broken = broken::all();
    let about = "What a reader of KEYFOLD_animation_stream should make of the files beside this one. Each stream of `golden` decodes to exactly the bytes \
        beside it. The files of `read` all hold the same animation. Files under `broken` each break one rule, at the JSON pointer `at`.";
    let refuse: Vec<_> = broken.iter().map(|broken| broken.entry()).collect();
    let manifest =
        json!({ "about": about, "extension": file::NAME, "golden": streams, "read": read, "broken": refuse });
    sample("manifest.json", text(&manifest));
    sample("schema/bufferView.KEYFOLD_animation_stream.schema.json", VIEW_SCHEMA.into());
    sample("schema/buffer.KEYFOLD_animation_stream.schema.json", BUFFER_SCHEMA.into());
    samples.extend(broken.iter().flat_map(|broken| broken.samples(FOLDER, "STREAM_")));
    samples
}
