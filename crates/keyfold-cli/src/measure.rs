//! How errors are looked at, for the commands that measure them.

use crate::{Outcome, output};
use anyhow::Result;
use keyfold::{Bound, Diff, Document, diff};

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

/// How far what moves no points may be off where nothing else is asked for, as a share of its range.
const PROPERTY_ERROR: f64 = 0.001;

/// Holds what will be on disk against the original; says where it lies farther off than it may, and whether it does.
pub(crate) fn held(original: &Document, written: &Document, max_error: Bound) -> Result<Outcome> {
    let found = diff(original, written, None)?;
    // What cannot be read is missing in both.
    let known = if found.unmatched.is_empty() { Vec::new() } else { diff(original, original, None)?.unmatched };
    let lost: Vec<_> = found.unmatched.iter().filter(|what| !known.contains(what)).collect();
    lost.iter().for_each(|what| output::error(&what.to_string()));
    if found.error > 0.0 {
        output::note(&format!("the largest error is {:.6}% of the model's size", found.relative * 100.0));
    }
    // What is not known is not within.
    let over = found.possible.is_nan() || found.possible > max_error.in_scene(found.model_size);
    if over {
        output::error(&format!("that is more than {max_error}"));
    }
    let property = worst_property(&found);
    let (off, target) = property.unwrap_or_default();
    if off > PROPERTY_ERROR {
        output::error(&format!(
            "{target} is {:.4}% of its range off, more than {}%",
            off * 100.0,
            PROPERTY_ERROR * 100.0
        ));
    }
    Ok(Outcome::wrong_if(over || off > PROPERTY_ERROR || !lost.is_empty()))
}

/// The property that moves no points and is farthest off, and by which share of its range.
fn worst_property(found: &Diff) -> Option<(f64, &str)> {
    let properties = found.animations.iter().map(|a| &a.properties);
    let worst = properties.reduce(|a, b| if b.max > a.max { b } else { a })?;
    Some((worst.max, worst.target.as_deref().unwrap_or_default()))
}
