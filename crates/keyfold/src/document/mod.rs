//! A glTF file in memory: the JSON exactly as read, and buffers that are loaded when needed.
//!
//! | file | what it is |
//! |---|---|
//! | `content`, `outline` | the JSON in two forms: values to change and write, and an outline to look at |
//! | `spelling` | changed values as text that spells what stayed the same as it was |
//! | `guard` | buffers that loaders refuse which do not know what the file requires |
//! | `json`, `place` | typed looks into the outline, each with its place |
//! | `glb`, `uri` | the binary container; data URIs and file names |
//! | `known` | what was found out about the document, once |
//! | `resolver` | bytes that the document names and does not hold: which addresses are followed, and who answers for them |
//! | `buffers` | buffers and buffer views as bytes, loaded or decompressed once, when first asked for |
//! | `pieces` | bytes in pieces that documents share, as long as nobody changes them |
//! | `accessor`, `runs` | elements of accessors: every component type and shape, sparse, strided; the runs of elements that they come from |
//! | `edit`, `prune`, `mentions` | a changed copy: new accessors, and what nobody refers to any more removed; what unknown extensions may mean |
//! | `save`, `layout`, `beside` | writing as `.gltf` or `.glb`; what goes into which file, and what those are called |
//! | `draft`, `file`, `path` | what will be written, opened again before it is; whole files or nothing; places |
//! | `orphans` | what a replaced document leaves behind, and who else may mean it |
//!
//! What Keyfold does not change is written as it was read: unknown members, their order, numbers, chunks.

mod accessor;
mod beside;
mod buffers;
mod content;
mod dead_bytes;
mod draft;
mod edit;
#[cfg(feature = "fs")]
mod file;
pub(crate) mod glb;
mod guard;
pub mod json;
mod known;
mod layout;
mod mentions;
#[cfg(feature = "fs")]
mod orphans;
mod outline;
mod path;
mod pieces;
mod place;
mod prune;
mod resolver;
mod runs;
mod save;
mod spelling;
pub(crate) mod uri;

pub use accessor::{Accessor, ComponentType, Elements, Shape};
pub use buffers::Bytes;
pub(crate) use buffers::slice_of;
pub use draft::Draft;
pub use edit::Edit;
#[cfg(feature = "fs")]
pub use file::write_file;
pub(crate) use guard::is_guarded;
pub use json::{JsonRef, List, Object};
pub(crate) use mentions::Mentions;
pub use path::real_path;
pub use pieces::Pieces;
pub use resolver::Resolver;
pub(crate) use runs::{Part, Run};
pub use save::Container;

use crate::{
    Error, Limits, Result,
    extensions::{self, Extension},
    limits::Account,
    object_model::Registry,
};
use buffers::Buffers;
use content::Content;
use known::Known;
use serde_json::Value;
#[cfg(feature = "fs")]
use std::path::Path;
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

/// Options for opening a document.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// Limits of memory and work.
    pub limits: Limits,
    /// Extensions to treat as unknown: refused if the file requires them, ignored otherwise.
    pub ignore: Vec<String>,
    /// The properties that animation pointers may address: the standard registry, or one with additional rows.
    pub registry: Option<Arc<Registry>>,
    /// Resolves URIs of buffers and images instead of the file system.
    pub resolver: Option<Arc<dyn Resolver>>,
    /// Whether to follow URIs that are absolute or lead out of the document's folder.
    pub allow_outside: bool,
}

/// A glTF file: its JSON as read, and its buffers.
///
/// ```no_run
/// # fn main() -> keyfold::Result<()> {
/// let document = keyfold::Document::open("walk.glb")?;
/// println!("{} animations", document.root().array("animations")?.len());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Document {
    content: Content,
    container: Container,
    /// What it was read from, as long as nothing changed.
    source: Option<Pieces>,
    /// The addresses that it was read from, where it was changed since: it may name fewer now.
    named: Option<Arc<[String]>>,
    others: Vec<glb::Chunk>,
    buffers: Buffers,
    options: OpenOptions,
    /// The file that it was read from, where it was read from one.
    path: Option<PathBuf>,
    /// What it holds of its budget.
    account: Account,
    /// Accessors whose values an extension provides in place of the accessor's own bytes.
    provided: OnceLock<BTreeMap<usize, Result<Arc<[f32]>>>>,
    /// What was found out about it.
    pub(crate) known: Known,
    /// The extensions of ours that the file uses.
    used: OnceLock<Vec<&'static Extension>>,
}

impl Document {
    /// Opens a `.gltf` or `.glb` file, recognized by content, with default options.
    #[cfg(feature = "fs")]
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, &OpenOptions::default())
    }

    /// Opens a `.gltf` or `.glb` file.
    #[cfg(feature = "fs")]
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self> {
        let path = path.as_ref();
        let bytes = buffers::read_file(path, options.limits.file_bytes)?;
        let document = Self::from_bytes(bytes, path.parent().map(Path::to_path_buf), options)?;
        Ok(document.with_path(path.to_path_buf()))
    }

    /// Reads a document from memory; relative URIs start at `folder`. The bytes are kept as they are: the JSON's
    /// strings and the container's buffer are slices of them.
    pub fn from_bytes(bytes: impl Into<Bytes>, folder: Option<PathBuf>, options: &OpenOptions) -> Result<Self> {
        Self::from_pieces(&bytes.into().into(), folder, options)
    }

    /// The same from bytes in pieces: the container's buffer stays in them.
    fn from_pieces(file: &Pieces, folder: Option<PathBuf>, options: &OpenOptions) -> Result<Self> {
        let account = Account::new(options.limits, file.len());
        if file.slice(0..4).is_some_and(|start| glb::is_glb(&start.joined())) {
            let glb::Parts { length, json, bin, others } = glb::parse(file)?;
            let document = Self::from_parts(json.joined(), bin, others, Container::Glb, folder, options, account)?;
            return Ok(Self { source: file.slice(0..length), ..document });
        }
        let text = file.joined();
        let mark = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let text = text.slice(mark..text.len()).unwrap_or_default();
        if text.is_empty() {
            return Err(Error::malformed("", "the file is empty"));
        }
        if text.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| *byte != b'{') {
            let what = "the file is no glTF: it begins neither as a GLB (`glTF`) nor as JSON (`{`)";
            return Err(Error::malformed("", what));
        }
        let pretty = text.iter().take(4096).any(|b| *b == b'\n');
        let container = Container::Gltf { pretty };
        let document = Self::from_parts(text.clone(), None, Vec::new(), container, folder, options, account)?;
        Ok(Self { source: Some(text.into()), ..document })
    }

    /// Puts a document together from the pieces of its container.
    pub(crate) fn from_parts(
        json: Bytes,
        bin: Option<Pieces>,
        others: Vec<glb::Chunk>,
        container: Container,
        folder: Option<PathBuf>,
        options: &OpenOptions,
        account: Account,
    ) -> Result<Self> {
        let content = Content::of_text(json, &account)?;
        let buffers = Buffers::new(count(&content, "buffers"), bin, folder);
        let document = Self {
            content,
            container,
            source: None,
            named: None,
            others,
            buffers,
            options: options.clone(),
            path: None,
            account,
            provided: OnceLock::new(),
            known: Known::default(),
            used: OnceLock::new(),
        };
        document.check_ignored()?;
        Ok(document)
    }

    fn check_ignored(&self) -> Result<()> {
        match self.options.ignore.iter().find(|name| self.lists("extensionsRequired", name)) {
            Some(name) => {
                Err(Error::Unsupported { extension: name.clone(), what: "is required by the file, and ignored".into() })
            }
            None => Ok(()),
        }
    }

    /// The same document as read by a loader that does not know an extension; an error if the file requires it.
    pub fn ignoring(&self, extension: &str) -> Result<Self> {
        let mut document = self.edit().finish()?;
        document.options.ignore.push(extension.to_owned());
        (document.used, document.known) = (OnceLock::new(), Known::default());
        document.check_ignored()?;
        Ok(document)
    }

    /// The JSON as read. It stays in memory as long as the document does.
    pub fn json(&self) -> &Value {
        self.content.value()
    }

    /// A copy of the JSON, for whoever needs it for a while.
    pub(crate) fn to_json(&self) -> Value {
        self.content.to_value()
    }

    /// The JSON's root object.
    pub fn root(&self) -> Object<'_> {
        Object::root(self.content.outline()).expect("checked when the document was read")
    }

    /// The element of a top-level array: `document.element("nodes", 3)`.
    pub fn element(&self, collection: &str, index: usize) -> Result<Object<'_>> {
        let missing = || Error::malformed(format!("/{collection}/{index}"), "does not exist");
        self.root().element(collection, index)?.ok_or_else(missing)
    }

    /// The number of elements of a top-level array; 0 if it is absent or not an array.
    pub fn count(&self, collection: &str) -> usize {
        count(&self.content, collection)
    }

    /// Whether it was read from a binary or a text file.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The bytes that it was read from, if nothing has changed; without bytes that do not belong to it (a byte-order
    /// mark, bytes beyond a GLB's length).
    pub fn source(&self) -> Option<&Pieces> {
        self.source.as_ref()
    }

    /// The properties that animation pointers may address.
    pub fn registry(&self) -> &Registry {
        self.options.registry.as_deref().unwrap_or_else(|| Registry::standard())
    }

    /// The folder where relative URIs start; `None` if the document does not come from a file.
    pub fn folder(&self) -> Option<PathBuf> {
        self.buffers.folder.clone()
    }

    /// The same document, marked as read from a file: files that only it refers to may be removed when it is
    /// replaced.
    pub fn with_path(self, path: PathBuf) -> Self {
        Self { path: Some(path), ..self }
    }

    /// The file that it was read from, or that the document was that it was made from; `None` if that came from
    /// memory.
    pub(crate) fn path(&self) -> Option<&std::path::Path> {
        self.path.as_deref()
    }

    /// How it was opened.
    pub(crate) fn options(&self) -> &OpenOptions {
        &self.options
    }

    /// Limits of memory and work.
    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// Charges work for this document, in steps of a few nanoseconds; an error if the limits leave less. `at` is the
    /// place that causes the work.
    pub fn pay_work(&self, steps: u64, at: impl FnOnce() -> String) -> Result<()> {
        self.account.work(steps, at)
    }

    /// Checks that memory may be used temporarily for this document; an error if the limits leave less.
    pub fn check_memory(&self, bytes: usize, at: impl FnOnce() -> String) -> Result<()> {
        self.account.afford(bytes, at)
    }

    /// What it holds of the budget that it shares with the documents that it comes from.
    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    /// Whether the file declares that it uses an extension (and the extension is not ignored).
    pub fn uses(&self, extension: &str) -> bool {
        self.lists("extensionsUsed", extension) && !self.ignores(extension)
    }

    /// Whether the file requires an extension.
    pub fn requires(&self, extension: &str) -> bool {
        self.lists("extensionsRequired", extension)
    }

    /// Whether an extension is treated as unknown.
    pub fn ignores(&self, extension: &str) -> bool {
        self.options.ignore.iter().any(|name| name == extension)
    }

    fn lists(&self, list: &str, extension: &str) -> bool {
        let list = self.root().get(list).and_then(JsonRef::as_array);
        list.is_some_and(|names| names.iter().any(|n| n.as_str() == Some(extension)))
    }

    /// The extensions of ours that the file uses, in the order of their list.
    pub(crate) fn used(&self) -> &[&'static Extension] {
        self.used.get_or_init(|| extensions::ALL.iter().filter(|extension| self.uses(extension.name)).collect())
    }

    /// The bytes of a buffer, loaded on first use. They may be longer than its `byteLength`.
    pub fn buffer(&self, index: usize) -> Result<Bytes> {
        Ok(self.buffers.load(self, index)?.joined())
    }

    /// The bytes of a buffer view, decompressed if an extension compresses it.
    pub fn view(&self, index: usize) -> Result<Bytes> {
        Ok(self.buffers.view(self, index)?.joined())
    }

    /// Values that an extension provides for an accessor in place of the accessor's own bytes.
    pub(crate) fn provided(&self, accessor: usize) -> Option<Result<Arc<[f32]>>> {
        self.provided.get_or_init(|| extensions::provide(self)).get(&accessor).cloned()
    }
}

fn count(content: &Content, collection: &str) -> usize {
    JsonRef::root(content.outline()).get(collection).and_then(JsonRef::as_array).map_or(0, List::len)
}

#[cfg(test)]
mod tests;
