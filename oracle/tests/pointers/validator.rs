//! gltf-validator on what Keyfold writes.

use std::path::{Path, PathBuf};

use keyfold::{Document, RetargetOptions, Targets, Weights, freeze, read, retarget, unpack};
use keyfold_oracle::{node_available, shared_dir, validator};

use crate::{corpus::FILES, manifest, to};

/// Everything that is made of a document.
fn made(document: &Document) -> Vec<(&'static str, Document)> {
    let split =
        RetargetOptions { targets: Some(Targets::Pointer), weights: Some(Weights::Split), first_as_static: true };
    let mut made = vec![
        ("pointer", to(document, Targets::Pointer)),
        ("core", to(document, Targets::Core)),
        ("split", retarget(document, &split).expect("split").document),
        ("unpacked", unpack(document, keyfold::Bound::default()).expect("unpacked").document),
    ];
    for animation in read(document).expect("readable").animations.iter().take(1) {
        made.push(("frozen", freeze(document, animation, 0.75, false).expect("frozen").document));
        made.push(("kept", freeze(document, animation, 0.75, true).expect("frozen").document));
    }
    made
}

fn write(document: &Document, folder: &Path, name: &str) -> Vec<PathBuf> {
    let save = |(what, made): (&str, Document)| {
        let file = folder.join(format!("{name}.{what}.glb"));
        made.save(&file).unwrap_or_else(|error| panic!("{name} {what}: {error}"));
        file
    };
    made(document).into_iter().map(save).collect()
}

#[test]
fn gltf_validator_finds_no_errors_in_what_is_written() {
    if !node_available() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = Vec::new();
    for file in manifest().valid.iter().filter(|file| file.is_ratified()) {
        files.extend(write(&file.open(), folder.path(), &file.file.file_stem().unwrap_or_default().to_string_lossy()));
    }
    if let Some(shared) = shared_dir() {
        for name in FILES {
            let document = Document::open(shared.join("corpus").join(name)).expect("a file of the corpus");
            files.extend(write(&document, folder.path(), name));
        }
    }
    let reports = validator::validate(&files).expect("gltf-validator runs");
    for report in &reports {
        assert!(report.errors().is_empty(), "{}: {:?}", report.file.display(), report.errors());
    }
    assert!(reports.len() > 10, "{} files", reports.len());
    println!("gltf-validator: no errors in {} files that Keyfold wrote", reports.len());
}
