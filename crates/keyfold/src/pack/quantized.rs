//! EXT_animation_quantization's form of a track: codes on the grid that the values are on, counted from the least one.
//!
//! Rotations lose W where it is never small; a byte holds what a short would where the codes are few. Nothing is lost here but the last
//! bit of a float: the grid was chosen before. What is on no grid stays in core's form.

use super::forms::compact;
use crate::{
    Interpolation, Property, Result, Target, Track,
    document::{ComponentType, Shape},
    quantization::NAME,
    write::{ChannelForm, Stored, lowest_exponent, quaternion_filter::LADDER, short},
};
use serde_json::{Value, json};

/// How far from a whole number a code may come out, per step to 1: what a float's last bit does.
const SLACK: f64 = 1.2e-7;

/// A track in the extension's smallest form, or in core's.
pub(crate) fn quantized(track: &Track) -> Result<ChannelForm> {
    let mut form = compact(track)?;
    let coded = match &track.target {
        Target::Node { property: Property::Rotation, .. } => rotation(track),
        Target::Node { property: Property::Translation | Property::Scale, .. } => vector(track),
        _ => None,
    };
    if let (Some(sampler), Some((stored, parameters))) = (&mut form.sampler, coded) {
        sampler.output = stored;
        form.extensions.insert(NAME.into(), parameters);
    }
    Ok(form)
}

/// Whole codes, three to an element, and what makes them values again: per code, and at the least code of each axis.
type Codes = (Vec<i64>, f64);

fn rotation(track: &Track) -> Option<(Stored, Value)> {
    let curve = &track.curve;
    let upright = curve.values().chunks_exact(4).all(|q| q[3] > 0.0);
    if !upright || !matches!(curve.interpolation(), Interpolation::Linear | Interpolation::Step) {
        return None;
    }
    let xyz: Vec<f64> = curve.values().chunks_exact(4).flat_map(|q| [q[0], q[1], q[2]]).map(f64::from).collect();
    let codes = LADDER.into_iter().find_map(|steps| {
        let code = |v: &f64| {
            let code = v * f64::from(steps);
            ((code - code.round()).abs() <= SLACK * f64::from(steps)).then_some(code.round() as i64)
        };
        Some((xyz.iter().map(code).collect::<Option<Vec<_>>>()?, 1.0 / f64::from(steps)))
    })?;
    stored(codes, true)
}

fn vector(track: &Track) -> Option<(Stored, Value)> {
    let curve = &track.curve;
    if curve.width() != 3 || !matches!(curve.interpolation(), Interpolation::Linear | Interpolation::Step) {
        return None;
    }
    let exponent = curve.values().iter().map(|v| lowest_exponent(*v)).min()?.clamp(-40, 40);
    let step = f64::from_bits(((1023 + i64::from(exponent)) as u64) << 52);
    let code = |v: &f32| {
        let code = f64::from(*v) / step;
        (code.fract() == 0.0 && code.abs() < 1e9).then_some(code as i64)
    };
    stored((curve.values().iter().map(code).collect::<Option<Vec<_>>>()?, step), false)
}

/// Codes from the least of each axis on, in the smallest type that holds them.
fn stored((codes, step): Codes, normalized: bool) -> Option<(Stored, Value)> {
    let least: Vec<i64> = (0..3).filter_map(|c| codes.iter().skip(c).step_by(3).min().copied()).collect();
    let counted: Vec<i64> = codes.iter().enumerate().map(|(i, code)| code - least[i % 3]).collect();
    let (component, most) = match counted.iter().max()? {
        0..=255 => (ComponentType::U8, 255.0),
        256..=65535 => (ComponentType::U16, 65535.0),
        _ => return None,
    };
    let scale = if normalized { step * most } else { step };
    let offset: Vec<Value> = least.iter().map(|code| short((*code as f64 * step) as f32)).collect();
    let parameters = json!({ "offset": offset, "scale": vec![short(scale as f32); 3] });
    Some((Stored::integers(component, Shape::Vec3, normalized, &counted), parameters))
}
