//! EXT_property_animation, a draft of 2018 and the ancestor of KHR_animation2: `animation.extensions.EXT_property_animation.channels`,
//! each with a `sampler` of the animation and a JSON pointer as its `target`.
//!
//! Only ever read. Where an animation is written, these channels join core's in the ratified form (`move_to_core`).

use super::{
    Extension, animation_pointer,
    pointer::{self, Address, channel_targets},
};
use crate::{Result, Targets, document::Object};
use serde_json::{Map, Value, json};

pub(super) const EXTENSION: Extension = Extension {
    channels: Some(channels),
    move_to_core: Some(move_to_core),
    target: Some(|channel, findings| channel_targets(channel, address(&channel.object), findings)),
    tidy: Some(tidy),
    rules: Some(|document, findings| pointer::rules(document, findings, Targets::PropertyAnimation)),
    codes: pointer::CODES,
    places: &["/animations/*"],
    ..Extension::new(NAME)
};

const NAME: &str = "EXT_property_animation";

fn channels<'a>(animation: &Object<'a>) -> Result<Vec<Result<Object<'a>>>> {
    match animation.extension(NAME)? {
        Some(object) => Ok(object.objects("channels")?.collect()),
        None => Ok(Vec::new()),
    }
}

/// The pointer of a channel; core's channels have objects in its place.
pub(super) fn address<'a>(channel: &Object<'a>) -> Option<Address<'a>> {
    let text = channel.get("target")?.as_str()?;
    let legacy = Some("EXT_property_animation became KHR_animation_pointer");
    Some(Address { text, at: channel.place("target"), targets: Targets::PropertyAnimation, legacy })
}

fn move_to_core(animation: &mut Value) -> Option<&'static str> {
    let Value::Array(moved) = take_channels(animation)? else { return None };
    let channels = animation.as_object_mut()?.entry("channels").or_insert_with(|| json!([]));
    channels.as_array_mut()?.extend(moved.into_iter().map(ratified));
    Some(animation_pointer::NAME)
}

/// Takes the channels out of an animation, with the objects that held nothing else.
fn take_channels(animation: &mut Value) -> Option<Value> {
    let object = animation.get_mut("extensions")?.get_mut(NAME)?.as_object_mut()?;
    let channels = object.shift_remove("channels");
    if object.is_empty() {
        super::remove(animation, NAME);
    }
    channels
}

/// The channel as KHR_animation_pointer has it; what is no channel stays what it is.
fn ratified(mut channel: Value) -> Value {
    if let Some(Value::String(pointer)) = channel.get("target") {
        channel["target"] = Value::Object(animation_pointer::target(pointer));
    }
    channel
}

/// Once no animation has such channels any more, the extension is not used.
fn tidy(json: &mut Value) {
    let mut animations = json["animations"].as_array().into_iter().flatten();
    let holds = |animation: &Value| animation["extensions"].get(NAME).and_then(Value::as_object).map(Map::len);
    if !animations.any(|animation| holds(animation).is_some()) {
        super::undeclare(json, NAME);
    }
}
