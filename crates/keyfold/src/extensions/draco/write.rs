//! Storing a document's animations as Draco streams: which tracks, on which grids, in which streams.
//!
//! Tracks with equal times share a stream. Constant tracks become one key, and what a stream would not make smaller stays as plain floats.
//! What comes out is read back and measured; where it is over the bound, everything is done again with less.

use super::{
    NAME,
    grids::{Gridded, Search, components, uniform},
};
use crate::{
    Animation, Animations, Bound, Curve, Diff, Document, Error, Finding, Interpolation, Result, Scene, Track,
    diff::diff,
    document::Edit,
    read, unpack,
    write::{AnimationForm, ChannelForm, Stored, assemble, core_form, place_plain},
};
use keyfold_core::draco::{
    Attribute, Choice, Coding, EncodedAttribute, Options as Codec, Quantize, Quantizer, TIMESTAMPS, assemble as stream,
};
use rayon::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Which of the two layouts of the extension is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The draft's text: an object with `compressedAnimations`, ids in `attributeId`.
    #[default]
    Draft,
    /// What the files and loaders of 2018 have: a bare array, ids in `attributesId`.
    Year2018,
}

/// How animations are to be compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How far anything in the scene may lie from where it was.
    pub max_error: Bound,
    /// How far a property may be off, as a share of its natural range.
    pub max_property_error: f64,
    /// So many bits for every track, whatever that costs in precision.
    pub bits: Option<u8>,
    /// So many bits for times, where they stay strictly increasing; by default they stay exact or nearly so.
    pub time_bits: Option<u8>,
    /// Which layout to write.
    pub dialect: Dialect,
    /// Whether to keep the uncompressed data too, in a buffer of its own, for readers without the extension.
    pub fallback: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_error: Bound::default(),
            max_property_error: 0.001,
            bits: None,
            time_bits: None,
            dialect: Dialect::Draft,
            fallback: false,
        }
    }
}

/// A compressed document and how it compares with the original.
#[derive(Debug)]
pub struct Compressed {
    /// The document.
    pub document: Document,
    /// How far it lies from the original: measured on what was written.
    pub diff: Diff,
    /// Whether that is within the bounds. Bits that were asked for may break them.
    pub within: bool,
    /// What could not be read, and stays as it was.
    pub findings: Vec<Finding>,
}

/// How often everything is done again with a tighter bound.
const ATTEMPTS: i32 = 5;

/// Stores a document's animations as Draco streams.
pub fn compress(document: &Document, options: &Options) -> Result<Compressed> {
    compress_some(document, options, None, |_, _| true)
}

/// As [`compress`], for the tracks that `takes` accepts; the others stay plain floats. `shell` as for [`Scene::new`].
pub(crate) fn compress_some(
    document: &Document,
    options: &Options,
    shell: Option<Bound>,
    takes: impl Fn(&Animation, &Track) -> bool + Sync,
) -> Result<Compressed> {
    let (plain, findings) = unpack(document, options.max_error)?;
    let Animations { animations, .. } = read(&plain)?;
    let scene = Scene::new(&plain, &animations, shell)?;
    let bound = options.max_error.in_scene(scene.model_size());
    for attempt in 0.. {
        let share = 0.8f64.powi(attempt);
        let plan = |animation: &Animation| plan(&scene, animation, options, share * bound, share, &takes);
        let planned: Vec<Planned> = animations.par_iter().map(plan).collect();
        let written = write(&plain, planned, options)?;
        let diff = diff(document, &written, shell)?;
        let properties = diff.animations.iter().map(|a| a.properties.max).fold(0.0, f64::max);
        let within = diff.error <= bound && properties <= options.max_property_error && diff.unmatched.is_empty();
        if within || options.bits.is_some() || attempt >= ATTEMPTS {
            return Ok(Compressed { document: written, diff, within, findings });
        }
    }
    unreachable!("the last attempt returns")
}

/// The tracks of an animation, each with its grid where it goes into a stream.
struct Planned {
    animation: Animation,
    grids: Vec<Option<Gridded>>,
}

fn plan(
    scene: &Scene,
    animation: &Animation,
    options: &Options,
    bound: f64,
    share: f64,
    wanted: &impl Fn(&Animation, &Track) -> bool,
) -> Planned {
    let animation = with_short_constants(animation, wanted);
    // The field for components is a byte, and older readers take it as signed.
    let takes = |i: usize| {
        let track = &animation.tracks[i];
        let fits = track.curve.keys() > 1 && components(&track.curve) <= 127 && !track.target.is_exact();
        fits && wanted(&animation, track)
    };
    let property_bound = share * options.max_property_error;
    let grids = match options.bits {
        Some(bits) => {
            (0..animation.tracks.len()).map(|i| takes(i).then(|| uniform(&animation.tracks[i], bits))?).collect()
        }
        None => Search { scene, animation: &animation, bound, property_bound }.run(takes),
    };
    Planned { animation, grids }
}

/// Constant tracks as one key, unless the animation would then end earlier.
fn with_short_constants(animation: &Animation, wanted: &impl Fn(&Animation, &Track) -> bool) -> Animation {
    let constant = |curve: &Curve| {
        let plain = matches!(curve.interpolation(), Interpolation::Step | Interpolation::Linear);
        plain && (1..curve.keys()).all(|k| curve.value(k) == curve.value(0))
    };
    let duration = animation.duration();
    let mut out = animation.clone();
    if animation.tracks.iter().any(|t| t.curve.end() == duration && !constant(&t.curve)) {
        for track in out.tracks.iter_mut().filter(|t| constant(&t.curve) && wanted(animation, t)) {
            if let Ok(one) = Curve::constant(track.curve.start(), track.curve.value(0)) {
                track.curve = one;
            }
        }
    }
    out
}

/// One stream to be written: times, and tracks by the content of their accessors.
struct Stream {
    times: EncodedTimes,
    outputs: Vec<(Stored, EncodedAttribute)>,
}

struct EncodedTimes {
    original: Stored,
    /// As a decoder will see them.
    stored: Stored,
    attribute: EncodedAttribute,
}

const CODEC: Codec = Codec { choice: Choice::Smallest, speed: 5, entropy: true };

fn write(plain: &Document, planned: Vec<Planned>, options: &Options) -> Result<Document> {
    let mut groups: BTreeMap<Vec<u32>, Vec<(&Track, &Gridded)>> = BTreeMap::new();
    for (track, grid) in planned.iter().flat_map(|p| p.animation.tracks.iter().zip(&p.grids)) {
        if let Some(grid) = grid {
            let times = track.curve.times().iter().map(|t| t.to_bits()).collect();
            groups.entry(times).or_default().push((track, grid));
        }
    }
    let mut taken = BTreeSet::new();
    let streams = groups.values().filter_map(|tracks| encode(tracks, options, &mut taken).transpose());
    let streams: Vec<Stream> = streams.collect::<Result<_>>()?;
    let times: BTreeMap<Stored, Stored> =
        streams.iter().map(|s| (s.times.original.clone(), s.times.stored.clone())).collect();
    let inside: BTreeSet<&Stored> = streams.iter().flat_map(|s| s.outputs.iter().map(|(output, _)| output)).collect();
    let originals = originals(&planned, &times);
    let forms: Vec<AnimationForm> = planned.iter().map(|p| form(p, &inside, &times)).collect::<Result<_>>()?;
    assemble(plain, &forms, |edit, contents| place(edit, contents, &streams, &originals, options))
}

/// What fallbacks hold: the floats before compression, by what the accessor says it holds.
fn originals(planned: &[Planned], times: &BTreeMap<Stored, Stored>) -> BTreeMap<Stored, Stored> {
    let mut out: BTreeMap<Stored, Stored> = times.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
    for (track, grid) in planned.iter().flat_map(|p| p.animation.tracks.iter().zip(&p.grids)) {
        if let (Some(grid), Ok(plain)) = (grid, core_form(track))
            && let Ok(decoded) = core_form(&Track { curve: grid.decoded.clone(), ..track.clone() })
            && let (Some(plain), Some(decoded)) = (plain.sampler, decoded.sampler)
        {
            out.insert(decoded.output, plain.output);
        }
    }
    out
}

fn form(planned: &Planned, inside: &BTreeSet<&Stored>, times: &BTreeMap<Stored, Stored>) -> Result<AnimationForm> {
    let channel = |(track, grid): (&Track, &Option<Gridded>)| -> Result<ChannelForm> {
        let plain = core_form(track)?;
        let Some(grid) = grid else { return Ok(plain) };
        let mut packed = core_form(&Track { curve: grid.decoded.clone(), ..track.clone() })?;
        match &mut packed.sampler {
            Some(sampler) if inside.contains(&sampler.output) => {
                if let Some(coded) = times.get(&sampler.input) {
                    sampler.input = coded.clone();
                }
                Ok(packed)
            }
            _ => Ok(plain),
        }
    };
    let exact = |track: &&Track| !track.target.is_exact();
    let pairs = planned.animation.tracks.iter().zip(&planned.grids).filter(|(track, _)| exact(track));
    let channels: Vec<ChannelForm> = pairs.map(channel).collect::<Result<_>>()?;
    let replaces = channels.iter().filter_map(|c| c.source).collect();
    Ok(AnimationForm { index: planned.animation.index, replaces, channels })
}

/// A stream of the tracks that it makes smaller; `None` where there is none. An output may be in one stream only.
fn encode(tracks: &[(&Track, &Gridded)], options: &Options, taken: &mut BTreeSet<Stored>) -> Result<Option<Stream>> {
    let refused = |e: keyfold_core::draco::EncodeFault| Error::malformed("", format!("Draco: {e:?}"));
    let times = encode_times(tracks, options)?;
    let mut outputs: Vec<(Stored, EncodedAttribute)> = Vec::new();
    let mut saved = 0isize;
    for (track, grid) in tracks {
        let form = core_form(&Track { curve: grid.decoded.clone(), ..(*track).clone() })?;
        let Some(output) = form.sampler.map(|s| s.output) else { continue };
        let id = outputs.len() as u32 + 1;
        let encoded = EncodedAttribute::from_indices(id, &grid.quantizer, &grid.indices, &CODEC).map_err(refused)?;
        let gain = output.bytes.len() as isize - encoded.size() as isize;
        // Asked-for bits are for every track; else a track that gains nothing stays outside.
        if (gain > 0 || options.bits.is_some()) && taken.insert(output.clone()) {
            saved += gain;
            outputs.push((output, encoded));
        }
    }
    const HEADER: isize = 32;
    let pays = saved + times.stored.bytes.len() as isize > HEADER + times.attribute.size() as isize;
    let wanted = !outputs.is_empty() && (pays || options.bits.is_some());
    if !wanted {
        outputs.iter().for_each(|(output, _)| assert!(taken.remove(output), "it was put in above"));
    }
    Ok(wanted.then_some(Stream { times, outputs }))
}

fn encode_times(tracks: &[(&Track, &Gridded)], options: &Options) -> Result<EncodedTimes> {
    let times = tracks[0].0.curve.times();
    let original = Stored::times(times);
    let steps = tracks.iter().any(|(t, _)| t.curve.interpolation() == Interpolation::Step);
    let keys = u32::try_from(times.len()).map_err(|_| Error::limit("", "so many keys"))?;
    let attribute = Attribute::floats(TIMESTAMPS, 1, times.to_vec());
    let refused = |e: keyfold_core::draco::EncodeFault| Error::malformed("", format!("Draco: {e:?}"));
    let coded = |quantize: Quantize| {
        EncodedAttribute::new(&attribute, keys, &Coding { quantize, predict: true }, &CODEC).map_err(refused)
    };
    let asked = options.time_bits.and_then(|bits| Quantizer::fit(times, 1, bits).ok());
    // A fallback has the original times, and one accessor cannot say two lengths: then times stay exact.
    let quantizer = asked.or_else(|| if options.fallback { None } else { even_grid(times, steps) });
    if let Some(quantizer) = quantizer
        && let Ok(indices) = quantizer.quantize(times)
    {
        let decoded = quantizer.dequantize(indices);
        if decoded.windows(2).all(|w| w[0] < w[1]) && decoded.last() == times.last() {
            let attribute = coded(Quantize::Grid(quantizer))?;
            return Ok(EncodedTimes { original, stored: Stored::times(&decoded), attribute });
        }
    }
    Ok(EncodedTimes { stored: original.clone(), original, attribute: coded(Quantize::Off)? })
}

/// A grid on which evenly spaced times differ by one: they then take next to nothing. Times may drift by a few units in the last place,
/// the last one by nothing at all, and those of `Step` curves neither.
fn even_grid(times: &[f32], exact: bool) -> Option<Quantizer> {
    let (first, last) = (*times.first()?, *times.last()?);
    let gaps = times.len().checked_sub(1).filter(|n| *n > 0)? as u32;
    let bits = 32 - gaps.leading_zeros() as u8;
    if bits > 24 {
        return None;
    }
    let steps = f64::from((1u32 << bits) - 1);
    let range = ((f64::from(last) - f64::from(first)) * steps / f64::from(gaps)) as f32;
    let near = (-8i32..=8).map(|ulps| f32::from_bits(range.to_bits().wrapping_add_signed(ulps)));
    near.map(|range| Quantizer { minimum: vec![first], range, bits }).find(|quantizer| {
        let Ok(indices) = quantizer.quantize(times) else { return false };
        let even = indices.iter().enumerate().all(|(i, index)| i as i32 == *index);
        let decoded = quantizer.dequantize(indices);
        let close = |(a, b): (&f32, &f32)| a == b || !exact && (a - b).abs() <= 4e-7 * b.abs().max(0.01);
        even && decoded.last() == Some(&last) && decoded.iter().zip(times).all(close)
    })
}

/// Accessors of streams get no buffer view, or one into the fallback; all others lie as plain core does it.
fn place(
    edit: &mut Edit<'_>,
    contents: &[&Stored],
    streams: &[Stream],
    originals: &BTreeMap<Stored, Stored>,
    options: &Options,
) -> Result<Vec<usize>> {
    let inside: BTreeSet<&Stored> =
        streams.iter().flat_map(|s| s.outputs.iter().map(|(o, _)| o).chain([&s.times.stored])).collect();
    let plain: Vec<&Stored> = contents.iter().copied().filter(|c| !inside.contains(c)).collect();
    let mut indices: BTreeMap<&Stored, usize> = plain.iter().copied().zip(place_plain(edit, &plain)?).collect();
    let packed: Vec<&Stored> = contents.iter().copied().filter(|c| inside.contains(c)).collect();
    indices.extend(if options.fallback { place_fallback(edit, &packed, originals) } else { place_bare(edit, &packed) });
    if !streams.is_empty() {
        edit.declare(NAME, !options.fallback);
        let separate = options.fallback && edit.document().container() != crate::document::Container::Glb;
        let buffer = separate.then(|| edit.push_buffer(None));
        for stream in streams {
            list(edit, stream, buffer, &indices, options.dialect)?;
        }
    }
    Ok(contents.iter().map(|c| indices[c]).collect())
}

fn place_bare<'s>(edit: &mut Edit<'_>, packed: &[&'s Stored]) -> Vec<(&'s Stored, usize)> {
    packed.iter().map(|c| (*c, edit.push("accessors", Value::Object(c.accessor())))).collect()
}

fn place_fallback<'s>(
    edit: &mut Edit<'_>,
    packed: &[&'s Stored],
    originals: &BTreeMap<Stored, Stored>,
) -> Vec<(&'s Stored, usize)> {
    let buffer = edit.push_buffer(Some("fallback"));
    let mut bytes = Vec::new();
    let mut objects = Vec::new();
    for content in packed {
        let mut object = Map::from_iter([("bufferView".to_owned(), json!(edit.next("bufferViews")))]);
        object.insert("byteOffset".into(), json!(bytes.len()));
        let original = originals.get(*content).unwrap_or(content);
        object.extend(original.accessor());
        bytes.extend_from_slice(&original.bytes);
        objects.push((*content, Value::Object(object)));
    }
    edit.push_view_in(Some(buffer), bytes, Map::new());
    objects.into_iter().map(|(content, object)| (content, edit.push("accessors", object))).collect()
}

/// Adds a stream to the extension's list.
fn list(
    edit: &mut Edit<'_>,
    plan: &Stream,
    buffer: Option<usize>,
    indices: &BTreeMap<&Stored, usize>,
    dialect: Dialect,
) -> Result<()> {
    let mut attributes = vec![plan.times.attribute.clone()];
    attributes.extend(plan.outputs.iter().map(|(_, encoded)| encoded.clone()));
    let keys = plan.times.stored.count() as u32;
    let bytes = stream(keys, &attributes, &[]).map_err(|e| Error::malformed("", format!("Draco: {e:?}")))?;
    let view = edit.push_view_in(buffer, bytes, Map::new());
    let outputs: Vec<usize> = plan.outputs.iter().map(|(output, _)| indices[output]).collect();
    let ids: Vec<usize> = (1..=outputs.len()).collect();
    let key = if dialect == Dialect::Draft { "attributeId" } else { "attributesId" };
    let object = json!({ "input": indices[&plan.times.stored], "outputs": outputs, key: ids, "bufferView": view });
    let empty = if dialect == Dialect::Draft { json!({ "compressedAnimations": [] }) } else { json!([]) };
    let root = edit.json().as_object_mut().expect("the root is an object");
    let extensions = root.entry("extensions").or_insert_with(|| json!({}));
    let listed = extensions.as_object_mut().map(|e| e.entry(NAME).or_insert(empty));
    let entries = match listed {
        Some(list @ Value::Array(_)) => list.as_array_mut(),
        Some(object) => object.get_mut("compressedAnimations").and_then(Value::as_array_mut),
        None => None,
    };
    let broken =
        || Error::malformed(format!("/extensions/{NAME}"), "is neither an array nor has `compressedAnimations`");
    entries.ok_or_else(broken)?.push(object);
    Ok(())
}
