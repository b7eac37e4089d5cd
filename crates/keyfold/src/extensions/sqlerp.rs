//! EXT_animation_sqlerp, a draft: rotations by spherical cubic interpolation, `CUBICSLERP` (the curve is the core's
//! [`cubic_slerp`](keyfold_core::curve::cubic_slerp)).
//!
//! The extension stands on a channel and names a sampler. Beside it the channel may have core's `sampler`: a fallback for readers
//! that do not know the extension, or the same sampler again for readers that insist on one, or none at all. A channel whose own
//! `sampler` is CUBICSLERP needs no extension object to be understood: core's way of reading takes care of that.

mod rules;

use super::Extension;
use crate::{
    Error, Interpolation, Result, Track,
    document::{JsonRef, Object, json::to_index},
    read::Channel,
    write::{ChannelForm, core_form},
};
use serde_json::Value;

pub(crate) const NAME: &str = "EXT_animation_sqlerp";

pub(super) const ROW: Extension = Extension {
    sampler: Some(sampler),
    interpolation: Some(|name, _| Interpolation::from_name(name)),
    tidy: Some(tidy),
    rules: Some(rules::rules),
    codes: rules::CODES,
    places: &["/animations/*/channels/*"],
    members: &["sampler"],
    ..Extension::new(NAME)
};

/// The extension's object, which names the sampler; it must be a CUBICSLERP one.
fn sampler<'a>(channel: &Channel<'a>) -> Result<Option<Object<'a>>> {
    let Some(object) = channel.object.extension(NAME)? else { return Ok(None) };
    let index = object.required_index("sampler")?;
    match channel.animation.array("samplers")?.get(index) {
        Some(value) if is_cubic_slerp(value) => Ok(Some(object)),
        Some(_) => Err(Error::malformed(object.place("sampler"), "names a sampler that is not CUBICSLERP")),
        None => Err(Error::malformed(object.place("sampler"), format!("sampler {index} does not exist"))),
    }
}

fn is_cubic_slerp(sampler: JsonRef<'_>) -> bool {
    sampler.get("interpolation").and_then(JsonRef::as_str) == Some(Interpolation::CubicSlerp.name())
}

/// What readers that do not know the extension see of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CoreSampler {
    /// No sampler: the draft's form without a fallback. The extension is required.
    #[default]
    None,
    /// The CUBICSLERP sampler itself, for readers that insist on one. The extension is required.
    Same,
    /// LINEAR keys of its own: the draft's fallback.
    Linear,
}

/// A track as core stores it or, of CUBICSLERP, the draft; `fallback` is the same motion for readers that do not know that.
pub(crate) fn form(track: &Track, core: CoreSampler, fallback: Option<&Track>) -> Result<ChannelForm> {
    let mut form = core_form(track)?;
    if let Some((_, own)) = &form.extension_sampler {
        form.sampler = match (core, fallback) {
            (CoreSampler::Linear, Some(fallback)) => core_form(fallback)?.sampler,
            (CoreSampler::Same, _) => Some(own.clone()),
            _ => None,
        };
    }
    Ok(form)
}

/// Keeps the extension declared where a channel has it, and required where one cannot be played without; no longer where nothing
/// is CUBICSLERP.
fn tidy(json: &mut Value) {
    let is_ours = |sampler: &Value| sampler["interpolation"] == Interpolation::CubicSlerp.name();
    let (mut used, mut meant, mut required) = (false, false, false);
    for animation in json.get("animations").and_then(Value::as_array).into_iter().flatten() {
        let samplers = animation.get("samplers").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        meant |= samplers.iter().any(is_ours);
        for channel in animation.get("channels").and_then(Value::as_array).into_iter().flatten() {
            let core = channel.get("sampler").and_then(to_index).and_then(|i| samplers.get(i));
            let extended = channel["extensions"].get(NAME).is_some();
            used |= extended;
            required |= if extended { core.is_none_or(is_ours) } else { core.is_some_and(is_ours) };
        }
    }
    if used {
        super::list(json, "extensionsUsed", NAME);
        match required {
            true => super::list(json, "extensionsRequired", NAME),
            false => super::unlist(json, "extensionsRequired", NAME),
        }
    } else if !meant {
        super::undeclare(json, NAME);
    }
}

#[cfg(test)]
mod tests;
