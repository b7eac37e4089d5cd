//! Rotations in another interpolation, within an error bound.
//!
//! The core fits the curves ([`keyfold_core::fit`]), `tolerance` searches a tolerance for each, and
//! `extensions/sqlerp` puts CUBICSLERP into channels. The error of all curves is proven when they are fitted. The
//! fallback is measured again, as readers without the extension see it. [`kept`](crate::kept) checks the result on
//! disk.
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

/// The code of findings about rotations that stay as they are.
pub(crate) const UNCHANGED: &str = "ROTATION_UNCHANGED";

/// Options for converting rotations.
#[derive(Clone, Copy, Debug, Default)]
pub struct RotationOptions {
    /// The new interpolation: any except `Step`.
    pub interpolation: Interpolation,
    /// The present interpolation of the rotations to convert; `None` for all.
    pub only: Option<Interpolation>,
    /// The error bound.
    pub max_error: Bound,
    /// The sampler for readers without CUBICSLERP.
    pub core: CoreSampler,
}

impl RotationOptions {
    /// Whether a track is a rotation to convert: one with values between its keys.
    fn concerns(&self, track: &Track) -> bool {
        let interpolation = track.curve.interpolation();
        track.target.kind() == Kind::Rotation
            && track.curve.keys() > 1
            && interpolation != Interpolation::Step
            && self.only.is_none_or(|only| interpolation == only)
    }
}

/// A document with converted rotations.
#[derive(Debug)]
#[non_exhaustive]
pub struct ChangedRotations {
    /// The document.
    pub document: Document,
    /// The report on its rotations.
    pub report: RotationReport,
}

/// The result of converting rotations.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RotationReport {
    /// The number of changed tracks.
    pub tracks: usize,
    /// Their keys before and after.
    pub keys: Change,
    /// The bytes of their times and values as floats, before and after, with the fallback.
    pub bytes: Change,
    /// The keys of the fallback, if there is one.
    pub fallback: Option<usize>,
    /// The reader's findings, and the rotations that stay as they are.
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

/// A document with its rotations in another interpolation, everywhere within the bound of the original.
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
            let what = format!("points of the fallback would be {off} scene units off; {} are allowed", plan.bound);
            return Err(Error::Bound { what });
        }
    }
    Ok(ChangedRotations { document: written, report })
}

/// The conversion of a document's rotations.
struct Plan<'a> {
    document: &'a Document,
    scene: &'a Scene,
    options: &'a RotationOptions,
    /// In scene units.
    bound: f64,
    monitor: &'a dyn Monitor,
}

impl Plan<'_> {
    /// The changed channels of an animation as they will be in the file.
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
            // CUBICSLERP may need another sampler in the file even if the curve stays.
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
        // The target stays, unless it is a single axis, which cannot have quaternions.
        let target = format!("/animations/{}/channels/{}/target", animation.index, track.source.channel);
        if let Some(target) = self.document.json().pointer(&target)
            && !target["path"].as_str().is_some_and(|path| path.starts_with("rotation."))
        {
            form.target = target.clone();
        }
        Ok(form)
    }
}

/// The finding that a rotation, or all of an animation, stays as it is.
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
