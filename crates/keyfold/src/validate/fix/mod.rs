//! Fixes problems that have one obvious fix: a changed copy of a document, and a finding for each fix.
//!
//! A fix is a pass: it looks at what validation says and answers with a changed document, or `None` if nothing is its
//! business. Since it works on findings, what an extension makes legal is never touched. Anything that is not fixed
//! comes out as it went in; what has no obvious cure (NaN, missing values, zero quaternions) stays an error.

mod keys;
mod rewrite;
mod structure;

use super::{Findings, validate};
use crate::{
    Document, Finding, Result,
    document::Elements,
    write::{Filter, Stored},
};
use serde_json::Value;

/// The result of [`fix`].
#[derive(Debug)]
pub struct Fixed {
    /// The document, fixed as far as possible.
    pub document: Document,
    /// The fixes, with places in the original document.
    pub done: Vec<Finding>,
}

type Pass = fn(&Document, &[Finding], &mut Findings) -> Result<Option<Document>>;

/// Declarations come first: what an extension says counts only then. Bounds follow whatever changes keys. Channels go
/// last: until then everything has the number that it had.
const PASSES: [Pass; 7] = [
    structure::declare_extensions,
    structure::require_extensions,
    structure::remove_strides,
    keys::order_times,
    keys::normalize_rotations,
    structure::recompute_bounds,
    structure::drop_channels,
];

/// Fixes what can be fixed. Returns `None` if there is nothing to do.
///
/// ```
/// let json = br#"{ "asset": { "version": "2.0" }, "extensions": { "KHR_lights_punctual": { "lights": [{ "type": "point" }] } } }"#;
/// let document = keyfold::Document::from_bytes(json, None, &Default::default())?;
/// let fixed = keyfold::validate::fix(&document)?.unwrap();
/// assert_eq!(fixed.done[0].code, "MENDED_DECLARATION");
/// assert!(keyfold::validate::validate(&fixed.document).is_empty());
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn fix(document: &Document) -> Result<Option<Fixed>> {
    let mut done = Findings::default();
    let mut current: Option<Document> = None;
    let mut findings = validate(document);
    for pass in PASSES {
        if let Some(changed) = pass(current.as_ref().unwrap_or(document), &findings, &mut done)? {
            findings = validate(&changed);
            current = Some(changed);
        }
    }
    Ok(current.map(|document| Fixed { document, done: done.sorted() }))
}

/// The steps of a finding's place, numbers as numbers: `/animations/2/channels/0/sampler` is 2 and 0 for `animations`
/// and `channels`.
fn indices(at: &str, outer: &str, inner: &str) -> Option<(usize, usize)> {
    let mut steps = at.split('/').skip(1);
    let mut next =
        |name: &str| -> Option<usize> { (steps.next()? == name).then(|| steps.next()?.parse().ok()).flatten() };
    Some((next(outer)?, next(inner)?))
}

/// The accessor that a sampler names as its `input` or `output`.
fn sampler_accessor(document: &Document, animation: usize, sampler: usize, key: &str) -> Option<usize> {
    let value = document.json().pointer(&format!("/animations/{animation}/samplers/{sampler}/{key}"))?;
    crate::document::json::to_index(value)
}

/// An accessor's elements as they would be written anew.
fn stored(elements: Elements<'_>) -> Stored {
    let Elements { component, shape, normalized, bytes } = elements;
    Stored { component, shape, normalized, bounds: true, filter: Filter::None, bytes: bytes.into_owned(), grid: None }
}

/// Sets a member of an object at a place.
fn set(json: &mut Value, at: &str, key: &str, value: Value) {
    if let Some(object) = json.pointer_mut(at).and_then(Value::as_object_mut) {
        object.insert(key.to_owned(), value);
    }
}

#[cfg(test)]
mod tests;
