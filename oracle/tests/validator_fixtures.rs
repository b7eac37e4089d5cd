//! Keyfold's validator on files whose verdict is known: the fixtures of Khronos' validator with their reports, the corpus, and the broken
//! files beside it.

use keyfold::{Finding, OpenOptions, Severity, validate};
use keyfold_oracle::{corpus_files, gltf_files, note, sample_files, shared_dir};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Errors by code and place.
type Errors = BTreeSet<(String, String)>;

fn findings(file: &Path) -> Vec<Finding> {
    let bytes = fs::read(file).unwrap();
    let folder = file.parent().map(PathBuf::from);
    validate::validate_bytes(&bytes, folder, &OpenOptions::default()).unwrap().findings
}

fn errors(file: &Path) -> Errors {
    let errors = findings(file).into_iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| (finding.code.to_owned(), finding.at)).collect()
}

fn reported(report: &Path) -> Errors {
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    let messages = report["issues"]["messages"].as_array().unwrap().iter();
    let text = |message: &Value, key: &str| message[key].as_str().unwrap_or_default().to_owned();
    messages.filter(|m| m["severity"] == 0).map(|m| (text(m, "code"), text(m, "pointer"))).collect()
}

#[test]
fn every_error_of_every_fixture_is_found_and_none_is_made_up() {
    let Some(shared) = shared_dir() else { return };
    let mut wrong = 0;
    let files = gltf_files(&shared.join("fixtures/validator"));
    note(&format!("{:<50} {:>8} {:>5} {:>6} {:>7}", "fixture", "expected", "found", "missed", "made up"));
    for file in &files {
        let expected = reported(&PathBuf::from(format!("{}.report.json", file.display())));
        let found = errors(file);
        let (missed, made_up) = (expected.difference(&found).count(), found.difference(&expected).count());
        let name = file.strip_prefix(shared.join("fixtures/validator")).unwrap().display().to_string();
        note(&format!("{name:<50} {:>8} {:>5} {missed:>6} {made_up:>7}", expected.len(), found.len()));
        wrong += missed + made_up;
    }
    assert_eq!(files.len(), 29);
    assert_eq!(wrong, 0);
}

#[test]
fn no_error_on_any_valid_file() {
    let files: Vec<PathBuf> = corpus_files().into_iter().chain(sample_files()).collect();
    let broken: Vec<_> =
        files.iter().map(|file| (file, errors(file))).filter(|(_, errors)| !errors.is_empty()).collect();
    note(&format!("{} valid files, {} with errors", files.len(), broken.len()));
    assert!(files.len() >= 4 && broken.is_empty(), "{broken:#?}");
}

#[test]
fn invalid_files_get_the_errors_that_their_manifest_names() {
    let Some(shared) = shared_dir() else { return };
    let folder = shared.join("corpus/invalid");
    let manifest: Value = serde_json::from_slice(&fs::read(folder.join("MANIFEST.json")).unwrap()).unwrap();
    let entries = manifest.as_array().unwrap();
    assert!(!entries.is_empty());
    for entry in entries {
        let file = folder.join(entry["file"].as_str().unwrap());
        let named = entry["validator"]["codes"].as_object().unwrap().keys();
        let expected: BTreeSet<&str> = named.filter_map(|code| code.strip_prefix("E:")).collect();
        let errors = errors(&file);
        let found: BTreeSet<&str> = errors.iter().map(|(code, _)| code.as_str()).collect();
        note(&format!("{:<55} {found:?}", entry["file"].as_str().unwrap()));
        assert_eq!(found, expected, "{}", file.display());
    }
}
