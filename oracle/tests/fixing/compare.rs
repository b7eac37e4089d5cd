//! What differs between a document and its fixed copy, once numbers of accessors and places of bytes are looked through.

use keyfold::{
    Document,
    object_model::references::{Collection, references},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An accessor as what it says and holds: no numbers of views, no offsets.
fn resolved(document: &Document, index: usize) -> Value {
    let mut object = document.json()["accessors"][index].as_object().cloned().unwrap_or_default();
    let data = document.floats(index).map(|values| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    let view = object.get("bufferView").and_then(Value::as_u64).map(|view| {
        let mut view = document.json()["bufferViews"][view as usize].as_object().cloned().unwrap_or_default();
        ["buffer", "byteOffset", "byteLength", "byteStride", "extensions"]
            .iter()
            .for_each(|key| drop(view.shift_remove(*key)));
        view
    });
    ["bufferView", "byteOffset", "sparse"].iter().for_each(|key| drop(object.shift_remove(*key)));
    object.insert("data".into(), json!(data.unwrap_or_default()));
    object.insert("view".into(), json!(view.filter(|view| !view.is_empty())));
    Value::Object(object)
}

/// The JSON with what accessors and other users of views hold in place of their numbers.
fn seen_through(document: &Document) -> Value {
    let mut json = document.json().clone();
    for reference in references(document.json(), Collection::BufferViews) {
        let at = reference.at.as_str();
        if !at.starts_with("/accessors/")
            && let Some(place) = json.pointer_mut(at)
        {
            *place = json!(document.view(reference.index).map(|bytes| bytes.to_vec()).unwrap_or_default());
        }
    }
    let mut used = BTreeSet::new();
    for reference in references(document.json(), Collection::Accessors) {
        if reference.index < document.count("accessors")
            && let Some(place) = json.pointer_mut(reference.at.as_str())
        {
            *place = resolved(document, reference.index);
            used.insert(reference.index);
        }
    }
    let unused = (0..document.count("accessors")).filter(|i| !used.contains(i)).map(|i| resolved(document, i));
    let unused: Vec<Value> = unused.collect();
    let root = json.as_object_mut().unwrap();
    ["accessors", "bufferViews", "buffers"].iter().for_each(|key| drop(root.shift_remove(*key)));
    root.insert("unused".into(), Value::Array(unused));
    json
}

/// The places at which two values differ.
fn differences(a: &Value, b: &Value, at: &str, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                differences(
                    a.get(key).unwrap_or(&Value::Null),
                    b.get(key).unwrap_or(&Value::Null),
                    &format!("{at}/{key}"),
                    found,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().for_each(|(i, (a, b))| differences(a, b, &format!("{at}/{i}"), found));
        }
        _ if a != b => found.push(at.to_owned()),
        _ => {}
    }
}

/// What changed that no fix speaks of.
pub(crate) fn unexplained(before: &Document, after: &Document, done: &[keyfold::Finding]) -> Vec<String> {
    let (mut old, new) = (seen_through(before), seen_through(after));
    // Data that was fixed leaves its compressed view: where it was the last, nobody needs the extension any more.
    if after.json()["bufferViews"].as_array().into_iter().flatten().all(|view| view.get("extensions").is_none()) {
        undeclare(&mut old, MESHOPT);
    }
    let allowed = allowed(before, done);
    drop_channels(&mut old, done);
    let mut found = Vec::new();
    differences(&old, &new, "", &mut found);
    found.retain(|at| !allowed.iter().any(|place| at == place || at.starts_with(&format!("{place}/"))));
    found
}

const MESHOPT: &str = "EXT_meshopt_compression";

fn undeclare(json: &mut Value, name: &str) {
    for list in ["extensionsUsed", "extensionsRequired"] {
        if let Some(names) = json.get_mut(list).and_then(Value::as_array_mut) {
            names.retain(|n| n != name);
            if names.is_empty() {
                json.as_object_mut().unwrap().shift_remove(list);
            }
        }
    }
}

/// The places that fixes speak of, in the document as seen through.
fn allowed(before: &Document, done: &[keyfold::Finding]) -> Vec<String> {
    let uses = references(before.json(), Collection::Accessors);
    let mut places = Vec::new();
    for fix in done {
        match fix.code {
            // Of data, only what it holds: not its type, name or extras.
            "MENDED_TIMES" => {
                let sampler = fix.at.strip_suffix("/input").unwrap();
                for key in ["input", "output"] {
                    places.extend(["data", "count", "min", "max"].map(|part| format!("{sampler}/{key}/{part}")));
                }
            }
            "MENDED_ROTATIONS" => places.extend(["data", "min", "max"].map(|part| format!("{}/{part}", fix.at))),
            "MENDED_BOUNDS" => {
                let steps: Vec<&str> = fix.at.split('/').collect();
                let index: usize = steps[2].parse().unwrap();
                let users = uses.iter().filter(|reference| reference.index == index);
                places.extend(users.map(|reference| format!("{}/{}", reference.at.as_str(), steps[3])));
            }
            "MENDED_DECLARATION" => places.push(fix.at.clone()),
            _ => {}
        }
    }
    places
}

/// Takes out what was said to be dropped.
fn drop_channels(json: &mut Value, done: &[keyfold::Finding]) {
    let mut animations = BTreeSet::new();
    let mut channels: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for fix in done.iter().filter(|fix| fix.code == "MENDED_CHANNEL") {
        let numbers: Vec<usize> = fix.at.split('/').filter_map(|step| step.parse().ok()).collect();
        match numbers[..] {
            [i] => drop(animations.insert(i)),
            [i, j] => drop(channels.entry(i).or_default().insert(j)),
            _ => panic!("{}", fix.at),
        }
    }
    for (i, dropped) in channels {
        let mut index = 0..;
        json["animations"][i]["channels"].as_array_mut().unwrap().retain(|_| !dropped.contains(&index.next().unwrap()));
    }
    if let Some(list) = json.get_mut("animations").and_then(Value::as_array_mut) {
        let mut index = 0..;
        list.retain(|_| !animations.contains(&index.next().unwrap()));
        if list.is_empty() && !animations.is_empty() {
            json.as_object_mut().map(|root: &mut Map<String, Value>| root.shift_remove("animations"));
        }
    }
}
