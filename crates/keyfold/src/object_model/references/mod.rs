//! References between objects of a glTF document, and renumbering when objects move.
//!
//! glTF objects refer to each other by their index in an array at the root, and animation pointers name such an index
//! inside a text. The places are listed once, by pattern, in `places`: core's, and those of every extension that
//! Keyfold knows. An object may be removed or moved only where no extension of the file can refer to it in a way that
//! is not listed: [`unknown_extensions`] says so. `extras` are the application's own and are never looked into.
//!
//! Everything here is a function of the JSON alone. References inside binary data or inside other files do not exist in
//! glTF; indices into arrays of an inner object (an animation's samplers, a skin's joints by position) are not listed.

mod collection;
mod pattern;
mod places;
mod renumber;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

pub use collection::Collection;
pub use places::{is_known, is_known_for};
pub use renumber::{StillReferenced, renumber, retain};

use super::pointer::Pointer;

/// A reference to an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Reference {
    /// The array that contains the object.
    pub collection: Collection,
    /// The object's index in the array; not checked against its length.
    pub index: usize,
    /// The place of the reference.
    pub at: Pointer,
    /// The form of the reference.
    pub form: Form,
}

/// The form of a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// The index, as a number.
    Index,
    /// A JSON pointer that leads through the object.
    Pointer,
}

/// Every reference to an object of `collection`, in the order of the table of places.
///
/// ```
/// use keyfold::object_model::references::{references, Collection};
/// use serde_json::json;
///
/// let document = json!({
///     "nodes": [{}, { "children": [0] }],
///     "animations": [{ "channels": [{ "target": { "path": "pointer", "extensions": {
///         "KHR_animation_pointer": { "pointer": "/nodes/0/scale" } } } }] }]
/// });
/// let found = references(&document, Collection::Nodes);
/// let at: Vec<_> = found.iter().map(|reference| reference.at.as_str()).collect();
/// assert_eq!(at, [
///     "/nodes/1/children/0",
///     "/animations/0/channels/0/target/extensions/KHR_animation_pointer/pointer",
/// ]);
/// ```
pub fn references(document: &Value, collection: Collection) -> Vec<Reference> {
    let mut found = Vec::new();
    for place in places::all().filter(|place| place.collection == collection) {
        pattern::visit(place.pattern, document, &mut |at, value| {
            found.extend(index_of(value).map(|index| Reference { collection, index, at, form: Form::Index }));
        });
    }
    for pattern in places::pointer_texts() {
        pattern::visit(pattern, document, &mut |at, value| {
            let index = value.as_str().and_then(|text| collection.named_in(text));
            found.extend(index.map(|named| Reference { collection, index: named.index, at, form: Form::Pointer }));
        });
    }
    found
}

/// The objects of `collection` that nothing refers to. Scenes, animations and root nodes of other files' scenes may
/// well be wanted without any reference; accessors, buffer views and buffers are not.
pub fn unreferenced(document: &Value, collection: Collection) -> Vec<usize> {
    let used: BTreeSet<usize> = references(document, collection).into_iter().map(|reference| reference.index).collect();
    (0..collection.len(document)).filter(|index| !used.contains(index)).collect()
}

/// The extensions of the document that may refer to objects of `collection` in a way that Keyfold does not know,
/// sorted. Objects of that collection must stay where they are unless this is empty.
///
/// Extensions count when they are declared and when they merely occur.
pub fn unknown_extensions(document: &Value, collection: Collection) -> Vec<String> {
    let mut names = BTreeSet::new();
    for list in ["extensionsUsed", "extensionsRequired"] {
        let declared = document.get(list).and_then(Value::as_array).into_iter().flatten();
        names.extend(declared.filter_map(Value::as_str));
    }
    occurring_extensions(document, &mut names);
    names.into_iter().filter(|name| !places::is_known_for(name, collection)).map(str::to_owned).collect()
}

/// The extensions that occur in a value and may refer to anything in ways that Keyfold does not know, sorted.
pub(crate) fn unknown_in(value: &Value) -> Vec<String> {
    let mut names = BTreeSet::new();
    occurring_extensions(value, &mut names);
    names.into_iter().filter(|name| !places::is_known(name)).map(str::to_owned).collect()
}

fn occurring_extensions<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| occurring_extensions(element, names)),
        Value::Object(members) => {
            if let Some(Value::Object(extensions)) = members.get("extensions") {
                names.extend(extensions.keys().map(String::as_str));
            }
            let inner = members.iter().filter(|(name, _)| *name != "extras");
            inner.for_each(|(_, member)| occurring_extensions(member, names));
        }
        _ => {}
    }
}

/// An index as JSON files hold it: some exporters write `3.0`.
fn index_of(value: &Value) -> Option<usize> {
    let float = || value.as_f64().filter(|float| float.fract() == 0.0 && (0.0..=4_294_967_295.0).contains(float));
    value.as_u64().or_else(|| float().map(|float| float as u64)).and_then(|index| usize::try_from(index).ok())
}

#[cfg(test)]
mod tests;
