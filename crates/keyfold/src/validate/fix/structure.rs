//! Fixes of structure: declarations, channels that drive nothing, strides, bounds.

use super::{indices, rewrite::Rewrite, sampler_accessor, set, stored};
use crate::{
    Document, Error, Finding, Property, Result,
    document::{Accessor, ComponentType, json::to_index},
    extensions,
    object_model::references::{self, Collection, Reference},
    validate::{
        Findings,
        khronos::{
            ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS, ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE,
            ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS, SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE, UNDECLARED_EXTENSION,
            UNRESOLVED_REFERENCE, UNUSED_EXTENSION_REQUIRED,
        },
        own::{MENDED_BOUNDS, MENDED_CHANNEL, MENDED_DECLARATION, MENDED_STRIDE},
    },
    write::Stored,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Lists what is used, or required, in `extensionsUsed`.
pub(super) fn declare_extensions(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let mut names = BTreeSet::new();
    for finding in findings {
        if finding.code == UNDECLARED_EXTENSION.name {
            names.extend(finding.at.rsplit('/').next().map(|step| step.replace("~1", "/").replace("~0", "~")));
        } else if finding.code == UNUSED_EXTENSION_REQUIRED.name {
            names.extend(document.json().pointer(&finding.at).and_then(Value::as_str).map(str::to_owned));
        }
    }
    declare(document, names, "/extensionsUsed", done)
}

/// Lists in `extensionsRequired` what the file cannot be read without.
pub(super) fn require_extensions(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let missing = findings.iter().filter(|finding| finding.code.ends_with("_NOT_REQUIRED"));
    let asks = |code: &str| extensions::ALL.iter().find(|e| e.codes.iter().any(|own| own.name == code));
    let names = missing.filter_map(|finding| asks(finding.code)).map(|e| e.name.to_owned()).collect();
    declare(document, names, "/extensionsRequired", done)
}

/// Lists extensions as used or, if that is the list, as required.
fn declare(document: &Document, names: BTreeSet<String>, list: &str, done: &mut Findings) -> Result<Option<Document>> {
    if names.is_empty() {
        return Ok(None);
    }
    let mut edit = document.edit();
    for name in names {
        edit.declare(&name, list == "/extensionsRequired" || document.requires(&name));
        done.add(&MENDED_DECLARATION, list, format!("{name} is listed now"));
    }
    edit.finish().map(Some)
}

/// Drops channels that drive nothing, and animations that drive nothing any more.
pub(super) fn drop_channels(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let mut idle: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (i, j) in findings.iter().filter(|f| drives_nothing(f)).filter_map(|f| indices(&f.at, "animations", "channels"))
    {
        idle.entry(i).or_default().insert(j);
    }
    for (i, j) in without_node(document) {
        idle.entry(i).or_default().insert(j);
    }
    if idle.is_empty() {
        return Ok(None);
    }
    let mut edit = document.edit();
    let mut empty = BTreeSet::new();
    for (i, dropped) in &idle {
        let Some(Value::Array(channels)) = edit.json().pointer_mut(&format!("/animations/{i}/channels")) else {
            continue;
        };
        if channels.len() == dropped.len() {
            empty.insert(*i);
            continue;
        }
        let mut index = 0..;
        channels.retain(|_| index.next().is_some_and(|j| !dropped.contains(&j)));
        for j in dropped {
            done.add(&MENDED_CHANNEL, format!("/animations/{i}/channels/{j}"), "dropped: it drives nothing");
        }
    }
    let some_went = empty.len() < idle.len();
    let all_went = drop_animations(edit.json(), &empty, done)?;
    if some_went || all_went { edit.finish().map(Some) } else { Ok(None) }
}

fn drives_nothing(finding: &Finding) -> bool {
    let no_node = finding.code == UNRESOLVED_REFERENCE.name && finding.at.ends_with("/target/node");
    no_node || finding.code == ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS.name
}

/// Channels on core's paths that name no node: no extension says what they would drive.
fn without_node(document: &Document) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let animations = document.json().get("animations").and_then(Value::as_array);
    for (i, animation) in animations.into_iter().flatten().enumerate() {
        let channels = animation.get("channels").and_then(Value::as_array);
        for (j, target) in channels.into_iter().flatten().map(|channel| &channel["target"]).enumerate() {
            let core = target["path"].as_str().is_some_and(|path| Property::from_name(path).is_some());
            if core && target.get("node").is_none() && target.get("extensions").is_none() {
                found.push((i, j));
            }
        }
    }
    found
}

/// An animation must have a channel: without one it goes, unless something that nobody knows may refer to animations
/// by number.
fn drop_animations(json: &mut Value, empty: &BTreeSet<usize>, done: &mut Findings) -> Result<bool> {
    if empty.is_empty() || !references::unknown_extensions(json, Collection::Animations).is_empty() {
        return Ok(false);
    }
    let still = |e: references::StillReferenced| Error::malformed(e.0.at.as_str(), e.to_string());
    references::retain(json, Collection::Animations, |i| !empty.contains(&i)).map_err(still)?;
    if Collection::Animations.len(json) == 0
        && let Some(root) = json.as_object_mut()
    {
        root.shift_remove("animations");
    }
    for i in empty {
        done.add(&MENDED_CHANNEL, format!("/animations/{i}"), "dropped: none of its channels drives anything");
    }
    Ok(true)
}

/// Removes `byteStride` from views of keys and bind matrices; data that it really spreads is packed.
pub(super) fn remove_strides(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let strided = [ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE.name, SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE.name];
    let places = findings.iter().filter(|finding| strided.contains(&finding.code)).map(|finding| &finding.at);
    let accessors: BTreeSet<usize> = places.filter_map(|at| to_index(document.json().pointer(at)?)).collect();
    if accessors.is_empty() {
        return Ok(None);
    }
    let uses = references::references(document.json(), Collection::Accessors);
    let mut users: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for accessor in 0..document.count("accessors") {
        view_of(document, accessor).into_iter().for_each(|view| users.entry(view).or_default().push(accessor));
    }
    let mut edit = document.edit();
    let mut rewrite = Rewrite::default();
    let mut changed = false;
    for (view, users) in users.iter().filter(|(_, users)| users.iter().any(|i| accessors.contains(i))) {
        let fixed = if users.iter().all(|i| accessors.contains(i) && is_tight(document, *i, *view)) {
            edit.json()["bufferViews"][*view].as_object_mut().and_then(|view| view.shift_remove("byteStride")).is_some()
        } else {
            let spread = users.iter().filter(|i| accessors.contains(i));
            spread.filter(|accessor| pack(document, **accessor, &uses, &mut rewrite)).count() > 0
        };
        if fixed {
            done.add(&MENDED_STRIDE, format!("/bufferViews/{view}/byteStride"), "removed: keys are tightly packed");
        }
        changed |= fixed;
    }
    rewrite.apply(document, &mut edit);
    if changed { edit.finish().map(Some) } else { Ok(None) }
}

/// Has samplers and skins find an accessor's elements tightly packed; whether that can be.
fn pack(document: &Document, accessor: usize, uses: &[Reference], rewrite: &mut Rewrite) -> bool {
    let padded = |a: &Accessor| a.shape.stored_size(a.component) != a.shape.components() * a.component.size();
    if document.accessor(accessor).map_or(true, |description| padded(&description)) {
        return false;
    }
    let Ok(content) = document.elements(accessor).map(stored) else { return false };
    let places = uses.iter().filter(|reference| reference.index == accessor).map(|reference| reference.at.as_str());
    let ours = places.filter(|at| at.starts_with("/animations/") || at.starts_with("/skins/"));
    ours.for_each(|at| rewrite.want(at.to_owned(), accessor, content.clone()));
    true
}

fn view_of(document: &Document, accessor: usize) -> Option<usize> {
    to_index(document.json().pointer(&format!("/accessors/{accessor}/bufferView"))?)
}

fn is_tight(document: &Document, accessor: usize, view: usize) -> bool {
    let stride = document.element("bufferViews", view).and_then(|view| view.index("byteStride"));
    let size = document.accessor(accessor).map(|a| a.shape.stored_size(a.component));
    let single = document.accessor(accessor).is_ok_and(|a| a.count == 1);
    matches!((stride, size), (Ok(Some(stride)), Ok(size)) if stride == size || single)
}

/// Computes `min` and `max` from the data, where they are wrong or must be there and are not.
pub(super) fn recompute_bounds(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let mut wrong: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for finding in findings {
        if finding.code == ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS.name {
            let input = indices(&finding.at, "animations", "samplers")
                .and_then(|(i, j)| sampler_accessor(document, i, j, "input"));
            input.into_iter().for_each(|i| wrong.entry(i).or_default().extend(["min", "max"]));
        }
        let mut steps = finding.at.split('/').skip(1);
        if let (Some("accessors"), Some(i), Some(key @ ("min" | "max"))) = (steps.next(), steps.next(), steps.next())
            && let Ok(i) = i.parse()
        {
            wrong.entry(i).or_default().insert(if key == "min" { "min" } else { "max" });
        }
    }
    let mut edit = document.edit();
    let mut changed = false;
    for (accessor, keys) in wrong {
        let Some(fresh) = bounds(document, accessor) else { continue };
        for key in keys {
            set(edit.json(), &format!("/accessors/{accessor}"), key, fresh[key].clone());
            done.add(&MENDED_BOUNDS, format!("/accessors/{accessor}/{key}"), format!("computed: {}", fresh[key]));
            changed = true;
        }
    }
    if changed { edit.finish().map(Some) } else { Ok(None) }
}

/// The `min` and `max` of an accessor's data. Without data there is nothing to compute from, and NaN has no bounds.
fn bounds(document: &Document, accessor: usize) -> Option<Map<String, Value>> {
    let content = match document.provided(accessor) {
        Some(values) => Stored::floats(document.accessor(accessor).ok()?.shape, &values.ok()?),
        None => stored(document.elements(accessor).ok()?),
    };
    let floats = content.component == ComponentType::F32;
    let is_finite = |b: &[u8]| f32::from_le_bytes([b[0], b[1], b[2], b[3]]).is_finite();
    let sound = !content.bytes.is_empty() && (!floats || content.bytes.chunks_exact(4).all(is_finite));
    sound.then(|| Stored { bounds: true, ..content }.accessor(None))
}
