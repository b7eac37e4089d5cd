//! KHR_animation_pointer, ratified 2024-04-19: what a channel drives is named by `target.extensions.KHR_animation_pointer.pointer`,
//! core's `path` says `pointer` and `node` is not set.
//!
//! Drafts of April and May 2022 called the member `path`; files of that time are read too. What a pointer may address, and what
//! it means for the keys, is the same for all extensions with pointers: `super::pointer`.

use super::{
    Extension,
    pointer::{self, Address, carried, channel_targets},
};
use crate::{Result, Targets, document::Object};
use serde_json::{Map, Value, json};

pub(super) const EXTENSION: Extension = Extension {
    target: Some(|channel, findings| channel_targets(channel, address(&channel.object)?, findings)),
    undeclared: true,
    tidy: Some(tidy),
    rules: Some(|document, findings| pointer::rules(document, findings, Targets::Pointer)),
    codes: pointer::CODES,
    places: &["/animations/*/channels/*/target"],
    ..Extension::new(NAME)
};

pub(crate) const NAME: &str = "KHR_animation_pointer";

/// The pointer of a channel; `None` where it has none of this extension.
pub(super) fn address<'a>(channel: &Object<'a>) -> Result<Option<Address<'a>>> {
    let Some(object) = carried(channel, NAME)? else { return Ok(None) };
    let early = object.get("pointer").is_none() && object.get("path").is_some();
    let key = if early { "path" } else { "pointer" };
    Ok(Some(Address {
        text: object.required_text(key)?,
        at: object.place(key),
        targets: Targets::Pointer,
        legacy: early.then_some("a draft of 2022 called it `path`; the ratified extension calls it `pointer`"),
    }))
}

/// The `target` that names a pointer.
pub(crate) fn target(pointer: &str) -> Map<String, Value> {
    let object = json!({ "path": "pointer", "extensions": { NAME: { "pointer": pointer } } });
    object.as_object().cloned().unwrap_or_default()
}

/// Once no channel carries it any more, the extension is not used.
fn tidy(json: &mut Value) {
    if !pointer::any_target(json, |target| target["extensions"].get(NAME).is_some()) {
        super::undeclare(json, NAME);
    }
}
