//! EXT_animation_quantization's form of tracks: codes on the grids that the search laid, times as frame numbers.
//!
//! Nothing is lost here but the last bit of a float: the grid was chosen before. What is on no grid stays in core's form.

use super::{
    fold::{Grids, Laid},
    forms::compact,
    grid::Grid,
};
use crate::{
    Animation, Curve, Interpolation, Property, Result, Target, Track,
    document::{ComponentType, Shape},
    quantization::{FrameNumbers, NAME, Parameters, Path, frame_numbers},
    write::{ChannelForm, SamplerForm, Stored},
};
use serde_json::{Map, json};
use std::collections::BTreeMap;

/// Frame numbers for the times of an animation.
pub(crate) struct Clock {
    /// By the bits of a time: its frame, and whether that gives the very time.
    codes: BTreeMap<u32, (u16, bool)>,
    scale: Option<f64>,
}

impl Clock {
    /// The clock that all times of an animation are whole frames of, but for a last bit.
    pub(crate) fn of(animation: &Animation) -> Option<Self> {
        let mut times: Vec<f32> = animation.tracks.iter().flat_map(|t| t.curve.times()).copied().collect();
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        let FrameNumbers { codes, scale, decoded } = frame_numbers(&times)?;
        let frames = codes.into_iter().zip(times.iter().zip(&decoded).map(|(time, decoded)| time == decoded));
        Some(Self { codes: times.iter().map(|t| t.to_bits()).zip(frames).collect(), scale })
    }

    /// A curve's times; `None` where some are not on the clock, or only nearly so and that would show: where a step moves, it is
    /// wholly wrong for an instant, and two neighbouring floats are an edge.
    fn stored(&self, curve: &Curve, exact: bool) -> Option<Stored> {
        let times = curve.times();
        let frames: Vec<(u16, bool)> =
            times.iter().map(|t| self.codes.get(&t.to_bits()).copied()).collect::<Option<_>>()?;
        let edges = curve.interpolation() == Interpolation::Step || times.windows(2).any(|w| w[0].next_up() == w[1]);
        if (edges || exact) && !frames.iter().all(|(_, exact)| *exact) {
            return None;
        }
        let codes: Vec<i64> = frames.into_iter().map(|(code, _)| i64::from(code)).collect();
        let component = if codes.iter().all(|c| *c < 256) { ComponentType::U8 } else { ComponentType::U16 };
        Some(Stored { bounds: true, ..Stored::integers(component, Shape::Scalar, false, &codes) })
    }
}

/// A track in the extension's form, or in core's; `exact` where no time may lose its last bit.
pub(crate) fn quantized(track: &Track, grids: &Grids, clock: Option<&Clock>, exact: bool) -> Result<ChannelForm> {
    let mut form = plain(track)?;
    let Some(sampler) = &mut form.sampler else { return Ok(form) };
    let mut parameters = Parameters::default();
    if let Some(Laid::Quantized(grid)) = grids.get(&track.target) {
        sampler.output = coded(track, grid);
        let width = sampler.output.shape.components();
        parameters.offset = Some(grid.offsets[..width].to_vec());
        parameters.scale = Some(vec![grid.scale; width]);
    }
    // One key is not worth a time scale of its own.
    let clock = clock.filter(|_| track.curve.keys() > 1 && matches!(track.target, Target::Node { .. }));
    if let Some((clock, times)) = clock.and_then(|clock| Some((clock, clock.stored(&track.curve, exact)?))) {
        sampler.input = times;
        parameters.time_scale = clock.scale;
    }
    form.extensions.extend(parameters.to_json().map(|json| (NAME.to_owned(), json)));
    Ok(form)
}

/// A track in core's form or, of a single axis, as near to that as the extension's paths come.
fn plain(track: &Track) -> Result<ChannelForm> {
    let Target::Node { node, property, axis: Some(axis) } = track.target else { return compact(track) };
    let path = Path::axis(property, axis).to_string();
    let curve = &track.curve;
    Ok(ChannelForm {
        source: Some(track.source.channel),
        sampler: Some(SamplerForm {
            input: Stored::times(curve.times()),
            output: Stored::floats(Shape::Scalar, curve.values()),
            interpolation: curve.interpolation(),
        }),
        extension_sampler: None,
        target: json!({ "node": node, "path": path }),
        extensions: Map::new(),
    })
}

/// A track's values as codes: of a rotation without W.
fn coded(track: &Track, grid: &Grid) -> Stored {
    let curve = &track.curve;
    let rotation = matches!(track.target, Target::Node { property: Property::Rotation, .. });
    let width = if rotation { 3 } else { curve.width() };
    let elements = curve.values().chunks_exact(curve.width());
    let codes: Vec<i64> = elements
        .flat_map(|e| e.iter().take(width).enumerate().map(|(i, v)| i64::from(grid.code(i, f64::from(*v)))))
        .collect();
    let component = if grid.most == 255 { ComponentType::U8 } else { ComponentType::U16 };
    let shape = if width == 1 { Shape::Scalar } else { Shape::Vec3 };
    Stored::integers(component, shape, grid.normalized, &codes)
}
