//! Changes how tracks address their targets: core's `node` and `path`, KHR_animation_pointer, or the KHR_animation2
//! draft.
//!
//! Two steps. `regroup` changes the tracks where an address asks for others: weights together or one by one,
//! components joined, numbers that core may not hold as floats. `readdress` changes nothing but the channels'
//! targets: samplers, accessors and bytes stay.

mod readdress;
mod regroup;

pub(crate) use readdress::{has_matrix, is_component};
pub(crate) use regroup::split;

use crate::{Changed, Document, Finding, Result, Severity, Targets, Track, apply::set_target, read};
use regroup::Regroup;
use std::collections::BTreeSet;

/// How the morph weights of a node are animated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// One track for each weight, `/nodes/N/weights/I`.
    Split,
    /// One track for all weights.
    Whole,
}

/// The wanted changes to the targets of a document's channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetargetOptions {
    /// How channels address their targets; `None` leaves them.
    pub targets: Option<Targets>,
    /// How weights are animated; `None` leaves them.
    pub weights: Option<Weights>,
    /// Whether the first key of every pointer's track becomes the property's static value, for loaders without
    /// pointers.
    pub first_as_static: bool,
}

/// Returns the document with other targets. The findings list what could not be changed; it stays as it was, or in
/// the ratified form.
///
/// ```no_run
/// use keyfold::{Document, RetargetOptions, Targets, retarget};
/// # fn main() -> keyfold::Result<()> {
/// let document = Document::open("lamp.gltf")?;
/// let options = RetargetOptions { targets: Some(Targets::Core), ..RetargetOptions::default() };
/// let in_core_form = retarget(&document, &options)?.document;
/// # Ok(()) }
/// ```
pub fn retarget(document: &Document, wanted: &RetargetOptions) -> Result<Changed> {
    let is_core = wanted.targets == Some(Targets::Core);
    let grouping = Regroup {
        weights: wanted.weights.or(is_core.then_some(Weights::Whole)),
        axes: wanted.targets.is_some_and(|targets| targets != Targets::Animation2),
        components: wanted.targets.is_some_and(|targets| targets != Targets::Animation2),
        targets: wanted.targets,
    };
    let mut findings = read(document)?.findings;
    let mut changed = regroup::regroup(document, &grouping, &mut findings)?;
    if let Some(targets) = wanted.targets {
        let before = changed.as_ref().unwrap_or(document);
        changed = Some(readdress::readdress(before, targets, &mut findings)?);
    }
    if wanted.first_as_static {
        changed = Some(first_as_static(changed.as_ref().unwrap_or(document))?);
    }
    let document = changed.map_or_else(|| document.edit().finish(), Ok)?;
    Ok(Changed { document, findings })
}

/// Joins what the ratified extension cannot address: single components. Axes of nodes are `crate::join_axes`' business.
pub(crate) fn join_components(document: &Document, findings: &mut Vec<Finding>) -> Result<Option<Document>> {
    let grouping = Regroup { weights: None, axes: false, components: true, targets: None };
    regroup::regroup(document, &grouping, findings)
}

/// Addresses that most readers understand: core's where core can say it, else the ratified ones.
pub(crate) fn plain_addresses(document: &Document) -> Result<Document> {
    readdress::readdress(document, Targets::Core, &mut Vec::new())
}

/// What there is to say where channels of drafts are about to be addressed in the ratified form: nobody asked for that.
pub(crate) fn readdressed(document: &Document) -> Result<Option<Finding>> {
    let drafts = |track: &&Track| matches!(track.source.targets, Targets::Animation2 | Targets::PropertyAnimation);
    let read = read(document)?;
    let count = read.animations.iter().flat_map(|animation| &animation.tracks).filter(drafts).count();
    let message = format!(
        "{count} targets of drafts became core's, or KHR_animation_pointer's; --targets animation2 brings them back"
    );
    let at = "/animations".to_owned();
    Ok((count > 0).then_some(Finding { severity: Severity::Info, code: "TARGET_READDRESSED", at, message }))
}

/// The first track that drives something decides; what cannot be set was said when it was read.
fn first_as_static(document: &Document) -> Result<Document> {
    let mut edit = document.edit();
    let mut seen = BTreeSet::new();
    for track in read(document)?.animations.iter().flat_map(|animation| &animation.tracks) {
        if track.source.targets != Targets::Core && seen.insert(&track.target) {
            let first: Vec<f64> = track.curve.value(0).iter().map(|v| f64::from(*v)).collect();
            let _ = set_target(edit.json(), document.registry(), &track.target, &first);
        }
    }
    edit.finish()
}

#[cfg(test)]
mod tests;
