//! Checks that a written document plays like its original.

use super::{Diff, diff_with};
use crate::{Bound, Document, Monitor, PROPERTY_BOUND, Part, Result};

/// The comparison of a written document with its original.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kept {
    /// The differences between the two.
    pub diff: Diff,
    /// Messages about what is lost or exceeds the bound; empty if the bound holds.
    pub broken: Vec<String>,
}

/// Compares a document as it will be on disk with the original. Channels that cannot be read do not count.
pub fn kept(original: &Document, written: &Document, max_error: Bound) -> Result<Kept> {
    kept_with(original, written, max_error, &())
}

/// Like [`kept`], with progress and cancellation.
pub fn kept_with(original: &Document, written: &Document, max_error: Bound, monitor: &dyn Monitor) -> Result<Kept> {
    let half = |from| Part { whole: monitor, from, share: 0.5 };
    let diff = diff_with(original, written, None, &half(0.0))?;
    let mut broken = lost(&diff, original, &half(0.5))?;
    // An unknown error is not within the bound.
    if diff.possible.is_nan() || diff.possible > max_error.in_scene(diff.model_size) {
        let percent = diff.possible / diff.model_size * 100.0;
        broken.push(format!("the error may reach {percent:.6}% of the model's size; that is more than {max_error}"));
    }
    let properties = diff.animations.iter().map(|animation| &animation.properties);
    if let Some(worst) = properties.filter(|p| p.max > PROPERTY_BOUND).reduce(|a, b| if b.max > a.max { b } else { a })
    {
        let (target, off) = (worst.target.as_deref().unwrap_or_default(), worst.max * 100.0);
        broken.push(format!("{target} is {off:.4}% of its range off, more than {}%", PROPERTY_BOUND * 100.0));
    }
    Ok(Kept { diff, broken })
}

/// What the original has and the other lacks. What cannot be read is missing in both.
fn lost(found: &Diff, original: &Document, monitor: &dyn Monitor) -> Result<Vec<String>> {
    if found.unmatched.is_empty() {
        return Ok(Vec::new());
    }
    let known = diff_with(original, original, None, monitor)?.unmatched;
    Ok(found.unmatched.iter().filter(|what| !known.contains(what)).map(ToString::to_string).collect())
}
