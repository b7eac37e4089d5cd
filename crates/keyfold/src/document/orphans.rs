//! What a document leaves behind that is replaced: files that have their name from it go, unless another document may
//! refer to them.
//!
//! Nobody can look everywhere. Looked at is where documents name each other's files: the folder with all below it,
//! and the folders above it. What cannot be parsed may refer to whatever its text has in it. Whenever in doubt, a
//! file stays: that costs room, and nothing else.

use super::{
    Document, OpenOptions, glb,
    path::{folder_of, real_path},
};
use percent_encoding::percent_decode;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// So many files, and so many bytes of their JSON, are looked at. Where there are more, nothing is removed.
const LOOKED_AT: (usize, u64) = (1000, 1 << 26);

/// So many folders above a document are looked at.
const ABOVE: usize = 4;

/// How names of documents end. In the folders above, no other file is opened.
const NAMES: [&str; 4] = ["gltf", "glb", "vrm", "vrma"];

/// Removes files that a document no longer refers to, unless another document may.
pub(super) fn remove_orphans(target: &Path, orphans: &[PathBuf]) {
    if orphans.is_empty() {
        return;
    }
    let Some(others) = others(target) else { return };
    for orphan in orphans.iter().filter(|orphan| !others.iter().any(|other| other.may_mean(orphan))) {
        // What cannot be removed does no harm.
        let _ = fs::remove_file(orphan);
    }
}

/// A document near the one that is replaced.
struct Other {
    json: Vec<u8>,
    folder: PathBuf,
}

impl Other {
    fn may_mean(&self, orphan: &Path) -> bool {
        let document = Document::from_bytes(self.json.as_slice(), Some(self.folder.clone()), &OpenOptions::default());
        document.map_or_else(|_| self.may_spell(orphan), |document| document.files().contains(orphan))
    }

    /// Whether the name of a file is in the text, in whatever encoding: letters of ASCII stand behind each other in
    /// all of them.
    fn may_spell(&self, orphan: &Path) -> bool {
        let name = orphan.file_name().and_then(|name| name.to_str()).filter(|name| name.is_ascii());
        let Some(name) = name.filter(|name| !name.is_empty()) else { return true };
        let text: Vec<u8> = self.json.iter().copied().filter(|byte| *byte != 0).collect();
        let text: Vec<u8> = percent_decode(&text).collect();
        text.windows(name.len()).any(|piece| piece == name.as_bytes())
    }
}

/// All other documents near a document; `None` if it would take long to find them.
fn others(target: &Path) -> Option<Vec<Other>> {
    let (own, folder) = (real_path(target), real_path(folder_of(target)));
    let (mut found, mut left) = (Vec::new(), LOOKED_AT.1);
    let mut look = |path: PathBuf| {
        if real_path(&path) != own
            && let Some(json) = json_of(&path, left)?
        {
            left -= json.len() as u64;
            found.push(Other { json, folder: folder_of(&path).to_path_buf() });
        }
        Some(())
    };
    let (mut folders, mut count) = (vec![folder.clone()], 0);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).ok()? {
            let path = entry.ok()?.path();
            count += 1;
            if count > LOOKED_AT.0 {
                return None;
            }
            match fs::symlink_metadata(&path).ok()?.is_dir() {
                true => folders.push(path),
                false if path.is_file() => look(path)?,
                false => {}
            }
        }
    }
    for above in folder.ancestors().skip(1).take(ABOVE) {
        // Whoever may not look there has no documents there.
        let paths = fs::read_dir(above).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        paths.filter(|path| is_named_so(path) && path.is_file()).take(LOOKED_AT.0).try_for_each(&mut look)?;
    }
    Some(found)
}

fn is_named_so(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    NAMES.iter().any(|name| extension.eq_ignore_ascii_case(name))
}

/// The JSON of a file, or nothing where it neither is called nor begins like a document; `None` if it is longer than
/// it may be, or cannot be read.
fn json_of(path: &Path, most: u64) -> Option<Option<Vec<u8>>> {
    use std::io::Read;
    let mut file = fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(GLB_HEAD).read_to_end(&mut bytes).ok()?;
    let length = match *bytes.as_slice() {
        [_, _, _, _, _, _, _, _, _, _, _, _, a, b, c, d, ..] if glb::is_glb(&bytes) => {
            bytes.clear();
            u64::from(u32::from_le_bytes([a, b, c, d]))
        }
        [b'{' | b' ' | b'\t' | b'\r' | b'\n' | 0xEF, ..] => file.metadata().ok()?.len(),
        _ if is_named_so(path) => file.metadata().ok()?.len(),
        _ => return Some(None),
    };
    file.take(length.min(most + 1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(Some(bytes))
}

/// A GLB's header, and that of the chunk that its JSON is.
const GLB_HEAD: u64 = 20;
