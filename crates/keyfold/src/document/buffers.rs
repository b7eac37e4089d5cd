//! Buffers and buffer views as bytes: loaded or decompressed once, when first asked for, then shared.
//!
//! A file that nothing asks for is never opened: a compressed document may name a fallback that is not even there.

use super::{Document, JsonRef, List, Object, Pieces, uri};
use crate::{Error, Result, extensions};
#[cfg(feature = "fs")]
use std::path::Path;
use std::{
    ops::{Deref, Range},
    path::PathBuf,
    sync::{Arc, OnceLock},
};

/// A shared piece of a buffer: cloning costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Bytes {
    pub(crate) fn slice(&self, range: Range<usize>) -> Option<Self> {
        let start = self.range.start.checked_add(range.start)?;
        let end = self.range.start.checked_add(range.end)?;
        (start <= end && end <= self.range.end).then(|| Self { whole: self.whole.clone(), range: start..end })
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), whole: Arc::new(bytes) }
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        bytes.to_vec().into()
    }
}

impl From<&Vec<u8>> for Bytes {
    fn from(bytes: &Vec<u8>) -> Self {
        bytes.clone().into()
    }
}

impl<const N: usize> From<&[u8; N]> for Bytes {
    fn from(bytes: &[u8; N]) -> Self {
        bytes.to_vec().into()
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.whole[self.range.clone()]
    }
}

type Slot = OnceLock<Result<Pieces>>;

/// The bytes behind a document.
#[derive(Debug)]
pub(super) struct Buffers {
    slots: Vec<Slot>,
    /// Buffer views of a document that compresses some; elsewhere they are pieces of a buffer, and cost nothing to
    /// make again.
    decompressed: OnceLock<Vec<Slot>>,
    changed: Vec<bool>,
    /// By buffer, the end of the furthest piece that something means.
    reaches: OnceLock<Vec<usize>>,
    /// The first buffer's bytes where the container carries them.
    pub(super) bin: Option<Pieces>,
    /// Where relative URIs start.
    pub(super) folder: Option<PathBuf>,
}

impl Buffers {
    /// As many buffers as the document has.
    pub(super) fn new(count: usize, bin: Option<Pieces>, folder: Option<PathBuf>) -> Self {
        let (decompressed, reaches) = (OnceLock::new(), OnceLock::new());
        Self { slots: slots(count), decompressed, changed: Vec::new(), reaches, bin, folder }
    }

    /// The buffers of a changed document: new bytes where given, else what buffer `origins[i]` of this one has.
    pub(super) fn rebuilt(&self, bytes: Vec<Option<Pieces>>, origins: &[Option<usize>]) -> Self {
        let old = |origin: &Option<usize>| origin.and_then(|i| self.slots.get(i).cloned()).unwrap_or_default();
        // What an edit before this one changed is still not what the URI names.
        let inherited = |origin: &Option<usize>| origin.is_some_and(|index| self.changed(index));
        let changed = bytes.iter().zip(origins).map(|(bytes, origin)| bytes.is_some() || inherited(origin)).collect();
        let slots = bytes.into_iter().zip(origins).map(|(b, o)| b.map_or_else(|| old(o), |b| Slot::from(Ok(b))));
        // The container's own bytes belong to the first buffer, as long as that is still the same one; where there are no buffers, to nobody.
        let bin = self.bin.clone().filter(|_| origins.first() == Some(&Some(0)) || self.slots.is_empty());
        let (decompressed, reaches) = (OnceLock::new(), OnceLock::new());
        Self { slots: slots.collect(), decompressed, changed, reaches, bin, folder: self.folder.clone() }
    }

    /// Whether a buffer's bytes are no longer those that its URI names.
    pub(super) fn changed(&self, index: usize) -> bool {
        self.changed.get(index).copied().unwrap_or(false)
    }

    pub(super) fn load(&self, document: &Document, index: usize) -> Result<&Pieces> {
        let missing = || Error::malformed(format!("/buffers/{index}"), "does not exist");
        let slot = self.slots.get(index).ok_or_else(missing)?;
        slot.get_or_init(|| self.read(document, index)).as_ref().map_err(Clone::clone)
    }

    /// The same beside another document that has it: where both are the same, byte by byte, one of them is kept.
    pub(super) fn load_beside(&self, document: &Document, index: usize, other: &Pieces) -> Result<&Pieces> {
        let read = || self.read(document, index).map(|bytes| if bytes == *other { other.clone() } else { bytes });
        self.slots.get(index).map(|slot| slot.get_or_init(read));
        self.load(document, index)
    }

    fn read(&self, document: &Document, index: usize) -> Result<Pieces> {
        let buffer = document.element("buffers", index)?;
        let Some(text) = buffer.text("uri")? else { return self.without_uri(&buffer, index) };
        if uri::data_of(text).is_some() {
            // What is written in the text is paid with its letters, before it is decoded.
            document.account().hold(text.len(), || buffer.at())?;
            return document.resolve(text, &buffer.place("uri"));
        }
        // A file that is named often is still one.
        let named = |i: usize| document.element("buffers", i).ok()?.text("uri").ok()?;
        if let Some(first) = (0..index).find(|i| named(*i) == Some(text) && !self.changed(*i)) {
            return self.load(document, first).cloned();
        }
        let bytes = document.resolve(text, &buffer.place("uri"))?;
        document.account().feed(bytes.len());
        document.account().hold(bytes.len(), || buffer.at())?;
        Ok(bytes)
    }

    fn without_uri(&self, buffer: &Object<'_>, index: usize) -> Result<Pieces> {
        match &self.bin {
            Some(bin) if index == 0 => Ok(bin.clone()),
            _ => Err(Error::malformed(
                buffer.at(),
                "the buffer has neither a `uri` nor a BIN chunk: its bytes are missing",
            )),
        }
    }

    pub(super) fn view(&self, document: &Document, index: usize) -> Result<Pieces> {
        let plain = || pieces_of(document, &document.element("bufferViews", index)?);
        if !extensions::compress_views(document) {
            return plain();
        }
        let missing = || Error::malformed(format!("/bufferViews/{index}"), "does not exist");
        let slot = self.decompressed.get_or_init(|| slots(document.count("bufferViews"))).get(index);
        slot.ok_or_else(missing)?
            .get_or_init(|| match extensions::decompress_view(document, index)? {
                Some(bytes) => Ok(bytes.into()),
                None => plain(),
            })
            .clone()
    }
}

impl Document {
    /// A buffer's bytes without what only pads them: as many as its `byteLength` says. Where that says nothing, or
    /// less than something means, it is wrong, and all bytes count.
    pub(super) fn meant(&self, buffer: usize) -> Result<Pieces> {
        let bytes = self.buffers.load(self, buffer)?;
        let said = self.element("buffers", buffer)?.get("byteLength").and_then(JsonRef::as_index);
        let said = said.filter(|length| *length > 0 && *length >= self.reach(buffer)).unwrap_or(bytes.len());
        Ok(bytes.slice(0..said.min(bytes.len())).unwrap_or_default())
    }

    /// Whether a buffer can be read, with all that something means in it: only such a one is changed.
    pub(super) fn is_whole(&self, buffer: usize) -> bool {
        self.buffers.load(self, buffer).is_ok_and(|bytes| self.reach(buffer) <= bytes.len())
    }

    /// The end of the furthest piece of a buffer that a buffer view means, or what an extension puts behind one.
    fn reach(&self, buffer: usize) -> usize {
        self.buffers.reaches.get_or_init(|| reaches(self)).get(buffer).copied().unwrap_or(0)
    }
}

fn reaches(document: &Document) -> Vec<usize> {
    let mut reaches = vec![0; document.count("buffers")];
    let views = document.root().get("bufferViews").and_then(JsonRef::as_array).into_iter().flat_map(List::iter);
    let objects = views.flat_map(|view| {
        let extensions = view.get("extensions").into_iter().flat_map(|extensions| extensions.members());
        std::iter::once(view).chain(extensions.map(|(_, object)| object))
    });
    for object in objects {
        let number = |key| object.get(key).and_then(JsonRef::as_index);
        let end = number("byteLength").map(|length| number("byteOffset").unwrap_or(0).saturating_add(length));
        if let Some(reach) = number("buffer").and_then(|buffer| reaches.get_mut(buffer)) {
            *reach = end.unwrap_or(0).max(*reach);
        }
    }
    reaches
}

fn slots(count: usize) -> Vec<Slot> {
    (0..count).map(|_| Slot::new()).collect()
}

/// The bytes that `buffer`, `byteOffset` and `byteLength` of an object name: a buffer view, or an extension that
/// speaks like one.
pub(crate) fn slice_of(document: &Document, object: &Object<'_>) -> Result<Bytes> {
    Ok(pieces_of(document, object)?.joined())
}

fn pieces_of(document: &Document, object: &Object<'_>) -> Result<Pieces> {
    let bytes = document.buffers.load(document, object.required_index("buffer")?)?;
    let start = object.index("byteOffset")?.unwrap_or(0);
    let length = object.required_index("byteLength")?;
    let reach = || format!("reaches past the end of its buffer, which has {} bytes", bytes.len());
    let end = start.checked_add(length).ok_or_else(|| Error::malformed(object.at(), reach()))?;
    bytes.slice(start..end).ok_or_else(|| Error::malformed(object.at(), reach()))
}

/// A whole file, unless it is larger than the limit.
#[cfg(feature = "fs")]
pub(super) fn read_file(path: &Path, limit: u64) -> Result<Vec<u8>> {
    use std::io::Read;
    let io = |e| Error::io(path, e);
    let file = std::fs::File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    if length > limit {
        return Err(Error::limit("", format!("{} has {length} bytes; {limit} are allowed", path.display())));
    }
    // The length is a hint only: a pipe has none. One byte over the limit tells that there was more.
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > limit {
        return Err(Error::limit("", format!("{} has more than the {limit} bytes that are allowed", path.display())));
    }
    Ok(bytes)
}
