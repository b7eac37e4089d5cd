//! Whether a channel needs the extension, or means the same without it.

use super::{Layout, NAME, Path, shape};
use crate::{
    Document, Property,
    document::{ComponentType, json::to_index},
};
use serde_json::Value;

/// Whether a channel of a document has one of the extension's forms.
pub(crate) fn stores(document: &Document, animation: usize, channel: usize) -> bool {
    // Documents without the extension do not need the JSON as values, which take many times the memory of its text.
    if !document.uses(NAME) {
        return false;
    }
    let animation = &document.json()["animations"][animation];
    needs(document.json(), animation, &animation["channels"][channel])
}

/// Whether any channel of a document needs the extension.
pub(super) fn needed(json: &Value) -> bool {
    let animations = json.get("animations").and_then(Value::as_array).into_iter().flatten();
    let channels = |a: &Value| a["channels"].as_array().is_some_and(|list| list.iter().any(|c| needs(json, a, c)));
    animations.into_iter().any(channels)
}

/// Parameters, dotted paths, shapes and types that core does not know.
fn needs(json: &Value, animation: &Value, channel: &Value) -> bool {
    if channel["extensions"].get(NAME).is_some() {
        return true;
    }
    let Some(path) = channel["target"]["path"].as_str().and_then(Path::from_name) else { return false };
    let sampler = to_index(&channel["sampler"]).and_then(|index| animation["samplers"].get(index));
    let accessor = |key: &str| json["accessors"].get(to_index(&sampler?[key])?);
    let float =
        |key: &str| accessor(key).is_none_or(|a| to_index(&a["componentType"]) == Some(ComponentType::F32.code()));
    let whole = || accessor("output").is_none_or(|a| a["type"] == shape(path, Layout::Whole).name());
    let core = match path.property {
        Property::Weights => true,
        Property::Rotation => whole(),
        Property::Translation | Property::Scale => whole() && float("output"),
    };
    path.axis.is_some() || !core || !float("input")
}
