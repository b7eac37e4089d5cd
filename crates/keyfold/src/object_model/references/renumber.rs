//! Renumbering: keeps references correct when objects are moved or removed.

use serde_json::Value;

use super::{Collection, Form, Reference, references};

/// An error: an object to be removed is still referenced by something that stays. Nothing has been changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{collection}/{index} cannot be removed: {at} refers to it", collection = .0.collection, index = .0.index, at = .0.at)]
pub struct StillReferenced(pub Reference);

/// Rewrites every reference to an object of `collection`: `map[old]` is its new index, `None` if it goes.
///
/// The array itself is left alone. Indices beyond the map dangled before and stay as they are. Fails, before anything
/// is changed, where an object that goes is still referred to by one that stays. The caller makes sure that
/// [`unknown_extensions`](super::unknown_extensions) is empty.
///
/// ```
/// use keyfold::object_model::references::{renumber, Collection};
/// use serde_json::json;
///
/// let mut document = json!({ "scenes": [{ "nodes": [2, 1] }] });
/// renumber(&mut document, Collection::Nodes, &[None, Some(0), Some(1)])?;
/// assert_eq!(document["scenes"][0]["nodes"], json!([1, 0]));
/// # Ok::<(), keyfold::object_model::references::StillReferenced>(())
/// ```
pub fn renumber(document: &mut Value, collection: Collection, map: &[Option<usize>]) -> Result<(), StillReferenced> {
    let found = references(document, collection);
    let goes = |index: usize| map.get(index) == Some(&None);
    let stays =
        |reference: &Reference| !collection.named_in(reference.at.as_str()).is_some_and(|owner| goes(owner.index));
    if let Some(reference) = found.iter().find(|reference| goes(reference.index) && stays(reference)) {
        return Err(StillReferenced(reference.clone()));
    }
    for reference in found {
        let new = map.get(reference.index).copied().flatten().unwrap_or(reference.index);
        if let Some(value) = reference.at.resolve_mut(document).filter(|_| new != reference.index) {
            rewrite(value, &reference, new);
        }
    }
    Ok(())
}

fn rewrite(value: &mut Value, reference: &Reference, new: usize) {
    match (reference.form, &mut *value) {
        (Form::Index, _) => *value = Value::from(new),
        (Form::Pointer, Value::String(text)) => {
            if let Some(named) = reference.collection.named_in(text) {
                text.replace_range(named.from..named.to, &new.to_string());
            }
        }
        (Form::Pointer, _) => {}
    }
}

/// Removes the objects of `collection` that `keep` rejects, and renumbers the rest. An array that becomes empty is
/// removed as well, as glTF requires. Returns the map from old to new indices.
///
/// Fails, before anything is changed, where a removed object is still referred to by something that stays.
pub fn retain(
    document: &mut Value,
    collection: Collection,
    mut keep: impl FnMut(usize) -> bool,
) -> Result<Vec<Option<usize>>, StillReferenced> {
    let mut kept = 0..;
    let map: Vec<_> = (0..collection.len(document)).map(|old| if keep(old) { kept.next() } else { None }).collect();
    renumber(document, collection, &map)?;
    if let Some(Value::Array(objects)) = document.pointer_mut(collection.path()) {
        let mut goes = map.iter().map(Option::is_none);
        objects.retain(|_| goes.next() != Some(true));
        if objects.is_empty() {
            remove_array(document, collection);
        }
    }
    Ok(map)
}

fn remove_array(document: &mut Value, collection: Collection) {
    let Some((parent, name)) = collection.path().rsplit_once('/') else {
        return;
    };
    if let Some(Value::Object(members)) = document.pointer_mut(parent) {
        members.shift_remove(name);
    }
}
