//! Writes an animation at one time into a document: every animated property is set to its value at that time.

use crate::{
    Animation, Changed, Document, Error, Finding, Result, Severity, Target,
    object_model::{
        Pointer, Registry, SetError, is_extras,
        references::{Collection, retain},
        set_extras,
    },
};
use serde_json::Value;

/// Sets every property that an animation drives to its value at a time, in place. Members keep their order, and
/// numbers that already have the value keep their spelling. No objects are created. The findings list what could not
/// be set.
///
/// ```
/// use keyfold::{Animation, Curve, Interpolation, Property, Source, Target, Targets, Track, apply, object_model::Registry};
/// use serde_json::json;
///
/// let curve = Curve::new(Interpolation::Linear, 3, [0.0, 2.0], [0.0, 0.0, 0.0, 4.0, 2.0, 0.0]).unwrap();
/// let source = Source { channel: 0, sampler: 0, input: 0, output: 1, targets: Targets::Core };
/// let track = Track { target: Target::node(0, Property::Translation), curve, source };
/// let animation = Animation { index: 0, name: None, tracks: vec![track] };
///
/// let mut document = json!({ "nodes": [{ "name": "ball" }] });
/// assert!(apply(&mut document, Registry::standard(), &animation, 1.0).is_empty());
/// assert_eq!(document["nodes"][0]["translation"], json!([2.0, 1.0, 0.0]));
/// ```
pub fn apply(json: &mut Value, registry: &Registry, animation: &Animation, time: f64) -> Vec<Finding> {
    let mut findings = Vec::new();
    for track in &animation.tracks {
        if let Err(error) = set_target(json, registry, &track.target, &track.sample(time)) {
            findings.push(Finding {
                severity: Severity::Warning,
                code: "POINTER_UNRESOLVED",
                at: format!("/animations/{}/channels/{}", animation.index, track.source.channel),
                message: format!("{} cannot be set: {error}", track.target),
            });
        }
    }
    findings
}

/// Sets a target to a value, in place.
pub fn set_target(json: &mut Value, registry: &Registry, target: &Target, value: &[f64]) -> Result<(), SetError> {
    let text = target.pointer();
    let pointer = Pointer::parse(text.as_str()).map_err(|_| SetError::Missing(Pointer::root()))?;
    match registry.find(&pointer) {
        Some(found) => found.set(json, value),
        None if is_extras(&pointer) || pointer.resolve(json).is_some_and(is_value) => set_extras(json, &pointer, value),
        None => Err(SetError::Missing(pointer)),
    }
}

/// Whether something may be replaced by animated values: never an object or a list of them, however a pointer names it.
fn is_value(json: &Value) -> bool {
    match json {
        Value::Number(_) | Value::Bool(_) => true,
        Value::Array(elements) => elements.iter().all(Value::is_number),
        _ => false,
    }
}

/// Freezes a document at one time of an animation: the animated properties get their values at that time, and the
/// animations are removed unless `keep` asks for them.
pub fn freeze(document: &Document, animation: &Animation, time: f64, keep: bool) -> Result<Changed> {
    let mut edit = document.edit();
    let findings = apply(edit.json(), document.registry(), animation, time);
    if !keep {
        let removed = retain(edit.json(), Collection::Animations, |_| false);
        removed
            .map_err(|error| Error::malformed(error.0.at.as_str(), "refers to an animation: animations must stay"))?;
    }
    Ok(Changed { document: edit.finish()?, findings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Curve, Property, Source, Targets, Track, ValueKind};
    use serde_json::json;

    fn track(target: Target, value: &[f32]) -> Track {
        let source = Source { channel: 3, sampler: 0, input: 0, output: 0, targets: Targets::Pointer };
        Track { target, curve: Curve::constant(0.0, value.to_vec()).unwrap(), source }
    }

    fn pointer(pointer: &str, kind: ValueKind) -> Target {
        Target::Pointer { pointer: pointer.to_owned(), kind }
    }

    #[test]
    fn every_kind_of_target_is_set_and_what_cannot_be_is_said() {
        let mut json = json!({
            "nodes": [{ "mesh": 0, "extensions": { "KHR_node_visibility": {}, "ACME": { "x": 1 } }, "extras": { "a/b": 1 } }],
            "meshes": [{ "primitives": [{ "targets": [{}, {}] }] }], "materials": [{}]
        });
        let axis = Target::Node { node: 0, property: Property::Translation, axis: Some(Axis::Y) };
        let tracks = vec![
            track(axis, &[2.0]),
            track(Target::node(0, Property::Weights), &[0.5, 1.0]),
            track(pointer("/nodes/0/extensions/KHR_node_visibility/visible", ValueKind::Bool), &[0.0]),
            track(pointer("/nodes/0/extras/a~1b", ValueKind::Float), &[7.0]),
            track(pointer("/nodes/0/extensions/ACME/x", ValueKind::Float), &[0.25]),
            track(pointer("/nodes/0/extensions/ACME/y", ValueKind::Float), &[0.25]),
            track(pointer("/materials/0/pbrMetallicRoughness/metallicFactor", ValueKind::Float), &[0.25]),
        ];
        let animation = Animation { index: 1, name: None, tracks };
        let findings = apply(&mut json, Registry::standard(), &animation, 9.0);
        assert_eq!(
            json["nodes"][0],
            json!({ "mesh": 0, "extensions": { "KHR_node_visibility": { "visible": false }, "ACME": { "x": 0.25 } },
                "extras": { "a/b": 7.0 }, "translation": [0.0, 2.0, 0.0], "weights": [0.5, 1.0] })
        );
        let said: Vec<_> = findings.iter().map(|f| (f.at.as_str(), f.message.split(' ').next().unwrap())).collect();
        let at = "/animations/1/channels/3";
        let unset = ["/nodes/0/extensions/ACME/y", "/materials/0/pbrMetallicRoughness/metallicFactor"];
        assert_eq!(said, unset.map(|target| (at, target)));
    }
}
