//! Edits: changed copies of a document, with new accessors and buffer views, and without objects that are no longer
//! referenced.
//!
//! The edited document itself does not change. Finishing an edit removes what *became* unreferenced by it; what was
//! unused before stays. [`super::prune`] explains how removal respects unknown extensions.

use super::{Document, Pieces, known::Known, prune};
use crate::{
    Result, extensions,
    object_model::references::{self, Collection},
};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, sync::OnceLock};

/// An edit under way.
pub struct Edit<'a> {
    pub(super) document: &'a Document,
    pub(super) json: Value,
    pub(super) before: Before,
    pub(super) added: Vec<Added>,
    pub(super) patches: Vec<Patch>,
    /// The extension whose name the buffers will carry.
    pub(super) guarded: Option<&'static str>,
}

/// What finishing has to know of the JSON as it was.
pub(super) struct Before {
    pub(super) accessors: Used,
    pub(super) views: Used,
    pub(super) buffers: Used,
    /// Extensions that had nothing to tidy up.
    pub(super) tidy: Vec<fn(&mut Value)>,
}

/// Which objects of a collection something referred to, and how many there were.
pub(super) struct Used {
    pub(super) collection: Collection,
    pub(super) indices: BTreeSet<usize>,
    pub(super) len: usize,
}

impl Used {
    pub(super) fn of(json: &Value, collection: Collection) -> Self {
        let indices = references::references(json, collection).into_iter().map(|r| r.index).collect();
        Self { collection, indices, len: collection.len(json) }
    }
}

/// Bytes that take the place of others in a buffer.
pub(super) struct Patch {
    pub(super) buffer: usize,
    pub(super) offset: usize,
    pub(super) bytes: Vec<u8>,
}

/// Bytes of a new buffer view. They find their place in a buffer when the edit is finished.
pub(super) struct Added {
    pub(super) view: usize,
    pub(super) buffer: Option<usize>,
    /// The extension of the view whose object says where the bytes are, instead of the view itself.
    pub(super) inside: Option<&'static str>,
    pub(super) bytes: Vec<u8>,
}

impl Document {
    /// Starts an edit.
    pub fn edit(&self) -> Edit<'_> {
        let json = self.content.to_value();
        let used = |collection| Used::of(&json, collection);
        let before = Before {
            accessors: used(Collection::Accessors),
            views: used(Collection::BufferViews),
            buffers: used(Collection::Buffers),
            tidy: extensions::tidy_already(&json),
        };
        Edit { document: self, json, before, added: Vec::new(), patches: Vec::new(), guarded: None }
    }
}

impl Edit<'_> {
    /// The original document.
    pub fn document(&self) -> &Document {
        self.document
    }

    /// The JSON of the copy.
    pub fn json(&mut self) -> &mut Value {
        &mut self.json
    }

    /// Adds an object to a top-level array and returns its index.
    pub fn push(&mut self, collection: &str, object: Value) -> usize {
        let list = member(&mut self.json, collection, || json!([]));
        if !list.is_array() {
            *list = json!([]);
        }
        let list = list.as_array_mut().expect("just made one");
        list.push(object);
        list.len() - 1
    }

    /// Adds a buffer view over new bytes, in the buffer that holds the document's data, and returns its index.
    pub fn push_view(&mut self, bytes: Vec<u8>) -> usize {
        self.push_view_in(None, bytes, Map::new())
    }

    /// Adds a buffer view over new bytes in a given buffer, with additional members, and returns its index.
    pub fn push_view_in(&mut self, buffer: Option<usize>, bytes: Vec<u8>, members: Map<String, Value>) -> usize {
        let mut object = Map::from_iter([("buffer".to_owned(), json!(buffer.unwrap_or(0)))]);
        object.insert("byteOffset".into(), json!(0));
        object.insert("byteLength".into(), json!(bytes.len()));
        object.extend(members);
        let view = self.push("bufferViews", Value::Object(object));
        self.added.push(Added { view, buffer, inside: None, bytes });
        view
    }

    /// Adds a buffer view that an extension compresses, and returns its index. Its plain bytes are `length` bytes at
    /// `offset` of the buffer `fallback`, which need not exist; `members` go into the extension's object, beside the
    /// compressed bytes.
    pub fn push_compressed_view(
        &mut self,
        fallback: usize,
        (offset, length): (usize, usize),
        extension: &'static str,
        members: Map<String, Value>,
        bytes: Vec<u8>,
    ) -> usize {
        let mut object = json!({ "buffer": 0, "byteOffset": 0, "byteLength": bytes.len() });
        object.as_object_mut().expect("just made one").extend(members);
        let mut view = json!({ "buffer": fallback, "byteLength": length, "extensions": { extension: object } });
        if offset > 0 {
            view["byteOffset"] = json!(offset);
        }
        let view = self.push("bufferViews", view);
        self.added.push(Added { view, buffer: None, inside: Some(extension), bytes });
        view
    }

    /// Adds a buffer view over plain bytes, together with the same bytes compressed by an extension, and returns its
    /// index.
    pub fn push_view_twice(&mut self, plain: Vec<u8>, extension: &'static str, compressed: Vec<u8>) -> usize {
        let object = json!({ "buffer": 0, "byteOffset": 0, "byteLength": compressed.len() });
        let members = Map::from_iter([("extensions".to_owned(), json!({ extension: object }))]);
        let view = self.push_view_in(None, plain, members);
        self.added.push(Added { view, buffer: None, inside: Some(extension), bytes: compressed });
        view
    }

    /// Writes over bytes of a buffer of the document as it was; what reaches past the buffer's end is left out.
    /// Whoever does this knows that nobody else reads them.
    pub(crate) fn patch(&mut self, buffer: usize, offset: usize, bytes: Vec<u8>) {
        self.patches.push(Patch { buffer, offset, bytes });
    }

    /// Adds an empty buffer for [`Edit::push_view_in`] and returns its index. A name becomes part of the file's name.
    pub fn push_buffer(&mut self, name: Option<&str>) -> usize {
        let mut buffer = json!({ "byteLength": 0 });
        if let Some(name) = name {
            buffer["name"] = json!(name);
        }
        self.push("buffers", buffer)
    }

    /// The index that the next object of a top-level array will get.
    pub fn next(&self, collection: &str) -> usize {
        self.json.get(collection).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Declares that the file uses an extension, and whether it requires it.
    pub fn declare(&mut self, extension: &str, required: bool) {
        extensions::list(&mut self.json, "extensionsUsed", extension);
        if required {
            extensions::list(&mut self.json, "extensionsRequired", extension);
        }
    }

    /// Declares a required extension in a way that also stops loaders which only warn about unknown ones.
    pub fn declare_guarded(&mut self, extension: &'static str) {
        self.declare(extension, true);
        self.guarded = Some(extension);
    }

    /// Finishes the edit and returns the changed document: unreferenced objects are removed, new bytes are in place.
    pub fn finish(self) -> Result<Document> {
        prune::finish(self)
    }
}

/// A member of an object, made where it is missing.
fn member<'v>(object: &'v mut Value, key: &str, make: impl FnOnce() -> Value) -> &'v mut Value {
    object.as_object_mut().expect("the root is an object").entry(key).or_insert_with(make)
}

impl Document {
    /// A document like this one with other JSON and, where given, other buffers.
    pub(super) fn rebuilt(&self, json: Value, buffers: Vec<Option<Pieces>>, origins: &[Option<usize>]) -> Result<Self> {
        let account = self.account.derived();
        let new: usize = buffers.iter().flatten().map(|bytes| bytes.len()).sum();
        account.hold(new, || "/buffers".into())?;
        Ok(Self {
            buffers: self.buffers.rebuilt(buffers, origins),
            content: self.content.changed(json, &account)?,
            container: self.container,
            source: None,
            named: Some(
                self.named.clone().unwrap_or_else(|| self.addresses().into_iter().map(|(_, uri)| uri.into()).collect()),
            ),
            others: self.others.clone(),
            options: self.options.clone(),
            path: self.path.clone(),
            account,
            provided: OnceLock::new(),
            known: Known::default(),
            used: OnceLock::new(),
        })
    }
}
