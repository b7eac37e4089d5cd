//! Undoes every storage: plain core floats, core targets where core can express them, pointers in the ratified form
//! otherwise, and CUBICSLERP as CUBICSPLINE. Only the last is inexact; it stays within a bound.
//!
//! Tracks that are plain already stay as they are, including their bytes. Axes are joined by `join_axes`.

use crate::{
    Animations, Bound, Changed, Document, Finding, Interpolation, Monitor, Part, Result, Severity, Storage, Target,
    Targets, Track,
    document::ComponentType,
    join_axes, read, retarget,
    rotation::{self, ChangedRotations, CoreSampler, RotationOptions, convert_rotations_with},
    write::{AnimationForm, assemble, core_form, place_plain},
};
use std::collections::BTreeSet;

/// The document with every animation as plain core floats, and findings about what could not be converted. Rotations
/// that core cannot interpolate stay within `max_error`.
pub fn unpack(document: &Document, max_error: Bound) -> Result<Changed> {
    unpack_with(document, max_error, &())
}

/// Like [`unpack`], with progress and cancellation.
pub fn unpack_with(document: &Document, max_error: Bound, monitor: &dyn Monitor) -> Result<Changed> {
    let options = RotationOptions {
        interpolation: Interpolation::CubicSpline,
        only: Some(Interpolation::CubicSlerp),
        max_error,
        core: CoreSampler::None,
    };
    let part = Part { whole: monitor, from: 0.0, share: 0.7 };
    let ChangedRotations { document, report } = convert_rotations_with(document, &options, &part)?;
    monitor.step(0.7, "unpacking")?;
    let mut plain = unpack_storage(&document)?;
    if report.tracks > 0 {
        let (at, tracks) = ("/animations".to_owned(), report.tracks);
        let message = format!("{tracks} CUBICSLERP rotations became CUBICSPLINE, which core glTF has");
        plain.findings.push(Finding { severity: Severity::Info, code: "ROTATION_REFITTED", at, message });
    }
    plain.findings.extend(report.findings.into_iter().filter(|f| f.code == rotation::UNCHANGED));
    Ok(plain)
}

/// The same with CUBICSLERP rotations as they are: nothing is lost.
pub(crate) fn unpack_storage(document: &Document) -> Result<Changed> {
    let mut parts = Vec::new();
    let joined = retarget::join_components(document, &mut parts)?;
    let document = joined.as_ref().unwrap_or(document);
    let Changed { document: plain, mut findings } = unpack_tracks(document)?;
    findings.extend(parts);
    findings.extend(retarget::readdressed(document)?);
    Ok(Changed { document: retarget::plain_addresses(&plain)?, findings })
}

/// The same with targets as they are addressed, too.
pub(crate) fn unpack_tracks(document: &Document) -> Result<Changed> {
    let Animations { animations, findings } = read(document)?;
    let mut forms = Vec::new();
    for animation in &animations {
        let joined = join_axes(document, animation);
        // One component alone, where it could not be joined, has no plainer form.
        let stays = |t: &Track| {
            let plain = is_plain(document, animation.index, t) && animation.tracks.contains(t);
            plain || retarget::is_component(document.registry(), &t.target)
        };
        let packed: Vec<&Track> = joined.tracks.iter().filter(|t| !stays(t)).collect();
        let kept: BTreeSet<usize> = joined.tracks.iter().filter(|t| stays(t)).map(|t| t.source.channel).collect();
        let replaces: BTreeSet<usize> =
            animation.tracks.iter().map(|t| t.source.channel).filter(|channel| !kept.contains(channel)).collect();
        if !replaces.is_empty() {
            let channels = packed.into_iter().map(core_form).collect::<Result<_>>()?;
            forms.push(AnimationForm { index: animation.index, replaces, channels, repeats_samplers: false });
        }
    }
    Ok(Changed { document: assemble(document, &forms, place_plain)?, findings })
}

fn is_plain(document: &Document, animation: usize, track: &Track) -> bool {
    let float = |accessor| document.accessor(accessor).is_ok_and(|a| a.component == ComponentType::F32 && !a.sparse);
    let addressed = matches!(
        (&track.target, track.source.targets),
        (Target::Node { axis: None, .. }, Targets::Core) | (Target::Pointer { .. }, Targets::Pointer)
    );
    addressed
        && Storage::of(document, animation, track) == Storage::Core
        && float(track.source.input)
        && (float(track.source.output) || track.target.is_exact())
}
