//! Storing a document's animations: the engine says how finely, keys stay. Forms that are asked for by name are written as they are asked for.

use super::{Options, given};
use crate::{
    Animation, Animations, Bound, Changed, Document, Finding, Monitor, Result, Severity, Target, Targets, Track,
    convert::{Searched, with_keys_kept},
    read,
};

/// Stores a document's animations as EXT_animation_quantization. Tracks that the extension knows no form for (pointers, spherical
/// splines) stay as they are, also where a pointer means what core's `node` and `path` can say: the draft's table has no row for it, and
/// [`retarget`](fn@crate::retarget) to core's targets first is what makes those smaller. Weights become core's own normalized integers where
/// those are good enough. What is searched keeps the bound; types that are asked for may break it ([`kept`](crate::kept) tells).
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

/// What there is to say of tracks that stay as they are because of how they are addressed.
fn pointed(animation: &Animation) -> impl Iterator<Item = Finding> {
    let is_pointed =
        |track: &&Track| matches!(track.target, Target::Node { .. }) && track.source.targets != Targets::Core;
    animation.tracks.iter().filter(is_pointed).map(|track| Finding {
        severity: Severity::Warning,
        code: "TARGET_NOT_STORED",
        at: format!("/animations/{}/channels/{}", animation.index, track.source.channel),
        message: "the track is addressed by a pointer, for which EXT_animation_quantization has no form; it stays as it is (--targets core first)".into(),
    })
}

#[cfg(test)]
mod tests;
