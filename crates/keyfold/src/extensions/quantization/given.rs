//! Writes the types and layouts that options name, for every track that can have them, at any error: nothing is
//! searched.
//!
//! A layout leaves out components that readers rebuild. A grid turns the others into integers. A time scale turns
//! times into frame numbers.

use super::{
    Encoding, Layout, NAME, Options, Parameters, Path, UNSIGNED,
    table::{path_of, shape},
    times::{coarse, frames},
};
use crate::{
    Animation, Axis, Curve, Document, Interpolation, Property, Result, Target, Targets, Track,
    document::Shape,
    join_axes::split_axes,
    write::{AnimationForm, ChannelForm, SamplerForm, Stored, assemble, place_plain},
};
use keyfold_core::{
    quantize::Quantizer,
    quat::{self, Quat},
};
use serde_json::json;

/// A document with its animations in the requested forms.
pub(super) fn written(document: &Document, animations: &[Animation], options: &Options) -> Result<Document> {
    let has_axes = |track: &Track| match track.target {
        Target::Node { property, axis: None, .. } => options.layouts.axes(property) == Some(true),
        _ => false,
    };
    let form = |animation: &Animation| {
        let tracks = split_axes(animation, has_axes).tracks;
        let channels: Vec<ChannelForm> = tracks.iter().filter_map(|track| channel(track, options)).collect();
        let replaces = channels.iter().filter_map(|channel| channel.source).collect();
        AnimationForm { index: animation.index, replaces, channels, repeats_samplers: false }
    };
    let forms: Vec<AnimationForm> = animations.iter().map(form).collect();
    assemble(document, &forms, |edit, contents| {
        edit.declare_guarded(NAME);
        place_plain(edit, contents)
    })
}

/// A track in the requested form; `None` if the extension has no form for it.
fn channel(Track { target, curve, source }: &Track, options: &Options) -> Option<ChannelForm> {
    let Target::Node { node, property, axis } = *target else { return None };
    let known = source.targets == Targets::Core && property != Property::Weights;
    if !known || curve.interpolation() == Interpolation::CubicSlerp {
        return None;
    }
    let whole = Path { property, axis };
    let wanted = |layout: &Layout| options.layouts.wants(property, *layout);
    let layout = possible_layouts(whole, curve).find(wanted).unwrap_or(Layout::Whole);
    let path = path_of(whole, layout);
    let (numbers, shape) = (reduce(curve, property, layout), shape(path, layout));
    let floats = || Stored::floats(shape, &numbers.iter().map(|v| *v as f32).collect::<Vec<_>>());
    let on_grids = on_grids(&numbers, shape, options.encoding(path));
    let (output, parameters) = on_grids.unwrap_or_else(|| (floats(), Parameters::default()));
    let (input, time_scale) = times(curve, options);
    let extension = Parameters { time_scale, ..parameters }.to_json();
    Some(ChannelForm {
        source: Some(source.channel),
        sampler: Some(SamplerForm { input, output, interpolation: curve.interpolation() }),
        extension_sampler: None,
        target: json!({ "node": node, "path": path.to_string() }),
        extensions: extension.map(|object| (NAME.to_owned(), object)).into_iter().collect(),
    })
}

/// The layouts that can hold a curve.
fn possible_layouts(path: Path, curve: &Curve) -> impl Iterator<Item = Layout> {
    let alike = |v: &[f32]| v.iter().all(|c| (c - v[0]).abs() <= v[0].abs() * 1e-6);
    let uniform = path.property == Property::Scale && path.axis.is_none() && curve.values().chunks_exact(3).all(alike);
    // The W of a tangent cannot be rebuilt.
    let turns = path.property == Property::Rotation && !curve.interpolation().is_spline();
    let about = |axis: Axis| move |v: &[f32]| (0..3).all(|i| i == axis as usize || v[i].abs() < 1e-4);
    let axes = Axis::ALL.into_iter().filter(move |a| turns && curve.values().chunks_exact(4).all(about(*a)));
    let layouts = [(true, Layout::Whole), (uniform, Layout::Uniform), (turns, Layout::WithoutW)];
    let axes = axes.flat_map(|axis| [Layout::OneAxis(axis as usize), Layout::OneAxisAndW(axis as usize)]);
    layouts.into_iter().filter(|l| l.0).map(|l| l.1).chain(axes)
}

/// The numbers that a layout stores of a curve, element by element. Rotations except splines become unit quaternions,
/// each on the side of the one before; W is positive if it is left out.
fn reduce(curve: &Curve, property: Property, layout: Layout) -> Vec<f64> {
    if property != Property::Rotation || curve.interpolation().is_spline() {
        let step = if layout == Layout::Uniform { 3 } else { 1 };
        return curve.values().iter().step_by(step).map(|v| f64::from(*v)).collect();
    }
    let continued = |last: &mut Quat, q: &[f32; 4]| {
        *last = quat::toward(*last, quat::normalize(q.map(f64::from)));
        Some(*last)
    };
    let stored = |q: Quat| {
        let (numbers, count) = layout.stored(q);
        numbers.into_iter().take(count)
    };
    let (keys, _) = curve.values().as_chunks::<4>();
    keys.iter().scan(quat::IDENTITY, continued).flat_map(stored).collect()
}

/// Numbers as integers on the tightest grid of each component; `None` for floats, and for ranges without a grid. The
/// range of signed codes is symmetric; it is -1 to 1 for normalized ones if that is enough.
fn on_grids(numbers: &[f64], shape: Shape, encoding: Encoding) -> Option<(Stored, Parameters)> {
    let (bits, width) = (8 * encoding.component.size() as u32, shape.components());
    let column = |c: usize| numbers.iter().skip(c).step_by(width).map(|v| f64::from(*v as f32));
    let range = |c: usize| column(c).fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
    let ranges: Vec<(f64, f64)> = (0..width).map(range).collect();
    let reach = |(low, high): &(f64, f64)| high.max(-low);
    let is_own = encoding.normalized && ranges.iter().all(|range| reach(range) <= 1.0);
    let grid = |range: &(f64, f64)| match encoding.signed() {
        true => Quantizer::signed(bits, if is_own { 1.0 } else { reach(range) }),
        false => Quantizer::unsigned(bits, range.0, range.1),
    };
    let grids = ranges.iter().map(grid).collect::<Option<Vec<_>>>()?;
    let codes: Vec<i64> = numbers.iter().zip(grids.iter().cycle()).map(|(v, grid)| grid.encode(*v).into()).collect();
    let scale = |grid: &Quantizer| if encoding.normalized { grid.extent() } else { grid.step() };
    let parameters = Parameters {
        offset: Some(grids.iter().map(|grid| grid.decode(0)).collect()),
        scale: Some(grids.iter().map(scale).collect()),
        time_scale: None,
    };
    Some((Stored::integers(encoding.component, shape, encoding.normalized, &codes), parameters))
}

/// Times as requested, and their scale; floats if that is impossible.
fn times(curve: &Curve, options: &Options) -> (Stored, Option<f64>) {
    let coded = options.times.filter(|encoding| UNSIGNED.contains(encoding)).and_then(|encoding| {
        let coded = frames(curve.times(), encoding).or_else(|| coarse(curve.times(), encoding))?;
        let codes: Vec<i64> = coded.codes.iter().map(|c| i64::from(*c)).collect();
        let stored = Stored::integers(encoding.component, Shape::Scalar, encoding.normalized, &codes);
        Some((Stored { bounds: true, ..stored }, Some(coded.scale)))
    });
    coded.unwrap_or_else(|| (Stored::times(curve.times()), None))
}
