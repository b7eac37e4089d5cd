//! From a pointer's text to what a channel drives.
//!
//! Lenient: what has a type is read also where the document does not define it, with a note. Only what cannot be driven at all
//! (no such node, no index of an array, read-only, no pointer) is left alone.

use super::Address;
use crate::{
    Axis, Document, Finding, Property, Result, Severity, Target, ValueKind,
    object_model::{Alias, Match, Pointer, State, ValueType, current, is_extras},
    read::{Channel, ChannelTarget},
};
use serde_json::Value;

/// What a channel with an address drives: several nodes where it means the weights of their mesh. `None` without an address.
pub(in crate::extensions) fn channel_targets(
    channel: &Channel<'_>,
    address: Option<Address<'_>>,
    findings: &mut Vec<Finding>,
) -> Result<Option<Vec<ChannelTarget>>> {
    let Some(address) = address else { return Ok(None) };
    let mut say = |severity, code, message: String| {
        findings.push(Finding { severity, code, at: address.at.clone(), message });
    };
    if let Some(became) = address.legacy {
        say(Severity::Info, "POINTER_LEGACY_FORM", became.to_owned());
    }
    let current = match current(address.text, channel.document.json()) {
        Ok(current) => current,
        Err(error) => {
            say(Severity::Error, "PATTERN_MISMATCH", format!("`{}`: {error}", address.text));
            return Ok(Some(Vec::new()));
        }
    };
    current.rewritten.iter().for_each(|alias| say(Severity::Info, "POINTER_LEGACY_FORM", old_name(*alias).to_owned()));
    if current.pointers.is_empty() {
        let message = format!("{}: no node instantiates the mesh", address.text);
        say(Severity::Warning, "POINTER_UNRESOLVED", message);
    }
    let target = |pointer: &Pointer| {
        let driven = driven(channel.document, pointer);
        if let Some((severity, code, what)) = driven.doubt {
            say(severity, code, format!("{pointer}: {what}"));
        }
        driven.target.map(|(target, width)| ChannelTarget { target, targets: address.targets, width })
    };
    Ok(Some(current.pointers.iter().filter_map(target).collect()))
}

fn old_name(alias: Alias) -> &'static str {
    match alias {
        Alias::NoSlash => "a JSON pointer begins with a slash",
        Alias::DraftLights => "KHR_lights became KHR_lights_punctual",
        Alias::MeshWeights => "a mesh's weights are animated through the nodes that instantiate it",
    }
}

/// What a pointer drives, with its width, and what is doubtful about it.
struct Driven {
    target: Option<(Target, Option<usize>)>,
    doubt: Option<(Severity, &'static str, String)>,
}

fn driven(document: &Document, pointer: &Pointer) -> Driven {
    let json = document.json();
    let Some(found) = document.registry().find(pointer) else {
        if let Some(token) = pointer.no_index(json) {
            let what = format!("`{token}` is no index of an array; the channel is left alone");
            return Driven { target: None, doubt: Some((Severity::Error, "POINTER_UNRESOLVED", what)) };
        }
        let kind = plain_kind(pointer.resolve(json));
        let doubt = || (Severity::Info, "POINTER_UNRESOLVED", "is not known; its numbers are taken as they are".into());
        let target = Target::Pointer { pointer: pointer.to_string(), kind };
        return Driven { target: Some((target, None)), doubt: (!is_extras(pointer)).then(doubt) };
    };
    if !found.row.mutable {
        let doubt = (Severity::Error, "POINTER_READ_ONLY", "is read-only; the channel is left alone".into());
        return Driven { target: None, doubt: Some(doubt) };
    }
    let doubt = match found.state(json) {
        State::Missing(at) => Some(format!("{at} does not exist")),
        State::Malformed(at) => Some(format!("{at} is not of its type")),
        State::Undefined => Some("is not defined here".to_owned()),
        _ => None,
    };
    let doubt = doubt.map(|what| (Severity::Info, "POINTER_UNRESOLVED", what));
    match node_target(&found) {
        Some(Target::Node { node, .. }) if node >= document.count("nodes") => {
            Driven { target: None, doubt: doubt.map(|(_, code, what)| (Severity::Error, code, what)) }
        }
        Some(target) => Driven { target: Some((target, node_width(&found))), doubt },
        None => {
            let target = Target::Pointer { pointer: pointer.to_string(), kind: kind(&found) };
            Driven { target: Some((target, found.width(json))), doubt }
        }
    }
}

/// What stands behind a pointer that no row describes.
fn plain_kind(value: Option<&Value>) -> ValueKind {
    if value.is_some_and(Value::is_boolean) { ValueKind::Bool } else { ValueKind::Float }
}

fn kind(found: &Match<'_>) -> ValueKind {
    match found.row.value_type {
        ValueType::Bool => ValueKind::Bool,
        ValueType::Int => ValueKind::Int,
        // One component of a quaternion is a number like any other.
        ValueType::Float4 if found.row.quaternion && found.component.is_none() => ValueKind::Quaternion,
        _ => ValueKind::Float,
    }
}

/// A property of a node that core can animate, or one axis of it.
fn node_target(found: &Match<'_>) -> Option<Target> {
    let name = found.row.template.strip_prefix("/nodes/{}/")?;
    let property = Property::from_name(name)?;
    let node = *found.indices().first()?;
    match (found.component, property) {
        (None, _) => Some(Target::node(node, property)),
        (Some(component), Property::Translation | Property::Scale) => {
            Some(Target::Node { node, property, axis: Axis::ALL.get(component).copied() })
        }
        _ => None,
    }
}

fn node_width(found: &Match<'_>) -> Option<usize> {
    if found.component.is_some() { Some(1) } else { found.row.value_type.width() }
}
