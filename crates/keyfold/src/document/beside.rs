//! The files beside a document: new data goes under names that nothing refers to yet, and what a document leaves
//! behind that is replaced goes when the new one is in its place. Between the two, the old document is whole; after
//! them, the new one is.

use super::{
    Document, Pieces,
    path::{folder_of, holds, real_path},
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The files that will lie beside a document.
pub(super) struct Beside<'a> {
    /// Where the document itself goes.
    pub(super) target: &'a Path,
    /// What the document is read from.
    sources: BTreeSet<PathBuf>,
    /// Whether it is read from the folder that it goes to.
    at_home: bool,
    /// Whether it takes the place of the file that it is read from.
    in_place: bool,
    /// What the document refers to that is at the target now.
    replaced: BTreeSet<PathBuf>,
    files: Vec<(PathBuf, Pieces)>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(document: &Document, target: &'a Path) -> Self {
        let at_home = real_path(folder_of(target)) == real_path(&document.folder().unwrap_or_default());
        let in_place = document.path().is_some_and(|path| real_path(path) == real_path(target));
        Self { target, sources: document.files(), at_home, in_place, replaced: files_of(target), files: Vec::new() }
    }

    /// What has to be written.
    pub(super) fn files(&self) -> &[(PathBuf, Pieces)] {
        &self.files
    }

    /// The folder that the document goes to, as its target spells it.
    pub(super) fn folder(&self) -> &'a Path {
        self.target.parent().unwrap_or(Path::new(""))
    }

    /// Whether the document leaves the folder that its URIs start from.
    pub(super) fn moves(&self) -> bool {
        !self.at_home
    }

    /// Whether the document would take the place of something that it is read from.
    pub(super) fn overwrites_source(&self) -> bool {
        self.sources.contains(&real_path(self.target))
    }

    /// Gives bytes a place: the one that is wanted or, where something else is or belongs, the same with a number.
    pub(super) fn place(&mut self, wanted: &Path, bytes: &Pieces) -> PathBuf {
        let places = (0..).map(|number| numbered(wanted, number));
        let place = places.into_iter().find(|place| self.is_free(place, bytes)).expect("one number is free");
        if !self.files.iter().any(|(planned, _)| *planned == place) {
            self.files.push((place.clone(), bytes.clone()));
        }
        place
    }

    fn is_free(&self, place: &Path, bytes: &Pieces) -> bool {
        if let Some((_, planned)) = self.files.iter().find(|(planned, _)| planned == place) {
            return planned == bytes;
        }
        let real = real_path(place);
        let meant = || self.sources.contains(&real) || self.replaced.contains(&real);
        real != real_path(self.target) && if place.exists() { holds(place, bytes) } else { !meant() }
    }

    /// What has to be written, and what nothing will refer to any more once it is: `kept` are the files that the new
    /// document refers to.
    pub(super) fn finish(self, kept: &BTreeSet<PathBuf>) -> (Vec<(PathBuf, Pieces)>, Vec<PathBuf>) {
        let stem = self.target.file_stem().unwrap_or_default().to_string_lossy();
        let folder = real_path(folder_of(self.target));
        // Only what has its name from this document.
        let is_named_for = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let rest = name.strip_prefix(&*stem).and_then(|rest| rest.strip_suffix(".bin"));
            path.parent() == Some(&folder) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        // What the document is read from goes with it only where that is the one that is replaced.
        let is_read = |path: &PathBuf| !self.in_place && self.sources.contains(path);
        let is_orphan = |path: &&PathBuf| !kept.contains(*path) && is_named_for(path) && !is_read(path);
        let orphans = self.replaced.iter().filter(is_orphan).cloned().collect();
        (self.files, orphans)
    }
}

/// `walk.bin`, `walk.1.bin`, `walk.2.bin`, ...
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_path_buf();
    }
    let mut name = path.file_stem().unwrap_or_default().to_os_string();
    name.push(format!(".{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The files that the document at a path refers to.
#[cfg(feature = "fs")]
fn files_of(path: &Path) -> BTreeSet<PathBuf> {
    let document = path.is_file().then(|| Document::open(path).ok()).flatten();
    document.map(|document| document.files()).unwrap_or_default()
}

#[cfg(not(feature = "fs"))]
fn files_of(_: &Path) -> BTreeSet<PathBuf> {
    BTreeSet::new()
}
