//! What a property asks of the keys that drive it: shape, component type, interpolation, values.

use super::{
    codes::{
        ANIMATION2_COMPONENT_TYPE, KHR_ANIMATION_POINTER_COMPONENT_TYPE_MISMATCH,
        KHR_ANIMATION_POINTER_VECTOR_SIZE_MISMATCH, POINTER_INT_NOT_STEP, POINTER_VALUE_OUT_OF_RANGE,
        POINTER_VALUE_OVERSHOOT, POINTER_VALUE_UNUSUAL,
    },
    rules::Rules,
};
use crate::{
    Interpolation, Result, Targets, Track,
    document::{Accessor, ComponentType},
    extensions::{self, animation2},
    object_model::{Match, Pointer, Relation, Valid, ValueType},
    read::Channel,
    validate::{
        Code,
        khronos::{
            ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION,
            ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT,
        },
    },
    validity::{at_keys, overshoots},
};

/// Checks the keys of a channel; `track` is what could be read of it.
pub(super) fn check(rules: &mut Rules<'_>, targets: Targets, found: &Match<'_>, track: Option<&Track>) {
    if found.row.mutable {
        // What refers to nothing is core's to tell.
        let _ = check_format(rules, targets, found);
        if let Some(track) = track {
            check_values(rules, found, track);
            check_relation(rules, found, track);
        }
    }
}

fn check_format(rules: &mut Rules<'_>, targets: Targets, found: &Match<'_>) -> Result<()> {
    let document = rules.document;
    let animation = document.element("animations", rules.animation.index)?;
    let channel = Channel { document, animation: animation.clone(), object: rules.channel.clone(), index: rules.index };
    let named = extensions::sampled(&channel)?;
    let Some(sampler) = animation.element("samplers", named.required_index("sampler")?)? else { return Ok(()) };
    let output = document.accessor(sampler.required_index("output")?)?;
    let interpolation = sampler.text("interpolation")?.map_or(Some(Interpolation::Linear), Interpolation::from_name);
    let at = named.place("sampler");
    let expected = if found.component.is_some() { "SCALAR" } else { found.row.value_type.accessor() };
    if output.shape.name() != expected {
        let message = format!("{} takes {expected}, not {}", found.property, output.shape.name());
        rules.findings.add(&KHR_ANIMATION_POINTER_VECTOR_SIZE_MISMATCH, &at, message);
    } else if let (Some(interpolation), Some(width)) = (interpolation, found.width(document.json())) {
        // An array is so many scalars at each key, everything else one element.
        let scalars = if found.row.value_type == ValueType::FloatArray { width } else { 1 };
        let keys = document.accessor(sampler.required_index("input")?)?.count;
        let count = keys.saturating_mul(interpolation.elements_per_key()).saturating_mul(scalars);
        if output.count != count {
            let message = format!("{keys} keys ask for {count} elements, {} are there", output.count);
            rules.findings.add(&ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT, &at, message);
        }
    }
    if !may_hold(found.row.value_type, &output) {
        let message = format!("{} cannot be stored as {:?}", found.row.value_type.name(), output.component);
        rules.findings.add(&KHR_ANIMATION_POINTER_COMPONENT_TYPE_MISMATCH, &at, message);
    }
    if targets == Targets::Animation2 && !animation2::may_hold(found.row, &output) {
        let message = format!("the draft's table does not take {} as {:?}", found.property, output.component);
        rules.findings.add(&ANIMATION2_COMPONENT_TYPE, &at, message);
    }
    if found.row.value_type.steps() && interpolation != Some(Interpolation::Step) {
        let message = format!("{} jumps from key to key: only STEP can say that", found.property);
        rules.findings.add(&POINTER_INT_NOT_STEP, &at, message);
    }
    Ok(())
}

fn may_hold(value_type: ValueType, accessor: &Accessor) -> bool {
    match value_type {
        ValueType::Bool => accessor.component == ComponentType::U8 && !accessor.normalized,
        ValueType::Int => accessor.component != ComponentType::F32 && !accessor.normalized,
        _ => true,
    }
}

fn check_values(rules: &mut Rules<'_>, found: &Match<'_>, track: &Track) {
    let (valid, advised) = (found.valid(), found.row.advised);
    let at = rules.channel.place("sampler");
    let mut say = |code: &Code, at: &str, broken: Vec<Vec<f64>>, valid: Valid, where_: &str| {
        if let Some(first) = broken.first() {
            let many = if broken.len() > 1 { format!(", and {} more", broken.len() - 1) } else { String::new() };
            let message = format!("{} should be {valid}: {first:?} {where_}{many}", found.property);
            rules.findings.add(code, at, message);
        }
    };
    let broken: Vec<_> = at_keys(track, valid).collect();
    let is_sound = broken.is_empty();
    if valid == Valid::UnitQuaternion {
        let accessor = format!("/accessors/{}", track.source.output);
        say(&ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION, &accessor, broken, valid, "at a key");
        return;
    }
    say(&POINTER_VALUE_OUT_OF_RANGE, &at, broken, valid, "at a key");
    say(&POINTER_VALUE_UNUSUAL, &at, at_keys(track, advised).collect(), advised, "at a key");
    if is_sound {
        say(&POINTER_VALUE_OVERSHOOT, &at, overshoots(track, valid).collect(), valid, "between keys");
    }
}

/// Whether a property stands to its sibling as it must, at the keys of both.
fn check_relation(rules: &mut Rules<'_>, found: &Match<'_>, track: &Track) {
    let Some(relation) = found.row.relation else { return };
    let Some(other) = found.property.parent().map(|parent| parent.join(relation.other())) else { return };
    let driver = rules.animation.tracks.iter().find(|t| t.target.pointer() == other.as_str());
    let times = track.curve.times().iter().chain(driver.into_iter().flat_map(|d| d.curve.times()));
    for time in times.map(|time| f64::from(*time)) {
        let (Some(value), Some(against)) = (track.sample(time).first().copied(), at_time(rules, &other, driver, time))
        else {
            return;
        };
        if !relation.holds(value, against) {
            let word = if matches!(relation, Relation::Above(_)) { "more" } else { "less" };
            let message =
                format!("{} should be {word} than {other}: {value} and {against} at {time} s", found.property);
            return rules.findings.add(&POINTER_VALUE_OUT_OF_RANGE, rules.channel.place("sampler"), message);
        }
    }
}

/// The value of another property at a time: animated, or at rest.
fn at_time(rules: &Rules<'_>, pointer: &Pointer, driver: Option<&Track>, time: f64) -> Option<f64> {
    match driver {
        Some(track) => track.sample(time).first().copied(),
        None => rules.document.registry().find(pointer)?.state(rules.document.json()).value()?.first().copied(),
    }
}
