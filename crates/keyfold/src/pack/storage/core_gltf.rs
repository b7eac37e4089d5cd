//! Core glTF. Rotations are normalized shorts of unit length, and weights are normalized integers where those
//! hold them exactly. Everything else is floats in multiples of a power of two, whose low bytes are zero.

use super::{Entry, StorageCodec, component_step, one_by_one, write_channels};
use crate::{
    Interpolation, Property, Result, Storage, Target, Track,
    document::{ComponentType, Shape},
    pack::{
        Context, Optimize,
        cost::{plain, wire},
    },
    write::{ChannelForm, Stored, core_form},
};
use keyfold_core::{
    engine::{self, Code, Grid},
    skeleton,
};

pub(super) const CODEC: StorageCodec = StorageCodec {
    grid: |track, step, context| spline_shorts(track, step, context).unwrap_or_else(|| grid(track, step)),
    constant,
    takes: &[Interpolation::Linear, Interpolation::Step, Interpolation::CubicSpline],
    shares_times: false,
    has_single_axes: false,
    rounds_times: false,
    has_pointers: true,
    has_property_grids: false,
    lends: true,
    has_sparse: true,
    converts_exactly: true,
    wire: |entries, context| Ok(wire(&one_by_one(channel)(entries)?, |contents| plain(contents, context))),
    write: |document, animations, context, place| {
        write_channels(document, context, animations, one_by_one(channel), |edit, contents, _| place(edit, contents))
    },
};

pub(super) fn grid(track: &engine::Track, step: f64) -> Grid {
    let step = component_step(track, step);
    match track.property {
        // Normalized bytes would never be of unit length.
        skeleton::Property::Rotation if !track.is_spline() => Grid::unit_shorts(step),
        skeleton::Property::Rotation if track.is_unit => Grid::unit_floats(step, track.largest(), track.gap),
        _ if track.is_spline() => Grid::spline_multiples(step, track.largest(), track.gap),
        _ => Grid::multiples(step, track.largest()),
    }
}

/// Rotations of splines as shorts if raw bytes are minimized. After gzip, floats with zero low bytes may be
/// as small.
fn spline_shorts(track: &engine::Track, step: f64, context: &Context<'_>) -> Option<Grid> {
    let is_raw = (context.options.storage, context.options.optimize) == (Storage::Core, Optimize::Raw);
    let is_rotation = track.property == skeleton::Property::Rotation && track.is_unit;
    let fits = is_raw && is_rotation && track.is_spline() && track.largest() <= 1.0;
    fits.then(|| Grid::spline_shorts(component_step(track, step), track.gap)).flatten()
}

pub(super) fn constant(track: &engine::Track, budget: f64) -> Grid {
    match track.property {
        // Players that normalize only what they blend show constants as stored. Floats are of unit length.
        skeleton::Property::Rotation => Grid::Float,
        skeleton::Property::Translation | skeleton::Property::Scale => Grid::multiples(budget / 4.0, track.largest()),
    }
}

/// A track in core's smallest form.
pub(super) fn channel(entry: &Entry<'_>) -> Result<ChannelForm> {
    let mut form = core_form(entry.track)?;
    let Some(sampler) = &mut form.sampler else { return Ok(form) };
    match entry.encoded {
        None => {
            if let Some(stored) = integers(entry.track) {
                sampler.output = stored;
            }
        }
        Some(encoded) => {
            sampler.input = Stored::times(&encoded.times);
            sampler.interpolation = entry.interpolation();
            sampler.output = match encoded.grid {
                Grid::UnitLength { .. } if sampler.interpolation != Interpolation::CubicSpline => {
                    shorts(&encoded.codes)
                }
                Grid::UnitLength { one: SHORT, .. } => nearest_shorts(&entry.values()),
                _ => Stored::floats(sampler.output.shape, &entry.values()),
            };
        }
    }
    Ok(form)
}

/// Rotations as normalized shorts.
pub(super) fn shorts(codes: &[Code]) -> Stored {
    let codes: Vec<i64> = codes.iter().flatten().map(|code| i64::from(*code)).collect();
    Stored::integers(ComponentType::I16, Shape::Vec4, true, &codes)
}

/// The code of 1 in a normalized short.
const SHORT: i32 = i16::MAX as i32;

/// Values that are those of normalized shorts, as such.
fn nearest_shorts(values: &[f32]) -> Stored {
    let codes: Vec<i64> = values.iter().map(|value| (f64::from(*value) * f64::from(SHORT)).round() as i64).collect();
    Stored::integers(ComponentType::I16, Shape::Vec4, true, &codes)
}

/// The integer types that core allows for rotations and weights, smallest first.
const SIGNED: [ComponentType; 2] = [ComponentType::I8, ComponentType::I16];
const UNSIGNED: [ComponentType; 4] = [ComponentType::U8, ComponentType::I8, ComponentType::U16, ComponentType::I16];

/// Integers for up to this many values save less than their type takes in JSON.
const FEW: usize = 32;

/// A track's values as integers, if those hold them exactly.
fn integers(track: &Track) -> Option<Stored> {
    let Target::Node { property, .. } = &track.target else { return None };
    let (types, shape) = match property {
        Property::Rotation => (&SIGNED[..], Shape::Vec4),
        Property::Weights => (&UNSIGNED[..], Shape::Scalar),
        Property::Translation | Property::Scale => return None,
    };
    let values = Some(track.curve.values()).filter(|values| values.len() > FEW)?;
    let fitting = types.iter().find_map(|component| Some((*component, codes(values, *component)?)));
    fitting.map(|(component, codes)| Stored::integers(component, shape, true, &codes))
}

/// The codes of values, if the type holds them exactly.
fn codes(values: &[f32], component: ComponentType) -> Option<Vec<i64>> {
    let (integers, one) = (component.integers()?, component.one()? as f32);
    let code = |v: &f32| {
        let code = (v * one).round();
        (integers.contains(&(code as i64)) && code >= -one && code / one == *v).then_some(code as i64)
    };
    values.iter().map(code).collect()
}
