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
    Animation, Bound, Document, Error, Finding, Interpolation, Kind, Result, Scene, Severity, Track, diff,
    diff::{through_zero, undefined},
    effort,
    extensions::sqlerp,
    read,
    write::{AnimationForm, ChannelForm, assemble, core_form, place_plain},
};
use serde::Serialize;
use tolerance::refit_rotations;

/// The code of the finding about rotations that had to stay as they were.
pub(crate) const UNCHANGED: &str = "ROTATION_UNCHANGED";

/// What rotations are to become.
#[derive(Clone, Copy, Debug)]
pub struct RotationOptions {
    /// How values between keys come about: anything but `Step`.
    pub interpolation: Interpolation,
    /// Only rotations that are interpolated like this so far; all of them where not given.
    pub only: Option<Interpolation>,
    /// How far points may move.
    pub bound: Bound,
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
pub fn convert_rotations(document: &Document, options: &RotationOptions) -> Result<(Document, RotationReport)> {
    let found = read(document)?;
    let mut report = RotationReport { findings: found.findings, ..RotationReport::default() };
    if !found.animations.iter().flat_map(|a| &a.tracks).any(|track| options.concerns(track)) {
        return Ok((document.edit().finish()?, report));
    }
    let scene = Scene::new(document, &found.animations, None)?;
    effort::pay(document, &scene, &found.animations, effort::SEARCH)?;
    let bound = options.bound.in_scene(scene.model_size());
    let mut forms = Vec::new();
    for animation in &found.animations {
        let planned = plan(document, &scene, animation, options, bound, &mut report)?;
        forms.extend((!planned.channels.is_empty()).then_some(planned));
    }
    let written = assemble(document, &forms, place_plain)?;
    if report.fallback.is_some() {
        let off = diff(document, &written.ignoring(sqlerp::NAME)?, None)?.possible;
        if off > bound {
            let what = format!(
                "points of the fallback would be {off} scene units off, more than the {bound} that are allowed"
            );
            return Err(Error::Unsupported { extension: sqlerp::NAME.into(), what });
        }
    }
    Ok((written, report))
}

/// The channels that change, as they will stand in the file.
fn plan(
    document: &Document,
    scene: &Scene,
    animation: &Animation,
    options: &RotationOptions,
    bound: f64,
    report: &mut RotationReport,
) -> Result<AnimationForm> {
    let goal = options.interpolation;
    let undefined: Vec<(usize, f64)> = undefined(animation).collect();
    let concerns = |(i, _): &(usize, f64)| options.concerns(&animation.tracks[*i]);
    let stays = |(i, time): &(usize, f64)| {
        let why = format!("it is {}", through_zero(*time));
        unchanged(animation, Some(&animation.tracks[*i]), &why)
    };
    report.findings.extend(undefined.iter().filter(|one| concerns(one)).map(stays));
    let is_defined = |track: &Track| !undefined.iter().any(|(i, _)| animation.tracks[*i].source == track.source);
    let concerned = |track: &Track| options.concerns(track) && is_defined(track);
    let differs = |track: &Track| concerned(track) && track.curve.interpolation() != goal;
    let (changed, findings) = refit_rotations(scene, animation, &differs, goal, bound);
    let fallback = (goal == Interpolation::CubicSlerp && options.core == CoreSampler::Linear)
        .then(|| refit_rotations(scene, animation, &concerned, Interpolation::Linear, bound));
    report.findings.extend(findings.into_iter().chain(fallback.iter().flat_map(|(_, findings)| findings.clone())));
    let mut form = AnimationForm { index: animation.index, ..AnimationForm::default() };
    for (index, (before, after)) in animation.tracks.iter().zip(&changed.tracks).enumerate() {
        let fallback = fallback.as_ref().map(|(animation, _)| &animation.tracks[index]);
        // CUBICSLERP that is there already may still have to change how it stands in the file.
        let layout = goal == Interpolation::CubicSlerp && concerned(before) && after.curve.interpolation() == goal;
        if layout || before.curve != after.curve {
            report.count(before, after, fallback);
            form.replaces.insert(before.source.channel);
            form.channels.push(channel(document, animation.index, after, options, fallback)?);
        }
    }
    Ok(form)
}

/// What there is to say of a rotation, or of all of an animation, that could not be brought to another interpolation.
fn unchanged(animation: &Animation, track: Option<&Track>, why: &str) -> Finding {
    let place = format!("/animations/{}", animation.index);
    let (at, what) = match track {
        Some(track) => (format!("{place}/channels/{}", track.source.channel), "the rotation stayed as it was"),
        None => (place, "its rotations stayed as they were"),
    };
    Finding { severity: Severity::Warning, code: UNCHANGED, at, message: format!("{what}: {why}") }
}

fn channel(
    document: &Document,
    animation: usize,
    track: &Track,
    options: &RotationOptions,
    fallback: Option<&Track>,
) -> Result<ChannelForm> {
    let mut form = match track.curve.interpolation() {
        Interpolation::CubicSlerp => sqlerp::form(track, options.core, fallback)?,
        _ => core_form(track)?,
    };
    // However the file addresses the node stays: only `rotation.x` and its like cannot hold whole quaternions.
    let target = format!("/animations/{animation}/channels/{}/target", track.source.channel);
    if let Some(target) = document.json().pointer(&target)
        && !target["path"].as_str().is_some_and(|path| path.starts_with("rotation."))
    {
        form.target = target.clone();
    }
    Ok(form)
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
