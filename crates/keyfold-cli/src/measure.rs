//! How errors are looked at, for the commands that measure them.

use crate::output::Remarks;
use anyhow::Result;
use keyfold::{Bound, Document, Kept, PropertyBound, kept};

/// What counts besides the bound itself.
#[derive(clap::Args, Clone)]
pub(crate) struct MeasureArgs {
    /// Largest error of weights, colours and other values that move no points, as a fraction of their range [default: 0.001]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) max_property_error: Option<f64>,
    /// Measure points at this distance from each node [default: as far as its vertices reach, at least 3% of the model]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) shell: Option<Bound>,
}

impl MeasureArgs {
    /// How far what moves no points may be off, asked for or not.
    pub(crate) fn property_bound(&self) -> PropertyBound {
        self.max_property_error.map_or_else(PropertyBound::default, PropertyBound)
    }
}

/// Reads a share of a range.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it should be a number from 0 to 1".into())
}

/// Holds what will be on disk against the original, and remarks on what lies farther off than it may; the largest error, in scene units
/// and of the model's size.
pub(crate) fn held(
    original: &Document,
    written: &Document,
    max_error: Bound,
    remarks: &mut Remarks,
) -> Result<Option<[f64; 2]>> {
    let Kept { diff, broken, .. } = kept(original, written, max_error)?;
    broken.into_iter().for_each(|what| remarks.error(what));
    Ok(diff.in_common().then_some([diff.error, diff.relative]))
}
