//! Core glTF's own storage: floats, whole properties, targets as `node` and `path`; what core cannot name, by
//! KHR_animation_pointer.

use super::{ChannelForm, SamplerForm, Stored};
use crate::{
    Error, Interpolation, Result, Target, Track, ValueKind,
    document::{ComponentType, Shape},
    extensions::sqlerp,
};
use serde_json::{Map, Value, json};

/// A track as core glTF stores it. Core cannot express a single axis of a property: join axes first.
pub fn core_form(track: &Track) -> Result<ChannelForm> {
    let sampler = SamplerForm {
        input: Stored::times(track.curve.times()),
        output: output(track),
        interpolation: track.curve.interpolation(),
    };
    // Core has no CUBICSLERP: there the extension's own form, without a fallback, is the plainest.
    let (sampler, extension_sampler) = match sampler.interpolation {
        Interpolation::CubicSlerp => (None, Some((sqlerp::NAME, sampler))),
        _ => (Some(sampler), None),
    };
    Ok(ChannelForm {
        source: Some(track.source.channel),
        sampler,
        extension_sampler,
        target: core_target(&track.target)?,
        extensions: Map::new(),
    })
}

fn output(track: &Track) -> Stored {
    let curve = &track.curve;
    let exact = |component| {
        let values: Vec<i64> = curve.values().iter().map(|v| *v as i64).collect();
        Stored::integers(component, Shape::Scalar, false, &values)
    };
    match &track.target {
        Target::Pointer { kind: ValueKind::Bool, .. } => exact(ComponentType::U8),
        Target::Pointer { kind: ValueKind::Int, .. } => exact(integer_type(curve.values())),
        target => Stored::floats(element_shape(target, curve.width()), curve.values()),
    }
}

/// Arrays (weights, application data) are stored as scalars, everything else as one vector per value.
fn element_shape(target: &Target, width: usize) -> Shape {
    match target {
        Target::Node { property: crate::Property::Weights, .. } => Shape::Scalar,
        _ => Shape::vector(width).unwrap_or(Shape::Scalar),
    }
}

/// The smallest integer type that holds the values.
fn integer_type(values: &[f32]) -> ComponentType {
    let (least, most) = values.iter().fold((0.0f32, 0.0f32), |(a, b), v| (a.min(*v), b.max(*v)));
    let holds = |component: &ComponentType| {
        component.integers().is_some_and(|i| *i.start() as f32 <= least && most <= *i.end() as f32)
    };
    let short = [ComponentType::U8, ComponentType::I8, ComponentType::U16, ComponentType::I16];
    short.into_iter().find(holds).unwrap_or(ComponentType::U32)
}

/// The `target` object: core's form if core can express it, else KHR_animation_pointer's.
pub fn core_target(target: &Target) -> Result<Value> {
    match target {
        Target::Node { node, property, axis: None } => Ok(json!({ "node": node, "path": property.name() })),
        Target::Node { axis: Some(_), .. } => {
            let what = "is one axis alone, which core glTF cannot animate; EXT_animation_quantization can";
            Err(Error::argument("", format!("{target} {what}")))
        }
        Target::Pointer { pointer, .. } => {
            Ok(json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } }))
        }
    }
}
