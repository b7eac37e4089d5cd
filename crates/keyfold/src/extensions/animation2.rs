//! KHR_animation2, a draft of 2021 that became KHR_animation_pointer: core's `path` holds the JSON pointer, and an empty object
//! `target.extensions.KHR_animation2` marks it.
//!
//! Exporters of early 2022 wrote a later draft of it, with the pointer as `path` of that object and a dummy in core's place: read,
//! not written. `node` means nothing here. `CUBIC` as a sampler's interpolation is the draft's name for what EXT_animation_sqlerp calls
//! CUBICSLERP; CUBICSPLINE keeps core's meaning.

use super::{
    Extension,
    pointer::{self, Address, aims, carried},
};
use crate::{Document, Interpolation, Property, Result, Targets, document::Object};
use serde_json::{Map, Value, json};

pub(super) const EXTENSION: Extension = Extension {
    target: Some(|channel, findings| aims(channel, address(channel.document, &channel.object)?, findings)),
    interpolation: Some(|name| (name == "CUBIC").then_some(Interpolation::CubicSlerp)),
    undeclared: true,
    tidy: Some(tidy),
    rules: Some(|document, findings| pointer::rules(document, findings, Targets::Animation2)),
    codes: pointer::CODES,
    places: &["/animations/*/channels/*/target"],
    ..Extension::new(NAME)
};

pub(crate) const NAME: &str = "KHR_animation2";

/// The pointer of a channel; `None` where it has none of this extension.
pub(super) fn address<'a>(document: &Document, channel: &Object<'a>) -> Result<Option<Address<'a>>> {
    let marker = carried(channel, NAME)?;
    if let Some(object) = marker.as_ref().filter(|object| object.get("path").is_some()) {
        return Ok(Some(Address {
            text: object.required_text("path")?,
            at: object.place("path"),
            targets: Targets::Animation2,
            legacy: Some("a later draft of KHR_animation2 kept the pointer here"),
        }));
    }
    let Some(target) = pointer::target(channel)? else { return Ok(None) };
    let Some(path) = target.text("path")? else { return Ok(None) };
    let is_marked = marker.is_some() && Property::from_name(path).is_none();
    let is_pointer = is_marked || (path.starts_with('/') && document.uses(NAME));
    let legacy = Some("KHR_animation2 became KHR_animation_pointer");
    let address = || Address { text: path, at: target.place("path"), targets: Targets::Animation2, legacy };
    Ok(is_pointer.then(address))
}

/// The `target` that names a pointer, as the draft's example does.
pub(crate) fn target(pointer: &str) -> Map<String, Value> {
    let object = json!({ "path": pointer, "extensions": { NAME: {} } });
    object.as_object().cloned().unwrap_or_default()
}

/// Once no channel is addressed by it any more, the extension is not used.
fn tidy(json: &mut Value) {
    let is_pointer = |path: &Value| path.as_str().is_some_and(|path| path.starts_with('/'));
    if !pointer::any_target(json, |target| target["extensions"].get(NAME).is_some() || is_pointer(&target["path"])) {
        super::undeclare(json, NAME);
    }
}
