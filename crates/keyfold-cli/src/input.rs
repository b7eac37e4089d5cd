//! Opening what the command line names: a file, or `-` for standard input.

use crate::limits::LimitArgs;
use anyhow::{Context, Result, bail, ensure};
use keyfold::{Document, OpenOptions, document::real_path};
use std::{
    collections::BTreeMap,
    io::Read,
    path::{Path, PathBuf},
};

/// How documents are read, for every command that reads one.
#[derive(clap::Args, Clone, Default)]
pub(crate) struct ReadArgs {
    /// Read the file as a loader without this extension would (refused if the file requires it)
    #[arg(long, value_name = "NAME")]
    pub(crate) ignore_extension: Vec<String>,
    /// Follow URIs of buffers and images that are absolute or lead out of the file's folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// The option, for the program as a whole.
pub(crate) fn allow_outside() -> clap::Arg {
    let what = "Follow URIs of buffers and images that are absolute or lead out of the file's folder";
    clap::Arg::new("allow_outside")
        .long("allow-outside")
        .action(clap::ArgAction::SetTrue)
        .help(what)
        .display_order(crate::LAST)
}

impl ReadArgs {
    /// Opens a document and tells how many bytes it takes, with the buffers beside it.
    pub(crate) fn open(&self, path: &Path) -> Result<(Document, u64)> {
        let (bytes, folder) = self.bytes(path)?;
        let length = bytes.len() as u64;
        let document = self.document(path, bytes, folder)?;
        let length = length + document.bytes_apart();
        Ok((document, length))
    }

    /// The document that a file's bytes are.
    pub(crate) fn document(&self, path: &Path, bytes: Vec<u8>, folder: Option<PathBuf>) -> Result<Document> {
        let document = Document::from_bytes(bytes, folder, &self.options());
        let document = document.with_context(|| format!("cannot read {}", name(path)))?;
        Ok(if is_stream(path) { document } else { document.with_path(path.to_path_buf()) })
    }

    /// A file's bytes, and the folder where its relative URIs start.
    pub(crate) fn bytes(&self, path: &Path) -> Result<(Vec<u8>, Option<PathBuf>)> {
        let limit = self.options().limits.file_bytes;
        let read = || -> Result<Vec<u8>> {
            let mut bytes = Vec::new();
            match is_stream(path) {
                true => std::io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes)?,
                false => {
                    let file = std::fs::File::open(path)?;
                    // The length is a hint only: a pipe has none.
                    bytes.reserve_exact(file.metadata()?.len().min(limit) as usize);
                    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?
                }
            };
            match bytes.len() as u64 > limit {
                true => Err(keyfold::Error::limit("", format!("it has more than the {limit} bytes that are allowed")))?,
                false => Ok(bytes),
            }
        };
        let folder =
            if is_stream(path) { PathBuf::new() } else { path.parent().unwrap_or(Path::new("")).to_path_buf() };
        Ok((read().with_context(|| format!("cannot read {}", name(path)))?, Some(folder)))
    }

    /// How documents are opened.
    pub(crate) fn options(&self) -> OpenOptions {
        OpenOptions {
            limits: self.limits.limits(),
            ignore: self.ignore_extension.clone(),
            allow_outside: self.allow_outside,
            ..OpenOptions::default()
        }
    }
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether two paths are one file, however they are spelled: `./a.glb`, `a.glb` or a link to it. (A hard link is a file of its own:
/// what is written takes its name, and leaves the others.)
pub(crate) fn same_file(a: &Path, b: &Path) -> bool {
    real_path(a) == real_path(b)
}

/// Whether every input has a place of its own to go to, and none is an original's, however the two are spelled.
pub(crate) fn check_targets<'a>(pairs: impl Iterator<Item = (&'a Path, &'a Path)> + Clone) -> Result<()> {
    let inputs = pairs.clone().map(|(input, _)| input).filter(|i| !is_stream(i));
    let originals: BTreeMap<PathBuf, &Path> = inputs.map(|input| (real_path(input), input)).collect();
    let mut taken = BTreeMap::new();
    for (input, output) in pairs.filter(|(_, output)| !is_stream(output)) {
        if is_stream(input) && is_standard_input(output) {
            bail!("standard input is read from {}, which would be overwritten", output.display());
        }
        let free = is_called(output, &DOCUMENTS) || may_replace(output, is_document);
        ensure!(free, "{} is no glTF file, and would be overwritten", output.display());
        let place = real_path(output);
        if let Some(original) = originals.get(&place) {
            let original = if *original == input { "itself".into() } else { name(original) };
            bail!("{} would overwrite {original}: name another place, or give --in-place", name(input));
        }
        if let Some(other) = taken.insert(place, input) {
            bail!("{} and {} would both be written to {}", name(other), name(input), output.display());
        }
    }
    Ok(())
}

/// How the names of documents end.
pub(crate) const DOCUMENTS: [&str; 4] = ["gltf", "glb", "vrm", "vrma"];

/// Whether a file's name ends in one of these ways.
pub(crate) fn is_called(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    endings.contains(&ending.as_str())
}

/// Whether something may take a place: nothing is there, or a file of its kind by how it begins. Whatever else is there is wanted: it may be
/// an image or a buffer of one of many files.
pub(crate) fn may_replace(place: &Path, is_kind: impl Fn(&[u8]) -> bool) -> bool {
    let mut start = Vec::new();
    let mut read = || std::fs::File::open(place)?.take(START).read_to_end(&mut start);
    !place.is_file() || (read().is_ok() && (start.is_empty() || is_kind(&start)))
}

/// So many bytes tell what a file is.
const START: u64 = 256;

/// Whether a document may begin so: a GLB, or an object of JSON.
fn is_document(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    start.starts_with(b"glTF") || text.is_empty() || text.starts_with(b"{")
}

/// Whether standard input is read from the file that a path leads to.
#[cfg(unix)]
fn is_standard_input(path: &Path) -> bool {
    use std::{fs, os::unix::fs::MetadataExt};
    let file = |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|file| (file.dev(), file.ino()));
    file(Path::new("/dev/stdin")).is_some_and(|input| file(path) == Some(input))
}

/// Elsewhere, a file that is read keeps others from taking its place.
#[cfg(not(unix))]
fn is_standard_input(_: &Path) -> bool {
    false
}

/// A path for people.
pub(crate) fn name(path: &Path) -> String {
    if is_stream(path) { "standard input".into() } else { path.display().to_string() }
}
