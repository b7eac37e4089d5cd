//! Looking at paths: which place they mean, and what is there.

use super::Pieces;
use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

/// A path that all spellings of the same place share, links followed, whether it exists or not.
pub fn real_path(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(path), _, _) => path,
        (Err(_), Some(parent), Some(name)) => real_path(parent).join(name),
        _ => path.to_path_buf(),
    }
}

/// How many links may follow each other.
const LINKS: usize = 40;

/// The place that a path means: where it is a link, the file behind it is what is replaced, whether that is there or
/// not. A link to what is no file (`/dev/stdout`) leads nowhere else.
pub(super) fn behind_links(path: &Path) -> PathBuf {
    let mut place = path.to_path_buf();
    for _ in 0..if is_stream(path) { 0 } else { LINKS } {
        let Ok(next) = std::fs::read_link(&place) else { break };
        place = folder_of(&place).join(next);
    }
    place
}

/// The folder that a file lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether a path names what is no ordinary file and can only be written to: a pipe, a device.
pub(super) fn is_stream(path: &Path) -> bool {
    path.exists() && !path.is_file()
}

/// So many bytes of a file are looked at at once.
const LOOK: usize = 1 << 16;

/// Whether a file has these very bytes.
pub(super) fn holds(path: &Path, bytes: &Pieces) -> bool {
    let length = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len());
    length == Some(bytes.len() as u64) && File::open(path).is_ok_and(|file| begins(file, bytes).unwrap_or(false))
}

/// Whether a file begins with bytes. They are compared as they come: a file may be long.
fn begins(mut file: File, bytes: &Pieces) -> io::Result<bool> {
    let mut there = vec![0; LOOK];
    for expected in bytes.iter().flat_map(|piece| piece.chunks(LOOK)) {
        file.read_exact(&mut there[..expected.len()])?;
        if there[..expected.len()] != *expected {
            return Ok(false);
        }
    }
    Ok(true)
}
