//! What the extensions with JSON pointers have in common: where a channel's pointer stands, what it drives, and
//! the rules for it.
//!
//! The extensions themselves are `animation_pointer`, `animation2` and `property_animation`; what can be addressed is the business of
//! `crate::object_model`.

mod channel_targets;
mod codes;
mod key_rules;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use channel_targets::channel_targets;
pub(super) use codes::CODES;
pub(super) use rules::rules;

use super::{animation_pointer, animation2, property_animation};
use crate::{Document, Result, Targets, document::Object};
use serde_json::Value;

/// A channel's pointer as the file writes it.
pub(crate) struct Address<'a> {
    /// The pointer's text.
    pub(crate) text: &'a str,
    /// Where it stands.
    pub(crate) at: String,
    /// In which extension's way it is written.
    pub(crate) targets: Targets,
    /// Where that way is one of the past: what became of it.
    pub(crate) legacy: Option<&'static str>,
}

/// A channel's pointer in whatever form; `None` where it has none.
pub(crate) fn address<'a>(document: &Document, channel: &Object<'a>) -> Result<Option<Address<'a>>> {
    match animation_pointer::address(channel)? {
        Some(address) => Ok(Some(address)),
        None => Ok(animation2::address(document, channel)?.or_else(|| property_animation::address(channel))),
    }
}

/// A channel's target where it is an object, as all but EXT_property_animation have it.
pub(super) fn target<'a>(channel: &Object<'a>) -> Result<Option<Object<'a>>> {
    match channel.get("target") {
        Some(look) if look.is_object() => channel.object("target"),
        _ => Ok(None),
    }
}

/// The object of an extension on a channel's target.
pub(super) fn carried<'a>(channel: &Object<'a>, name: &str) -> Result<Option<Object<'a>>> {
    target(channel)?.map_or(Ok(None), |target| target.extension(name))
}

/// Whether any channel's target of a document is as asked for.
pub(super) fn any_target(json: &Value, is: impl Fn(&Value) -> bool) -> bool {
    let animations = json["animations"].as_array().into_iter().flatten();
    animations.filter_map(|animation| animation["channels"].as_array()).flatten().any(|channel| is(&channel["target"]))
}
