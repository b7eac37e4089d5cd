//! Differential tests against real peers.

pub mod draco;

use std::path::{Path, PathBuf};

/// The folder of specifications, sample files and peers' data that stands beside the project on some machines; `None`,
/// with a note on stderr, where it does not. Tests that need it do nothing there.
pub fn shared_dir() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found =
        here.ancestors().skip(1).map(|folder| folder.join("shared")).find(|folder| folder.join("specs").is_dir());
    if found.is_none() {
        eprintln!("skipped: there is no folder `shared` beside the project");
    }
    found
}
