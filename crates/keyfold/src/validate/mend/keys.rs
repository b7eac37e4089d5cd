//! Mends of keys: times in order and not negative, rotations of unit length.

use super::{indices, replacement, sampler_accessor, set, stored};
use crate::{
    Document, Finding, Result,
    document::{ComponentType, Edit},
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
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Sorts keys by time, keeps the last of those that share one, and shifts animations that begin before zero.
pub(super) fn order_times(document: &Document, findings: &[Finding], done: &mut Findings) -> Result<Option<Document>> {
    let codes = [ACCESSOR_ANIMATION_INPUT_NEGATIVE.name, ACCESSOR_ANIMATION_INPUT_NON_INCREASING.name];
    let broken = findings.iter().filter(|finding| codes.contains(&finding.code));
    let animations: BTreeSet<usize> =
        broken.filter_map(|finding| indices(&finding.at, "animations", "samplers")).map(|(i, _)| i).collect();
    let mut edit = document.edit();
    let mut changed = false;
    for animation in animations {
        changed |= order_animation(document, &mut edit, animation, done);
    }
    if changed { edit.finish().map(Some) } else { Ok(None) }
}

/// All samplers of an animation move together: what was in step stays in step.
fn order_animation(document: &Document, edit: &mut Edit<'_>, animation: usize, done: &mut Findings) -> bool {
    let samplers = document.json()["animations"][animation]["samplers"].as_array().map_or(0, Vec::len);
    let times = |input: usize| document.floats(input).ok().filter(|times| times.iter().all(|time| time.is_finite()));
    let inputs: Vec<Option<usize>> = (0..samplers).map(|j| sampler_accessor(document, animation, j, "input")).collect();
    let all = inputs.iter().flatten().filter_map(|input| times(*input));
    let shift = all.flat_map(|times| times.to_vec()).fold(0.0, f32::min);
    // Samplers that share accessors go on sharing them.
    let mut made = BTreeMap::new();
    let mut changed = false;
    for (j, input) in inputs.iter().enumerate() {
        let Some((input, times)) = input.and_then(|i| Some((i, times(i)?))) else { continue };
        let shifted: Vec<f32> = times.iter().map(|time| time - shift).collect();
        let kept = in_order(&shifted);
        if shift == 0.0 && kept.len() == times.len() && kept.is_sorted() {
            continue;
        }
        let Some(output) = sampler_accessor(document, animation, j, "output") else { continue };
        let Some(values) = rearranged(document, output, times.len(), &kept) else { continue };
        let at = format!("/animations/{animation}/samplers/{j}");
        let ordered: Vec<f32> = kept.iter().map(|key| shifted[*key]).collect();
        let new = *made.entry(input).or_insert_with(|| replacement(edit, input, Stored::times(&ordered)));
        set(edit.json(), &at, "input", json!(new));
        if kept.len() != times.len() || !kept.is_sorted() {
            let new = *made.entry(output).or_insert_with(|| replacement(edit, output, values));
            set(edit.json(), &at, "output", json!(new));
        }
        done.add(&MENDED_TIMES, format!("{at}/input"), what_was_done(shift, times.len(), kept.len()));
        changed = true;
    }
    changed
}

fn what_was_done(shift: f32, before: usize, after: usize) -> String {
    let shifted = if shift < 0.0 { format!("shifted by {} s", -shift) } else { "sorted".to_owned() };
    match before - after {
        0 => shifted,
        dropped => format!("{shifted}; {dropped} keys of equal times dropped"),
    }
}

/// Which keys stay, in the order of their times: of several at one time the last.
fn in_order(times: &[f32]) -> Vec<usize> {
    let mut keys: Vec<usize> = (0..times.len()).collect();
    keys.sort_by(|a, b| times[*a].total_cmp(&times[*b]));
    let last = |i: &usize| keys.get(i + 1).is_none_or(|next| times[*next] != times[keys[*i]]);
    (0..keys.len()).filter(last).map(|i| keys[i]).collect()
}

/// An output's values for the keys that stay; `None` where they cannot be told apart by key.
fn rearranged(document: &Document, output: usize, keys: usize, kept: &[usize]) -> Option<Stored> {
    let content = stored(document.elements(output).ok()?);
    let size = content.bytes.len().checked_div(keys).filter(|size| *size > 0 && size * keys == content.bytes.len())?;
    let bytes = kept.iter().flat_map(|key| content.bytes[key * size..(key + 1) * size].to_vec()).collect();
    Some(Stored { bytes, ..content })
}

/// Gives rotations unit length; tangents are scaled along with their value.
pub(super) fn normalize_rotations(
    document: &Document,
    findings: &[Finding],
    done: &mut Findings,
) -> Result<Option<Document>> {
    let code = ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION.name;
    let places = findings.iter().filter(|f| f.code == code).filter_map(|f| indices(&f.at, "animations", "channels"));
    let mut made: BTreeMap<(usize, bool), Option<usize>> = BTreeMap::new();
    let mut edit = document.edit();
    for (i, j) in places {
        let animation = &document.json()["animations"][i];
        let Some(sampler) = animation["channels"][j]["sampler"].as_u64().and_then(|n| usize::try_from(n).ok()) else {
            continue;
        };
        let spline = animation["samplers"][sampler]["interpolation"].as_str() == Some("CUBICSPLINE");
        let Some(output) = sampler_accessor(document, i, sampler, "output") else { continue };
        let new = *made.entry((output, spline)).or_insert_with(|| {
            let content = normalized(stored(document.elements(output).ok()?), if spline { 3 } else { 1 })?;
            Some(replacement(&mut edit, output, content))
        });
        if let Some(new) = new {
            let at = format!("/animations/{i}/samplers/{sampler}");
            set(edit.json(), &at, "output", json!(new));
            done.add(&MENDED_ROTATIONS, format!("{at}/output"), "quaternions have unit length now");
        }
    }
    if made.values().any(Option::is_some) { edit.finish().map(Some) } else { Ok(None) }
}

/// Quaternions of unit length where they are not; `None` where nothing can be done. `group` quaternions belong to a key.
fn normalized(content: Stored, group: usize) -> Option<Stored> {
    let most = match content.component {
        ComponentType::F32 => 1.0,
        ComponentType::I8 => 127.0,
        ComponentType::U8 => 255.0,
        ComponentType::I16 => 32767.0,
        ComponentType::U16 => 65535.0,
        ComponentType::U32 => return None,
    };
    let elements = crate::document::Elements {
        component: content.component,
        shape: content.shape,
        normalized: false,
        bytes: content.bytes.as_slice().into(),
    };
    let mut numbers: Vec<f64> = elements.to_floats().into_iter().map(|n| f64::from(n) / most).collect();
    let mut changed = false;
    for key in numbers.chunks_exact_mut(4 * group) {
        let value = if group == 3 { &key[4..8] } else { &key[..4] };
        let length = value.iter().map(|n| n * n).sum::<f64>().sqrt();
        if !is_unit(value) && length.is_normal() {
            key.iter_mut().for_each(|n| *n /= length);
            changed = true;
        }
    }
    let bytes = match content.component {
        ComponentType::F32 => numbers.iter().flat_map(|n| (*n as f32).to_le_bytes()).collect(),
        component => {
            let integers: Vec<i64> = numbers.iter().map(|n| (n * most).round().clamp(-most, most) as i64).collect();
            Stored::integers(component, content.shape, true, &integers).bytes
        }
    };
    changed.then_some(Stored { bytes, ..content })
}
