//! How errors are looked at, for the commands that measure them.

use keyfold::Bound;

/// What counts besides the bound itself.
#[derive(clap::Args, Clone)]
pub(crate) struct MeasureArgs {
    /// How far weights, colours and what else moves no points may be off, as a share of their range
    #[arg(long, value_name = "SHARE", default_value_t = 0.001, value_parser = share)]
    pub(crate) max_property_error: f64,
    /// Look at points this far from each node [default: as far as its vertices reach, at least 3% of the model]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) shell: Option<Bound>,
}

/// Reads a share of a range.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "it should be a number from 0 to 1".into())
}
