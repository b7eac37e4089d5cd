//! Storing a document's animations: the engine says how finely, keys stay. Forms that are asked for by name are written as they are asked for.

use super::{Options, given};
use crate::{
    Animation, Animations, Diff, Document, Finding, PROPERTY_BOUND, Result, Severity, Target, Targets, Track,
    convert::{Searched, with_keys_kept},
    diff::diff,
    read,
};

/// A quantized document and how it compares with the original.
#[derive(Debug)]
pub struct Quantized {
    /// The document.
    pub document: Document,
    /// How far it lies from the original: measured on what was written.
    pub diff: Diff,
    /// Whether that is within the bound. Types that were asked for by name may break it.
    pub within: bool,
    /// What could not be read, and stays as it was.
    pub findings: Vec<Finding>,
}

/// Stores a document's animations as EXT_animation_quantization. Tracks that the extension knows no form for (pointers, spherical
/// splines) stay as they are, also where a pointer means what core's `node` and `path` can say: the draft's table has no row for it, and
/// [`retarget`](fn@crate::retarget) to core's targets first is what makes those smaller. Weights become core's own normalized integers where
/// those are good enough.
pub fn quantize(document: &Document, options: &Options) -> Result<Quantized> {
    let Animations { animations, mut findings } = read(document)?;
    findings.extend(animations.iter().flat_map(pointed));
    let written = match options.values.or(options.times) {
        Some(_) => given::written(document, &animations, options)?,
        None => with_keys_kept(document, Searched::Quantization(options))?,
    };
    let diff = diff(document, &written, None)?;
    let properties = diff.animations.iter().all(|a| a.properties.max <= PROPERTY_BOUND);
    let within =
        diff.possible <= options.max_error.in_scene(diff.model_size) && properties && diff.unmatched.is_empty();
    Ok(Quantized { document: written, diff, within, findings })
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

#[cfg(test)]
mod tests;
