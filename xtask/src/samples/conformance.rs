//! What conformance sets have in common: files that each break one rule, with the pairs of files that the validator's tests want for each
//! of our own codes, and JSON as text.

use super::Sample;
use serde_json::{Value, json};

/// A file that breaks a rule.
pub(super) struct Broken {
    pub(super) code: &'static str,
    /// Where a validator should see it.
    pub(super) at: String,
    pub(super) about: &'static str,
    pub(super) bad: Value,
    /// A file that just does not break it.
    pub(super) good: Value,
}

impl Broken {
    fn file(&self) -> String {
        format!("broken/{}.gltf", self.code)
    }

    /// What a manifest says of it.
    pub(super) fn entry(&self) -> Value {
        json!({ "file": self.file(), "about": self.about, "code": self.code, "at": self.at })
    }

    /// The file in its set's folder, and the pair of files where the code, by its beginning, is our own.
    pub(super) fn samples(&self, folder: &str, own: &str) -> Vec<Sample> {
        let mut samples = vec![Sample { path: format!("{folder}/{}", self.file()), bytes: text(&self.bad) }];
        if self.code.starts_with(own) {
            let pair = [("bad", &self.bad), ("good", &self.good)].map(|(which, json)| Sample {
                path: format!("crates/keyfold/tests/codes/{}.{which}.gltf", self.code),
                bytes: text(json),
            });
            samples.extend(pair);
        }
        samples
    }
}

/// JSON as a file has it.
pub(super) fn text(json: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(json).expect("a JSON value can be written");
    text.push(b'\n');
    text
}
