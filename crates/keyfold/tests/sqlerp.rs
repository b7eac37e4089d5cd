//! The conformance set of EXT_animation_sqlerp: valid files play as the closed forms say, broken ones are found out.

use keyfold::{Document, read, validate};
use serde_json::Value;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples/conformance/sqlerp")
}

fn manifest() -> Value {
    let text = std::fs::read_to_string(folder().join("manifest.json")).expect("`cargo xtask samples` writes it");
    serde_json::from_str(&text).expect("it is JSON")
}

fn open(entry: &Value) -> (String, Document) {
    let file = entry["file"].as_str().expect("every entry has a file").to_owned();
    let document = Document::open(folder().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    (file, document)
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

#[test]
fn valid_files_play_as_the_closed_forms_say() {
    let manifest = manifest();
    let entries = manifest["valid"].as_array().expect("there are valid files");
    assert!(entries.len() >= 9);
    for entry in entries {
        let (file, document) = open(entry);
        let found = read(&document).unwrap();
        assert!(found.findings.iter().all(|f| f.severity > keyfold::Severity::Warning), "{file}: {:?}", found.findings);
        let tolerance = entry["tolerance"].as_f64().unwrap();
        for expected in entry["tracks"].as_array().unwrap() {
            let target = expected["target"].as_str().unwrap();
            let track = found.animations[0].tracks.iter().find(|t| t.target.to_string() == target);
            let track = track.unwrap_or_else(|| panic!("{file}: nothing drives {target}"));
            for (time, value) in numbers(&entry["times"]).into_iter().zip(expected["values"].as_array().unwrap()) {
                let (ours, theirs) = (track.sample(time), numbers(value));
                // A rotation and its negative are the same.
                let dot: f64 = ours.iter().zip(&theirs).map(|(a, b)| a * b).sum();
                let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - dot.signum() * b).abs()).fold(0.0, f64::max);
                assert!(apart <= tolerance, "{file} {target} at {time} s: {ours:?}, not {theirs:?}");
            }
        }
    }
}

#[test]
fn valid_files_break_no_rule_and_broken_ones_break_theirs() {
    let manifest = manifest();
    for entry in manifest["valid"].as_array().unwrap() {
        let (file, document) = open(entry);
        let wrong = validate::validate(&document).into_iter().filter(|f| f.severity == keyfold::Severity::Error);
        assert_eq!(wrong.collect::<Vec<_>>(), [], "{file}");
    }
    let entries = manifest["broken"].as_array().expect("there are broken files");
    assert!(entries.len() >= 6);
    for entry in entries {
        let (file, document) = open(entry);
        let found = validate::validate(&document);
        let expected = (entry["code"].as_str().unwrap(), entry["at"].as_str().unwrap());
        assert!(found.iter().any(|f| (f.code, f.at.as_str()) == expected), "{file}: {expected:?} is not in {found:?}");
    }
}
