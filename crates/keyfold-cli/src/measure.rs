//! How errors are looked at, for the commands that measure them.

use keyfold::Bound;

/// What counts besides the bound itself.
#[derive(clap::Args, Clone)]
pub(crate) struct MeasureArgs {
    /// How far weights, colours and what else moves no points may be off, as a share of their range
    #[arg(long, value_name = "SHARE", default_value_t = 0.001)]
    pub(crate) max_property_error: f64,
    /// Look at points this far from each node [default: as far as its vertices reach, at least 3% of the model]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) shell: Option<Bound>,
}
