//! The rules for channels with pointers, on the files that keep them and on those that break one.

use std::{collections::BTreeSet, path::PathBuf};

use keyfold::{Severity, validate::validate};
use serde::Deserialize;

use crate::{folder, manifest, open};

/// The part of `manifest.json` about files that break a rule.
#[derive(Deserialize)]
struct Manifest {
    broken: Vec<Broken>,
}

/// A file that breaks a rule, and what is to be found where.
#[derive(Deserialize)]
struct Broken {
    file: PathBuf,
    code: String,
    at: String,
}

fn broken() -> Vec<Broken> {
    let text = std::fs::read(folder().join("manifest.json")).expect("the manifest");
    serde_json::from_slice::<Manifest>(&text).expect("the manifest is as expected").broken
}

#[test]
fn files_of_the_ratified_form_are_valid_and_older_ones_have_only_that_against_them() {
    for file in manifest().valid {
        let findings = validate(&file.open());
        let errors: Vec<_> = findings.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", file.file.display());
        let warned: BTreeSet<_> = findings.iter().filter(|f| f.severity == Severity::Warning).map(|f| f.code).collect();
        let expected = if file.is_ratified() { BTreeSet::new() } else { BTreeSet::from(["POINTER_LEGACY_FORM"]) };
        assert_eq!(warned, expected, "{}: {findings:?}", file.file.display());
    }
}

#[test]
fn broken_files_are_found_out_where_they_are_broken() {
    for case in broken() {
        let findings = validate(&open(&case.file));
        let is_found = findings.iter().any(|f| f.code == case.code && f.at == case.at);
        assert!(is_found, "{}: {} at {} is not among {findings:#?}", case.file.display(), case.code, case.at);
        println!("{}: {} at {}", case.file.display(), case.code, case.at);
    }
}
