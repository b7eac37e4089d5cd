//! EXT_animation_quantization: codes on grids as coarse as budgets allow, in bytes if that is nearly enough,
//! and times as frame numbers. Grids have numbers of few digits, because every channel repeats them in JSON.
//!
//! Values without a grid stay in core's form.

use super::{Entry, MARGIN, StorageCodec, component_step, core_gltf, write_channels};
use crate::{
    Interpolation, Property, Result, Target, Track,
    document::{ComponentType, Shape},
    pack::{
        Context,
        cost::{plain, wire},
    },
    quantization::{FrameNumbers, LayoutOptions, NAME, Parameters, Path, frame_numbers, path_of, shape},
    write::{ChannelForm, Stored},
};
use keyfold_core::{
    curve::merged_times,
    engine::{self, Code, Grid, Layout, Uniform},
    skeleton,
};
use serde_json::json;
use std::collections::BTreeSet;

pub(super) const CODEC: StorageCodec = StorageCodec {
    grid: |track, step, context| grid(track, step, &context.options.quantization),
    has_single_axes: true,
    rounds_times: true,
    has_pointers: false,
    lends: false,
    converts_exactly: false,
    wire: |entries, context| Ok(wire(&channels(entries, context)?, |contents| plain(contents, context))),
    write: |document, animations, context, place| {
        let channels = |entries: &[Entry<'_>]| channels(entries, context);
        write_channels(document, context, animations, channels, |edit, contents, _| {
            edit.declare_guarded(NAME);
            place(edit, contents)
        })
    },
    ..core_gltf::CODEC
};

/// The least W for layouts without W. Below it, small errors of X, Y and Z cause large errors of W.
const LEAST_W: f64 = 0.4;

/// The largest step of an axis with W: the finest that shorts have between -1 and 1. Players that show keys
/// as they are unpacked need them to be of unit length.
const UNIT_PAIR_STEP: f64 = 3.9e-5;

fn grid(track: &engine::Track, step: f64, options: &LayoutOptions) -> Grid {
    let known = step > 0.0 && step.is_finite();
    let laid = match track.property {
        _ if !known => None,
        skeleton::Property::Rotation => rotation(track, component_step(track, step), options),
        _ => vector(track, step, options),
    };
    // Where the extension has no integers, core's grids apply.
    let core = || if track.is_spline() || options.bytes_only { core_gltf::constant } else { core_gltf::grid };
    laid.map_or_else(|| core()(track, step), Grid::Uniform)
}

/// The grid of a translation or a scale.
fn vector(track: &engine::Track, step: f64, options: &LayoutOptions) -> Option<Uniform> {
    let is_alike = track.property == skeleton::Property::Scale && track.axis.is_none() && track.spread <= step / 2.0;
    match is_alike && options.wants(Property::Scale, Layout::Uniform) {
        true => uniform(&track.ranges[..1], step, false, Layout::Uniform, options),
        false => uniform(&track.ranges[..track.width], step, false, Layout::Whole, options),
    }
}

/// The grid with the fewest numbers for a rotation; `None` for core's. Tangents cannot be stored without W.
fn rotation(track: &engine::Track, step: f64, options: &LayoutOptions) -> Option<Uniform> {
    if track.is_spline() {
        return uniform(&track.ranges, step, true, Layout::Whole, options);
    }
    let still = |axis: usize| track.ranges[axis].0.abs().max(track.ranges[axis].1.abs()) <= step / 2.0;
    let axis = (0..3).find(|axis| (0..3).all(|other| other == *axis || still(other)));
    let without_w = track.ranges[3].0 > LEAST_W;
    let rows = [
        axis.filter(|_| without_w).map(|axis| (&track.ranges[axis..=axis], Layout::OneAxis(axis))),
        axis.map(|axis| (&[(-1.0, 1.0); 2][..], Layout::OneAxisAndW(axis))),
        without_w.then_some((&track.ranges[..3], Layout::WithoutW)),
    ];
    let wanted = |row: &(&[(f64, f64)], Layout)| options.wants(Property::Rotation, row.1);
    let (ranges, layout) = rows.into_iter().flatten().find(wanted)?;
    let step = if matches!(layout, Layout::OneAxisAndW(_)) { step.min(UNIT_PAIR_STEP) } else { step };
    uniform(ranges, step, true, layout, options)
}

/// The two-digit numbers from one power of ten to the next, largest first.
const DIGITS: [f64; 10] = [8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.2, 1.0];
/// How much coarser than requested a grid may be if its codes then fit bytes instead of shorts.
const COARSER: f64 = 1.5;
/// Offsets are multiples of the largest power of ten within this many steps.
const LEEWAY: f64 = 32.0;

/// A grid of steps up to about `step` over `ranges`, `normalized` for rotations, if integers reach that far.
fn uniform(
    ranges: &[(f64, f64)],
    step: f64,
    normalized: bool,
    layout: Layout,
    options: &LayoutOptions,
) -> Option<Uniform> {
    // The scales of both normalized types have few digits: a short's is 257 times a byte's.
    let unit = if normalized { 255.0 } else { 1.0 };
    let widest = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    let reaches = |scale: f64, most: i32| {
        let step = scale / unit;
        widest + 2.0 * MARGIN * step + power_of_ten_within(LEEWAY * step) <= f64::from(most) * step
    };
    let tried = [(step, 255), (step * COARSER, 255), (step, 65535)];
    let tried = tried.into_iter().filter(|(_, most)| *most == 255 || !options.bytes_only);
    let mut tried = tried.map(|(step, most)| (short_within(step * unit), most));
    let (scale, most) = tried.find(|(scale, most)| reaches(*scale, *most))?;
    let step = scale / unit;
    let coarse = power_of_ten_within(LEEWAY * step);
    let mut offsets = [0.0; 4];
    for (offset, (low, _)) in offsets.iter_mut().zip(ranges) {
        *offset = short(coarse * ((low - MARGIN * step) / coarse).floor());
    }
    let scale = if normalized && most == 65535 { short(scale * 257.0) } else { scale };
    Some(Uniform { offsets, scale, unit: if normalized { most } else { 1 }, most, layout })
}

/// Removes the rounding error of arithmetic from a number of few decimal digits.
fn short(x: f64) -> f64 {
    format!("{x:.14e}").parse().unwrap_or(x)
}

/// The largest power of ten that is at most `x`.
fn power_of_ten_within(x: f64) -> f64 {
    let ten = |exponent: f64| short(libm::exp10(exponent));
    let exponent = libm::floor(libm::log10(x)).clamp(-40.0, 40.0);
    if ten(exponent) > x { ten(exponent - 1.0) } else { ten(exponent) }
}

/// The largest two-digit number that is at most `x`.
fn short_within(x: f64) -> f64 {
    let ten = power_of_ten_within(x);
    DIGITS.iter().map(|digits| short(digits * ten)).find(|number| *number <= x).unwrap_or(ten)
}

/// An animation's channels, with times as frame numbers if that is smaller.
fn channels(entries: &[Entry<'_>], context: &Context<'_>) -> Result<Vec<ChannelForm>> {
    let exact = context.exact_times();
    let with = |clock: Option<&Clock>| entries.iter().map(|e| channel(e, clock, exact)).collect::<Result<Vec<_>>>();
    let seconds = with(None)?;
    let Some(clock) = Clock::of(entries) else { return Ok(seconds) };
    let frames = with(Some(&clock))?;
    Ok(if time_bytes(&frames) < time_bytes(&seconds) { frames } else { seconds })
}

/// The approximate size of a time scale in JSON after gzip: it repeats that of the channel before.
const TIME_SCALE: usize = 4;

/// The approximate size of the channels' times, equal ones counted once, and of their JSON.
fn time_bytes(channels: &[ChannelForm]) -> usize {
    let inputs: BTreeSet<&Stored> = channels.iter().filter_map(|c| c.sampler.as_ref()).map(|s| &s.input).collect();
    let has_scale = |channel: &&ChannelForm| channel.extensions.get(NAME).is_some_and(|e| e.get("timeScale").is_some());
    let scales = channels.iter().filter(has_scale).count();
    inputs.iter().map(|input| input.bytes.len()).sum::<usize>() + TIME_SCALE * scales
}

struct Clock {
    /// Ascending, without duplicates.
    times: Vec<f32>,
    frames: FrameNumbers,
}

impl Clock {
    /// A clock of which all times of an animation are whole frames, up to rounding.
    fn of(entries: &[Entry<'_>]) -> Option<Self> {
        let times = merged_times(entries.iter().map(Entry::times));
        Some(Self { frames: frame_numbers(&times)?, times })
    }

    /// A track's times on the clock. `None` if some are not on it, or if rounding them would show: at a step
    /// the value is completely wrong for an instant, and two neighbouring floats are an edge.
    fn stored(&self, entry: &Entry<'_>, exact: bool) -> Option<Stored> {
        let times = entry.times();
        let place = |time: &f32| self.times.binary_search_by(|own| own.total_cmp(time)).ok();
        let places = times.iter().map(place).collect::<Option<Vec<usize>>>()?;
        let edges = entry.interpolation() == Interpolation::Step || times.windows(2).any(|w| w[0].next_up() == w[1]);
        if (edges || exact) && !places.iter().zip(times).all(|(place, time)| self.frames.decoded[*place] == *time) {
            return None;
        }
        let codes: Vec<i64> = places.into_iter().map(|place| i64::from(self.frames.codes[place])).collect();
        let component = if codes.iter().all(|c| *c < 256) { ComponentType::U8 } else { ComponentType::U16 };
        Some(Stored { bounds: true, ..Stored::integers(component, Shape::Scalar, false, &codes) })
    }
}

/// A track in the extension's form or in core's. `exact`: no time may be rounded.
fn channel(entry: &Entry<'_>, clock: Option<&Clock>, exact: bool) -> Result<ChannelForm> {
    let mut form = plain_channel(entry)?;
    let Some(sampler) = &mut form.sampler else { return Ok(form) };
    let mut parameters = Parameters::default();
    if let (Target::Node { property, axis, .. }, Some(encoded)) = (&entry.track.target, entry.encoded)
        && let Grid::Uniform(uniform) = encoded.grid
    {
        let path = path_of(Path { property: *property, axis: *axis }, uniform.layout);
        form.target["path"] = json!(path.to_string());
        let shape = shape(path, uniform.layout);
        let width = shape.components();
        sampler.output = integers(&encoded.codes, &uniform, shape);
        parameters.offset = Some(uniform.offsets[..width].to_vec());
        parameters.scale = Some(vec![uniform.scale; width]);
    }
    // A single key is not worth a time scale.
    let clock = clock.filter(|_| entry.times().len() > 1 && matches!(entry.track.target, Target::Node { .. }));
    if let Some((clock, times)) = clock.and_then(|clock| Some((clock, clock.stored(entry, exact)?))) {
        sampler.input = times;
        parameters.time_scale = Some(clock.frames.scale);
    }
    form.extensions.extend(parameters.to_json().map(|json| (NAME.to_owned(), json)));
    Ok(form)
}

/// Codes with as many components as the shape.
fn integers(codes: &[Code], uniform: &Uniform, shape: Shape) -> Stored {
    let components = codes.iter().flat_map(|code| code.iter().take(shape.components()));
    let codes: Vec<i64> = components.map(|c| i64::from(*c)).collect();
    let component = if uniform.most == 255 { ComponentType::U8 } else { ComponentType::U16 };
    Stored::integers(component, shape, uniform.unit > 1, &codes)
}

/// A track in core's form or, for a single axis, the closest that the extension's paths allow.
fn plain_channel(entry: &Entry<'_>) -> Result<ChannelForm> {
    let Target::Node { node, property, axis: Some(axis) } = entry.track.target else {
        return core_gltf::channel(entry);
    };
    let whole = Track { target: Target::Node { node, property, axis: None }, ..entry.track.clone() };
    let mut form = core_gltf::channel(&Entry { track: &whole, ..*entry })?;
    form.target["path"] = json!(Path::axis(property, axis).to_string());
    Ok(form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_cover_their_ranges_in_short_numbers() {
        let ranges = [(-0.31, 0.2), (0.0, 0.05), (0.7, 0.71)];
        let uniform = uniform(&ranges, 0.004, true, Layout::WithoutW, &LayoutOptions::default()).unwrap();
        assert_eq!((uniform.most, uniform.scale.to_string().as_str()), (255, "1"));
        assert_eq!(uniform.offsets[..3].iter().map(f64::to_string).collect::<Vec<_>>(), ["-0.4", "-0.1", "0.6"]);
        let grid = Grid::Uniform(Uniform { layout: Layout::Whole, ..uniform });
        for (axis, (low, high)) in ranges.into_iter().enumerate() {
            for value in [low, (low + high) / 2.0, high] {
                let mut wanted = [0.0; 4];
                wanted[axis] = value;
                assert!((f64::from(grid.decode(grid.encode(wanted))[axis]) - value).abs() <= 0.002 + 1e-7);
            }
        }
    }

    #[test]
    fn shorts_where_bytes_do_not_reach_and_nothing_beyond() {
        let uniform = |low, high, step, normalized, layout| {
            uniform(&[(low, high)], step, normalized, layout, &LayoutOptions::default())
        };
        let fine = uniform(-0.31, 0.2, 0.001, true, Layout::OneAxis(0)).unwrap();
        assert_eq!((fine.most, fine.scale.to_string().as_str()), (65535, "64.25"));
        assert!((fine.spacing() - 0.25 / 255.0).abs() < 1e-12);
        // In bytes, because the grid may be half as coarse again.
        assert_eq!(uniform(-0.2, 0.1, 0.0012, true, Layout::OneAxis(0)).unwrap().most, 255);
        assert!(uniform(0.0, 100.0, 0.001, false, Layout::Whole).is_none());
        let plain = uniform(0.0, 10.0, 0.0013, false, Layout::Whole).unwrap();
        assert_eq!((plain.scale, plain.most), (0.0012, 65535));
    }
}
