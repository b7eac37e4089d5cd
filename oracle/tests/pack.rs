//! `pack` on real files: every storage keeps every bound, at times that the search never used, and Khronos' validator has nothing
//! against what it writes.

use std::path::PathBuf;

use keyfold::pack::{STORAGES, Settings, pack};
use keyfold::{Document, OpenOptions, Storage, diff};
use keyfold_oracle::{corpus_files, is_full, node_available, skip, validator};

const BOUNDS: [&str; 4] = ["1%", "0.1%", "0.01%", "0.002%"];
/// What is small enough to be packed sixteen times in every run.
const SMALL: u64 = 170_000;

/// All files of the corpus in a full run, otherwise the small ones.
fn files() -> Vec<PathBuf> {
    let small = |file: &PathBuf| is_full() || file.metadata().is_ok_and(|m| m.len() < SMALL);
    let files: Vec<PathBuf> = corpus_files().into_iter().filter(small).collect();
    if files.is_empty() {
        skip("there is no corpus");
    }
    files
}

#[test]
fn every_bound_holds_in_every_storage() {
    for file in files() {
        let document = Document::open(&file).unwrap();
        for storage in STORAGES {
            for bound in BOUNDS {
                let settings = Settings { storage, bound: bound.parse().unwrap(), ..Settings::default() };
                let packed = pack(&document, &settings).unwrap();
                let bytes = packed.document.to_bytes().unwrap();
                let back = Document::from_bytes(&bytes, None, &OpenOptions::default()).unwrap();
                let found = diff(&document, &back, None).unwrap();
                let what = format!("{} {} {bound}", file.display(), storage.name());
                assert!(found.error <= packed.bound, "{what}: {} over {}", found.error, packed.bound);
                assert!(found.animations.iter().all(|a| a.properties.max <= 0.001), "{what}: a property is off");
                assert!(found.unmatched.is_empty(), "{what}: {:?}", found.unmatched);
            }
        }
    }
}

#[test]
fn the_validator_finds_no_new_errors() {
    if !node_available() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("keyfold-oracle-pack-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut written = Vec::new();
    for file in files() {
        let document = Document::open(&file).unwrap();
        let before = validator::validate(std::slice::from_ref(&file)).unwrap()[0].errors();
        for storage in [Storage::Core, Storage::Meshopt] {
            let packed = pack(&document, &Settings { storage, ..Settings::default() }).unwrap();
            let stem = file.file_stem().unwrap().to_string_lossy();
            let output = folder.join(format!("{stem}.{}.glb", storage.name()));
            packed.document.save(&output).unwrap();
            if before.is_empty() {
                written.push(output);
            }
        }
    }
    for report in validator::validate(&written).unwrap() {
        assert_eq!(report.errors(), [] as [String; 0], "{}", report.file.display());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
