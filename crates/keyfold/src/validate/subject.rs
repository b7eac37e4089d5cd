//! Names for places in a document: people know objects by name, not by index.

use crate::{
    Document,
    document::{JsonRef, Object},
    object_model::references::{self, Collection},
};
use std::{
    cell::OnceCell,
    collections::{BTreeMap, btree_map::Entry},
};

/// The names of a document's objects.
///
/// ```
/// let json = br#"{ "asset": { "version": "2.0" }, "nodes": [{ "name": "Hips" }] }"#;
/// let document = keyfold::Document::from_bytes(json, None, &Default::default())?;
/// let subjects = keyfold::validate::Subjects::new(&document);
/// assert_eq!(subjects.of("/nodes/0/rotation").as_deref(), Some("Hips"));
/// # Ok::<(), keyfold::Error>(())
/// ```
pub struct Subjects<'a> {
    document: &'a Document,
    /// Where each accessor is used first, found when first asked for: that takes a walk through everything.
    users: OnceCell<BTreeMap<usize, String>>,
}

impl<'a> Subjects<'a> {
    /// Names for the places of a document.
    pub fn new(document: &'a Document) -> Self {
        Self { document, users: OnceCell::new() }
    }

    /// The name of what a JSON pointer leads to: `Walk: Hips rotation`. `None` if nothing on the way has a name.
    pub fn of(&self, at: &str) -> Option<String> {
        let mut steps = at.split('/').skip(1);
        let (collection, index) = (steps.next()?, steps.next()?.parse().ok()?);
        let object = self.document.element(collection, index).ok()?;
        match collection {
            "animations" => animation(self.document, &object, steps.next().zip(steps.next()), index),
            "accessors" => name(&object).or_else(|| self.user(index)),
            _ => name(&object),
        }
    }

    /// Who uses an accessor first, if it is an animation.
    fn user(&self, accessor: usize) -> Option<String> {
        let at = self.users.get_or_init(|| first_users(self.document)).get(&accessor)?;
        at.starts_with("/animations/").then(|| self.of(at)).flatten()
    }
}

fn first_users(document: &Document) -> BTreeMap<usize, String> {
    let mut users = BTreeMap::new();
    for reference in references::references(document.json(), Collection::Accessors) {
        if let Entry::Vacant(slot) = users.entry(reference.index) {
            slot.insert(reference.at.as_str().to_owned());
        }
    }
    users
}

fn name(object: &Object<'_>) -> Option<String> {
    object.text("name").ok().flatten().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// An animation and, where the place leads on, what its channel drives.
fn animation(document: &Document, object: &Object<'_>, inner: Option<(&str, &str)>, index: usize) -> Option<String> {
    let named = name(object);
    let driven = inner.and_then(|(list, i)| {
        let i: usize = i.parse().ok()?;
        let channels = object.array("channels").ok()?;
        let channel = match list {
            "channels" => channels.get(i)?,
            _ => channels.iter().find(|channel| channel.get("sampler").and_then(JsonRef::as_index) == Some(i))?,
        };
        let target = channel.get("target")?;
        let node = target.get("node").and_then(JsonRef::as_index)?;
        let path = target.get("path").and_then(|path| path.as_str()).unwrap_or_default();
        let node = document.element("nodes", node).ok()?;
        Some(format!("{} {path}", name(&node).unwrap_or_else(|| node.at())))
    });
    match (named, driven) {
        (Some(name), Some(driven)) => Some(format!("{name}: {driven}")),
        (None, Some(driven)) => Some(format!("animation {index}: {driven}")),
        (name, None) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn things_are_called_by_their_names() {
        let json = json!({ "nodes": [{ "name": "Hips" }, {}], "accessors": [{}, {}],
            "animations": [{ "name": "Walk", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
                "samplers": [{ "input": 0, "output": 1 }] }] });
        let document = Document::from_bytes(json.to_string().as_bytes(), None, &Default::default()).unwrap();
        let subjects = Subjects::new(&document);
        let says = |at: &str| subjects.of(at);
        assert_eq!(says("/animations/0").as_deref(), Some("Walk"));
        assert_eq!(says("/animations/0/channels/0/target").as_deref(), Some("Walk: Hips rotation"));
        assert_eq!(says("/accessors/1/min/0").as_deref(), Some("Walk: Hips rotation"));
        assert_eq!(says("/nodes/0/rotation").as_deref(), Some("Hips"));
        assert_eq!(says("/nodes/1"), None);
        assert_eq!(says(""), None);
        assert_eq!(says("/buffers/7"), None);
    }
}
