//! What animations ask of the data: times that increase and are not negative, rotations of unit length, bind matrices
//! that are affine.

use super::{
    Findings,
    elements::{Values, more},
    khronos::{
        ACCESSOR_ANIMATION_INPUT_NEGATIVE, ACCESSOR_ANIMATION_INPUT_NON_INCREASING,
        ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION, ACCESSOR_INVALID_IBM,
    },
    model::{Accessor, Model},
};
use crate::{
    Property,
    document::{ComponentType, Shape},
};
use std::collections::BTreeSet;

/// The worst length of a unit quaternion in four signed bytes: half a step in each component.
pub(crate) const UNIT_TOLERANCE: f64 = 0.00769;

/// Whether a quaternion's length is one, as far as bytes can tell.
pub(crate) fn is_unit<N: Copy + Into<f64>>(quaternion: &[N]) -> bool {
    let length = quaternion.iter().map(|n| (*n).into() * (*n).into()).sum::<f64>().sqrt();
    // Of NaN nothing is said here: that the value is not finite is a finding of its own.
    length.is_nan() || (length - 1.0).abs() <= UNIT_TOLERANCE
}

/// An animation and one of its samplers or channels.
type SamplerIndex = (usize, usize);

/// What an accessor is used for by animations and skins.
#[derive(Clone, Default)]
pub(super) struct Uses {
    /// Samplers that take it for times.
    times: BTreeSet<SamplerIndex>,
    /// Channels that take it for rotations: plainly, and with tangents around each value.
    rotations: BTreeSet<SamplerIndex>,
    splines: BTreeSet<SamplerIndex>,
    /// Skins that take it for bind matrices.
    skins: BTreeSet<usize>,
}

/// By accessor.
pub(super) fn uses(model: &Model<'_>) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); model.accessors.len()];
    for (i, animation) in model.animations.iter().enumerate() {
        let Some(animation) = animation else { continue };
        let (Some(samplers), Some(channels)) = (&animation.samplers, &animation.channels) else { continue };
        for (j, sampler) in samplers.iter().enumerate() {
            if let Some(uses) = sampler.input.and_then(|input| uses.get_mut(input)) {
                uses.times.insert((i, j));
            }
        }
        for (j, channel) in channels.iter().enumerate().filter(|(_, c)| c.property == Some(Property::Rotation)) {
            let Some(sampler) = channel.sampler.and_then(|index| samplers.get(index)) else { continue };
            let Some(uses) = sampler.output.and_then(|output| uses.get_mut(output)) else { continue };
            let tangents = sampler.interpolation.is_some_and(|i| i.elements_per_key() == 3);
            if tangents { &mut uses.splines } else { &mut uses.rotations }.insert((i, j));
        }
    }
    for (i, skin) in model.skins.iter().enumerate() {
        if let Some(uses) = skin.as_ref().and_then(|skin| skin.matrices).and_then(|matrices| uses.get_mut(matrices)) {
            uses.skins.insert(i);
        }
    }
    uses
}

pub(super) fn check(uses: &Uses, accessor: &Accessor, values: &Values, findings: &mut Findings) {
    let is_float = accessor.component == Some(ComponentType::F32) && !accessor.normalized;
    if !uses.times.is_empty() && accessor.shape == Some(Shape::Scalar) && is_float {
        check_times(&uses.times, values, findings);
    }
    for (places, spline) in [(&uses.rotations, false), (&uses.splines, true)] {
        if !places.is_empty() && values.width == 4 {
            check_rotations(places, spline, values, findings);
        }
    }
    if accessor.shape == Some(Shape::Mat4) && is_float {
        check_matrices(&uses.skins, values, findings);
    }
}

fn check_times(places: &BTreeSet<SamplerIndex>, values: &Values, findings: &mut Findings) {
    let times = &values.raw;
    let at = |(i, j): &SamplerIndex| format!("/animations/{i}/samplers/{j}/input");
    let mut negative = times.iter().enumerate().filter(|(_, time)| **time < 0.0);
    if let Some((i, time)) = negative.next() {
        let message = format!("time {i} is negative: {time}{}", more(negative.count()));
        places.iter().for_each(|p| findings.add(&ACCESSOR_ANIMATION_INPUT_NEGATIVE, at(p), message.clone()));
    }
    // What is negative is said already: it does not count as the time before.
    let mut last = 0.0;
    let mut back = Vec::new();
    for (i, time) in times.iter().enumerate().filter(|(_, time)| **time >= 0.0 || time.is_nan()) {
        if i > 0 && *time <= last {
            back.push((i, *time, last));
        }
        last = *time;
    }
    if let Some((i, time, before)) = back.first() {
        let message = format!("time {i}, {time}, does not come after {before}{}", more(back.len() - 1));
        places.iter().for_each(|p| findings.add(&ACCESSOR_ANIMATION_INPUT_NON_INCREASING, at(p), message.clone()));
    }
}

fn check_rotations(places: &BTreeSet<SamplerIndex>, spline: bool, values: &Values, findings: &mut Findings) {
    let is_value = |i: usize| !spline || i % 3 == 1;
    let long = |q: &[f32]| {
        let q = [q[0], q[1], q[2], q[3]].map(|n| values.meaning(n));
        // A stream's grid may be coarse, and readers bring its keys to unit length; those of splines cannot be.
        if values.streamed && !spline { q == [0.0; 4] } else { !is_unit(&q) }
    };
    let quaternions = values.raw.chunks_exact(4).enumerate();
    let mut broken = quaternions.filter(|(i, q)| is_value(*i) && long(q));
    if let Some((i, q)) = broken.next() {
        let length = q.iter().map(|n| values.meaning(*n) * values.meaning(*n)).sum::<f64>().sqrt();
        let message = format!("quaternion {i} is of length {length:.6}{}", more(broken.count()));
        for (i, j) in places {
            let at = format!("/animations/{i}/channels/{j}/sampler");
            findings.add(&ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION, at, message.clone());
        }
    }
}

/// The last row of a bind matrix is 0 0 0 1.
fn check_matrices(skins: &BTreeSet<usize>, values: &Values, findings: &mut Findings) {
    let affine = |m: &[f32]| (m[3], m[7], m[11], m[15]) == (0.0, 0.0, 0.0, 1.0);
    let mut broken = values.raw.chunks_exact(16).enumerate().filter(|(_, m)| !affine(m));
    if let Some((i, _)) = broken.next() {
        let message = format!("the last row of matrix {i} is not 0 0 0 1{}", more(broken.count()));
        for skin in skins {
            let at = format!("/skins/{skin}/inverseBindMatrices");
            findings.add(&ACCESSOR_INVALID_IBM, at, message.clone());
        }
    }
}
