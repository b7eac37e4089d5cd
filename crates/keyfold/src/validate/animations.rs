//! Animations: what channels drive, and whether samplers fit them. glTF 2.0 section 3.11; the keys themselves are
//! `super::keys`.

use super::{
    Findings,
    khronos::{
        ANIMATION_CHANNEL_TARGET_NODE_MATRIX, ANIMATION_CHANNEL_TARGET_NODE_SKIN,
        ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS, ANIMATION_DUPLICATE_TARGETS,
        ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE, ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT,
        ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS, ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS,
        ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT, ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT,
        UNRESOLVED_REFERENCE, UNUSED_OBJECT,
    },
    model::{Accessor, Animation, Channel, Model, Sampler, resolve},
};
use crate::{
    Interpolation, Property,
    document::{ComponentType, Shape},
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    for (i, animation) in model.animations.iter().enumerate() {
        let Some(Animation { samplers: Some(samplers), channels: Some(channels) }) = animation else { continue };
        let at = format!("/animations/{i}");
        for (j, sampler) in samplers.iter().enumerate() {
            check_sampler(model, &format!("{at}/samplers/{j}"), sampler, findings);
        }
        for (j, channel) in channels.iter().enumerate() {
            let at = format!("{at}/channels/{j}");
            check_target(model, &format!("{at}/target"), channel, findings);
            check_values(model, &format!("{at}/sampler"), channel, samplers, findings);
        }
        check_duplicates(&at, channels, findings);
        let used: BTreeSet<usize> = channels.iter().filter_map(|channel| channel.sampler).collect();
        for j in (0..samplers.len()).filter(|j| !used.contains(j)) {
            findings.add(&UNUSED_OBJECT, format!("{at}/samplers/{j}"), "no channel uses this sampler");
        }
    }
}

fn check_sampler(model: &Model<'_>, at: &str, sampler: &Sampler, findings: &mut Findings) {
    for (key, index) in [("input", sampler.input), ("output", sampler.output)] {
        let at = format!("{at}/{key}");
        resolve(&model.accessors, index, || at.clone(), findings);
        let accessor = index.and_then(|i| model.accessor(i));
        if accessor.and_then(|a| model.view(a.view?)).is_some_and(|view| view.stride.is_some()) {
            let message = "keys are tightly packed: their buffer view has no byteStride";
            findings.add(&ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE, at, message);
        }
    }
    if let Some(input) = sampler.input.and_then(|i| model.accessor(i)) {
        check_input(&format!("{at}/input"), input, sampler.interpolation, findings);
    }
}

fn check_input(at: &str, input: &Accessor, interpolation: Option<Interpolation>, findings: &mut Findings) {
    if (input.shape, input.meant()) != (Some(Shape::Scalar), (Some(ComponentType::F32), false)) {
        let message = format!("times are {}, where {{SCALAR, FLOAT}} is expected", input.format());
        findings.add(&ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT, at, message);
    }
    let nowhere = input.provided && input.view.is_none();
    if (input.min.is_none() || input.max.is_none()) && !nowhere {
        findings.add(&ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS, at, "times have no min and max");
    }
    if interpolation.is_some_and(|i| i.elements_per_key() == 3) && input.count == Some(1) {
        findings.add(&ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS, at, "a spline takes two keys or more");
    }
}

fn check_target(model: &Model<'_>, at: &str, channel: &Channel, findings: &mut Findings) {
    resolve(&model.nodes, channel.node, || format!("{at}/node"), findings);
    let (Some(node), Some(property)) = (channel.node.and_then(|i| model.node(i)), channel.property) else { return };
    if property == Property::Weights {
        if model.mesh_of(node).and_then(|mesh| mesh.targets()).is_none() {
            let message = "the node has no mesh with morph targets";
            findings.add(&ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS, at, message);
        }
        return;
    }
    if node.has_matrix {
        let message = format!("the node has a matrix: its {} cannot be animated", property.name());
        findings.add(&ANIMATION_CHANNEL_TARGET_NODE_MATRIX, at, message);
    }
    if node.skin.is_some_and(|skin| model.skins.get(skin).is_some_and(Option::is_some)) {
        let message = format!("the node's mesh is skinned: its {} moves nothing of it", property.name());
        findings.add(&ANIMATION_CHANNEL_TARGET_NODE_SKIN, format!("{at}/path"), message);
    }
}

fn check_values(model: &Model<'_>, at: &str, channel: &Channel, samplers: &[Sampler], findings: &mut Findings) {
    let Some(index) = channel.sampler else { return };
    let Some(sampler) = samplers.get(index) else {
        findings.add(&UNRESOLVED_REFERENCE, at, format!("sampler {index} does not exist"));
        return;
    };
    let output = sampler.output.and_then(|i| model.accessor(i));
    let (Some(property), Some(output)) = (channel.property, output) else { return };
    if !may_hold(property, output) {
        let message = format!("{} cannot hold the values of {}", output.format(), property.name());
        findings.add(&ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT, at, message);
    }
    let expected = expected_count(model, channel, sampler, property);
    if let (Some(expected), Some(count)) = (expected, output.count) {
        check_count(at, count, expected, findings);
    }
}

/// Whether an output has as many elements as its sampler's keys ask for.
pub(crate) fn check_count(at: &str, count: usize, expected: usize, findings: &mut Findings) {
    if count != expected {
        let message = format!("the output has {count} elements, where {expected} are expected");
        findings.add(&ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT, at, message);
    }
}

/// Whether an accessor's format is one that core allows for a property.
fn may_hold(property: Property, accessor: &Accessor) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16};
    let shape = match property {
        Property::Translation | Property::Scale => Shape::Vec3,
        Property::Rotation => Shape::Vec4,
        Property::Weights => Shape::Scalar,
    };
    let packs = matches!(property, Property::Rotation | Property::Weights);
    accessor.shape == Some(shape)
        && match accessor.meant() {
            (Some(F32), normalized) => !normalized,
            (Some(I8 | U8 | I16 | U16), normalized) => packs && normalized,
            _ => false,
        }
}

/// How many elements the output should have, where that can be told.
fn expected_count(model: &Model<'_>, channel: &Channel, sampler: &Sampler, property: Property) -> Option<usize> {
    let keys = model.accessor(sampler.input?)?.count?;
    let elements = keys.checked_mul(sampler.interpolation?.elements_per_key())?;
    if property != Property::Weights {
        return Some(elements);
    }
    elements.checked_mul(model.mesh_of(model.node(channel.node?)?)?.targets()?)
}

fn check_duplicates(at: &str, channels: &[Channel], findings: &mut Findings) {
    let mut last = BTreeMap::new();
    let mut twins: Vec<(usize, usize)> = Vec::new();
    for (j, channel) in channels.iter().enumerate().rev() {
        let (Some(node), Some(property), Some(_)) = (channel.node, channel.property, channel.sampler) else { continue };
        twins.extend(last.insert((node, property), j).map(|next| (j, next)));
    }
    for (j, next) in twins.into_iter().rev() {
        let message = format!("channel {next} drives the same property; which of them is played is not defined");
        findings.add(&ANIMATION_DUPLICATE_TARGETS, format!("{at}/channels/{j}/target"), message);
    }
}
