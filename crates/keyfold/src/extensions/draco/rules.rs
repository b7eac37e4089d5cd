//! The extension's rules: the layout of its list, streams that decode, attributes that fit the accessors.
//!
//! Core's rules check the decoded values: times that increase and are not negative, rotations of unit length.

use super::{NAME, OTHER_NAME, decode_view, samplers, unrecoverable};
use crate::{
    Document, Error,
    document::{ComponentType, JsonRef},
    extensions::place_on_list,
    validate::{
        Findings, Members,
        khronos::{INVALID_EXTENSION_NAME_FORMAT, TYPE_MISMATCH, UNRESOLVED_REFERENCE, VALUE_NOT_IN_RANGE},
    },
};
use keyfold_core::draco::{self, Attribute, DataType, TIMESTAMPS};
use serde_json::Value;
use std::collections::BTreeMap;

crate::validate::codes! { Keyfold;
    DRACO_ACCESSOR_TWICE: Error,
        "Two Draco streams, or the times and the values of one, claim the same accessor.",
        "Let each accessor take its values from one place; streams with the same input become one.";
    DRACO_COMPONENT_TYPE: Warning,
        "An accessor does not say FLOAT, but its Draco stream holds floats; they are taken as they are.",
        "Set the accessor's `componentType` to 5126.";
    DRACO_FALLBACK_UNUSED: Hint,
        "The file requires Draco_animation_compression and has all of its data uncompressed, too: nobody will read that.",
        "Take the extension off extensionsRequired, or drop the uncompressed data.";
    DRACO_ID_COUNT: Error,
        "A Draco stream does not have one attribute id for each output.",
        "List as many ids as outputs.";
    DRACO_ID_UNKNOWN: Error,
        "A Draco stream has no attribute with the id of an output, or no timestamps.",
        "Correct the id: it is the attribute's unique id in the stream; timestamps have 0.";
    DRACO_LEGACY_LAYOUT: Warning,
        "Draco_animation_compression is laid out as in files of 2018: a bare array, or ids in `attributesId`.",
        "Write `compressedAnimations` and `attributeId` as the draft has them: `keyfold convert --storage draco` does.";
    DRACO_MANY_COMPONENTS: Warning,
        "A track of a Draco stream has more than 127 components for each key: older decoders take the number as negative.",
        "Leave the track uncompressed.";
    DRACO_NOT_REQUIRED: Error,
        "An accessor's data is in a Draco stream only, and the file does not require Draco_animation_compression.",
        "List it in extensionsRequired, or keep the uncompressed data (`convert --storage draco --fallback`).";
    DRACO_POINT_COUNT_MISMATCH: Error,
        "A Draco stream does not have as many values for an accessor as the accessor says.",
        "Correct the accessor's `count` or `type`, or compress its data again.";
    DRACO_SAMPLER_INPUT: Error,
        "A sampler's output is in a Draco stream whose times are not the sampler's input.",
        "Give the sampler the stream's input, or put the output into a stream with the sampler's.";
    DRACO_SPARSE: Error,
        "An accessor whose values come from a Draco stream is sparse, too.",
        "Remove `sparse`: the stream has all values.";
    DRACO_STREAM_UNDESCRIBED: Error,
        "An accessor's bytes are a Draco stream, and no object of Draco_animation_compression describes it.",
        "Export the animation again: which part of the stream belongs to which accessor cannot be told.";
    DRACO_STREAM_UNREADABLE: Error,
        "A Draco stream cannot be decoded; the message says what is wrong with it, and where.",
        "Compress the animation again.";
}

/// The objects that may have the extension: the root.
pub(super) const PLACES: &[&str] = &[""];

pub(super) fn rules(document: &Document, findings: &mut Findings, name: &str) {
    if name == OTHER_NAME {
        let message = format!("`{name}` is `{NAME}` in the draft's text");
        findings.add(&INVALID_EXTENSION_NAME_FORMAT, place_on_list(document, "extensionsUsed", name), message);
    }
    let place = format!("/extensions/{name}");
    let Some(value) = document.json().pointer(&place) else { return check_undescribed(document, findings) };
    let entries = read_layout(value, place, findings);
    let mut claims = BTreeMap::new();
    for entry in &entries {
        entry.check_references(document, findings);
        entry.check_claims(&mut claims, findings);
        entry.check_content(document, findings);
    }
    check_accessors(document, claims.keys().copied(), name, findings);
    check_samplers(document, &entries, findings);
}

fn check_undescribed(document: &Document, findings: &mut Findings) {
    for accessor in unrecoverable(document).into_keys() {
        let at = format!("/accessors/{accessor}");
        // Core's rules took the stream's bytes for values.
        findings.suppress(|f| ["min", "max"].iter().any(|bound| f.at.starts_with(&format!("{at}/{bound}"))));
        findings.add(&DRACO_STREAM_UNDESCRIBED, at, "its bytes are a Draco stream that nothing describes");
    }
}

/// An index with its place; `None` if it is no index.
type Placed = (Option<usize>, String);

/// An entry of the list, without invalid members.
struct Entry {
    at: String,
    input: Placed,
    outputs: Vec<Placed>,
    /// Their number may differ from that of the outputs.
    ids: Vec<Placed>,
    view: Option<usize>,
    is_legacy: bool,
}

fn read_layout(value: &Value, place: String, findings: &mut Findings) -> Vec<Entry> {
    // Files of 2018 have an array. Values that are neither array nor object are reported below.
    findings.suppress_at(&TYPE_MISMATCH, &place);
    let mut read = Vec::new();
    if let Value::Array(list) = value {
        for (i, entry) in list.iter().enumerate() {
            read.extend(Members::new(entry, format!("{place}/{i}"), findings).map(Entry::read));
        }
    } else if let Some(mut members) = Members::new(value, place.clone(), findings) {
        members.only(&["compressedAnimations"]);
        members.required(&["compressedAnimations"]);
        read = members.objects("compressedAnimations", Entry::read).unwrap_or_default();
    }
    if value.is_array() || read.iter().any(|entry| entry.is_legacy) {
        let what = if value.is_array() { "a bare array" } else { "ids in `attributesId`" };
        findings.add(&DRACO_LEGACY_LAYOUT, place, format!("{what}, as in files of 2018"));
    }
    read
}

impl Entry {
    fn read(mut members: Members<'_, '_>) -> Self {
        let is_legacy = members.has("attributesId") && !members.has("attributeId");
        let ids = if is_legacy { "attributesId" } else { "attributeId" };
        let known = ["input", "outputs", ids, "bufferView"];
        members.only(&known);
        members.required(&known);
        let mut placed = |key: &str| -> Vec<Placed> {
            let place = members.place(key);
            let indices = members.indices(key).unwrap_or_default();
            indices.into_iter().enumerate().map(|(i, index)| (index, format!("{place}/{i}"))).collect()
        };
        let (outputs, ids) = (placed("outputs"), placed(ids));
        let input = (members.index("input"), members.place("input"));
        let view = members.index("bufferView");
        let (at, counts) = (members.at().to_owned(), [outputs.len(), ids.len()]);
        if counts[0] != counts[1] && !counts.contains(&0) {
            let message = format!("{} outputs have {} ids", counts[0], counts[1]);
            members.findings().add(&DRACO_ID_COUNT, &at, message);
        }
        for (_, at) in ids.iter().filter(|(id, _)| *id == Some(TIMESTAMPS as usize)) {
            members.findings().add(&VALUE_NOT_IN_RANGE, at, "0 is the id of the timestamps");
        }
        Self { at, input, outputs, ids, view, is_legacy }
    }

    fn place(&self, key: &str) -> String {
        format!("{}/{key}", self.at)
    }

    /// The accessors with their places, the input first.
    fn accessors(&self) -> impl Iterator<Item = (usize, String)> {
        let all = [&self.input].into_iter().chain(&self.outputs);
        all.filter_map(|(index, at)| Some(((*index)?, at.clone())))
    }

    fn check_references(&self, document: &Document, findings: &mut Findings) {
        let view = self.view.map(|view| (view, self.place("bufferView"), "bufferViews"));
        let accessors = self.accessors().map(|(index, at)| (index, at, "accessors"));
        for (index, at, list) in accessors.chain(view).filter(|(index, _, list)| *index >= document.count(list)) {
            findings.add(&UNRESOLVED_REFERENCE, at, format!("{list} {index} does not exist"));
        }
    }

    /// Reports accessors with two sources of values. An output that is twice in one list is reported with the list.
    fn check_claims(&self, claims: &mut BTreeMap<usize, String>, findings: &mut Findings) {
        for (accessor, at) in self.accessors() {
            let before = claims.entry(accessor).or_insert_with(|| at.clone());
            let in_one_list = before.starts_with(&self.place("outputs")) && at.starts_with(&self.place("outputs"));
            if *before != at && !in_one_list {
                let message = format!("{before} has accessor {accessor} already");
                findings.add(&DRACO_ACCESSOR_TWICE, at, message);
            }
        }
    }

    /// Decodes the stream and compares it with the accessors. Core's rules report missing bytes.
    fn check_content(&self, document: &Document, findings: &mut Findings) {
        let Some(Ok(bytes)) = self.view.map(|view| document.view(view)) else { return };
        let place = self.place("bufferView");
        let animation = match decode_view(document, &bytes, &place) {
            Ok(animation) => animation,
            Err(Error::Malformed { what, .. }) => return findings.add(&DRACO_STREAM_UNREADABLE, place, what),
            // The document reports exceeded limits.
            Err(_) => return,
        };
        let timestamps = (Some(TIMESTAMPS as usize), self.place("input"));
        let input = [(&self.input, &timestamps)].into_iter();
        for ((accessor, at), (id, id_at)) in input.chain(self.outputs.iter().zip(&self.ids)) {
            let (Some(accessor), Some(id)) = (*accessor, *id) else { continue };
            match u32::try_from(id).ok().and_then(|id| animation.attribute(id)) {
                Some(attribute) => check_attribute(document, accessor, attribute, at, findings),
                None => findings.add(&DRACO_ID_UNKNOWN, id_at, unknown(id, &animation)),
            }
        }
    }
}

/// The message about an unknown id, with the first known ones.
fn unknown(id: usize, animation: &draco::Animation) -> String {
    let ids: Vec<String> = animation.attributes.iter().take(10).map(|a| a.unique_id.to_string()).collect();
    let more = if animation.attributes.len() > ids.len() { ", ..." } else { "" };
    format!("the stream has no attribute with id {id}, only {}{more}", ids.join(", "))
}

fn check_attribute(document: &Document, accessor: usize, attribute: &Attribute, at: &str, findings: &mut Findings) {
    let Ok(described) = document.accessor(accessor) else { return };
    let expected = described.count.saturating_mul(described.shape.components());
    let found = attribute.values.len();
    if found != expected {
        let (keys, components) = (found / usize::from(attribute.components).max(1), attribute.components);
        let says = format!("accessor {accessor} says {} x {}", described.count, described.shape.name());
        let message = format!("{says}, {expected} values; the stream has {keys} keys of {components}, {found} values");
        findings.add(&DRACO_POINT_COUNT_MISMATCH, at, message);
    }
    if described.component != ComponentType::F32 && attribute.values.data_type() == DataType::F32 {
        let place = format!("/accessors/{accessor}/componentType");
        findings.add(&DRACO_COMPONENT_TYPE, place, "the stream holds floats");
    }
    if attribute.components > 127 {
        findings.add(&DRACO_MANY_COMPONENTS, at, format!("{} components for each key", attribute.components));
    }
}

/// Reports accessors without a fallback in files that do not require the extension, unused fallbacks, and accessors
/// that are sparse.
fn check_accessors(document: &Document, claimed: impl Iterator<Item = usize>, name: &str, findings: &mut Findings) {
    let (mut alone, mut covered) = (Vec::new(), 0);
    for index in claimed {
        let Ok(accessor) = document.element("accessors", index) else { continue };
        match accessor.get("bufferView") {
            Some(_) => covered += 1,
            None => alone.push(index),
        }
        if accessor.get("sparse").is_some() {
            findings.add(&DRACO_SPARSE, accessor.place("sparse"), "the values come from a Draco stream");
        }
    }
    let required = document.requires(name);
    if let Some(first) = alone.first().filter(|_| !required) {
        let message = match alone.len() {
            1 => format!("accessor {first} has no uncompressed data"),
            n => format!("accessor {first} and {} more have no uncompressed data", n - 1),
        };
        findings.add(&DRACO_NOT_REQUIRED, place_on_list(document, "extensionsUsed", name), message);
    } else if required && alone.is_empty() && covered > 0 {
        let message = format!("all {covered} accessors have uncompressed data, too");
        findings.add(&DRACO_FALLBACK_UNUSED, place_on_list(document, "extensionsRequired", name), message);
    }
}

/// Reports samplers whose input is not that of their output's stream.
fn check_samplers(document: &Document, entries: &[Entry], findings: &mut Findings) {
    let mut inputs = BTreeMap::new();
    // The first of two streams with the same output counts.
    for entry in entries.iter().rev() {
        inputs.extend(entry.outputs.iter().filter_map(|(output, _)| (*output).zip(entry.input.0)));
    }
    for sampler in samplers(document) {
        let index = |key: &str| sampler.get(key).and_then(JsonRef::as_index);
        let (Some(input), Some(output)) = (index("input"), index("output")) else { continue };
        if let Some(times) = inputs.get(&output).filter(|times| **times != input) {
            let message = format!("the values of accessor {output} belong to the times of accessor {times}");
            findings.add(&DRACO_SAMPLER_INPUT, sampler.place("input"), message);
        }
    }
}
