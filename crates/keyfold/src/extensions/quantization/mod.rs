//! EXT_animation_quantization (draft, glTF PR 1991): integer times and values with `offset`, `scale` and `timeScale`
//! on the channel, single axes, uniform scales, rotations without W.
//!
//! | file | content |
//! |---|---|
//! | `table` | the draft's tables: the types and shapes that each path may have |
//! | `decode` | from stored numbers to values |
//! | `times` | times as frame numbers |
//! | `options` | options of the writer |
//! | `given` | writes types and layouts that the options name |
//! | `write` | writes within an error bound; the engine searches the grids (`pack/storage/quantization`) |
//! | `needed` | whether a channel needs the extension |
//! | `rules` | validation |
//!
//! The reader accepts deviations whose meaning is clear, with a finding. The draft's formula for the W of a VEC3
//! rotation has a wrong sign; unit length is meant.

mod decode;
mod given;
mod needed;
mod options;
mod rules;
mod table;
mod times;
mod write;

pub use decode::Parameters;
pub use keyfold_core::engine::Layout;
pub(crate) use needed::stores;
pub use options::{LayoutOptions, Options, RotationForm, VectorForm};
use rules::{QUANT_CUBIC_ROTATION_AXIS, QUANT_SIGNED_TYPE, time_fault, value_faults};
pub use table::{Encoding, Path, ROTATION, TypeSupport, UNSIGNED};
pub(crate) use table::{path_of, shape};
pub(crate) use times::{FrameNumbers, frame_numbers};
pub use write::{quantize, quantize_with};

use super::Extension;
use crate::{
    Document, Error, Finding, Property, Result, Severity, Target,
    read::{Channel, ChannelTarget, KeyArrays, Sampler},
};
use serde_json::Value;

/// The extension's name.
pub const NAME: &str = "EXT_animation_quantization";

pub(super) const EXT: Extension = Extension {
    target: Some(|channel, _| target(channel)),
    keys: Some(keys),
    tidy: Some(tidy),
    rules: Some(rules::rules),
    codes: rules::CODES,
    places: rules::PLACES,
    members: &["offset", "scale", "timeScale"],
    ..Extension::new(NAME)
};

fn tidy(json: &mut Value) {
    if !needed::needed(json) {
        super::undeclare(json, NAME);
    }
}

/// The path of a channel; `None` if the draft does not list it.
fn path(channel: &Channel<'_>) -> Result<Option<Path>> {
    Ok(channel.object.required_object("target")?.text("path")?.and_then(Path::from_name))
}

fn target(channel: &Channel<'_>) -> Result<Option<Vec<ChannelTarget>>> {
    let Some(Path { property, axis: Some(axis) }) = path(channel)? else { return Ok(None) };
    let target = channel.object.required_object("target")?;
    let node = target.required_index("node")?;
    let (axis, width) = match property {
        // The other axes become zero: the channel drives the whole rotation.
        Property::Rotation => (None, 4),
        _ => (Some(axis), 1),
    };
    let driven = Target::Node { node, property, axis };
    Ok(Some(vec![ChannelTarget::of_node(channel.document, &target, driven, Some(width))?]))
}

fn keys(
    channel: &Channel<'_>,
    driven: &ChannelTarget,
    sampler: &Sampler,
    findings: &mut Vec<Finding>,
) -> Result<Option<KeyArrays>> {
    let path = path(channel)?;
    let (input, output) = (channel.document.accessor(sampler.input)?, channel.document.accessor(sampler.output)?);
    let parameters = Parameters::of_channel(&channel.object, output.shape)?;
    if path.is_none() && parameters == Parameters::default() {
        return Ok(None);
    }
    let is_spline = sampler.interpolation.is_spline();
    let faults = path.into_iter().flat_map(|path| value_faults(path, &output, is_spline)).flatten();
    for (code, at, message) in time_fault(&input).into_iter().chain(faults) {
        if ![&QUANT_SIGNED_TYPE, &QUANT_CUBIC_ROTATION_AXIS].iter().any(|readable| readable.name == code.name) {
            return Err(Error::malformed(at, message));
        }
        findings.push(Finding { severity: Severity::Warning, code: code.name, at, message });
    }
    let layout = path.and_then(|path| path.layout(output.shape)).unwrap_or(Layout::Whole);
    let times = parameters.times(&stored(channel.document, sampler.input)?);
    let values = parameters.values(&stored(channel.document, sampler.output)?, output.shape, layout);
    let width = driven.width.map_or_else(|| sampler.width_of(&values, times.len()), Ok)?;
    Ok(Some(KeyArrays { times: times.into(), values: values.into(), width }))
}

/// The numbers of an accessor without rounding. Normalized integers are divided.
fn stored(document: &Document, accessor: usize) -> Result<Vec<f64>> {
    match document.provided(accessor) {
        Some(values) => Ok(values?.iter().map(|v| f64::from(*v)).collect()),
        None => Ok(document.elements(accessor)?.to_numbers()),
    }
}

#[cfg(test)]
mod tests;
