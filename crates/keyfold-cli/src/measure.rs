//! How errors are looked at, for the commands that measure them.

use crate::{Outcome, output};
use anyhow::Result;
use keyfold::{Bound, Document, Kept, kept};

/// What counts besides the bound itself.
#[derive(clap::Args, Clone)]
pub(crate) struct MeasureArgs {
    /// How far weights, colours and what else moves no points may be off, as a share of their range [default: 0.001]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) max_property_error: Option<f64>,
    /// Look at points this far from each node [default: as far as its vertices reach, at least 3% of the model]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) shell: Option<Bound>,
}

impl MeasureArgs {
    /// How far what moves no points may be off, asked for or not.
    pub(crate) fn property_bound(&self) -> f64 {
        self.max_property_error.unwrap_or(0.001)
    }
}

/// Reads a share of a range.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it should be a number from 0 to 1".into())
}

/// Holds what will be on disk against the original; says where it lies farther off than it may, and whether it does.
pub(crate) fn held(original: &Document, written: &Document, max_error: Bound) -> Result<Outcome> {
    let Kept { diff, broken } = kept(original, written, max_error, &())?;
    if broken.is_empty() && diff.error > 0.0 {
        output::note(&format!("the largest error is {:.6}% of the model's size", diff.relative * 100.0));
    }
    broken.iter().for_each(|what| output::error(what));
    Ok(Outcome::wrong_if(!broken.is_empty()))
}
