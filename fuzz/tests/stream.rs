//! The stream decoder on mutated streams: the golden ones, and those of documents.

use keyfold_fuzz::{Mutator, stream};
use std::path::Path;

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/conformance/stream/golden");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let streams = files.iter().filter(|file| file.extension().is_some_and(|e| e == "kfs"));
    let seeds: Vec<Vec<u8>> = streams.map(|file| std::fs::read(file).unwrap()).collect();
    assert!(seeds.len() > 8);
    seeds
}

#[test]
fn seeds_decode() {
    seeds().iter().for_each(|seed| stream(seed));
}

#[test]
fn mutated_streams_never_panic() {
    Mutator::feed(1, 3_000, &seeds(), stream);
}

#[test]
fn every_beginning_of_a_stream_is_harmless() {
    Mutator::feed_beginnings(400, &seeds(), stream);
}
