//! Broken copies of real files through everything that reads documents.

use keyfold::{Document, OpenOptions};
use keyfold_fuzz::{Mutator, document, play};
use keyfold_oracle::{corpus_files, sample_files};
use std::path::PathBuf;

const FILES: usize = 20;
const MUTANTS: usize = 200;

/// The smaller files: 200 copies of each have to be read in a short time.
fn files() -> Vec<PathBuf> {
    let mut files = corpus_files();
    files.sort_by_key(|file| std::fs::metadata(file).map_or(u64::MAX, |m| m.len()));
    files.truncate(FILES);
    files.extend(sample_files());
    files
}

#[test]
fn broken_copies_of_real_files_are_read_or_refused() {
    let files = files();
    let (mut opened, mut refused) = (0, 0);
    for (seed, file) in files.iter().enumerate() {
        let data = std::fs::read(file).unwrap();
        let folder = file.parent().map(PathBuf::from);
        let mut mutator = Mutator::new(seed as u64);
        for round in 0..MUTANTS {
            let broken = match round % 3 {
                0 => mutator.mutate(&data),
                1 => mutator.change_digits(&data),
                _ => mutator.restructure(&data),
            };
            match Document::from_bytes(&broken, folder.clone(), &OpenOptions::default()) {
                Ok(document) => {
                    opened += 1;
                    play(&document);
                }
                Err(_) => refused += 1,
            }
        }
    }
    println!("{} files, {} broken copies: {opened} opened, {refused} refused", files.len(), opened + refused);
    println!("largest memory of this process: {} KiB", peak_kib().map_or("unknown".into(), |k| k.to_string()));
    assert!(opened > 0 && refused > 0, "the copies are not broken enough, or too much");
    assert!(peak_kib().is_none_or(|kib| kib < 1 << 20), "over 1 GiB");
}

#[test]
fn random_bytes_are_refused() {
    let mut random = Mutator::new(7);
    for length in 0..500 {
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        let opened = Document::from_bytes(bytes.as_slice(), None, &OpenOptions::default());
        assert!(opened.is_err(), "{bytes:?} was taken for a document");
        document(&bytes);
    }
}

/// What this process had in memory at most, where the system tells.
fn peak_kib() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|l| l.strip_prefix("VmHWM:")).and_then(|l| l.trim().trim_end_matches(" kB").parse().ok())
}
