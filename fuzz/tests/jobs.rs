//! Broken copies of our own samples through everything that searches and writes: `pack`, `diff`, clips, Draco, rotations.

use keyfold::Document;
use keyfold_fuzz::{Mutator, build_clip, compress, diff, options, pack, rotation};
use keyfold_oracle::{gltf_files, root};
use std::path::PathBuf;

/// How many broken copies each job gets.
const COPIES: u32 = 400;

/// The conformance sets: small, and between them everything that animations can be.
fn files() -> Vec<PathBuf> {
    let files = gltf_files(&root().join("samples/conformance"));
    assert!(files.len() > 400, "{} files", files.len());
    files
}

/// Feeds broken copies to a job; some must be good enough to be opened.
fn feed(seed: u64, job: fn(&[u8])) {
    let (files, mut mutator) = (files(), Mutator::new(seed));
    let mut opened = 0;
    for round in 0..Mutator::rounds(COPIES) {
        let good = std::fs::read(&files[mutator.below(files.len())]).unwrap();
        let broken = match round % 4 {
            0 => mutator.mutate(&good),
            1 => mutator.change_digits(&good),
            _ => mutator.restructure(&good),
        };
        opened += usize::from(Document::from_bytes(broken.as_slice(), None, &options()).is_ok());
        job(&broken);
    }
    println!("{opened} of {} broken copies were opened", Mutator::rounds(COPIES));
    assert!(opened > COPIES as usize / 4, "{opened} were opened");
}

#[test]
fn broken_files_are_packed_or_refused() {
    feed(21, pack);
}

#[test]
fn broken_files_are_compared_or_refused() {
    feed(22, diff);
}

#[test]
fn clips_of_broken_files_are_built_or_refused() {
    feed(23, build_clip);
}

#[test]
fn broken_files_become_draco_streams_or_are_refused() {
    feed(24, compress);
}

#[test]
fn rotations_of_broken_files_are_converted_or_refused() {
    feed(25, rotation);
}
