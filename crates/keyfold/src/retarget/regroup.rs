//! Tracks as an address asks for them: weights split or whole, components joined, floats where core may not hold what
//! is stored.

use super::Weights;
use crate::{
    Animation, Curve, Document, Finding, Property, Result, Severity, Storage, Target, Targets, Track, ValueKind,
    document::ComponentType,
    object_model::{Pointer, State},
    quantization::Path,
    read,
    write::{AnimationForm, ChannelForm, assemble, core_form, place_plain},
};
use keyfold_core::curve::join;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Which tracks are wanted.
pub(super) struct Regroup {
    pub(super) weights: Option<Weights>,
    /// Whether tracks that drive one axis of a node's property become tracks that drive all three.
    pub(super) axes: bool,
    /// Whether tracks that drive one component of anything else become tracks that drive them all.
    pub(super) components: bool,
    /// Where the tracks will be addressed: what they may not hold there becomes floats.
    pub(super) targets: Option<Targets>,
}

/// The document with tracks as wanted; `None` if they are so already.
pub(super) fn regroup(document: &Document, wanted: &Regroup, findings: &mut Vec<Finding>) -> Result<Option<Document>> {
    let animations = read(document)?.animations;
    let plan = |animation: &Animation| Plan { document, wanted, animation }.form(findings);
    let forms: Vec<AnimationForm> = animations.iter().map(plan).filter_map(Result::transpose).collect::<Result<_>>()?;
    if forms.is_empty() {
        return Ok(None);
    }
    assemble(document, &forms, place_plain).map(Some)
}

/// A track that drives one component of something.
struct Part<'t> {
    track: &'t Track,
    whole: Target,
    index: usize,
    /// The values that all components have at rest.
    rest: Vec<f64>,
}

struct Plan<'p> {
    document: &'p Document,
    wanted: &'p Regroup,
    animation: &'p Animation,
}

impl<'p> Plan<'p> {
    /// The channels that change, in the places of those that they replace; `None` if none does.
    fn form(&self, findings: &mut Vec<Finding>) -> Result<Option<AnimationForm>> {
        let mut tracks: Vec<Track> = Vec::new();
        let mut done: BTreeSet<(usize, Target)> = BTreeSet::new();
        let mut groups: BTreeMap<Target, Vec<Part<'p>>> = BTreeMap::new();
        for part in self.animation.tracks.iter().filter_map(|track| self.part(track)) {
            groups.entry(part.whole.clone()).or_default().push(part);
        }
        for (whole, parts) in &groups {
            match self.joined(whole, parts) {
                Ok(track) => {
                    done.extend(parts.iter().map(|part| key(part.track)));
                    tracks.push(track);
                }
                Err(why) => findings.push(self.left(parts[0].track, &format!("cannot be joined to {whole}: {why}"))),
            }
        }
        for track in self.animation.tracks.iter().filter(|track| self.is_split(track) || self.needs_floats(track)) {
            done.insert(key(track));
            if self.is_split(track) { tracks.extend(split(track)) } else { tracks.push(track.clone()) }
        }
        tracks.sort_by_key(|track| track.source.channel);
        if tracks.is_empty() {
            return Ok(None);
        }
        let replaces: BTreeSet<usize> = done.iter().map(|(channel, _)| *channel).collect();
        // What else the replaced channels drove is written with them.
        let others = self.animation.tracks.iter().filter(|track| replaces.contains(&track.source.channel));
        tracks.extend(others.filter(|track| !done.contains(&key(track))).cloned());
        let channels: Vec<ChannelForm> = tracks.iter().map(core_form).collect::<Result<_>>()?;
        Ok(Some(AnimationForm { index: self.animation.index, replaces, channels, repeats_samplers: false }))
    }

    fn left(&self, track: &Track, what: &str) -> Finding {
        Finding {
            severity: Severity::Warning,
            code: "TARGET_NOT_CONVERTED",
            at: format!("/animations/{}/channels/{}", self.animation.index, track.source.channel),
            message: format!("{} {what}", track.target),
        }
    }

    /// What a track is a part of, where parts are to be joined.
    fn part(&self, track: &'p Track) -> Option<Part<'p>> {
        let pointer = Pointer::parse(track.target.pointer()).ok()?;
        let found = self.document.registry().find(&pointer)?;
        let (whole, index) = match (&track.target, found.component) {
            (Target::Node { node, property, axis: Some(axis) }, _) if self.wanted.axes => {
                (Target::node(*node, *property), *axis as usize)
            }
            (Target::Pointer { .. }, Some(index)) if self.wanted.components && !found.row.quaternion => {
                (Target::Pointer { pointer: found.property.to_string(), kind: ValueKind::Float }, index)
            }
            (Target::Pointer { .. }, None)
                if self.wanted.weights == Some(Weights::Whole) && found.row.template == "/nodes/{}/weights/{}" =>
            {
                let indices = found.indices();
                (Target::node(*indices.first()?, Property::Weights), *indices.get(1)?)
            }
            _ => return None,
        };
        let all = self.document.registry().find(&Pointer::parse(whole.pointer()).ok()?)?;
        let rest = match all.state(self.document.json()) {
            State::Explicit(value) | State::Default(value) => value,
            _ => Vec::new(),
        };
        Some(Part { track, whole, index, rest })
    }

    /// One track from those that drive parts of it, in the place of the first.
    fn joined(&self, whole: &Target, parts: &[Part<'_>]) -> Result<Track, String> {
        let rest = &parts[0].rest;
        if self.animation.tracks.iter().any(|track| track.target == *whole) {
            return Err("another channel drives all of it".into());
        }
        let mut curves = vec![None; rest.len()];
        for part in parts {
            match curves.get_mut(part.index) {
                None => return Err("it is not defined here".into()),
                Some(Some(_)) => return Err(format!("two channels drive {}", part.track.target)),
                Some(slot) => *slot = Some(part.track.curve.clone()),
            }
        }
        let start = parts.iter().map(|part| part.track.curve.start()).fold(f32::INFINITY, f32::min);
        let still = |value: &f64| Curve::constant(start, [*value as f32]).map_err(|error| error.to_string());
        let curves = curves.into_iter().zip(rest).map(|(curve, rest)| curve.map_or_else(|| still(rest), Ok));
        let curve = join(&curves.collect::<Result<Vec<_>, _>>()?);
        let first = parts.iter().min_by_key(|part| part.track.source.channel).unwrap_or(&parts[0]);
        Ok(Track { target: whole.clone(), curve, source: first.track.source })
    }

    fn is_split(&self, track: &Track) -> bool {
        self.wanted.weights == Some(Weights::Split)
            && matches!(track.target, Target::Node { property: Property::Weights, .. })
    }

    /// Whether the numbers as stored may not stand where the track will be addressed.
    fn needs_floats(&self, track: &Track) -> bool {
        let Target::Node { property, axis: None, .. } = track.target else { return false };
        let moves = self.wanted.targets.is_some_and(|targets| targets != track.source.targets);
        // Only core's paths may be quantized by EXT_animation_quantization.
        let quantized = || Storage::of(self.document, self.animation.index, track) == Storage::Quantization;
        let core = self.wanted.targets == Some(Targets::Core);
        (core && self.is_dotted(track))
            || (moves && (quantized() || (core && !self.is_core_format(property, track.source.output))))
    }

    /// Whether a channel names one axis (`rotation.x`) and drives all of the property: only the extension's numbers
    /// can mean that.
    fn is_dotted(&self, track: &Track) -> bool {
        let place = format!("/animations/{}/channels/{}/target/path", self.animation.index, track.source.channel);
        let path = self.document.json().pointer(&place).and_then(Value::as_str);
        path.and_then(Path::from_name).is_some_and(|path| path.axis.is_some())
    }

    fn is_core_format(&self, property: Property, output: usize) -> bool {
        let Ok(accessor) = self.document.accessor(output) else { return false };
        let fraction = accessor.normalized && accessor.component.size() <= 2;
        let component = match property {
            Property::Translation | Property::Scale => accessor.component == ComponentType::F32,
            Property::Rotation | Property::Weights => accessor.component == ComponentType::F32 || fraction,
        };
        component && accessor.shape.components() == property.width().unwrap_or(1)
    }
}

fn key(track: &Track) -> (usize, Target) {
    (track.source.channel, track.target.clone())
}

/// A track for each component: each weight of a node, each part of a colour.
pub(crate) fn split(track: &Track) -> impl Iterator<Item = Track> {
    let whole = track.target.pointer();
    (0..track.curve.width()).map(move |index| {
        let target = Target::Pointer { pointer: format!("{whole}/{index}"), kind: ValueKind::Float };
        Track { target, curve: track.curve.component(index), source: track.source }
    })
}
