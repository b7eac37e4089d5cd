//! Broken copies of the conformance files of EXT_animation_quantization.

use keyfold_fuzz::{Mutator, quantization};
use std::path::{Path, PathBuf};

const MUTANTS: usize = 12;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/conformance/quantization");
    let inside = |folder: &Path| std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    let mut files = [inside(&folder), inside(&folder.join("broken"))].concat();
    files.retain(|f| f.extension().is_some_and(|e| e == "gltf"));
    files.sort();
    files
}

#[test]
fn broken_copies_of_the_conformance_set_are_read_or_refused() {
    let files = files();
    assert!(files.len() > 90, "{} files", files.len());
    for (seed, file) in files.iter().enumerate() {
        let data = std::fs::read(file).unwrap();
        let mut mutator = Mutator::new(seed as u64);
        quantization(&data);
        for round in 0..MUTANTS {
            quantization(&match round % 4 {
                0 => mutator.mutate(&data),
                1 => mutator.restructure(&data),
                _ => mutator.change_digits(&data),
            });
        }
    }
    println!("{} files, {} broken copies", files.len(), files.len() * MUTANTS);
}
