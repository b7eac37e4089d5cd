//! Types and layouts that are asked for by name, for every track that can have them, whatever that costs in precision: nothing is searched.

use super::{
    Coded, CodedTimes, Encoding, Layout, NAME, Options, Path, UNSIGNED,
    encode::{component, encode_values, grids, path_of, reduce, shape},
    times::{coarse, frames},
};
use crate::{
    Animation, Axis, Curve, Document, Interpolation, Property, Result, Target, Targets, Track,
    document::ComponentType,
    write::{AnimationForm, ChannelForm, SamplerForm, assemble, place_plain},
};
use serde_json::{Map, json};

/// A document with its animations in the forms that are asked for.
pub(super) fn written(document: &Document, animations: &[Animation], options: &Options) -> Result<Document> {
    let form = |animation: &Animation| {
        let mut form = AnimationForm { index: animation.index, ..AnimationForm::default() };
        for track in &animation.tracks {
            let Some((node, path)) = place(track) else { continue };
            form.replaces.insert(track.source.channel);
            let parts = parts(path, &track.curve, options).into_iter();
            form.channels.extend(parts.map(|(path, curve)| channel(track, node, path, &curve, options)));
        }
        form
    };
    let forms: Vec<AnimationForm> = animations.iter().map(form).collect();
    assemble(document, &forms, |edit, contents| {
        edit.declare_guarded(NAME);
        place_plain(edit, contents)
    })
}

/// The node and the path of a track that the extension can store.
fn place(track: &Track) -> Option<(usize, Path)> {
    let Target::Node { node, property, axis } = track.target else { return None };
    let known = property != Property::Weights
        && track.source.targets == Targets::Core
        && track.curve.interpolation() != Interpolation::CubicSlerp;
    known.then_some((node, Path { property, axis }))
}

/// The whole track, or each of its axes where those are asked for.
fn parts(path: Path, curve: &Curve, options: &Options) -> Vec<(Path, Curve)> {
    match path.axis.is_none() && options.axes(path.property) == Some(true) {
        true => Axis::ALL.map(|axis| (Path::axis(path.property, axis), component(curve, axis))).to_vec(),
        false => vec![(path, curve.clone())],
    }
}

fn channel(track: &Track, node: usize, path: Path, curve: &Curve, options: &Options) -> ChannelForm {
    let Coded { path, output, mut parameters, .. } = values(path, curve, options);
    let times = times(curve, options);
    parameters.time_scale = times.time_scale;
    ChannelForm {
        source: Some(track.source.channel),
        sampler: Some(SamplerForm { input: times.input, output, interpolation: curve.interpolation() }),
        extension_sampler: None,
        target: json!({ "node": node, "path": path.to_string() }),
        extensions: parameters.to_json().map(|object| (NAME.to_owned(), object)).into_iter().collect::<Map<_, _>>(),
    }
}

/// Values on the tightest grid; floats where there is none.
fn values(path: Path, curve: &Curve, options: &Options) -> Coded {
    let wanted = |layout: &Layout| options.wants(path.property, *layout);
    let layout = possible_layouts(path, curve).find(wanted).unwrap_or(Layout::Whole);
    let (stored, path) = (reduce(curve, path.property, layout), path_of(path, layout));
    let encoding = options.asked(path).unwrap_or_else(|| usual(path, options));
    let coded = |encoding: Encoding| {
        let grids = grids(&stored, shape(path, layout).components(), encoding)?;
        encode_values(path, layout, &stored, encoding, &grids)
    };
    coded(encoding).or_else(|_| coded(Encoding::FLOAT)).expect("floats need no grid")
}

/// The integers of a path where only times are asked for.
fn usual(path: Path, options: &Options) -> Encoding {
    let component = if options.bits <= 8 { ComponentType::U8 } else { ComponentType::U16 };
    Encoding::new(component, path.property == Property::Rotation)
}

fn times(curve: &Curve, options: &Options) -> CodedTimes {
    let times = curve.times();
    let asked = options.times.filter(|encoding| UNSIGNED.contains(encoding));
    let coded = asked.and_then(|encoding| {
        let step = f64::from(curve.end()) / encoding.largest()? as f64;
        frames(times, encoding).map(|frames| frames.coded).or_else(|| coarse(times, encoding, step))
    });
    coded.unwrap_or_else(|| CodedTimes::floats(times))
}

/// The layouts that can hold a curve.
fn possible_layouts(path: Path, curve: &Curve) -> impl Iterator<Item = Layout> {
    let alike = |v: &[f32]| v.iter().all(|c| (c - v[0]).abs() <= v[0].abs() * 1e-6);
    let uniform = path.property == Property::Scale && path.axis.is_none() && curve.values().chunks_exact(3).all(alike);
    // Splines of rotations have tangents, from which no W can be rebuilt.
    let turns = path.property == Property::Rotation && curve.interpolation().elements_per_key() == 1;
    let about = |axis: Axis| move |v: &[f32]| (0..3).all(|i| i == axis as usize || v[i].abs() < 1e-4);
    let axes = Axis::ALL.into_iter().filter(move |a| turns && curve.values().chunks_exact(4).all(about(*a)));
    let layouts = [(true, Layout::Whole), (uniform, Layout::Uniform), (turns, Layout::WithoutW)];
    let axes = axes.flat_map(|axis| [Layout::OneAxis(axis as usize), Layout::OneAxisAndW(axis as usize)]);
    layouts.into_iter().filter(|l| l.0).map(|l| l.1).chain(axes)
}
