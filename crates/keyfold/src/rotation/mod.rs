//! Rotations in another interpolation, within a bound in space.
//!
//! The curves are the core's ([`keyfold_core::fit`]); how far each may stray is searched for in `tolerance`; how CUBICSLERP stands in a
//! file is the extension's business. Curves are proven as they are fitted; the fallback is measured besides, as a reader sees it that does not know
//! the extension. What will be on disk is held against the original by [`kept`](crate::kept).
//!
//! `Step` rotations and single keys stay as they are: nothing is interpolated there.

mod tolerance;

pub use crate::extensions::sqlerp::CoreSampler;

use crate::{
    Animation, Bound, Document, Error, Finding, Interpolation, Kind, Monitor, Part, Result, Scene, Severity, Track,
    diff::{diff_with, through_zero, undefined},
    effort,
    extensions::sqlerp,
    read,
    write::{AnimationForm, ChannelForm, assemble, place_plain},
};
use serde::Serialize;
use std::collections::BTreeMap;
use tolerance::refit_rotations;

/// The code of the finding about rotations that had to stay as they were.
pub(crate) const UNCHANGED: &str = "ROTATION_UNCHANGED";

/// What rotations are to become.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationOptions {
    /// How values between keys come about: anything but `Step`.
    pub interpolation: Interpolation,
    /// Only rotations that are interpolated like this so far; all of them where not given.
    pub only: Option<Interpolation>,
    /// How far points may move.
    pub max_error: Bound,
    /// What readers that do not know CUBICSLERP see of it.
    pub core: CoreSampler,
}

impl RotationOptions {
    /// Whether a track is a rotation with something between its keys, of the kind that is asked for.
    fn concerns(&self, track: &Track) -> bool {
        let interpolation = track.curve.interpolation();
        track.target.kind() == Kind::Rotation
            && track.curve.keys() > 1
            && interpolation != Interpolation::Step
            && self.only.is_none_or(|only| interpolation == only)
    }
}

/// A document whose rotations were changed, and what became of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChangedRotations {
    /// The document.
    pub document: Document,
    /// What became of its rotations.
    pub report: RotationReport,
}

/// What became of rotations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RotationReport {
    /// How many tracks were changed.
    pub tracks: usize,
    /// Their keys before and after.
    pub keys: Change,
    /// Bytes of their times and values as floats, before and after; the fallback counts.
    pub bytes: Change,
    /// The keys of the fallback, where there is one.
    pub fallback: Option<usize>,
    /// What had to stay as it was.
    pub findings: Vec<Finding>,
}

/// A number before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Before.
    pub before: usize,
    /// After.
    pub after: usize,
}

/// A document with its rotations in another interpolation, nowhere farther than the bound from the original.
pub fn convert_rotations(document: &Document, options: &RotationOptions) -> Result<ChangedRotations> {
    convert_rotations_with(document, options, &())
}

/// Like [`convert_rotations`], with progress and cancellation.
pub fn convert_rotations_with(
    document: &Document,
    options: &RotationOptions,
    monitor: &dyn Monitor,
) -> Result<ChangedRotations> {
    let found = read(document)?;
    let mut report = RotationReport { findings: found.findings, ..RotationReport::default() };
    if !found.animations.iter().flat_map(|a| &a.tracks).any(|track| options.concerns(track)) {
        return Ok(ChangedRotations { document: document.edit().finish()?, report });
    }
    let scene = Scene::new(document, &found.animations, None)?;
    effort::pay(document, &scene, &found.animations, effort::SEARCH)?;
    let plan =
        Plan { document, scene: &scene, options, bound: options.max_error.in_scene(scene.model_size()), monitor };
    let mut forms = Vec::new();
    for (index, animation) in found.animations.iter().enumerate() {
        monitor.step(0.9 * index as f64 / found.animations.len() as f64, "rotations")?;
        forms.push(plan.form(animation, &mut report)?);
    }
    monitor.step(0.9, "measuring")?;
    forms.retain(|form| !form.channels.is_empty());
    let written = assemble(document, &forms, place_plain)?;
    if report.fallback.is_some() {
        let part = Part { whole: monitor, from: 0.9, share: 0.1 };
        let off = diff_with(document, &written.read_back()?.ignoring(sqlerp::NAME)?, None, &part)?.possible;
        if off > plan.bound {
            let what = format!("the fallback is up to {off} scene units off; {} are allowed", plan.bound);
            return Err(Error::Bound { what });
        }
    }
    Ok(ChangedRotations { document: written, report })
}

/// What rotations of a document are to become.
struct Plan<'a> {
    document: &'a Document,
    scene: &'a Scene,
    options: &'a RotationOptions,
    /// In scene units.
    bound: f64,
    monitor: &'a dyn Monitor,
}

impl Plan<'_> {
    /// The channels of an animation that change, as they will stand in the file.
    fn form(&self, animation: &Animation, report: &mut RotationReport) -> Result<AnimationForm> {
        let (goal, options) = (self.options.interpolation, self.options);
        let undefined: BTreeMap<usize, f64> = undefined(animation).collect();
        let concerned = (0..animation.tracks.len()).filter(|i| options.concerns(&animation.tracks[*i]));
        let (stay, concerned): (Vec<usize>, Vec<usize>) = concerned.partition(|i| undefined.contains_key(i));
        let stays = |i: &usize| unchanged(animation, Some(*i), &format!("it is {}", through_zero(undefined[i])));
        report.findings.extend(stay.iter().map(stays));
        let differing = concerned.iter().copied().filter(|i| animation.tracks[*i].curve.interpolation() != goal);
        let mut refit = |tracks: &[usize], form| refit_rotations(self, animation, tracks, form, &mut report.findings);
        let changed = refit(&differing.collect::<Vec<_>>(), goal);
        let falls_back = goal == Interpolation::CubicSlerp && options.core == CoreSampler::Linear;
        let fallback = falls_back.then(|| refit(&concerned, Interpolation::Linear));
        let mut form = AnimationForm { index: animation.index, ..AnimationForm::default() };
        for (index, (before, after)) in animation.tracks.iter().zip(&changed.tracks).enumerate() {
            let fallback = fallback.as_ref().map(|animation| &animation.tracks[index]);
            // CUBICSLERP that is there already may still have to change how it stands in the file.
            let is_slerp = goal == Interpolation::CubicSlerp && after.curve.interpolation() == goal;
            if is_slerp && concerned.contains(&index) || before.curve != after.curve {
                report.count(before, after, fallback);
                form.replaces.insert(before.source.channel);
                form.channels.push(self.channel(animation, after, fallback)?);
            }
        }
        Ok(form)
    }

    fn channel(&self, animation: &Animation, track: &Track, fallback: Option<&Track>) -> Result<ChannelForm> {
        let mut form = sqlerp::form(track, self.options.core, fallback)?;
        // However the file addresses the node stays: only `rotation.x` and its like cannot hold whole quaternions.
        let target = format!("/animations/{}/channels/{}/target", animation.index, track.source.channel);
        if let Some(target) = self.document.json().pointer(&target)
            && !target["path"].as_str().is_some_and(|path| path.starts_with("rotation."))
        {
            form.target = target.clone();
        }
        Ok(form)
    }
}

/// What there is to say of a rotation, or of all of an animation, that could not be brought to another interpolation.
fn unchanged(animation: &Animation, track: Option<usize>, why: &str) -> Finding {
    let place = format!("/animations/{}", animation.index);
    let (at, what) = match track.map(|index| animation.tracks[index].source.channel) {
        Some(channel) => (format!("{place}/channels/{channel}"), "the rotation stayed as it was"),
        None => (place, "its rotations stayed as they were"),
    };
    Finding { severity: Severity::Warning, code: UNCHANGED, at, message: format!("{what}: {why}") }
}

impl RotationReport {
    fn count(&mut self, before: &Track, after: &Track, fallback: Option<&Track>) {
        let bytes = |track: &Track| 4 * (track.curve.keys() + track.curve.values().len());
        self.tracks += 1;
        self.keys.before += before.curve.keys();
        self.keys.after += after.curve.keys();
        self.bytes.before += bytes(before);
        self.bytes.after += bytes(after) + fallback.map_or(0, bytes);
        if let Some(fallback) = fallback {
            *self.fallback.get_or_insert(0) += fallback.curve.keys();
        }
    }
}

#[cfg(test)]
mod tests;
