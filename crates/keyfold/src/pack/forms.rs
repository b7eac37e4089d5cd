//! Core glTF's smallest form of a track: normalized integers where they hold the values exactly, floats otherwise.

use super::fold::{Grids, Laid};
use crate::{
    Interpolation, Property, Result, Target, Targets, Track,
    document::{ComponentType, Shape},
    write::{ChannelForm, Stored, core_form},
};
use keyfold_core::stream::{RotationGrid, Rotations};

/// Whether a track may be written anew in core's form: what core cannot say stays where it is.
pub(crate) fn rewritable(track: &Track) -> bool {
    let one_axis = matches!(track.target, Target::Node { axis: Some(_), .. });
    let addressed = matches!(track.source.targets, Targets::Core | Targets::Pointer);
    addressed && !one_axis && track.curve.interpolation() != Interpolation::CubicSlerp
}

/// A track in core's smallest form.
pub(crate) fn compact(track: &Track) -> Result<ChannelForm> {
    let mut form = core_form(track)?;
    if let (Some(sampler), Some(stored)) = (&mut form.sampler, integers(track)) {
        sampler.output = stored;
    }
    Ok(form)
}

/// A track in a stream's form: rotations as floats, which lie on the grid that the search laid.
pub(crate) fn streamed(track: &Track, grids: &Grids) -> Result<ChannelForm> {
    let Some(Laid::Projected(grid)) = grids.get(&track.target) else { return compact(track) };
    let mut form = core_form(track)?;
    if let Some(sampler) = &mut form.sampler {
        sampler.output.grid = on_grid(track.curve.values(), *grid).then_some(*grid);
    }
    Ok(form)
}

/// Whether rotations are what codes of a grid stand for.
fn on_grid(values: &[f32], grid: RotationGrid) -> bool {
    let rotations = Rotations::new(&grid);
    values.as_chunks::<4>().0.iter().all(|q| rotations.decode(rotations.encode(q.map(f64::from))) == *q)
}

/// The integer types that core allows for rotations and weights, smallest first, with the code that stands for 1.
const SIGNED: [(ComponentType, f32); 2] = [(ComponentType::I8, 127.0), (ComponentType::I16, 32767.0)];
const UNSIGNED: [(ComponentType, f32); 4] = [
    (ComponentType::U8, 255.0),
    (ComponentType::I8, 127.0),
    (ComponentType::U16, 65535.0),
    (ComponentType::I16, 32767.0),
];

fn integers(track: &Track) -> Option<Stored> {
    let Target::Node { property, .. } = &track.target else { return None };
    let (types, shape) = match property {
        Property::Rotation => (&SIGNED[..], Shape::Vec4),
        Property::Weights => (&UNSIGNED[..], Shape::Scalar),
        Property::Translation | Property::Scale => return None,
    };
    let values = track.curve.values();
    let fitting = types.iter().find_map(|(component, most)| Some((*component, codes(values, *component, *most)?)));
    fitting.map(|(component, codes)| Stored::integers(component, shape, true, &codes))
}

/// The codes of values that a type holds exactly.
fn codes(values: &[f32], component: ComponentType, most: f32) -> Option<Vec<i64>> {
    let least = if matches!(component, ComponentType::U8 | ComponentType::U16) { 0.0 } else { -most };
    let code = |v: &f32| {
        let code = (v * most).round();
        (code >= least && code <= most && code / most == *v).then_some(code as i64)
    };
    values.iter().map(code).collect()
}
