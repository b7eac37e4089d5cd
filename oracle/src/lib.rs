//! Differential tests against real peers: three.js, Babylon.js, gltf-validator, gltfpack, glTF-Transform.
//!
//! Peers of the JavaScript world are installed by `cargo xtask setup`. They start slowly, so every wrapper takes a whole
//! batch of files. A test whose peer or data is not there says [`skip`] and passes.

pub mod babylon;
pub mod clips;
pub mod draco;
pub mod packers;
mod peers;
mod random;
pub mod schema;
pub mod three;
pub mod validator;

use std::path::{Path, PathBuf};

pub use peers::{node_available, note, skip};
pub use random::Random;

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Whether the long tests are asked for (`cargo xtask test --full`).
pub fn is_full() -> bool {
    std::env::var_os("KEYFOLD_FULL").is_some()
}

/// The folder of specifications, sample files and peers' data that stands beside the project on some machines; `None`,
/// with a note on stderr, where it does not. Tests that need it do nothing there.
pub fn shared_dir() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found =
        here.ancestors().skip(1).map(|folder| folder.join("shared")).find(|folder| folder.join("specs").is_dir());
    if found.is_none() {
        skip("there is no folder `shared` beside the project");
    }
    found
}

/// The well-formed animated files of the shared corpus, sorted; none, with a note, where there is no corpus.
pub fn corpus_files() -> Vec<PathBuf> {
    shared_dir().map_or_else(Vec::new, |shared| {
        let corpus = shared.join("corpus");
        let is_invalid = |file: &PathBuf| file.starts_with(corpus.join("invalid"));
        gltf_files(&corpus).into_iter().filter(|file| !is_invalid(file)).collect()
    })
}

/// The project's own samples, sorted; the conformance sets, which are broken on purpose in places, apart.
pub fn sample_files() -> Vec<PathBuf> {
    let conformance = root().join("samples/conformance");
    gltf_files(&root().join("samples")).into_iter().filter(|file| !file.starts_with(&conformance)).collect()
}

/// All glTF files in a folder and its folders, sorted.
pub fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut files: Vec<PathBuf> = entries
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() { gltf_files(&path) } else { vec![path] }
        })
        .filter(|path| is_gltf(path))
        .collect();
    files.sort();
    files
}

fn is_gltf(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("gltf" | "glb" | "vrm" | "vrma"))
}
