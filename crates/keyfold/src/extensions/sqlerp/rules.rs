//! What EXT_animation_sqlerp asks of a file.

use super::{NAME, is_cubic_slerp};
use crate::{
    Animation, Curve, Document, Kind, Targets,
    document::{JsonRef, List, Object},
    extensions,
    read::{Channel, read},
    validate::{
        Findings, check_count, codes, is_unit,
        khronos::{
            ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION, ANIMATION_DUPLICATE_TARGETS,
            UNRESOLVED_REFERENCE, UNUSED_OBJECT,
        },
    },
};
use std::collections::{BTreeMap, BTreeSet};

codes! { Keyfold;
    SQLERP_CONTROL_NON_UNIT: Error,
        "A control quaternion of a CUBICSLERP sampler is not of unit length.",
        "Divide it by its length; only the first and the last control, which are not used, may be anything.";
    SQLERP_FALLBACK_REFUSED: Info,
        "Readers with a closed list of interpolations refuse a file with a CUBICSLERP sampler, also where it has a fallback.",
        "Where such readers count, write LINEAR or CUBICSPLINE alone (`convert --rotation`).";
    SQLERP_NOT_REQUIRED: Error,
        "A channel can only be played with EXT_animation_sqlerp, and the file does not require the extension.",
        "List it in extensionsRequired, or give the channel a fallback (`convert --rotation cubicslerp --fallback`).";
    SQLERP_SAMPLER_TYPE: Error,
        "The sampler that EXT_animation_sqlerp names is not CUBICSLERP.",
        "Name a CUBICSLERP sampler, or remove the extension from the channel.";
    SQLERP_TARGET: Error,
        "CUBICSLERP interpolates rotations; the channel drives something else.",
        "Use CUBICSPLINE.";
}

pub(super) fn rules(document: &Document, findings: &mut Findings) {
    let root = document.root();
    let Ok(read) = read(document) else { return };
    for (object, animation) in root.objects("animations").into_iter().flatten().zip(&read.animations) {
        let Ok(object) = object else { continue };
        let (Ok(samplers), Ok(channels)) = (object.array("samplers"), object.objects("channels")) else {
            continue;
        };
        let mut without_core = BTreeSet::new();
        for (index, channel) in channels.enumerate() {
            let Ok(channel) = channel else { continue };
            let channel = Channel { document, animation: object.clone(), object: channel, index };
            let track = animation.tracks.iter().find(|track| track.source.channel == index);
            check(&channel, samplers, track.map(|track| &track.curve), findings);
            without_core.extend(channel.object.get("sampler").is_none().then_some(index));
        }
        check_duplicates(animation, &object, &without_core, findings);
    }
}

/// Core compares channels with a sampler only.
fn check_duplicates(
    animation: &Animation,
    object: &Object<'_>,
    without_core: &BTreeSet<usize>,
    findings: &mut Findings,
) {
    let mut last = BTreeMap::new();
    for track in animation.tracks.iter().filter(|track| track.source.targets == Targets::Core) {
        let channel = track.source.channel;
        if let Some(before) = last.insert(&track.target, channel)
            && (without_core.contains(&before) || without_core.contains(&channel))
        {
            let message = format!("channel {channel} drives the same property; which of them is played is not defined");
            findings.add(&ANIMATION_DUPLICATE_TARGETS, format!("{}/channels/{before}/target", object.at()), message);
        }
    }
}

fn check(channel: &Channel<'_>, samplers: List<'_>, curve: Option<&Curve>, findings: &mut Findings) {
    let object = &channel.object;
    let core = object.get("sampler").and_then(JsonRef::as_index);
    let core_is_ours = core.and_then(|i| samplers.get(i)).is_some_and(is_cubic_slerp);
    let extension = object.extension(NAME).ok().flatten();
    let named = extension.as_ref().and_then(|extension| named(channel, extension, samplers, findings));
    if extension.is_some() {
        // What core misses is there.
        findings.suppress_missing(&object.at(), "sampler");
    }
    if (core_is_ours || (core.is_none() && extension.is_some())) && !channel.document.requires(NAME) {
        findings.add(&SQLERP_NOT_REQUIRED, object.at(), "nobody can play this channel without EXT_animation_sqlerp");
    }
    if named.is_some() && core.is_some() && !core_is_ours {
        let message = "the fallback does not help readers that know LINEAR, STEP and CUBICSPLINE only";
        findings.add(&SQLERP_FALLBACK_REFUSED, object.at(), message);
    }
    let sampler = named.map(|index| (index, format!("{}/extensions/{NAME}/sampler", object.at())));
    let sampler = sampler.or_else(|| core.filter(|_| core_is_ours).map(|index| (index, object.place("sampler"))));
    if let Some((index, at)) = sampler
        && let Some(sampler) = samplers.get(index)
    {
        check_target(channel, findings);
        check_keys(channel, sampler, curve, &at, core != Some(index), findings);
    }
}

/// The CUBICSLERP sampler that the extension names.
fn named(channel: &Channel<'_>, extension: &Object<'_>, samplers: List<'_>, findings: &mut Findings) -> Option<usize> {
    let Some(value) = extension.get("sampler") else {
        findings.add_missing(extension.at(), "sampler");
        return None;
    };
    let at = extension.place("sampler");
    let index = value.as_index().filter(|i| *i < samplers.len());
    let Some(index) = index else {
        findings.add(&UNRESOLVED_REFERENCE, at, format!("sampler {value} does not exist"));
        return None;
    };
    let place = format!("{}/samplers/{index}", channel.animation.at());
    findings.suppress_at(&UNUSED_OBJECT, &place);
    if !samplers.get(index).is_some_and(is_cubic_slerp) {
        findings.add(&SQLERP_SAMPLER_TYPE, at, format!("sampler {index} is not CUBICSLERP"));
        return None;
    }
    Some(index)
}

fn check_target(channel: &Channel<'_>, findings: &mut Findings) {
    let target = channel.object.object("target").ok().flatten();
    let path = target.as_ref().and_then(|target| target.text("path").ok().flatten());
    let extended = || {
        let mut ignored = Vec::new();
        extensions::first(channel.document, |e| e.target.map(|target| target(channel, &mut ignored)))
    };
    let is_rotation = match extended() {
        Ok(Some(targets)) => targets.iter().all(|driven| driven.target.kind() == Kind::Rotation),
        // Whatever is wrong with the target is said elsewhere.
        Err(_) => true,
        Ok(None) => path.is_none_or(|path| path == "rotation"),
    };
    if !is_rotation {
        let message = "CUBICSLERP cannot drive this: it is no rotation";
        findings.add(&SQLERP_TARGET, channel.object.place("target"), message);
    }
}

/// Counts and lengths of quaternions: of values only where core does not look at this sampler, of controls always. The lengths are those of
/// the curve as it was read: another extension may have a say in what stored numbers mean.
fn check_keys(
    channel: &Channel<'_>,
    sampler: JsonRef<'_>,
    curve: Option<&Curve>,
    at: &str,
    alone: bool,
    findings: &mut Findings,
) {
    let accessor =
        |key: &str| sampler.get(key).and_then(JsonRef::as_index).and_then(|i| channel.document.accessor(i).ok());
    let (Some(input), Some(output)) = (accessor("input"), accessor("output")) else { return };
    let expected = input.count.saturating_mul(3);
    if output.count != expected {
        if alone {
            check_count(at, output.count, expected, findings);
        }
        return;
    }
    let Some(curve) = curve.filter(|curve| curve.width() == 4) else { return };
    let last = expected.saturating_sub(1);
    let long = |(i, q): &(usize, &[f32])| *i != 0 && *i != last && !is_unit(q);
    let broken: Vec<usize> = curve.values().chunks_exact(4).enumerate().filter(long).map(|(i, _)| i).collect();
    if let Some(i) = broken.iter().find(|i| **i % 3 != 1) {
        findings.add(&SQLERP_CONTROL_NON_UNIT, at, format!("element {i}, a control, is no unit quaternion"));
    }
    if let Some(i) = broken.iter().find(|i| **i % 3 == 1).filter(|_| alone) {
        let message = format!("element {i} is no unit quaternion");
        findings.add(&ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION, at, message);
    }
}
