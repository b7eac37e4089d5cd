//! Fixes of keys: times in order and not negative, rotations of unit length.

use super::{indices, rewrite::Rewrite, sampler_accessor, stored};
use crate::{
    Document, Finding, Result,
    document::{ComponentType, Elements, Shape, json::to_index},
    validate::{
        Findings,
        keys::is_unit,
        khronos::{
            ACCESSOR_ANIMATION_INPUT_NEGATIVE, ACCESSOR_ANIMATION_INPUT_NON_INCREASING,
            ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION,
        },
        own::{MENDED_ROTATIONS, MENDED_TIMES},
    },
    write::Stored,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Sorts keys by time, keeps the last of those that share one, and shifts animations that begin before zero.
pub(super) fn order_times(document: &Document, findings: &[Finding], done: &mut Findings) -> Result<Option<Document>> {
    let codes = [ACCESSOR_ANIMATION_INPUT_NEGATIVE.name, ACCESSOR_ANIMATION_INPUT_NON_INCREASING.name];
    let broken = findings.iter().filter(|finding| codes.contains(&finding.code));
    let animations: BTreeSet<usize> =
        broken.filter_map(|finding| indices(&finding.at, "animations", "samplers")).map(|(i, _)| i).collect();
    let mut rewrite = Rewrite::default();
    for animation in animations {
        for keys in ordered(document, animation) {
            let at = format!("/animations/{animation}/samplers/{}", keys.sampler);
            done.add(&MENDED_TIMES, format!("{at}/input"), keys.said);
            rewrite.want(format!("{at}/input"), keys.input, Stored::times(&keys.times));
            if let Some((output, values)) = keys.values {
                rewrite.want(format!("{at}/output"), output, values);
            }
        }
    }
    finish(document, rewrite)
}

fn finish(document: &Document, rewrite: Rewrite) -> Result<Option<Document>> {
    if rewrite.is_empty() {
        return Ok(None);
    }
    let mut edit = document.edit();
    rewrite.apply(document, &mut edit);
    edit.finish().map(Some)
}

/// New keys for a sampler.
struct SortedKeys {
    sampler: usize,
    input: usize,
    times: Vec<f32>,
    /// The output and its values in the new order, where that is another one.
    values: Option<(usize, Stored)>,
    /// What was done.
    said: String,
}

/// New keys for the samplers of an animation that need them. All move together, or none: what was in step stays in
/// step.
fn ordered(document: &Document, animation: usize) -> Vec<SortedKeys> {
    let samplers = document.json()["animations"][animation]["samplers"].as_array().map_or(0, Vec::len);
    let inputs: Vec<(usize, usize, Option<Vec<f32>>)> = (0..samplers)
        .filter_map(|j| Some((j, sampler_accessor(document, animation, j, "input")?)))
        .map(|(j, input)| (j, input, times(document, input)))
        .collect();
    let first = inputs.iter().filter_map(|(_, _, times)| times.as_ref()).flatten().copied().fold(0.0, f32::min);
    let mut all = Vec::new();
    for (sampler, input, times) in inputs {
        let keys = times.map(|times| reordered(document, (animation, sampler), input, &times, -first));
        match keys {
            Some(Ok(keys)) => all.extend(keys),
            Some(Err(Hopeless)) | None if first < 0.0 => return Vec::new(),
            Some(Err(Hopeless)) | None => {}
        }
    }
    all
}

/// Plain times in seconds; `None` if an extension gives the numbers another meaning, or they are none.
fn times(document: &Document, input: usize) -> Option<Vec<f32>> {
    let elements = document.elements(input).ok()?;
    let plain = elements.component == ComponentType::F32 && elements.shape == Shape::Scalar;
    let times = (plain && document.provided(input).is_none()).then(|| elements.to_floats())?;
    times.iter().all(|time| time.is_finite()).then_some(times)
}

/// Keys that cannot be fixed.
struct Hopeless;

/// A sampler's keys, shifted and in order; `None` if they are so already.
fn reordered(
    document: &Document,
    (animation, sampler): (usize, usize),
    input: usize,
    times: &[f32],
    shift: f32,
) -> Result<Option<SortedKeys>, Hopeless> {
    let shifted: Vec<f32> = times.iter().map(|time| time + shift).collect();
    if !shifted.iter().all(|time| time.is_finite()) {
        return Err(Hopeless);
    }
    let kept = in_order(&shifted);
    let in_place = kept.len() == times.len() && kept.is_sorted();
    if shift == 0.0 && in_place {
        return Ok(None);
    }
    let values = if in_place {
        None
    } else {
        let output = sampler_accessor(document, animation, sampler, "output").ok_or(Hopeless)?;
        Some((output, rearranged(document, output, times.len(), &kept).ok_or(Hopeless)?))
    };
    let said = what_was_done(shift, in_place, times.len() - kept.len());
    Ok(Some(SortedKeys { sampler, input, times: kept.iter().map(|key| shifted[*key]).collect(), values, said }))
}

fn what_was_done(shift: f32, in_place: bool, dropped: usize) -> String {
    let mut said = Vec::new();
    if shift > 0.0 {
        said.push(format!("shifted by {shift} s"));
    }
    if !in_place {
        said.push("sorted by time".to_owned());
    }
    if dropped > 0 {
        let keys = if dropped == 1 { "1 key".to_owned() } else { format!("{dropped} keys") };
        said.push(format!("{keys} dropped that had the time of a later one"));
    }
    said.join("; ")
}

/// Which keys stay, in the order of their times: of several at one time the last.
fn in_order(times: &[f32]) -> Vec<usize> {
    let mut keys: Vec<usize> = (0..times.len()).collect();
    // Not by `total_cmp`: zero and negative zero are one time.
    keys.sort_by(|a, b| times[*a].partial_cmp(&times[*b]).unwrap_or(std::cmp::Ordering::Equal));
    let last = |i: &usize| keys.get(i + 1).is_none_or(|next| times[*next] != times[keys[*i]]);
    (0..keys.len()).filter(last).map(|i| keys[i]).collect()
}

/// An output's values for the keys that stay; `None` if they cannot be told apart by key.
fn rearranged(document: &Document, output: usize, keys: usize, kept: &[usize]) -> Option<Stored> {
    let content = plain_elements(document, output)?;
    let size = content.bytes.len().checked_div(keys).filter(|size| *size > 0 && size * keys == content.bytes.len())?;
    let whole = size.is_multiple_of(content.element_size());
    let bytes = kept.iter().flat_map(|key| content.bytes[key * size..(key + 1) * size].to_vec()).collect();
    whole.then_some(Stored { bytes, ..content })
}

/// The elements of an accessor that it holds itself.
fn plain_elements(document: &Document, accessor: usize) -> Option<Stored> {
    document.provided(accessor).is_none().then(|| document.elements(accessor).ok().map(stored)).flatten()
}

/// Gives rotations unit length; tangents are scaled along with their value.
pub(super) fn normalize_rotations(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let code = ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION.name;
    let channels: BTreeSet<(usize, usize)> =
        findings.iter().filter(|f| f.code == code).filter_map(|f| indices(&f.at, "animations", "channels")).collect();
    let sampler_of = |(i, j): &(usize, usize)| {
        to_index(&document.json()["animations"][*i]["channels"][*j]["sampler"]).map(|sampler| (*i, sampler))
    };
    let samplers: BTreeSet<(usize, usize)> = channels.iter().filter_map(sampler_of).collect();
    let mut rewrite = Rewrite::default();
    for (i, sampler) in samplers {
        let animation = &document.json()["animations"][i];
        let users = users(animation, sampler);
        let Some(output) = sampler_accessor(document, i, sampler, "output") else { continue };
        // What is a rotation to one channel and something else to another has no obvious cure.
        if !users.into_iter().all(|j| channels.contains(&(i, j))) {
            continue;
        }
        let spline = animation["samplers"][sampler]["interpolation"].as_str() == Some("CUBICSPLINE");
        let content =
            plain_elements(document, output).and_then(|content| normalized(content, if spline { 3 } else { 1 }));
        if let Some((content, count)) = content {
            let at = format!("/animations/{i}/samplers/{sampler}/output");
            let said = if count == 1 { "1 quaternion has".to_owned() } else { format!("{count} quaternions have") };
            done.add(&MENDED_ROTATIONS, at.clone(), format!("{said} unit length now"));
            rewrite.want(at, output, content);
        }
    }
    finish(document, rewrite)
}

/// The channels of an animation that use a sampler.
fn users(animation: &Value, sampler: usize) -> Vec<usize> {
    let channels = animation["channels"].as_array().into_iter().flatten().enumerate();
    channels.filter(|(_, channel)| channel.get("sampler").and_then(to_index) == Some(sampler)).map(|(j, _)| j).collect()
}

/// Quaternions of unit length where they are not, and how many were changed; `None` if nothing can be done. `group`
/// quaternions belong to a key.
fn normalized(content: Stored, group: usize) -> Option<(Stored, usize)> {
    let elements = Elements {
        component: content.component,
        shape: content.shape,
        normalized: true,
        bytes: content.bytes.as_slice().into(),
    };
    if content.shape != Shape::Vec4 || !(content.normalized || content.component == ComponentType::F32) {
        return None;
    }
    let mut numbers = elements.to_numbers();
    let mut bytes = content.bytes.clone();
    let mut changed = 0;
    let size = 4 * group;
    for (key, out) in numbers.chunks_exact_mut(size).zip(bytes.chunks_exact_mut(size * content.component.size())) {
        let value = if group == 3 { &key[4..8] } else { &key[..4] };
        let length = value.iter().map(|n| n * n).sum::<f64>().sqrt();
        if !is_unit(value) && length.is_normal() {
            key.iter_mut().for_each(|n| *n /= length);
            out.copy_from_slice(&to_bytes(key, content.component, content.shape)?);
            changed += 1;
        }
    }
    (changed > 0).then_some((Stored { bytes, ..content }, changed))
}

/// Fractions as an accessor stores them.
fn to_bytes(numbers: &[f64], component: ComponentType, shape: Shape) -> Option<Vec<u8>> {
    let Some(integers) = component.integers() else {
        return Some(numbers.iter().flat_map(|n| (*n as f32).to_le_bytes()).collect());
    };
    let one = component.one()?;
    let least = (*integers.start() as f64).max(-one);
    let integers: Vec<i64> = numbers.iter().map(|n| (n * one).round().clamp(least, one) as i64).collect();
    Some(Stored::integers(component, shape, true, &integers).bytes)
}
