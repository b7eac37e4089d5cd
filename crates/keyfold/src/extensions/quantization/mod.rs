//! EXT_animation_quantization (draft, glTF PR 1991): integer times and values with `offset`, `scale` and `timeScale` on the channel,
//! single axes, uniform scales, rotations without W.
//!
//! | file | what it is |
//! |---|---|
//! | `table` | which path may be stored as what: the draft's tables |
//! | `decode` | from stored numbers to values |
//! | `times` | frame numbers behind times |
//! | `options` | what a writer may be asked for |
//! | `given` | a document in forms that are asked for by name |
//! | `write` | a document within an error bound, whose grids the engine searches (`pack/storage/quantization`) |
//! | `needed` | whether a channel needs the extension at all |
//! | `rules` | what the extension asks of a file |
//!
//! Reading is lenient where the meaning is plain, with a finding. The draft's W of a VEC3 rotation has a sign wrong; what is meant is
//! unit length.

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
pub use table::{Encoding, Path, ROTATION, TypeSupport, UNSIGNED};
pub(crate) use table::{path_of, shape};
pub(crate) use times::{FrameNumbers, frame_numbers};
pub use write::{quantize, quantize_with};

use super::Extension;
use crate::{
    Document, Error, Finding, Property, Result, Severity, Target,
    document::{Accessor, Shape},
    read::{Channel, ChannelTarget, KeyArrays, Sampler},
    validate::Code,
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

/// The path of a channel; `None` where it is none of the draft's (a pointer, or nonsense).
fn path(channel: &Channel<'_>) -> Result<Option<Path>> {
    Ok(channel.object.required_object("target")?.text("path")?.and_then(Path::from_name))
}

fn target(channel: &Channel<'_>) -> Result<Option<Vec<ChannelTarget>>> {
    let Some(Path { property, axis: Some(axis) }) = path(channel)? else { return Ok(None) };
    let target = channel.object.required_object("target")?;
    let node = target.required_index("node")?;
    let (axis, width) = match property {
        // The other axes are zero, so the whole rotation is driven.
        Property::Rotation => (None, 4),
        _ => (Some(axis), 1),
    };
    let driven = Target::Node { node, property, axis };
    Ok(Some(vec![ChannelTarget::of_node(channel.document, &target, driven, Some(width))?]))
}

fn keys(
    channel: &Channel<'_>,
    aim: &ChannelTarget,
    sampler: &Sampler,
    findings: &mut Vec<Finding>,
) -> Result<Option<KeyArrays>> {
    let parameters = Parameters::of_channel(&channel.object)?;
    let path = path(channel)?;
    if path.is_none() && parameters == Parameters::default() {
        return Ok(None);
    }
    let (input, output) = (channel.document.accessor(sampler.input)?, channel.document.accessor(sampler.output)?);
    if input.shape != Shape::Scalar {
        let at = format!("/accessors/{}/type", input.index);
        return Err(Error::malformed(at, "the times of a sampler should be SCALAR"));
    }
    check_encoding(&input, &UNSIGNED, findings)?;
    let layout = match path {
        Some(path) => check_output(path, &output, sampler, findings)?,
        None => Layout::Whole,
    };
    parameters.check(&channel.object, output.shape)?;
    let times = parameters.times(&stored(channel.document, sampler.input)?);
    let values = parameters.values(&stored(channel.document, sampler.output)?, output.shape, layout);
    let width = aim.width.map_or_else(|| sampler.width_of(&values, times.len()), Ok)?;
    Ok(Some(KeyArrays { times: times.into(), values: values.into(), width }))
}

/// The numbers of an accessor: integers normalized where the accessor says so, nothing rounded.
fn stored(document: &Document, accessor: usize) -> Result<Vec<f64>> {
    match document.provided(accessor) {
        Some(values) => Ok(values?.iter().map(|v| f64::from(*v)).collect()),
        None => Ok(document.elements(accessor)?.to_numbers()),
    }
}

fn check_output(path: Path, output: &Accessor, sampler: &Sampler, findings: &mut Vec<Finding>) -> Result<Layout> {
    let at = |key: &str| format!("/accessors/{}/{key}", output.index);
    let Some(layout) = path.layout(output.shape) else {
        return Err(Error::malformed(at("type"), format!("`{path}` is not stored as {}", output.shape.name())));
    };
    if sampler.interpolation.elements_per_key() == 3 && layout != Layout::Whole && path.property == Property::Rotation {
        let what = format!("{} of a rotation has no room for all of its tangents", output.shape.name());
        match layout.lacks_w() {
            true => return Err(Error::malformed(at("type"), what)),
            false => findings.push(warning(&rules::QUANT_CUBIC_ROTATION_AXIS, at("type"), what)),
        }
    }
    // Weights are core's: any type that core's reader takes.
    if path.property != Property::Weights {
        check_encoding(output, path.encodings(), findings)?;
    }
    Ok(layout)
}

fn check_encoding(accessor: &Accessor, listed: &[Encoding], findings: &mut Vec<Finding>) -> Result<()> {
    let encoding = Encoding::of(accessor);
    let at = format!("/accessors/{}/componentType", accessor.index);
    let what = format!("{encoding} is not among the types that the extension lists here");
    match encoding.support(listed) {
        TypeSupport::Listed => {}
        TypeSupport::Understood => findings.push(warning(&rules::QUANT_SIGNED_TYPE, at, what)),
        TypeSupport::Refused => return Err(Error::malformed(at, what)),
    }
    Ok(())
}

/// Whoever reads a channel can read it all the same, whatever the rules call it.
fn warning(code: &Code, at: String, message: String) -> Finding {
    Finding { severity: Severity::Warning, ..code.finding(at, message) }
}

#[cfg(test)]
mod tests;
