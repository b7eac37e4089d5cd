//! Broken copies of real files through the validator.

use keyfold_fuzz::{Mutator, validate};
use keyfold_oracle::{corpus_files, gltf_files, root, sample_files};

const FILES: usize = 12;
const MUTANTS: usize = 60;

#[test]
fn broken_copies_are_validated_and_fixed_without_a_panic() {
    let mut files = corpus_files();
    files.sort_by_key(|file| std::fs::metadata(file).map_or(u64::MAX, |m| m.len()));
    files.truncate(FILES);
    files.extend(sample_files());
    files.extend(gltf_files(&root().join("samples/conformance/draco")));
    for (seed, file) in files.iter().enumerate() {
        let data = std::fs::read(file).unwrap();
        let mut mutator = Mutator::new(seed as u64);
        for round in 0..MUTANTS {
            validate(&match round % 3 {
                0 => mutator.mutate(&data),
                1 => mutator.change_digits(&data),
                _ => mutator.restructure(&data),
            });
        }
    }
    assert!(!files.is_empty());
}
