//! Atomic file writes: a file is written beside its destination under a temporary name, then renamed.
//!
//! A killed run leaves such a file behind. The writer holds a lock on it, so a later run can recognize abandoned
//! files and removes them from the folders that it writes to.

use super::{
    Pieces,
    path::{behind_links, folder_of, holds, is_stream, real_path},
};
use crate::{Error, Result};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use tempfile::NamedTempFile;

/// What the names of unfinished files begin and end with.
const UNFINISHED: (&str, &str) = (".keyfold-", ".tmp");

/// Writes a file atomically: beside its destination first, then renamed. Special files (a pipe, a device) are written
/// directly.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_pieces(path, [bytes])
}

/// The same from pieces.
pub(super) fn write_pieces<'a>(path: &Path, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
    if is_stream(path) {
        let io = |e| Error::io(path, e);
        let mut file = File::create(path).map_err(io)?;
        return pieces.into_iter().try_for_each(|piece| file.write_all(piece)).map_err(io);
    }
    Unfinished::new(&behind_links(path), pieces)?.replace()
}

/// A file with all its bytes, and not yet its name.
pub(super) struct Unfinished {
    file: NamedTempFile,
    place: PathBuf,
}

impl Unfinished {
    /// Writes pieces beside a place, one behind the other.
    pub(super) fn new<'a>(place: &Path, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Self> {
        let io = |e| Error::io(place, e);
        // Nothing can take the place of a folder.
        if place.is_dir() {
            return Err(io(ErrorKind::IsADirectory.into()));
        }
        let mut file = unfinished(place).map_err(io)?;
        pieces.into_iter().try_for_each(|piece| file.write_all(piece)).map_err(io)?;
        Ok(Self { file, place: place.to_path_buf() })
    }

    /// Takes the name, whoever has it.
    pub(super) fn replace(self) -> Result<()> {
        let io = |e| Error::io(&self.place, e);
        // What is replaced was perhaps not for everybody's eyes.
        if let Ok(there) = fs::metadata(&self.place) {
            self.file.as_file().set_permissions(there.permissions()).map_err(io)?;
        }
        self.file.persist(&self.place).map_err(|e| io(e.error))?;
        Ok(())
    }

    /// Takes the name, unless somebody has it: then the very bytes have to be there.
    pub(super) fn add(self, bytes: &Pieces) -> Result<()> {
        let taken = self.file.persist_noclobber(&self.place).map(drop).or_else(|refused| match refused.error.kind() {
            // No hard links: WASI in Node.js, FAT.
            ErrorKind::Unsupported | ErrorKind::PermissionDenied => reserve_and_replace(refused.file, &self.place),
            _ => Err(refused.error),
        });
        match taken {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && holds(&self.place, bytes) => Ok(()),
            taken => taken.map_err(|error| Error::io(&self.place, error)),
        }
    }
}

/// Takes a name that nobody has, in two steps: an empty file of that name first, which fails if there is one.
fn reserve_and_replace(file: NamedTempFile, place: &Path) -> io::Result<()> {
    File::options().write(true).create_new(true).open(place)?;
    file.persist(place).map(drop).map_err(|refused| {
        // The name was ours alone: nothing is lost with it.
        let _ = fs::remove_file(place);
        refused.error
    })
}

/// A file beside a place, on the same file system. Its lock says that somebody is at it; where there are no locks,
/// nobody sweeps.
fn unfinished(place: &Path) -> io::Result<NamedTempFile> {
    let folder = folder_of(place);
    fs::create_dir_all(folder)?;
    sweep(folder);
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let file = builder.tempfile_in(folder)?;
        // Between its making and its lock, a sweep may have taken it for a dead one.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

/// Removes what killed runs have left in a folder, once for each folder.
fn sweep(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(real_path(folder)) {
        return;
    }
    // What cannot be removed does no harm.
    for path in fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ours = name.starts_with(UNFINISHED.0) && name.ends_with(UNFINISHED.1);
        let file = if ours && path.is_file() { File::options().write(true).open(&path).ok() } else { None };
        if file.is_some_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_hard_links_a_name_that_is_taken_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("a.bin");
        for (bytes, taken) in [(&b"first"[..], false), (b"second", true)] {
            let file = Unfinished::new(&place, [bytes]).unwrap().file;
            let error = reserve_and_replace(file, &place).err().map(|error| error.kind());
            assert_eq!(error, taken.then_some(ErrorKind::AlreadyExists));
        }
        assert_eq!(fs::read(&place).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["a.bin"]);
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join(".keyfold-dead.tmp"), "half").unwrap();
        fs::write(folder.join(".keyfold-pack.jsonl"), "").unwrap();
        let alive = File::create(folder.join(".keyfold-alive.tmp")).unwrap();
        alive.lock().unwrap();
        write_file(&folder.join("a.bin"), b"whole").unwrap();
        assert_eq!(names(folder), [".keyfold-alive.tmp", ".keyfold-pack.jsonl", "a.bin"]);
    }

    #[test]
    fn a_file_that_is_there_is_never_written_over_by_a_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        let add = |bytes: &[u8]| Unfinished::new(&path, [bytes]).unwrap().add(&bytes.into());
        add(b"one").unwrap();
        add(b"one").unwrap();
        assert!(add(b"two").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["a.bin"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_also_to_what_is_not_there_yet_and_modes_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (link, real) = (folder.path().join("link"), folder.path().join("deep/real.bin"));
        symlink("deep/real.bin", &link).unwrap();
        write_file(&link, b"one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
        write_file(&link, b"two").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"two");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
