//! Quantizing a document: which tracks, in which form, with which times, and how far the scene may move because of it.
//!
//! Every track starts with the share of its range that the options allow. Where the scene then moves too far, the tracks above the nodes
//! that moved get less, down to floats, until the bound holds everywhere. What comes out is decoded and measured once more.

use super::{
    CodedTimes, NAME, Options, Path, UNSIGNED,
    choose::{Choice, Task, Timing, choose, constant, kind},
    times::{coarse, frames},
};
use crate::parallel::*;
use crate::{
    Animation, Animations, Axis, Curve, Diff, Document, Finding, Interpolation, Kind, Property, Result, Scene,
    Severity, Target, Targets, Track,
    diff::{diff, proof, undefined, worst_difference},
    document::{ComponentType, Shape},
    effort,
    extensions::vrm_animation::is_for_others,
    read,
    write::{AnimationForm, ChannelForm, SamplerForm, Stored, assemble, core_form, place_plain},
};
use serde_json::{Map, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// A quantized document and how it compares with the original.
#[derive(Debug)]
pub struct Quantized {
    /// The document.
    pub document: Document,
    /// How far it lies from the original: measured on what was written.
    pub diff: Diff,
    /// Whether that is within the bound. Forms that were asked for by name may break it.
    pub within: bool,
    /// What could not be read, and stays as it was.
    pub findings: Vec<Finding>,
}

/// What there is to say of tracks that stay as they are because of how they are addressed.
fn pointed(animation: &Animation) -> impl Iterator<Item = Finding> {
    let is_node = |track: &&Track| matches!(track.target, Target::Node { .. });
    let pointed = animation.tracks.iter().filter(is_node).filter(|track| track.source.targets != Targets::Core);
    pointed.map(|track| Finding {
        severity: Severity::Warning,
        code: "TARGET_NOT_STORED",
        at: format!("/animations/{}/channels/{}", animation.index, track.source.channel),
        message: "the track is addressed by a pointer, for which EXT_animation_quantization has no form; it stays as it is (--targets core first)".into(),
    })
}

/// Stores a document's animations as EXT_animation_quantization. Tracks that the extension knows no form for (pointers, spherical
/// splines) stay as they are, also where a pointer means what core's `node` and `path` can say: the draft's table has no row for it, and
/// [`retarget`](fn@crate::retarget) to core's targets first is what makes those smaller. Weights become core's own normalized integers where
/// those are good enough.
pub fn quantize(document: &Document, options: &Options) -> Result<Quantized> {
    let Animations { animations, mut findings } = read(document)?;
    findings.extend(animations.iter().flat_map(pointed));
    let scene = Scene::new(document, &animations, None)?;
    effort::pay(document, &scene, &animations, effort::SEARCH)?;
    let planner = Planner {
        document,
        bound: options.max_error.in_scene(scene.model_size()),
        idle: match options.keep_rest || is_for_others(document) {
            true => BTreeSet::new(),
            false => idle_axes(document, &scene, &animations),
        },
        timings: timings(&animations, options),
        scene: &scene,
        options,
    };
    let forms: Vec<AnimationForm> = animations.par_iter().map(|animation| planner.animation(animation)).collect();
    let document = assemble(document, &forms, |edit, contents| {
        edit.declare_guarded(NAME);
        place_plain(edit, contents)
    })?;
    let diff = diff(planner.document, &document, None)?;
    let properties = diff.animations.iter().all(|a| a.properties.max <= MAX_PROPERTY_ERROR);
    let within = diff.possible <= planner.bound && properties && diff.unmatched.is_empty();
    Ok(Quantized { document, diff, within, findings })
}

/// How far what moves no points may be off, as a share of its natural range.
const MAX_PROPERTY_ERROR: f64 = 0.001;

struct Planner<'a> {
    document: &'a Document,
    scene: &'a Scene,
    options: &'a Options,
    /// How far a point may move, in scene units.
    bound: f64,
    idle: BTreeSet<(usize, Property, Axis)>,
    timings: BTreeMap<TimesKey, Timing>,
}

/// How often the tracks above a node that moved too far are tightened before they become floats.
const ROUNDS: u32 = 6;

impl Planner<'_> {
    fn animation(&self, animation: &Animation) -> AnimationForm {
        let keeper = keeper(animation);
        let asked = self.options.values.is_some();
        let mut shares = vec![self.options.share(); animation.tracks.len()];
        let mut choices: Vec<Option<Choice>> = vec![None; animation.tracks.len()];
        let undefined: Vec<usize> = undefined(animation).map(|(i, _)| i).collect();
        for round in 0.. {
            for (i, track) in animation.tracks.iter().enumerate() {
                if choices[i].is_none() && (asked || !undefined.contains(&i)) {
                    choices[i] = self.choice(track, shares[i], keeper == Some(i));
                }
            }
            let over = if asked { BTreeMap::new() } else { self.moved_too_far(animation, &choices) };
            if over.is_empty() || round > ROUNDS {
                break;
            }
            for (i, track) in animation.tracks.iter().enumerate() {
                if let Some(excess) = track.target.moved_node().and_then(|node| over.get(&node))
                    && choices[i].is_some()
                {
                    let tighter = shares[i] * (0.8 / excess).clamp(0.1, 0.7);
                    (shares[i], choices[i]) = (if round + 1 < ROUNDS { tighter } else { 0.0 }, None);
                }
            }
        }
        self.form(animation, &choices)
    }

    /// The form of a track; `None` where it stays as it is.
    fn choice(&self, track: &Track, share: f64, keeper: bool) -> Option<Choice> {
        let path = path(track)?;
        let short =
            constant(&track.curve, kind(path)).map(|one| if keeper { held(&one, track.curve.end()) } else { one });
        let (curve, timing) = match short {
            Some(short) => (short.clone(), Timing::new(CodedTimes::floats(short.times()))),
            None => (track.curve.clone(), self.timing(&track.curve, share)),
        };
        let task = Task {
            path,
            curve: &curve,
            times: &timing,
            tolerance: tolerance(path, &curve, share),
            idle: self.idle_of(track),
            keep_keys: keeper,
            options: self.options,
        };
        Some(choose(&task))
    }

    fn timing(&self, curve: &Curve, share: f64) -> Timing {
        let floats = || Timing::new(CodedTimes::floats(curve.times()));
        if share == 0.0 {
            return floats();
        }
        self.timings.get(&TimesKey::of(curve)).cloned().unwrap_or_else(floats)
    }

    fn idle_of(&self, track: &Track) -> [bool; 3] {
        let Target::Node { node, property, axis: None } = track.target else { return [false; 3] };
        Axis::ALL.map(|axis| self.idle.contains(&(node, property, axis)))
    }

    /// The nodes above points that moved too far, and how many times too far.
    fn moved_too_far(&self, animation: &Animation, choices: &[Option<Choice>]) -> BTreeMap<usize, f64> {
        let decoded = decoded(animation, choices);
        let (before, after) = (self.scene.motion(animation), self.scene.motion(&decoded));
        let probes = self.scene.probes(&before.moved());
        let proof = proof(&before, &after, &probes);
        let mut over = BTreeMap::new();
        for (probe, error) in probes.iter().zip(proof.errors()).filter(|(_, error)| *error > self.bound) {
            let mut node = Some(probe.a);
            while let Some(n) = node {
                let excess = over.entry(n).or_insert(0.0f64);
                *excess = excess.max(error / self.bound);
                node = self.scene.skeleton().parent(n);
            }
        }
        over
    }

    fn form(&self, animation: &Animation, choices: &[Option<Choice>]) -> AnimationForm {
        let mut form = AnimationForm { index: animation.index, ..AnimationForm::default() };
        for (track, choice) in animation.tracks.iter().zip(choices) {
            let channels = match choice {
                Some(choice) => self.channels(animation.index, track, choice),
                None => self.weights(track).into_iter().collect(),
            };
            if !channels.is_empty() {
                form.replaces.insert(track.source.channel);
                form.channels.extend(channels);
            }
        }
        form
    }

    fn channels(&self, animation: usize, track: &Track, choice: &Choice) -> Vec<ChannelForm> {
        let place = format!("/animations/{animation}/channels/{}/target", track.source.channel);
        let channel = |c: &super::choose::Channel| {
            let target = self.document.json().pointer(&place).filter(|target| target.is_object()).cloned();
            let mut target = target.unwrap_or_else(|| json!({}));
            target["path"] = json!(c.values.path.to_string());
            let mut parameters = c.values.parameters.clone();
            parameters.time_scale = c.times.time_scale;
            let object = parameters.to_json().map(|object| (NAME.to_owned(), object));
            ChannelForm {
                source: Some(track.source.channel),
                sampler: Some(SamplerForm {
                    input: c.times.input.clone(),
                    output: c.values.output.clone(),
                    interpolation: c.decoded.interpolation(),
                }),
                extension_sampler: None,
                target,
                extensions: Map::from_iter(object),
            }
        };
        choice.channels.iter().map(channel).collect()
    }

    /// Weights as core's normalized integers; `None` where those would not do.
    fn weights(&self, track: &Track) -> Option<ChannelForm> {
        let weights = matches!(track.target, Target::Node { property: Property::Weights, .. });
        let fits = track.curve.values().iter().all(|v| (0.0..=1.0).contains(v));
        let coarse = self.options.share() < 0.5 / 65535.0 || self.options.bits < 16;
        if !weights || !fits || coarse || track.source.targets != Targets::Core {
            return None;
        }
        let codes: Vec<i64> = track.curve.values().iter().map(|v| (f64::from(*v) * 65535.0).round() as i64).collect();
        let mut form = core_form(track).ok()?;
        form.sampler.as_mut()?.output = Stored::integers(ComponentType::U16, Shape::Scalar, true, &codes);
        Some(form)
    }
}

/// The path of a track that the extension can store.
fn path(track: &Track) -> Option<Path> {
    let Target::Node { property, axis, .. } = track.target else { return None };
    let known = property != Property::Weights
        && track.source.targets == Targets::Core
        && track.curve.interpolation() != Interpolation::CubicSlerp;
    known.then_some(Path { property, axis })
}

/// How far values of a curve may be off: their unit, or radians.
fn tolerance(path: Path, curve: &Curve, share: f64) -> f64 {
    if kind(path) == Kind::Rotation {
        // Four components, each off by a share of -1 to 1, make twice their length in angle.
        return 8.0 * share;
    }
    let mut extent = 0.0f64;
    for c in 0..curve.width() {
        let values = || (0..curve.keys()).map(|k| f64::from(curve.value(k)[c]));
        extent = extent.max(values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min));
    }
    // What is read back is rounded to floats: half an ulp on top, unless nothing may be lost at all.
    let largest = curve.values().iter().fold(0.0f32, |m, v| m.max(v.abs()));
    let ulp = f64::from(largest.next_up()) - f64::from(largest);
    if share > 0.0 { share * extent + ulp / 2.0 } else { 0.0 }
}

/// A constant with a key at its end, too.
fn held(one: &Curve, end: f32) -> Curve {
    let values = [one.values(), one.values()].concat();
    Curve::new(Interpolation::Linear, one.width(), [one.start(), end], values).unwrap_or_else(|_| one.clone())
}

/// The track that has to keep its last key for the animation to last as long as before: none where others do.
fn keeper(animation: &Animation) -> Option<usize> {
    let ends = |t: &&Track| t.curve.end() == animation.duration();
    let shrinks = |t: &Track| path(t).is_some_and(|path| constant(&t.curve, kind(path)).is_some());
    if animation.tracks.iter().filter(ends).any(|t| !shrinks(t)) {
        return None;
    }
    animation.tracks.iter().position(|t| ends(&t))
}

/// The animation as a reader of the file will see it.
fn decoded(animation: &Animation, choices: &[Option<Choice>]) -> Animation {
    let mut out = Animation { tracks: Vec::new(), ..animation.clone() };
    for (track, choice) in animation.tracks.iter().zip(choices) {
        let Some(choice) = choice else {
            out.tracks.push(track.clone());
            continue;
        };
        for channel in &choice.channels {
            let mut track = Track { curve: channel.decoded.clone(), ..track.clone() };
            if let Target::Node { property, axis, .. } = &mut track.target
                && *property != Property::Rotation
            {
                *axis = channel.values.path.axis;
            }
            out.tracks.push(track);
        }
    }
    out
}

/// Axes that no animation moves away from the node's own value.
fn idle_axes(document: &Document, scene: &Scene, animations: &[Animation]) -> BTreeSet<(usize, Property, Axis)> {
    let (mut idle, mut busy) = (BTreeSet::new(), BTreeSet::new());
    for track in animations.iter().flat_map(|a| &a.tracks) {
        let Target::Node { node, property: property @ (Property::Translation | Property::Scale), axis } = track.target
        else {
            continue;
        };
        let rest = scene.skeleton().rest(node);
        let own = if property == Property::Scale { rest.scale } else { rest.translation };
        let matrix = document.json().pointer(&format!("/nodes/{node}/matrix")).is_some();
        for (i, component) in axis.map_or(Axis::ALL.to_vec(), |a| vec![a]).into_iter().enumerate() {
            let stays = |k: usize| track.curve.value(k)[i] == own[component as usize] as f32;
            let still = (0..track.curve.keys()).all(stays) && track.curve.interpolation() != Interpolation::CubicSpline;
            (if still && !matrix { &mut idle } else { &mut busy }).insert((node, property, component));
        }
    }
    idle.retain(|axis| !busy.contains(axis));
    idle
}

/// Times by content, together with whether they may drift: the edges of `Step` curves may not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TimesKey(Vec<u32>);

impl TimesKey {
    fn of(curve: &Curve) -> Self {
        Self(curve.times().iter().map(|t| t.to_bits()).collect())
    }
}

/// What each array of times is stored as, where that is not floats.
fn timings(animations: &[Animation], options: &Options) -> BTreeMap<TimesKey, Timing> {
    let mut users: BTreeMap<TimesKey, Vec<&Track>> = BTreeMap::new();
    for track in animations.iter().flat_map(|a| &a.tracks).filter(|t| path(t).is_some()) {
        users.entry(TimesKey::of(&track.curve)).or_default().push(track);
    }
    let timed = users.into_par_iter().filter_map(|(key, tracks)| Some((key, timing(&tracks, options)?)));
    timed.collect()
}

/// Bytes of JSON that a time scale takes in each channel that uses it, weighed against bytes of times.
const TIME_SCALE: usize = 3;

fn timing(tracks: &[&Track], options: &Options) -> Option<Timing> {
    let times = tracks.first()?.curve.times();
    if let Some(encoding) = options.times.filter(|e| UNSIGNED.contains(e)) {
        let largest = encoding.largest()? as f64;
        let coarse = || coarse(times, encoding, f64::from(*times.last()?) / largest);
        return frames(times, encoding).map(|f| f.coded).or_else(coarse).map(Timing::new);
    }
    let narrow =
        |e: &super::Encoding| e.largest().is_some() && !e.normalized && e.component.size() * 8 <= options.bits as usize;
    let mut listed: Vec<_> = UNSIGNED.into_iter().filter(narrow).collect();
    listed.sort_by_key(|e| e.component.size());
    let good = |encoding| {
        let found = frames(times, encoding)?;
        let timing = Timing::new(found.coded);
        (found.drift == 0.0 || tracks.iter().all(|t| barely_moves(t, &timing, options))).then_some(timing)
    };
    let timing = listed.into_iter().find_map(good)?;
    let saved = 4 * times.len() - timing.coded.input.bytes.len();
    (timing.coded.time_scale.is_none() || saved > TIME_SCALE * tracks.len()).then_some(timing)
}

/// Whether drifting times leave most of the tolerance to the values.
fn barely_moves(track: &Track, timing: &Timing, options: &Options) -> bool {
    let curve = &track.curve;
    let Some(path) = path(track) else { return false };
    let times: Arc<[f32]> = timing.decoded.clone();
    let Ok(moved) = Curve::new(curve.interpolation(), curve.width(), times, curve.values()) else { return false };
    worst_difference(kind(path), curve, &moved) <= 0.25 * tolerance(path, curve, options.share())
}

#[cfg(test)]
mod tests;
