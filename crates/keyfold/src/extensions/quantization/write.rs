//! Stores a document's animations on grids that the engine chooses, with all keys, or in forms that options name.

use super::{Options, given};
use crate::{
    Animation, Animations, Bound, Changed, Document, Finding, Monitor, Result, Severity, Target, Targets, Track,
    convert::{Searched, with_keys_kept},
    read,
};

/// Stores a document's animations as EXT_animation_quantization.
///
/// Tracks without a form in the extension (pointers, CUBICSLERP) stay as they are. That includes pointers that core's
/// `node` and `path` can express: call [`retarget`](fn@crate::retarget) first to store them. Weights become core's
/// normalized integers if those are fine enough. Searched grids keep the bound. Types that the options name may break
/// it ([`kept`](crate::kept) checks).
pub fn quantize(document: &Document, max_error: Bound, options: &Options) -> Result<Changed> {
    quantize_with(document, max_error, options, &())
}

/// Like [`quantize`], with progress and cancellation.
pub fn quantize_with(
    document: &Document,
    max_error: Bound,
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<Changed> {
    let Animations { animations, mut findings } = read(document)?;
    findings.extend(animations.iter().flat_map(pointed));
    let document = match options.values.or(options.times) {
        Some(_) => given::written(document, &animations, options)?,
        None => with_keys_kept(document, max_error, Searched::Quantization(options), monitor)?,
    };
    Ok(Changed { document, findings })
}

/// Findings about tracks that stay as they are because pointers address them.
fn pointed(animation: &Animation) -> impl Iterator<Item = Finding> {
    let is_pointed =
        |track: &&Track| matches!(track.target, Target::Node { .. }) && track.source.targets != Targets::Core;
    animation.tracks.iter().filter(is_pointed).map(|track| Finding {
        severity: Severity::Warning,
        code: "TARGET_NOT_STORED",
        at: format!("/animations/{}/channels/{}", animation.index, track.source.channel),
        message: "stays as it is: the extension stores no pointers; convert with --targets core first".into(),
    })
}

#[cfg(test)]
mod tests;
